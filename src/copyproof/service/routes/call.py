"""What every route is given: who calls, with what key, and the markets."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import ExitStack
from contextvars import copy_context
from dataclasses import dataclass
from typing import Annotated, TypeVar

from fastapi import Query, Request
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool
from starlette.types import Receive, Scope, Send

from copyproof.live import Principal
from copyproof.live.stores import StoreError
from copyproof.service.access import Key, authorize
from copyproof.service.errors import refusal_of
from copyproof.service.leadership import Leadership
from copyproof.service.observation import CURRENT
from copyproof.service.writer import Answer
from copyproof.validation import LONGEST_NAME, require

CALL = "copyproof.call"  # where the gateway puts it into the scope of ASGI
ON_PAGE = 1000  # entries of a page
MOST_ON_PAGE = 10_000

Entry = TypeVar("Entry")


@dataclass(frozen=True)
class ApiCall:
    """A request that the gateway hands on to FastAPI, with what a route needs to serve it.

    Attributes
    ----------
    key : Key
        The caller's.
    retry : str or None
        The idempotency key, unique to the caller.
    leadership : Leadership
        The markets.
    secret : bytes
        The text of the caller's key.
    """

    key: Key
    retry: str | None
    leadership: Leadership
    secret: bytes

    async def on_writer(
        self, market: str, do: Callable[[Principal], Answer], field: str = "body"
    ) -> Answer:
        """Have a market's writer do something, and wait until it is on the disk."""
        context = copy_context()  # so that lines of the log have the request's id
        try:
            served = await self.leadership.find(market)
            waiting = self.leadership.submit(served, lambda to: context.run(do, to))
            note = CURRENT.get()
            if note is not None and note.trace is not None:
                return await note.trace.written(waiting)
            return await waiting
        except (ValueError, LookupError) as error:
            raise refusal_of(error, field) from None

    async def change(
        self, market: str, method: Callable[..., Answer], *arguments: object, field: str
    ) -> Answer:
        """Have a market's writer call a method of the principal that takes an idempotency key."""
        return await self.on_writer(
            market, lambda principal: method(principal, *arguments, key=self.retry), field
        )

    async def on_thread(self, do: Callable[[], Answer], field: str = "body") -> Answer:
        """Do something slow on another thread."""
        try:
            return await run_in_threadpool(do)
        except (ValueError, LookupError, StoreError) as error:
            raise refusal_of(error, field) from None

    async def reading(self, read: Callable[[], Answer], field: str = "body") -> Answer:
        """Do a slice of reading when its turn has come."""
        try:
            return await self.leadership.readers.run(read, self.key)
        except (ValueError, LookupError, StoreError) as error:
            raise refusal_of(error, field) from None

    async def export(
        self, read: Callable[[], bytes], first: Callable[[], bytes] | None = None
    ) -> "Export":
        """Send what is read slice by slice, until a slice is empty; one seat for all of it."""
        readers = self.leadership.readers
        with ExitStack() as seat:
            seat.enter_context(readers.export(self.key))
            try:
                begins = await readers.run(first or read, self.key, goes_on=True)
            except (ValueError, LookupError, StoreError) as error:
                raise refusal_of(error, "after") from None

            async def parts() -> AsyncIterator[bytes]:
                part = begins
                while part:
                    yield part
                    part = await readers.run(read, self.key, goes_on=True)

            return Export(parts(), seat.pop_all())


class Export(StreamingResponse):
    """An answer in lines, which holds a seat until it is sent, or broken off."""

    def __init__(self, parts: AsyncIterator[bytes], seat: ExitStack) -> None:
        super().__init__(parts, media_type="application/x-ndjson")
        self._seat = seat

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        with self._seat:
            await super().__call__(scope, receive, send)


Limit = Annotated[int, Query(ge=1, le=MOST_ON_PAGE, description="Most entries of the page.")]
After = Annotated[
    str | None,
    Query(max_length=LONGEST_NAME, description="What `next` of the page before says."),
]
Segment = Annotated[
    str | None,
    Query(
        max_length=LONGEST_NAME,
        description="Only visitors of this segment; those without one if it is empty.",
    ),
]


def page_of(
    entries: Sequence[Entry], name: Callable[[Entry], str], after: str | None, limit: int
) -> tuple[list[Entry], str | None]:
    """Return the entries after the one of a name, up to a limit; and the last name, if more come.

    Examples
    --------
    >>> page_of("abcde", str, "a", 3)
    (['b', 'c', 'd'], 'd')
    >>> page_of("abcde", str, "d", 3)
    (['e'], None)
    """
    start = 0
    if after is not None:
        names = [name(each) for each in entries]
        require(after in names, "after", after, "the name at the end of a page")
        start = names.index(after) + 1
    found = list(entries[start : start + limit])
    return found, name(found[-1]) if start + limit < len(entries) else None


def allowed_to(action: str) -> Callable[[Request], Awaitable[ApiCall]]:
    """Return a dependency that refuses callers who may not do ``action``."""

    async def check(request: Request) -> ApiCall:
        call: ApiCall = request.scope[CALL]
        named = request.path_params
        authorize(call.key, action, named.get("market"), named.get("agent"))
        note = CURRENT.get()
        if note is not None:
            note.market = named.get("market")
        return call

    return check
