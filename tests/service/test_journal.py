"""The journal over HTTP: all of it, and not too many at once."""

import json
import socket
import time

from copyproof.live import Principal
from copyproof.live.stores import open_store
from tests.service.conftest import Service, filled
from tests.service.serving import Caller, serving

JOURNAL = "/v1/markets/site/journal"


def test_a_line_for_every_event(service: Service) -> None:
    call = service.caller("auditor")
    assert service.caller()("POST", "/v1/markets/site/decisions").status == 200
    answer = call("GET", JOURNAL)
    assert answer.headers["content-type"] == "application/x-ndjson"
    events = [json.loads(line) for line in answer.body.splitlines()]
    assert [event["number"] for event in events] == list(range(1, len(events) + 1))
    assert {event["kind"] for event in events} >= {"agent", "arms", "asked"}
    assert (
        call("GET", f"{JOURNAL}?after={len(events) - 1}").body.splitlines()[0]
        == (answer.body.splitlines()[-1])
    )
    assert call("GET", f"{JOURNAL}?after={len(events)}").body == b""
    assert call("GET", f"{JOURNAL}?after=-1").field == "after"


def test_readers_who_do_not_read_leave_the_store_to_the_others() -> None:
    store = open_store("memory:")
    key = filled(store)["operator"]
    principal = Principal(store=store, market="site")
    with principal.group():
        for _ in range(20):
            principal.ask(1000)
            principal.ask(1000, eligible=["ann"])
    with serving(store) as running:
        host, _, port = running.url.removeprefix("http://").partition(":")
        request = f"GET {JOURNAL} HTTP/1.1\r\nAuthorization: Bearer {key}\r\n\r\n".encode()
        silent = []
        for _ in range(4):
            connection = socket.socket()
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            connection.connect((host, int(port)))
            connection.sendall(request)
            silent.append(connection)
        call = Caller(running.url, key)
        until = time.monotonic() + 10
        while (answer := call("GET", JOURNAL)).status != 503:
            assert time.monotonic() < until
        assert (answer.field, answer.headers["retry-after"]) == ("journal", "1")
        assert call("POST", "/v1/markets/site/decisions").status == 200
        for connection in silent:
            connection.close()
        while running.app.leadership.exports > 0:
            assert time.monotonic() < until
            time.sleep(0.05)
        assert call("GET", JOURNAL).status == 200
