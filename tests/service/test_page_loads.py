"""A page that is loaded again, or whose catalogue is old, gets its decisions."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from copyproof.live import MarketConfig, Principal
from copyproof.live.stores import open_store
from tests.service.conftest import Service, filled
from tests.service.serving import Caller, serving

ASK = "/v1/markets/site/decisions"


@pytest.fixture
def fresh() -> Iterator[Service]:
    store = open_store("memory:")
    keys = filled(store)
    config = MarketConfig("h-ucb", seed=1, most_segments=1, reward_window=0.2)
    short = Principal(store=store, market="short", config=config)
    short.register_arms([("ann", "a"), ("bob", "b")])
    with serving(store) as running:
        yield Service(running, store, keys)


def test_a_reload_with_another_seen_gets_the_same_slate(fresh: Service) -> None:
    call, view = fresh.caller("application"), {"Idempotency-Key": "a page view"}
    body: dict[str, Any] = {"count": 2, "slate": True, "segment": "de"}
    first = call("POST", ASK, body, headers=view)
    seen = [one["id"] for one in first.json["decisions"]]
    again = call("POST", ASK, {**body, "seen": seen}, headers=view)
    named = call("POST", ASK, {**body, "seen": {"ann": ["a1"]}}, headers=view)
    assert (again.status, again.body, named.body) == (200, first.body, first.body)
    assert len(seen) == 2
    for other in ({"count": 3}, {"segment": "fr"}, {"eligible": ["ann"]}, {"slate": False}):
        refused = call("POST", ASK, {**body, **other}, headers=view)
        assert (refused.status, refused.field) == (422, "Idempotency-Key")


def test_what_is_not_known_is_left_out_and_listed(fresh: Service) -> None:
    call = fresh.caller("application")
    body = {"count": 3, "slate": True, "eligible": ["ann", "zoe", "bob"], "seen": ["nothing-1-00"]}
    answer = call("POST", ASK, body)
    assert answer.status == 200
    assert {one["agent"] for one in answer.json["decisions"]} == {"ann", "bob"}
    assert answer.json["unknown"] == {"eligible": ["zoe"], "seen": ["nothing-1-00"]}
    arms = {"eligible": {"ann": ["a1", "x"], "zoe": ["z"]}, "seen": {"bob": ["b1", "y"]}}
    answer = call("POST", ASK, arms)
    assert [(one["agent"], one["arm"]) for one in answer.json["decisions"]] == [("ann", "a1")]
    assert answer.json["unknown"] == {
        "eligible": {"ann": ["x"], "zoe": ["z"]},
        "seen": {"bob": ["y"]},
    }
    assert "unknown" not in call("POST", ASK, {"eligible": ["ann"]}).json
    assert call("POST", ASK, {"eligible": ["zoe"]}).status == 409  # nothing is left to choose


def test_an_expired_decision_and_a_segment_too_many_cost_no_page(fresh: Service) -> None:
    call, path = fresh.caller("operator"), "/v1/markets/short/decisions"
    old = call("POST", path).json["decisions"][0]["id"]
    assert call("POST", path, {"segment": "de"}).status == 200
    time.sleep(0.3)
    call("POST", path)  # which ends the window of the first one
    answer = call("POST", path, {"seen": [old], "segment": "fr"})
    assert (answer.status, answer.json["unknown"]) == (200, {"seen": [old], "segment": "fr"})
    before = fresh.store.last("short")
    for field in ({"seen": [old]}, {"segment": "fr"}, {"eligible": ["zoe"]}):
        refused = call("POST", path, {**field, "strict": True})
        assert refused.status in (404, 422), field
        assert refused.field.partition("[")[0] in field
    assert fresh.store.last("short") == before
    assert call("POST", path, {"segment": "de", "strict": True}).status == 200


def test_what_was_left_out_is_left_out_of_the_journal_too() -> None:
    store = open_store("memory:")
    keys = filled(store)
    with serving(store) as running:
        call = Caller(running.url, keys["application"])
        body = {"eligible": ["ann", "zoe"], "seen": ["x-1-00"], "segment": "de"}
        retry = {"Idempotency-Key": "mine"}
        first = call("POST", ASK, body, headers=retry).json["decisions"]
        assert call("POST", ASK, body, headers=retry).json["decisions"] == first
    again = Principal(store=store, market="site")
    replayed = Principal(store=store, market="site")
    assert again.digest() == replayed.digest()
    with serving(store) as running:
        call = Caller(running.url, keys["application"])
        assert call("POST", ASK, body, headers=retry).json["decisions"] == first
