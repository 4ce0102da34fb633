"""What needs no key: pages that are written once, and the pace at which strangers are answered.

A page is kept as bytes with a tag (``ETag``), so that nothing is rendered twice. A ``Pace`` lets
requests without a key have a small share of the event loop: beyond it they wait for their turn,
and beyond the longest wait pages are refused. Callers with a key are not concerned.
"""

import asyncio
import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass

from fastapi import Request
from fastapi.responses import Response

from copyproof.service.errors import Refusal

# Answers a second without a key: of pages, of probes, and of refusals. At some 0.3 ms each they
# take a few hundredths of the event loop.
_RATE, _AT_ONCE = 100.0, 400
_LONGEST = 2.0  # seconds for which one waits


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it is sent.

    Examples
    --------
    >>> page_of("text/plain", b"a page").tag
    '"9a8eeff1d0bc6b9b7acf170b1168d6d0"'
    """

    kind: str
    body: bytes
    tag: str


def page_of(kind: str, body: bytes) -> Page:
    """Return a page with the tag of its content."""
    return Page(kind, body, f'"{hashlib.sha256(body).hexdigest()[:32]}"')


def sent(request: Request, page: Page, headers: dict[str, str]) -> Response:
    """Return a page, or that the caller has it already."""
    headers = {"Cache-Control": "no-cache", **headers, "ETag": page.tag}
    if request.headers.get("if-none-match") == page.tag:
        return Response(status_code=304, headers=headers)
    return Response(page.body, headers=headers, media_type=page.kind)


class Pace:
    """So many a second, and a queue of those beyond.

    Parameters
    ----------
    rate : float
        How many a second, in the long run.
    at_once : int
        How many at once, after a time with none.
    longest : float
        Seconds that the last in the queue waits.
    clock : callable
        Seconds; must never run backwards.

    Examples
    --------
    >>> pace = Pace(10.0, 2, 0.1, lambda: 0.0)
    >>> [pace.wait() for _ in range(4)]
    [0.0, 0.0, 0.1, None]
    """

    def __init__(
        self,
        rate: float = _RATE,
        at_once: int = _AT_ONCE,
        longest: float = _LONGEST,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.longest = longest
        self._clock = clock
        self._step = 1.0 / rate
        self._ahead = at_once * self._step
        self._next = clock() - self._ahead

    def wait(self) -> float | None:
        """Return how many seconds the next one waits; None if the queue is full."""
        now = self._clock()
        following = max(self._next, now - self._ahead) + self._step
        wait = max(0.0, following - now)
        if wait > self.longest:
            return None
        self._next = following
        return wait

    async def turn(self, *, refuses: bool) -> None:
        """Wait for one's turn; if the queue is full as long as it is, and then maybe be refused.

        Also those who are refused wait: they would come again at once.

        Raises
        ------
        Refusal
            503 if the queue is full, and ``refuses``.
        """
        wait = self.wait()
        if wait != 0.0:
            await asyncio.sleep(self.longest if wait is None else wait)
        if wait is None and refuses:
            raise Refusal(503, "path", "too many requests without a key, try again", 5)
