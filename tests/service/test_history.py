"""Shares over time are what the journal says."""

from collections import Counter

from tests.service.conftest import Service

SHOP = "/v1/markets/shop"


def test_spans_add_up_to_the_decisions(service: Service) -> None:
    call = service.caller()
    made: Counter[str] = Counter()
    rewards = 0.0
    for n in range(20):
        decisions = call("POST", f"{SHOP}/decisions", {"count": 5}).json["decisions"]
        made.update(one["agent"] for one in decisions)
        told = [{"decision": one["id"], "reward": n / 20} for one in decisions]
        rewards += 5 * n / 20
        assert call("POST", f"{SHOP}/rewards", {"rewards": told}).status == 200
    found = call("GET", f"{SHOP}/history?spans=7").json
    assert len(found["spans"]) == 7
    sums = Counter[str]()
    for span in found["spans"]:
        sums.update(dict(zip(found["agents"], span["counts"], strict=True)))
        assert sum(span["counts"]) == span["decisions"]
    assert sums == made
    assert abs(sum(span["reward"] for span in found["spans"]) - rewards) < 1e-9
    assert sum(span["rewards"] for span in found["spans"]) == 100
    assert {one["agent"]: one["arms"] for one in found["newcomers"]} == {
        "ann": 2,
        "bob": 1,
        "eve": 3,
    }


def test_only_the_last_events_are_looked_at(service: Service) -> None:
    call = service.caller()
    found = call("GET", f"{SHOP}/history?events=4&spans=2").json
    assert found["last"] - found["first"] == 3
    assert sum(span["decisions"] for span in found["spans"]) == 10
    assert found["newcomers"] == []
    for query, field in (("events=0", "events"), ("spans=201", "spans")):
        answer = call("GET", f"{SHOP}/history?{query}")
        assert (answer.status, answer.field) == (422, field)


def test_a_market_without_decisions(service: Service) -> None:
    call = service.caller()
    assert call("PUT", "/v1/markets/empty", {}).status == 200
    found = call("GET", "/v1/markets/empty/history").json
    assert (found["spans"], found["agents"], found["newcomers"]) == ([], [], [])
