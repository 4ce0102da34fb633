"""Answers of HTTP/1.1, read from a stream as ``http.client`` reads them from a socket.

What is no proper answer, or ends early, raises ``http.client.HTTPException``; a connection that
ends before an answer begins raises ``http.client.RemoteDisconnected``.
"""

import asyncio
import http.client
import io
import re
from collections.abc import AsyncIterator
from email.message import Message
from typing import NamedTuple

from .protocol import PART

_EMPTY = (204, 304)


class Head(NamedTuple):
    """The head of an answer; ``closes`` says that the connection is not used again."""

    status: int
    headers: Message
    closes: bool

    @property
    def chunked(self) -> bool:
        """Whether the body says itself where it ends."""
        return self.headers.get("Transfer-Encoding", "").strip().lower() == "chunked"

    @property
    def length(self) -> int | None:
        """How long the body is, None if it ends with the connection."""
        if self.status in _EMPTY:
            return 0
        text = self.headers.get("Content-Length")
        if text is None:
            return None
        if not re.fullmatch(r"[0-9]+", text.strip()):
            raise http.client.HTTPException(f"Content-Length: {text}")
        return int(text)


async def read_head(reader: asyncio.StreamReader) -> Head:
    """Read the head of the next answer; notices on the way to it (1xx) are passed over."""
    while True:
        head = await _one_head(reader)
        if head.status >= 200:
            return head


async def _one_head(reader: asyncio.StreamReader) -> Head:
    try:
        block = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as ended:
        if not ended.partial:
            raise http.client.RemoteDisconnected("closed without an answer") from None
        raise http.client.IncompleteRead(ended.partial) from None
    except asyncio.LimitOverrunError:
        raise http.client.HTTPException("the head of the answer is too long") from None
    line, _, rest = block.partition(b"\r\n")
    found = re.fullmatch(rb"HTTP/1\.([01]) ([1-5][0-9]{2})(?: .*)?", line)
    if found is None:
        raise http.client.BadStatusLine(line[:200].decode("latin-1"))
    headers = http.client.parse_headers(io.BytesIO(rest))
    asked = {each.strip().lower() for each in headers.get("Connection", "").split(",")}
    head = Head(int(found[2]), headers, found[1] == b"0" or "close" in asked)
    ends = head.chunked or head.length is not None or head.status < 200
    return head if ends else head._replace(closes=True)


async def read_body(reader: asyncio.StreamReader, head: Head) -> bytes:
    """Read the body of an answer."""
    return b"".join([part async for part in read_parts(reader, head)])


async def read_parts(
    reader: asyncio.StreamReader, head: Head, timeout: float | None = None
) -> AsyncIterator[bytes]:
    """Read the body of an answer in parts, each within ``timeout`` seconds."""
    left = None if head.chunked else head.length
    while left != 0:
        try:
            async with asyncio.timeout(timeout):
                if head.chunked:
                    part = await _chunk(reader)
                else:
                    part = await reader.read(PART if left is None else min(left, PART))
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            raise http.client.IncompleteRead(b"") from None
        if not part:
            if left is not None:
                raise http.client.IncompleteRead(b"", left)
            return
        left = None if left is None else left - len(part)
        yield part


async def _chunk(reader: asyncio.StreamReader) -> bytes:
    """Read one chunk; the last one is empty, and fields that follow it are passed over."""
    line = await reader.readuntil(b"\r\n")
    size = line.partition(b";")[0].strip()
    if not re.fullmatch(rb"[0-9A-Fa-f]{1,16}", size):
        raise http.client.HTTPException(f"chunk of {size[:20]!r} bytes")
    data = await reader.readexactly(int(size, 16))
    while not data and await reader.readuntil(b"\r\n") != b"\r\n":
        pass
    if data and await reader.readexactly(2) != b"\r\n":
        raise http.client.HTTPException("a chunk does not end where it should")
    return data
