"""The protocol on a connection: uvicorn's own, with limits on time and size.

Whoever connects has shown no key yet. uvicorn waits for the end of a request as long as it takes,
and keeps however many headers come, so that a few hundred silent connections would keep everyone
else out. Here a request must be there, head and body, within ``seconds`` of its first byte (of the
connection, if it is the first), and its head must not exceed ``HEAD`` bytes by much. Whoever takes
nothing of an answer for as long is cut off, too, and at once when the server stops.

A process can hold so many connections and no more. When there are too many, the one that has been
silent for longest is closed, those that never asked for anything before all others.
"""

import logging
import time
from asyncio import BaseTransport, TimerHandle, Transport
from collections import OrderedDict
from typing import Any, ClassVar, cast
from weakref import WeakKeyDictionary

from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from copyproof.service.errors import Refusal

_log = logging.getLogger("copyproof.service")

# The most bytes of a request's line and headers; what arrives in one piece is not counted.
HEAD = 1 << 16
# Where the scope of a request has the cycle of request and answer that it is part of.
CYCLE = "copyproof.cycle"
_QUIET = 60.0  # seconds between two lines in the log about too many connections


def write_answer(
    cycle: RequestResponseCycle, status: int, headers: list[tuple[bytes, bytes]], body: bytes
) -> bool:
    """Write a whole answer at once; False if it must be written in parts.

    uvicorn writes head and body one after the other: two calls of the system, and two packets.
    """
    is_plain = cycle.scope["method"] != "HEAD" and not cycle.response_started
    if cycle.flow.write_paused or not is_plain:
        return False
    if not cycle.disconnected:
        cycle.response_started = cycle.response_complete = True
        head = [b"%b: %b\r\n" % header for header in headers]
        if not cycle.keep_alive:
            head.append(b"connection: close\r\n")
        cycle.transport.write(b"".join((STATUS_LINE[status], *head, b"\r\n", body)))
        cycle.message_event.set()
        if not cycle.keep_alive:
            cycle.transport.close()
        cycle.on_response()
    return True


class InvalidRequests(logging.LoggerAdapter[logging.Logger]):
    """uvicorn's log of a connection, in which invalid requests are counted, not listed.

    They need no key: a line for each would let anybody fill the disk.
    """

    def __init__(self, logger: logging.Logger) -> None:
        super().__init__(logger)
        self._count = 0
        self._told = -_QUIET

    @property
    def level(self) -> int:
        """That of the logger, which uvicorn asks for."""
        return self.logger.level

    def warning(self, msg: object, *args: object, **settings: Any) -> None:
        """Write a line for all warnings since the last one, once in a while."""
        self._count += 1
        if (now := time.monotonic()) >= self._told + _QUIET:
            times = f" ({self._count} times since the last line)" if self._count > 1 else ""
            self._told, self._count = now, 0
            super().warning(f"{msg}{times}", *args, **settings)


class SilentConnections:
    """The connections of one server that wait for no answer, the longest silent first.

    Attributes
    ----------
    new, old : OrderedDict
        Those that never asked for anything, and those that did.
    """

    def __init__(self) -> None:
        self.new: OrderedDict[TimedProtocol, None] = OrderedDict()
        self.old: OrderedDict[TimedProtocol, None] = OrderedDict()
        self._told = -_QUIET

    def remove(self, one: "TimedProtocol") -> None:
        """Note that a connection waits for an answer, or is gone."""
        self.new.pop(one, None)
        self.old.pop(one, None)

    def close_one(self, newcomer: "TimedProtocol", most: int) -> None:
        """Close the one that has been silent for longest; the newcomer if no other is."""
        first = next(iter(self.new), newcomer)
        chosen = next(iter(self.old), newcomer) if first is newcomer else first
        self.remove(chosen)
        chosen.transport.abort()
        if time.monotonic() >= self._told + _QUIET:
            self._told = time.monotonic()
            _log.warning("%d connections, the most there can be: silent ones are closed", most)


_INVALID = InvalidRequests(logging.getLogger("uvicorn.error"))


class TimedProtocol(HttpToolsProtocol):
    """One connection. A request that comes in one piece, as most do, starts no timer."""

    seconds = 30.0  # for one request to arrive, and for some of an answer to be taken
    most = 10_000  # connections

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.logger = cast(logging.Logger, _INVALID)

    _of_servers: ClassVar[WeakKeyDictionary[Any, SilentConnections]] = WeakKeyDictionary()
    _silent: SilentConnections
    _stalled: TimerHandle | None = None
    _timer: TimerHandle | None = None
    _asked = False
    _whole = False
    _in_head = True
    _begins = False
    _head = 0

    def connection_made(self, transport: BaseTransport) -> None:
        """Wait for a request, but not for ever."""
        super().connection_made(cast(Transport, transport))
        self._timer = self.loop.call_later(self.seconds, self.transport.abort)
        self._silent = self._of_servers.setdefault(self.server_state, SilentConnections())
        self._silent.new[self] = None
        if len(self.connections) > self.most:
            self._silent.close_one(self, self.most)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._cancel_timer()
        self.resume_writing()
        self._silent.remove(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on, and see whether the caller has said enough, or too much."""
        self._begins = False
        super().data_received(data)
        if self._whole and not self.cycle.response_complete:
            self._cancel_timer()  # now it is our turn
            self._silent.remove(self)
        elif self._timer is None:
            self._timer = self.loop.call_later(self.seconds, self.transport.abort)
        if self._in_head and not self._begins:
            self._head += len(data)
            if self._head > HEAD and not self.transport.is_closing():
                self._refuse()

    def on_message_begin(self) -> None:
        """Note that a head begins."""
        super().on_message_begin()
        self._whole, self._in_head, self._begins, self._head = False, True, True, 0

    def on_headers_complete(self) -> None:
        """Note that the head is there."""
        self._in_head, self._asked = False, True
        super().on_headers_complete()
        cast(dict[str, Any], self.scope)[CYCLE] = self.cycle

    def on_response_complete(self) -> None:
        """Note that the connection is silent again."""
        super().on_response_complete()
        if not self.transport.is_closing():
            self._silent.old[self] = None

    def pause_writing(self) -> None:
        """Wait for the caller to take what is written, but not for ever."""
        super().pause_writing()
        self._stalled = self.loop.call_later(self.seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on writing."""
        super().resume_writing()
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def shutdown(self) -> None:
        """Finish the answer that is under way, unless nobody takes it."""
        if self._stalled is not None:
            self.transport.abort()
        else:
            super().shutdown()

    def on_message_complete(self) -> None:
        """Note that the body is there."""
        self._whole = True
        super().on_message_complete()

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _refuse(self) -> None:
        if not self._asked or self.cycle.response_complete:
            body = Refusal(431, "headers", f"headers are larger than {HEAD} bytes").body
            head = b"content-type: application/json\r\nconnection: close\r\n"
            length = b"content-length: %d\r\n\r\n" % len(body)
            self.transport.write(STATUS_LINE[431] + head + length + body)
        self.transport.close()
