"""Answers are read as ``http.client`` reads them."""

import asyncio
import http.client
import socket
import threading

import pytest

from copyproof.client.async_http import read_body, read_head

GOOD = {
    "length": b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    "chunks": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"3;x=y\r\nhel\r\n2\r\nlo\r\n0\r\nTrailer: t\r\n\r\n",
    "no chunks": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n0\r\n\r\n",
    "to the end": b"HTTP/1.1 200 OK\r\n\r\nhello",
    "old": b"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    "nothing": b"HTTP/1.1 204 No Content\r\n\r\n",
    "closing": b"HTTP/1.1 503 \r\nConnection: Keep-Alive, Close\r\nContent-Length: 0\r\n\r\n",
    "no reason": b"HTTP/1.1 404\r\nContent-Length: 2\r\n\r\n{}",
    "first a notice": b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
    "large": b"HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n" + bytes(300_000),
}
BAD = {
    "nothing at all": b"",
    "no HTTP": b"SSH-2.0-OpenSSH\r\n\r\n",
    "short": b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello",
    "half a chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
    "no last chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n",
    "no size": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
    "long head": b"HTTP/1.1 200 OK\r\nX: " + b"x" * 70_000 + b"\r\n\r\n",
}
STRICTER = {
    "half a head": b"HTTP/1.1 200 OK\r\nContent-",
    "chunk that goes on": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"3\r\nhello\r\n0\r\n\r\n",
    "signed size": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n+3\r\nhel\r\n0\r\n\r\n",
    "signed length": b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello",
}


def ours(data: bytes) -> tuple[int, bytes, bool]:
    async def read() -> tuple[int, bytes, bool]:
        reader = asyncio.StreamReader()
        reader.feed_data(data)
        reader.feed_eof()
        head = await read_head(reader)
        return head.status, await read_body(reader, head), head.closes

    return asyncio.run(read())


def theirs(data: bytes) -> tuple[int, bytes, bool]:
    near, far = socket.socketpair()

    def write() -> None:
        with far:
            far.sendall(data)

    with near:
        writer = threading.Thread(target=write)
        writer.start()
        response = http.client.HTTPResponse(near, method="GET")
        try:
            response.begin()
            return response.status, response.read(), response.will_close
        finally:
            response.close()
            near.close()
            writer.join()


@pytest.mark.parametrize("case", list(GOOD))
def test_good_answers(case: str) -> None:
    assert ours(GOOD[case]) == theirs(GOOD[case])


@pytest.mark.parametrize("case", list(BAD))
def test_bad_answers(case: str) -> None:
    with pytest.raises((http.client.HTTPException, OSError, ValueError)):
        theirs(BAD[case])
    with pytest.raises(http.client.HTTPException):
        ours(BAD[case])


@pytest.mark.parametrize("case", list(STRICTER))
def test_what_is_refused_beyond_that(case: str) -> None:
    with pytest.raises(http.client.HTTPException):
        ours(STRICTER[case])


def test_an_end_before_the_answer_is_told_apart() -> None:
    """The request may then go out at once on another connection."""
    with pytest.raises(http.client.RemoteDisconnected):
        ours(b"")
