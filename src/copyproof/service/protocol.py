"""The protocol on a connection: uvicorn's own, with limits on time and size.

Whoever connects has shown no key yet. uvicorn waits for the end of a request as long as it takes,
and keeps however many headers come, so that a few hundred silent connections would keep everyone
else out. Here a request must be there, head and body, within ``seconds`` of its first byte (of the
connection, if it is the first), and its head must not exceed ``HEAD`` bytes by much.
"""

from asyncio import BaseTransport, TimerHandle, Transport
from typing import cast

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from copyproof.service.errors import Refusal

# The most bytes of a request's line and headers; what arrives in one piece is not counted.
HEAD = 1 << 16


class TimedProtocol(HttpToolsProtocol):
    """One connection. A request that comes in one piece, as most do, starts no timer."""

    seconds = 30.0  # for one request to arrive

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

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._cancel_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on, and see whether the caller has said enough, or too much."""
        self._begins = False
        super().data_received(data)
        if self._whole and not self.cycle.response_complete:
            self._cancel_timer()  # now it is our turn
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
