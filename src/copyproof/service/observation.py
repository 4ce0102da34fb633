"""What is noted of a request while it is served: for the log, the metrics and the traces.

Every request has an **id**: what ``X-Request-Id`` says, if it is a plain word, else a new one. The
answer carries it, and so does every line of the log that is written meanwhile. What is noted of the
caller is the id of its key, never the key; and a market is noted when the caller may use it, so
that nobody can write into the log what they like.
"""

import logging
import random
import re
import time
from collections.abc import Iterable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from copyproof.service.metrics import RequestMetrics

if TYPE_CHECKING:
    from copyproof.service.tracing import RequestTrace, Tracing

REQUEST_LOG = "copyproof.requests"
OTHER = "other"  # the route of a path that is none of ours

_log = logging.getLogger(REQUEST_LOG)
_HEADER = b"x-request-id"
_PLAIN = re.compile(rb"[A-Za-z0-9][A-Za-z0-9._:+/=@-]{0,127}")


_random = random.Random()  # seeded by the system


class RequestNote:
    """What is noted of one request.

    Attributes
    ----------
    header : tuple of bytes
        The header of the answer that carries the request's id.
    method : str
        Of HTTP.
    route : str or None
        The path with names in place of values, such as ``/v1/markets/{market}``; None if it is not
        known yet.
    key, market : str or None
        The id of the caller's key and the market, once they are accepted.
    began : float
        When it began, on the clock of ``time.perf_counter``.
    trace : RequestTrace or None
        Its trace, if there are any.
    """

    __slots__ = ("began", "header", "key", "market", "method", "route", "trace")

    def __init__(self, method: str, header: tuple[bytes, bytes]) -> None:
        self.began = time.perf_counter()
        self.method = method
        self.header = header
        self.route: str | None = None
        self.key: str | None = None
        self.market: str | None = None
        self.trace: RequestTrace | None = None

    @property
    def id(self) -> str:
        """The request's id."""
        return self.header[1].decode("ascii")

    def fields(self) -> dict[str, str]:
        """Return what a line of the log says of the request."""
        trace = None if self.trace is None else self.trace.id
        found = {"request": self.id, "market": self.market, "key": self.key, "trace": trace}
        return {name: value for name, value in found.items() if value is not None}


#: The request that is being served, in whatever runs for it.
CURRENT: ContextVar[RequestNote | None] = ContextVar("request", default=None)


def request_id(given: bytes | None) -> bytes:
    """Return the id of a request: the one given, if it is a plain word, or a new one.

    Examples
    --------
    >>> request_id(b"abc-1"), request_id(b"two words") != request_id(None)
    (b'abc-1', True)
    """
    if given is not None and _PLAIN.fullmatch(given) is not None:
        return given
    # Random, as numbers in a row would tell every caller how many others there are.
    return b"%016x" % _random.getrandbits(64)


class Observer:
    """Notes every request from its beginning to its end.

    Parameters
    ----------
    metrics : RequestMetrics
        Where requests are counted.
    routes : iterable of (pattern, str)
        What paths match, and the route's path with names in it.
    log_requests : bool
        Whether each gets a line in the log.
    tracing : Tracing, optional
        Where traces go.
    """

    def __init__(
        self,
        metrics: RequestMetrics,
        routes: Iterable[tuple[re.Pattern[str], str]],
        *,
        log_requests: bool = False,
        tracing: "Tracing | None" = None,
    ) -> None:
        self._metrics = metrics
        self._routes = tuple(routes)
        self._log_requests = log_requests
        self._tracing = tracing

    def begin(self, method: str, headers: dict[bytes, bytes]) -> RequestNote:
        """Note that a request has come."""
        note = RequestNote(method, (_HEADER, request_id(headers.get(_HEADER))))
        CURRENT.set(note)  # in the task of this request, and what it starts
        if self._tracing is not None:
            note.trace = self._tracing.begin(headers)
        return note

    def end(self, note: RequestNote, path: str, status: int) -> None:
        """Note that a request is over."""
        seconds = time.perf_counter() - note.began
        route = self.route(note, path)
        self._metrics.add(note.method, route, status, seconds)
        if note.trace is not None:
            note.trace.end(note, route, status)
        if self._log_requests:
            said: dict[str, Any] = {"method": note.method, "route": route, "status": status}
            said["seconds"] = round(seconds, 6)
            _log.info("%s %s %d", note.method, route, status, extra=said)

    def route(self, note: RequestNote, path: str) -> str:
        """Return the route of a request."""
        if note.route is None:
            found = (name for form, name in self._routes if form.fullmatch(path))
            note.route = next(found, OTHER)
        return note.route
