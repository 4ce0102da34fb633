"""A service as requests reach it: tried again, and sent to the process that leads a market.

The blocking twin, ``connection``, is made of this module by ``make clients``.
"""

import json
import ssl
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from .async_pool import AsyncPool
from .protocol import BROKEN, Address, Answer, Refused, Request, Retries
from .records import Unavailable


class AsyncConnection:
    """A pool of connections to a service, with retries that change nothing.

    Parameters
    ----------
    url : str
        Such as ``http://127.0.0.1:8000``.
    key : str
        The API key.
    timeout : float
        Seconds to wait for one answer.
    patience : float
        Seconds after which no new attempt is made.
    connections : int
        Requests that are under way at once; more wait for their turn.
    context : ssl.SSLContext, optional
        What https trusts; the certificates of the machine if it is not given.

    Examples
    --------
    >>> AsyncConnection("http://127.0.0.1:8000", "cp_0_0").attempts
    0
    """

    def __init__(
        self,
        url: str,
        key: str,
        *,
        timeout: float = 10.0,
        patience: float = 30.0,
        connections: int = 8,
        context: ssl.SSLContext | None = None,
    ) -> None:
        if connections < 1:
            raise ValueError(f"connections = {connections!r} is not a whole number from 1 on")
        self._home = Address.of(url)
        self._key = key
        self._patience = patience
        self._leaders: dict[str, Address] = {}
        self._pool = AsyncPool(connections, timeout, context)

    @property
    def attempts(self) -> int:
        """How many requests were sent, retries included."""
        return self._pool.attempts

    async def close(self) -> None:
        """Close all connections that are not in use; they open again by themselves."""
        await self._pool.close()

    async def send(
        self, method: str, path: str, body: Any = None, *, retry_key: str | None = None
    ) -> Any:
        """Send a request until it is answered, and return the answer's JSON.

        Raises
        ------
        ApiError
            If the service refuses the request.
        Unavailable
            If patience ends before the service could serve it.
        """
        answer = await self._answer(method, path, body, retry_key)
        return answer.json

    async def lines(self, path: str) -> list[Any]:
        """Return the JSON objects of an answer that has one on each line."""
        answer = await self._answer("GET", path)
        return [json.loads(line) for line in answer.body.splitlines()]

    async def stream(self, path: str) -> AsyncGenerator[bytes, None]:
        """Return a long answer in parts, on a connection of its own.

        It is asked for until it begins, and once it has begun never again.

        Raises
        ------
        ApiError
            If the service refuses the request.
        Unavailable
            If the service cannot be reached, or the answer is broken off.
        """
        request = Request.of("GET", path, key=self._key)
        retries = Retries(request, self._home, self._leaders, self._patience)
        while True:
            try:
                async with aclosing(self._pool.stream(retries.address(), request)) as parts:
                    async for part in parts:
                        yield part
                return
            except Refused as refused:
                await self._pool.pause(retries.pause(refused.answer))
            except BROKEN as broken:
                raise Unavailable(0, "url", f"no answer: {broken!r}") from None

    async def _answer(
        self, method: str, path: str, body: Any = None, retry_key: str | None = None
    ) -> Answer:
        request = Request.of(method, path, body, key=self._key, retry_key=retry_key)
        retries = Retries(request, self._home, self._leaders, self._patience)
        while True:
            outcome: Answer | Exception
            try:
                outcome = await self._pool.exchange(retries.address(), request)
            except BROKEN as broken:
                outcome = broken
            else:
                if outcome.status < 300:
                    return outcome
            await self._pool.pause(retries.pause(outcome))
