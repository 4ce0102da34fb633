"""Nothing is served before it is compiled, and nobody is told otherwise."""

import threading
from collections.abc import Iterator

import pytest

from copyproof.live.stores import open_store
from copyproof.service import bind, create_app, leases
from tests.patience import PATIENCE
from tests.service.conftest import filled
from tests.service.serving import Caller, Running

ASK = "/v1/markets/site/decisions"


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    event = threading.Event()
    monkeypatch.setattr(leases, "warm_up", lambda: event.wait(PATIENCE))
    yield event
    event.set()


def test_a_service_that_compiles_is_alive_but_not_ready(compiled: threading.Event) -> None:
    store = open_store("memory:")
    key = filled(store)["operator"]
    running = Running(create_app(store, owner="one"), bind("127.0.0.1", 0))
    running.begin()
    call = Caller(running.url, key)
    assert call("GET", "/healthz").status == 200
    for method, path in (("GET", "/readyz"), ("POST", ASK), ("PUT", "/v1/markets/new")):
        answer = call(method, path, {} if method == "PUT" else None)
        assert (answer.status, answer.headers["retry-after"]) == (503, "1")
    # Somebody else may serve meanwhile.
    token = store.acquire("site", "another", 60.0)
    assert token is not None
    store.release("site", "another", token)
    compiled.set()
    assert running.app.leadership.wait(PATIENCE)
    assert call("GET", "/readyz").status == 200
    assert call("POST", ASK).status == 200
    running.stop()


def test_it_stops_without_waiting_for_the_compiler(compiled: threading.Event) -> None:
    store = open_store("memory:")
    running = Running(create_app(store, owner="one"), bind("127.0.0.1", 0))
    running.begin()
    running.stop()  # which fails if it takes too long
    assert not running.app.leadership.wait(1.0)
