"""What every route needs: who calls, whether they may, and the markets."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from fastapi import Request
from starlette.concurrency import run_in_threadpool

from copyproof.live import Principal
from copyproof.live.stores import StoreError
from copyproof.service.door import KEY, RETRY, SECRET
from copyproof.service.errors import refusal_of
from copyproof.service.keys import Key
from copyproof.service.office import Office
from copyproof.service.roles import ACTIONS, authorize

__all__ = ["Call", "may"]

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Call:
    """A request that its caller may make.

    Attributes
    ----------
    key : Key
        The caller's.
    retry : str or None
        The idempotency key, unique to the caller.
    office : Office
        The markets.
    secret : bytes
        The text of the caller's key.
    """

    key: Key
    retry: str | None
    office: Office
    secret: bytes

    async def write(
        self, market: str, call: Callable[[Principal], Answer], field: str = "body"
    ) -> Answer:
        """Have a market's writer do something, and wait until it is on the disk."""
        try:
            return await self.office.find(market).submit(call)
        except (ValueError, LookupError) as error:
            raise refusal_of(error, field) from None

    async def aside(self, call: Callable[[], Answer], field: str = "body") -> Answer:
        """Do something slow on another thread."""
        try:
            return await run_in_threadpool(call)
        except (ValueError, LookupError, StoreError) as error:
            raise refusal_of(error, field) from None


def may(action: str) -> Callable[[Request], Awaitable[Call]]:
    """Return a dependency that refuses callers who may not do ``action``."""
    wanted = ACTIONS[action]

    async def check(request: Request) -> Call:
        key: Key = request.scope[KEY]
        named = request.path_params
        authorize(key, wanted, named.get("market"), named.get("agent"))
        scope = request.scope
        return Call(key, scope[RETRY], request.app.state.office(), scope[SECRET])

    return check
