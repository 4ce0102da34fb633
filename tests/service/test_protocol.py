"""Callers who take their time, or never come to an end."""

import json
import socket
import time
from collections.abc import Iterator

import pytest

from copyproof.live import Principal
from copyproof.live.stores import open_store
from copyproof.service.protocol import HEAD, TimedProtocol
from tests.patience import PATIENCE
from tests.service.conftest import Service, filled
from tests.service.serving import serving

GET = b"GET /healthz HTTP/1.1\r\n"
POST = b"POST /v1/markets/site/decisions HTTP/1.1\r\nContent-Type: application/json\r\n"


@pytest.fixture
def connection(service: Service, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    monkeypatch.setattr(TimedProtocol, "seconds", 0.5)
    host, _, port = service.url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=PATIENCE) as found:
        yield found


def _rest(connection: socket.socket) -> bytes:
    """All that comes until the other side hangs up; fails if it does not."""
    found = b""
    try:
        while part := connection.recv(1 << 16):
            found += part
    except ConnectionResetError:
        pass
    return found


def _sent(connection: socket.socket, parts: list[bytes], pause: float) -> int:
    """Send one part after the other; how many bytes the other side was patient for."""
    sent = 0
    for part in parts:
        try:
            connection.sendall(part)
        except OSError:
            break
        sent += len(part)
        time.sleep(pause)
    return sent


@pytest.mark.parametrize("said", [b"", b"\r\n", b"GET /hea", GET + b"A: b", GET + b"A: b\r\n"])
def test_nobody_is_waited_for_for_ever(connection: socket.socket, said: bytes) -> None:
    began = time.monotonic()
    connection.sendall(said)
    assert _rest(connection) == b""
    assert time.monotonic() - began > 0.4


def test_nor_is_a_body(service: Service, connection: socket.socket) -> None:
    key = f"Authorization: Bearer {service.keys['operator']}\r\n".encode()
    connection.sendall(POST + key + b"Content-Length: 2\r\n\r\n{")
    assert _rest(connection) == b""


def test_one_byte_now_and_then_is_too_slow(connection: socket.socket) -> None:
    assert _sent(connection, [bytes([byte]) for byte in GET * 10], 0.05) < len(GET * 10)


def test_a_connection_that_was_served_has_time_again(connection: socket.socket) -> None:
    for part in (GET + b"\r\n", GET, b"\r\n"):
        connection.sendall(part)
        time.sleep(0.3)
    time.sleep(1.0)  # longer than a request may take: silence between two is another matter
    connection.sendall(GET + b"Connection: close\r\n\r\n")
    assert _rest(connection).count(b"200 OK") == 3


def test_empty_lines_do_not_keep_it_open(connection: socket.socket) -> None:
    connection.sendall(GET + b"\r\n")
    time.sleep(0.1)
    connection.sendall(b"\r\n")
    assert _rest(connection).count(b"200 OK") == 1


def test_heads_have_an_end(connection: socket.socket) -> None:
    assert _sent(connection, [GET, b"A: ", *[b"a" * 4096] * 1600], 0.001) < 20 * HEAD


def test_silent_connections_make_room_for_others(
    service: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(TimedProtocol, "most", 50)
    host, _, port = service.url.removeprefix("http://").partition(":")
    asked = service.caller()
    assert asked("GET", "/healthz").status == 200
    silent = [socket.create_connection((host, int(port)), timeout=PATIENCE) for _ in range(110)]
    call = service.caller()
    assert call("POST", "/v1/markets/site/decisions").status == 200
    assert call("POST", "/v1/markets/site/decisions").status == 200
    assert asked("GET", "/healthz").status == 200  # it was silent, too, but not a stranger
    assert len(service.running.server.server_state.connections) <= 50
    said = [each.getMessage() for each in caplog.records if "connections" in each.getMessage()]
    assert said == ["50 connections, the most there can be: silent ones are closed"]
    for each in silent:
        each.close()


def test_who_takes_nothing_of_an_answer_is_cut_off(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    store = open_store("memory:")
    key = filled(store)["operator"]
    principal = Principal(store=store, market="site")
    with principal.group():
        for _ in range(500):
            principal.ask(1000, eligible=["ann"])
            principal.ask(1000)
    with serving(store) as running:
        host, _, port = running.url.removeprefix("http://").partition(":")

        def begin() -> socket.socket:
            found = socket.socket()
            found.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            found.connect((host, int(port)))
            path = "/v1/markets/site/journal"
            found.sendall(f"GET {path} HTTP/1.1\r\nAuthorization: Bearer {key}\r\n\r\n".encode())
            return found

        def connections() -> int:
            return len(running.server.server_state.connections)

        monkeypatch.setattr(TimedProtocol, "seconds", 0.3)
        silent = begin()
        until = time.monotonic() + PATIENCE
        while connections() == 0:
            assert time.monotonic() < until
        while connections() > 0:
            assert time.monotonic() < until
            time.sleep(0.05)
        silent.close()
        monkeypatch.setattr(TimedProtocol, "seconds", 60.0)
        stalled = begin()
        time.sleep(1.0)
    # Here the server has stopped: it does not wait for them.
    assert [each.getMessage() for each in caplog.records if each.levelname == "ERROR"] == []
    stalled.close()


def test_what_is_too_much_is_said(connection: socket.socket) -> None:
    connection.sendall(GET)
    time.sleep(0.1)
    for _ in range(17):
        connection.sendall(b"A: " + b"a" * 4096)
    answer = _rest(connection)
    assert answer.startswith(b"HTTP/1.1 431 ")
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"]["field"] == "headers"
