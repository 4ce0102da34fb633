"""The journal over HTTP: all of it, and not too many at once."""

import json
import socket
import time

from copyproof.live import Principal
from copyproof.live.stores import Store, open_store
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


def test_a_part_of_it(service: Service) -> None:
    call = service.caller("auditor")
    whole = call("GET", JOURNAL).body.splitlines()
    assert call("GET", f"{JOURNAL}?after=1&limit=2").body.splitlines() == whole[1:3]
    assert call("GET", f"{JOURNAL}?limit=0").field == "limit"


def _long(store: Store) -> None:
    principal = Principal(store=store, market="site")
    with principal.group():
        for _ in range(2000):
            principal.ask(100)
            principal.ask(100, eligible=["ann"])


def _silent(url: str, key: str) -> socket.socket:
    """A reader who asks for the journal and reads none of it."""
    host, _, port = url.removeprefix("http://").partition(":")
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    connection.connect((host, int(port)))
    connection.sendall(f"GET {JOURNAL} HTTP/1.1\r\nAuthorization: Bearer {key}\r\n\r\n".encode())
    return connection


def test_readers_who_do_not_read_keep_nobody_waiting() -> None:
    store = open_store("memory:")
    keys = filled(store)
    key = keys["operator"]
    _long(store)
    with serving(store) as running:
        silent = [_silent(running.url, keys["auditor"]) for _ in range(20)]
        call = Caller(running.url, key)
        time.sleep(0.5)
        answer = call("GET", JOURNAL)
        assert (answer.status, len(answer.body.splitlines())) == (200, store.last("site"))
        assert call("POST", "/v1/markets/site/decisions").status == 200
        for connection in silent:
            connection.close()
