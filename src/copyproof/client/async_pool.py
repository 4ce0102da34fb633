"""A pool of connections for coroutines, on asyncio's streams: the twin of ``pool``.

Whatever ends a request early, a timeout or a cancellation, ends its connection, so that its answer
is never taken for another's.
"""

import asyncio
import ssl
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple

from .async_http import Head, read_body, read_head, read_parts
from .protocol import LONGEST_IDLE, Address, Answer, Refused, Request

_LONGEST_HEAD = 2**16  # bytes


class _Connection(NamedTuple):
    """An open connection, to whom, and since when it is idle."""

    address: Address
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    since: float = 0.0

    async def works(self) -> bool:
        """Whether it has not ended, and got no answer that nobody asked for."""
        if self.since < time.monotonic() - LONGEST_IDLE:
            return False
        await asyncio.sleep(0)  # what has come is then read
        try:
            async with asyncio.timeout(0):
                await self.reader.read(1)
        except TimeoutError:
            return True
        except OSError:
            pass
        return False

    def abort(self) -> None:
        self.writer.transport.abort()


class AsyncPool:
    """Connections that the coroutines of one event loop share.

    At most so many requests are under way at once, and the others wait. As many connections are
    kept for later requests.

    Attributes
    ----------
    attempts : int
        How many requests were sent.
    """

    def __init__(self, connections: int, timeout: float, context: ssl.SSLContext | None) -> None:
        self._connections = connections
        self._timeout = timeout
        self._context = context
        self._room = asyncio.Semaphore(connections)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._idle: list[_Connection] = []  # the one that was used last is at the end
        self.attempts = 0

    async def exchange(self, address: Address, request: Request) -> Answer:
        """Send a request and read its answer."""
        async with self._turn(), asyncio.timeout(self._timeout):
            while True:
                self.attempts += 1
                connection = await self._kept(address)
                fresh = connection is None
                try:
                    connection = connection or await self._new(address)
                    head = await self._send(connection, address, request)
                    answer = Answer(
                        head.status, head.headers, await read_body(connection.reader, head)
                    )
                except BaseException as broken:  # whatever it is, the answer is nobody else's
                    if connection is not None:
                        connection.abort()
                    if fresh or not isinstance(broken, ConnectionError):
                        raise
                else:
                    self._keep(connection, head)
                    return answer

    async def stream(self, address: Address, request: Request) -> AsyncGenerator[bytes, None]:
        """Return a long answer in parts, over a connection of its own that takes no one's turn."""
        self.attempts += 1
        async with asyncio.timeout(self._timeout):
            connection = await self._new(address)
        try:
            async with asyncio.timeout(self._timeout):
                head = await self._send(connection, address, request)
                if head.status >= 300:
                    body = await read_body(connection.reader, head)
                    raise Refused(Answer(head.status, head.headers, body))
            async for part in read_parts(connection.reader, head, self._timeout):
                yield part
        finally:
            connection.abort()

    async def pause(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)

    async def close(self) -> None:
        """Close what is kept; the pool goes on working."""
        idle, self._idle = self._idle, []
        for each in idle:
            each.abort()
        ends = (each.writer.wait_closed() for each in idle)
        await asyncio.gather(*ends, return_exceptions=True)

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        running = asyncio.get_running_loop()
        self._loop = self._loop or running
        if self._loop is not running:
            raise RuntimeError("an AsyncClient belongs to one event loop: make one in each")
        try:
            async with asyncio.timeout(self._timeout):
                await self._room.acquire()
        except TimeoutError:
            raise TimeoutError(f"all {self._connections} connections are busy") from None
        try:
            yield
        finally:
            self._room.release()

    async def _new(self, address: Address) -> _Connection:
        if address.tls and self._context is None:  # once: it reads all certificates of the machine
            self._context = ssl.create_default_context()
        reader, writer = await asyncio.open_connection(
            address.host,
            address.port,
            ssl=self._context if address.tls else None,
            limit=_LONGEST_HEAD,
        )
        return _Connection(address, reader, writer)

    async def _send(self, connection: _Connection, address: Address, request: Request) -> Head:
        headers = {"Host": address.authority, **request.headers}
        if request.body is not None or request.method != "GET":
            headers["Content-Length"] = str(len(request.body or b""))
        lines = [f"{request.method} {address.prefix}{request.path} HTTP/1.1"]
        lines += [f"{name}: {text}" for name, text in headers.items()]
        data = "\r\n".join([*lines, "", ""]).encode("latin-1") + (request.body or b"")
        connection.writer.write(data)
        await connection.writer.drain()
        return await read_head(connection.reader)

    async def _kept(self, address: Address) -> _Connection | None:
        """Take a kept connection that still works, and close those that do not."""
        for each in reversed(self._idle.copy()):
            if each.address.server == address.server and each in self._idle:
                self._idle.remove(each)
                works = False
                try:
                    works = await each.works()
                finally:  # also if the request is given up meanwhile
                    if not works:
                        each.abort()
                if works:
                    return each
        return None

    def _keep(self, connection: _Connection, head: Head) -> None:
        if head.closes:
            connection.abort()
            return
        self._idle.append(connection._replace(since=time.monotonic()))
        for each in self._idle[: -self._connections]:
            each.abort()
        self._idle = self._idle[-self._connections :]
