"""Connections are kept, shared, and never trusted longer than they last: in both clients."""

import asyncio
import os
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from copyproof.client import AsyncClient, Client, Unavailable
from tests.client.callers import CALLERS, OK, Caller, Scripted
from tests.client.tls import encrypted
from tests.patience import PATIENCE

JUNK = b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n"


@pytest.fixture(params=list(CALLERS))
def caller(request: pytest.FixtureRequest) -> Caller:
    return CALLERS[request.param]


def test_a_connection_is_kept(caller: Caller) -> None:
    with Scripted(OK, OK, OK) as server, caller(server.url, "k") as client:
        assert [client.set_clock("m") for _ in range(3)] == [1.5] * 3
        assert server.connections == [1, 1, 1]
        client.close()
        server.add(OK)
        assert client.set_clock("m") == 1.5
        assert server.connections == [1, 1, 1, 2]


def test_a_connection_that_was_idle_for_long_is_not_used_again(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What lies between may have dropped it without a word."""
    for module in ("pool", "async_pool"):
        monkeypatch.setattr(f"copyproof.client.{module}.LONGEST_IDLE", -1.0)
    with Scripted(OK, OK) as server, caller(server.url, "k") as client:
        assert client.set_clock("m") == client.set_clock("m") == 1.5
        assert server.connections == [1, 2]


@pytest.mark.parametrize("last", [OK + Scripted.END, OK + JUNK + Scripted.END, OK + JUNK])
def test_a_connection_that_was_closed_is_not_used_again(caller: Caller, last: bytes) -> None:
    """Nor one with an answer on it that nobody asked for: it would be taken for the next one."""
    with Scripted(OK, last, OK) as server, caller(server.url, "k", patience=0.0) as client:
        assert client.set_clock("m") == client.set_clock("m") == 1.5
        if last.endswith(Scripted.END):
            assert server.closed.wait(PATIENCE)
        assert client.set_clock("m") == 1.5
        assert client.connection.attempts == 3
        assert server.connections[:2] == [1, 1]


def test_a_connection_that_closes_on_the_request_costs_no_pause(caller: Caller) -> None:
    with Scripted(OK, None, OK) as server, caller(server.url, "k", patience=0.0) as client:
        assert client.set_clock("m", retry_key="first") == 1.5
        assert client.set_clock("m", retry_key="second") == 1.5
        assert server.connections == [1, 1, 2]
        assert [b"second" in request for _, request in server.seen] == [False, True, True]


def test_a_new_connection_that_closes_is_tried_again_after_a_pause(caller: Caller) -> None:
    with Scripted(None, OK) as server, caller(server.url, "k") as client:
        assert client.set_clock("m") == 1.5
        assert server.connections == [1, 2]
    with (
        Scripted(None, OK) as server,
        caller(server.url, "k", patience=0.0) as client,
        pytest.raises(Unavailable, match="no answer"),
    ):
        client.set_clock("m")


def test_a_connection_that_shall_close_is_closed(caller: Caller) -> None:
    closing = OK.replace(b"OK\r\n", b"OK\r\nConnection: close\r\n")
    with Scripted(closing, OK) as server, caller(server.url, "k") as client:
        assert client.set_clock("m") == client.set_clock("m") == 1.5
        assert server.connections == [1, 2]


def test_who_gets_no_answer_in_time_gives_up(caller: Caller) -> None:
    """And the late answer is not taken for that of the next request."""
    with (
        Scripted(b"HTTP/1.1 200 OK\r\n", OK) as server,
        caller(server.url, "k", timeout=0.2, patience=0.0) as client,
    ):
        with pytest.raises(Unavailable, match="no answer: Timeout"):
            client.set_clock("m")
        assert client.set_clock("m") == 1.5
        assert server.connections == [1, 2]


def test_headers_cannot_be_smuggled_in(caller: Caller) -> None:
    with (
        caller("http://127.0.0.1:1", "k") as client,
        pytest.raises(ValueError, match=r"^retry_key = 'a\\r\\nX: b' holds characters"),
    ):
        client.set_clock("m", retry_key="a\r\nX: b")
    with pytest.raises(ValueError, match=r"^url = "):
        caller("http://127.0.0.1:1/a b", "k")
    with pytest.raises(ValueError, match=r"^connections = 0 is not"):
        caller("http://127.0.0.1:1", "k", connections=0)


# --- many at once --------------------------------------------------------------------------------


class Slow:
    """A server that answers when it is told to, and counts who waits."""

    def __init__(self) -> None:
        self.scripted = Scripted()
        self.gate = threading.Event()
        self.scripted._answers = self  # type: ignore[assignment]

    def pop(self, _: int) -> bytes:
        assert self.gate.wait(PATIENCE)
        return OK

    def waits_for(self, count: int) -> None:
        until = time.monotonic() + PATIENCE
        while len(self.scripted.seen) < count:
            assert time.monotonic() < until
            time.sleep(0.005)


@pytest.fixture
def slow() -> Iterator[Slow]:
    found = Slow()
    with found.scripted:
        yield found
        found.gate.set()


def test_threads_share_a_bounded_number_of_connections(slow: Slow) -> None:
    with Client(slow.scripted.url, "k", connections=3) as client, ThreadPoolExecutor(9) as pool:
        found = [pool.submit(client.set_clock, "m") for _ in range(9)]
        slow.waits_for(3)
        slow.gate.set()
        assert [each.result() for each in found] == [1.5] * 9
    assert set(slow.scripted.connections) == {1, 2, 3}


def test_coroutines_share_a_bounded_number_of_connections(slow: Slow) -> None:
    async def play() -> list[float]:
        async with AsyncClient(slow.scripted.url, "k", connections=3) as client:
            found = [asyncio.create_task(client.set_clock("m")) for _ in range(9)]
            await asyncio.to_thread(slow.waits_for, 3)
            slow.gate.set()
            return await asyncio.gather(*found)

    assert asyncio.run(play()) == [1.5] * 9
    assert set(slow.scripted.connections) == {1, 2, 3}


def test_who_finds_all_connections_busy_says_so(slow: Slow) -> None:
    with (
        Client(slow.scripted.url, "k", connections=1, patience=0.0) as client,
        ThreadPoolExecutor(1) as pool,
    ):
        first = pool.submit(client.set_clock, "m")
        slow.waits_for(1)
        client.connection._pool._timeout = 0.1
        with pytest.raises(Unavailable, match="all 1 connections are busy"):
            client.set_clock("m")
        slow.gate.set()
        assert first.result() == 1.5

    async def play() -> None:
        async with AsyncClient(slow.scripted.url, "k", connections=1, patience=0.0) as client:
            slow.gate.clear()
            first = asyncio.create_task(client.set_clock("m"))
            await asyncio.to_thread(slow.waits_for, 2)
            client.connection._pool._timeout = 0.1
            with pytest.raises(Unavailable, match="all 1 connections are busy"):
                await client.set_clock("m")
            slow.gate.set()
            assert await first == 1.5

    asyncio.run(play())


def test_a_request_that_is_cancelled_leaves_nothing_behind(slow: Slow) -> None:
    """Neither its place nor its answer."""

    async def play() -> None:
        async with AsyncClient(slow.scripted.url, "k", connections=1) as client:
            given_up = asyncio.create_task(client.set_clock("m"))
            await asyncio.to_thread(slow.waits_for, 1)
            given_up.cancel()
            with pytest.raises(asyncio.CancelledError):
                await given_up
            slow.gate.set()
            assert await client.set_clock("m") == 1.5
        assert slow.scripted.connections == [1, 2]

    asyncio.run(play())


def test_an_async_client_belongs_to_one_loop() -> None:
    with Scripted(OK, OK) as server:
        client = AsyncClient(server.url, "k")

        async def once() -> None:
            await client.set_clock("m")
            await client.close()

        asyncio.run(once())
        with pytest.raises(RuntimeError, match="belongs to one event loop"):
            asyncio.run(once())


FORK = """
import os, sys
from copyproof.client import Client
client = Client(sys.argv[1], "k")
client.set_clock("m")
child = os.fork()
client.set_clock("m")
if child:
    os.waitpid(child, 0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this machine")
def test_a_forked_process_opens_its_own_connections() -> None:
    with Scripted(OK, OK, OK) as server:
        subprocess.run([sys.executable, "-c", FORK, server.url], check=True)
        assert sorted(server.connections) == [1, 1, 2]


# --- TLS ---------------------------------------------------------------------------------------


def test_tls(caller: Caller, tmp_path: Path) -> None:
    with Scripted(OK, OK) as server, encrypted(server, tmp_path) as (url, trusted):
        with caller(url, "k", context=trusted) as client:
            assert client.set_clock("m") == client.set_clock("m") == 1.5
            assert server.connections == [1, 1]
        with caller(url, "k") as client:
            with pytest.raises(Unavailable, match="CERTIFICATE_VERIFY_FAILED"):
                client.set_clock("m")
            assert client.connection.attempts == 1  # nobody waits for it to change
        assert server.connections == [1, 1]
        assert trusted.verify_mode == ssl.CERT_REQUIRED
