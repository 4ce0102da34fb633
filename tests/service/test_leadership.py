"""Leases within one process: who serves, who takes over, and when."""

import threading
import time

import pytest

from copyproof.live.stores import open_store
from copyproof.live.stores.contract import KeyChanges
from copyproof.service.run import owner_of
from tests.patience import PATIENCE, wait_until
from tests.service.conftest import filled
from tests.service.serving import Caller, serving

ASK = "/v1/markets/site/decisions"


def _wait_for(call: Caller, status: int) -> None:
    until = time.monotonic() + PATIENCE
    while call("POST", ASK).status != status:
        assert time.monotonic() < until
        time.sleep(0.05)


def test_one_at_a_time_and_a_stop_hands_over() -> None:
    store = open_store("memory:")
    key = filled(store)["operator"]
    with serving(store, "one", lease=2.0) as one, serving(store, "other", lease=2.0) as other:
        here, there = Caller(one.url, key), Caller(other.url, key)
        assert here("POST", ASK).status == 200
        assert there("POST", ASK).status == 503
        time.sleep(3.0)  # longer than a lease: it is renewed
        assert here("POST", ASK).status == 200
        assert there("POST", ASK).status == 503
        one.stop()
        _wait_for(there, 200)
        [decision] = there("POST", ASK).json["decisions"]
        assert decision["round"] == 4
        assert there("GET", "/readyz").status == 200


def test_a_market_made_elsewhere_is_found() -> None:
    store = open_store("memory:")
    key = filled(store)["operator"]
    with serving(store, "one", lease=1.0) as one, serving(store, "other", lease=1.0) as other:
        assert Caller(one.url, key)("PUT", "/v1/markets/new", {}).status == 200
        call = Caller(other.url, key)
        until = time.monotonic() + PATIENCE
        while call("POST", "/v1/markets/new/decisions").status == 404:
            assert time.monotonic() < until
            time.sleep(0.05)
        assert call("POST", "/v1/markets/new/decisions").status == 503


def test_what_a_market_promises_is_said_by_who_leads_it() -> None:
    """Only the leader knows the policy of the moment, and no answer goes without the promise."""
    store = open_store("memory:")
    key = filled(store)["operator"]
    site = "/v1/markets/site"
    with serving(store, "one", lease=10.0) as one, serving(store, "other", lease=10.0) as other:
        here, there = Caller(one.url, key), Caller(other.url, key)
        assert here("PUT", f"{site}/policy", {"policy": "ucb1"}).status == 200
        assert here("GET", site).json["guarantee"].startswith("none: ucb1 is flat")
        refused = there("GET", site)
        assert (refused.status, refused.field) == (503, "market")
        assert "another process serves this market" in refused.json["error"]["message"]
        assert there("GET", "/v1/markets/none").status == 404
        listed = {each["market"]: each for each in there("GET", "/v1/markets").json["markets"]}
        assert listed["site"]["served_here"] is False
        one.stop()
        _wait_for(there, 200)
        assert there("GET", site).json["guarantee"].startswith("none: ucb1 is flat")


def test_the_owner_is_the_address() -> None:
    assert owner_of("127.0.0.1:8000") == owner_of("127.0.0.1:8000")
    assert owner_of("127.0.0.1:8000") != owner_of("127.0.0.1:8001")


def test_leases_are_renewed_whatever_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    store = open_store("memory:")
    key = filled(store)["operator"]
    with serving(store, lease=1.0) as running:
        call = Caller(running.url, key)
        wrong = threading.Event()

        def changed_keys(since: int | None) -> KeyChanges:
            wrong.set()
            return KeyChanges(0, [{"id": "written by a later version"}])

        with monkeypatch.context() as patch:
            patch.setattr(store, "changed_keys", changed_keys)
            assert wrong.wait(PATIENCE)
            time.sleep(1.5)  # longer than a lease
            assert call("POST", ASK).status == 200
            assert call("GET", "/readyz").status == 503
        time.sleep(0.5)
        assert call("GET", "/readyz").status == 200


def test_a_market_that_cannot_be_loaded_is_said_to_be_so() -> None:
    store = open_store("memory:")
    key = filled(store)["operator"]
    store.create_market("broken", {"policy": "no such policy"})
    with serving(store) as running:
        call = Caller(running.url, key)
        time.sleep(0.5)
        answer = call("POST", "/v1/markets/broken/decisions")
        assert (answer.status, answer.field) == (503, "market")
        assert call("POST", ASK).status == 200
        broken = running.app.leadership.markets["broken"]
        wait_until(lambda: broken.failures >= 2)  # at once, after 2 s
