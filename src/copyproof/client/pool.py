"""A pool of connections for threads, on ``http.client``.

A connection carries one request at a time and is then kept for the next one. One that the service
has closed in the meantime is recognised before it is used, or at the latest when it breaks before
an answer begins: the request then goes out at once on another.
"""

import http.client
import os
import select
import socket
import ssl
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from .protocol import LONGEST_IDLE, PART, Address, Answer, Refused, Request


class _Idle(NamedTuple):
    """A connection that is kept, to whom, and since when."""

    address: Address
    connection: http.client.HTTPConnection
    since: float

    @property
    def works(self) -> bool:
        """Whether it has not ended, and got no answer that nobody asked for."""
        found = self.connection.sock
        fresh = self.since >= time.monotonic() - LONGEST_IDLE
        return fresh and found is not None and not _is_readable(found)


class Pool:
    """Connections that threads share: at most so many requests at once, and the others wait.

    As many connections are kept for later requests.

    Attributes
    ----------
    attempts : int
        How many requests were sent.
    """

    def __init__(self, connections: int, timeout: float, context: ssl.SSLContext | None) -> None:
        self._connections = connections
        self._timeout = timeout
        self._context = context
        self._room = threading.BoundedSemaphore(connections)
        self._lock = threading.Lock()
        self._idle: list[_Idle] = []  # the one that was used last is at the end
        self._process = os.getpid()
        self.attempts = 0

    def exchange(self, address: Address, request: Request) -> Answer:
        """Send a request and read its answer."""
        with self._turn():
            while True:
                connection = self._kept(address)
                fresh = connection is None
                try:
                    connection = connection or self._new(address)
                    response = self._send(connection, address, request)
                    answer = Answer(response.status, response.headers, response.read())
                except BaseException as broken:  # whatever it is, the answer is nobody else's
                    if connection is not None:
                        connection.close()
                    if fresh or not isinstance(broken, ConnectionError):
                        raise
                else:
                    self._keep(address, connection)
                    return answer

    def stream(self, address: Address, request: Request) -> Generator[bytes, None]:
        """Return a long answer in parts, over a connection of its own that takes no one's turn."""
        connection = self._new(address)
        try:
            response = self._send(connection, address, request)
            if response.status >= 300:
                raise Refused(Answer(response.status, response.headers, response.read()))
            while part := response.read(PART):
                yield part
        finally:
            connection.close()

    def pause(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)

    def close(self) -> None:
        """Close what is kept; the pool goes on working."""
        with self._lock:
            idle, self._idle = self._idle, []
        for each in idle:
            each.connection.close()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        if not self._room.acquire(timeout=self._timeout):
            raise TimeoutError(f"all {self._connections} connections are busy")
        try:
            yield
        finally:
            self._room.release()

    def _new(self, address: Address) -> http.client.HTTPConnection:
        if not address.tls:
            return http.client.HTTPConnection(address.host, address.port, timeout=self._timeout)
        if self._context is None:  # once: it reads all certificates of the machine
            self._context = ssl.create_default_context()
        return http.client.HTTPSConnection(
            address.host, address.port, timeout=self._timeout, context=self._context
        )

    def _send(
        self, connection: http.client.HTTPConnection, address: Address, request: Request
    ) -> http.client.HTTPResponse:
        with self._lock:
            self.attempts += 1
        headers = {"Host": address.authority, **request.headers}
        connection.request(request.method, address.prefix + request.path, request.body, headers)
        return connection.getresponse()

    def _kept(self, address: Address) -> http.client.HTTPConnection | None:
        """Take a kept connection that still works, and close those that do not."""
        with self._lock:
            if self._process != os.getpid():  # a fork: these connections are the parent's
                self._process, self._idle = os.getpid(), []
            for index in reversed(range(len(self._idle))):
                if self._idle[index].address.server == address.server:
                    found = self._idle.pop(index)
                    if found.works:
                        return found.connection
                    found.connection.close()
        return None

    def _keep(self, address: Address, connection: http.client.HTTPConnection) -> None:
        if connection.sock is None:  # closed, as the service asked
            return
        with self._lock:
            self._idle.append(_Idle(address, connection, time.monotonic()))
            surplus = self._idle[: -self._connections]
            self._idle = self._idle[-self._connections :]
        for each in surplus:
            each.connection.close()


def _is_readable(found: socket.socket) -> bool:
    if not hasattr(select, "poll"):  # Windows
        return bool(select.select([found], [], [], 0)[0])
    poll = select.poll()
    poll.register(found, select.POLLIN)
    return bool(poll.poll(0))
