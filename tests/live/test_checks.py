"""A store is checked against what its journals say: snapshots, and every decision."""

from typing import Any

import pytest

from copyproof.live import MarketConfig, Principal
from copyproof.live.checks import check_store
from copyproof.live.snapshots import to_bytes
from copyproof.live.stores import Damaged, Store, open_store

ARMS = [("ann", "a"), ("bob", "b"), ("cid", "c")]


def played(store: Store) -> Principal:
    principal = Principal("prh-ucb", store, config=MarketConfig(seed=3), clock=lambda: 5.0)
    principal.register_arms(ARMS)
    for reward in (0.0, 0.5, 1.0):
        principal.tell_many([(each.id, reward) for each in principal.ask(20)])
        principal.snapshot()
    return principal


def test_what_was_written_is_right() -> None:
    with open_store("memory:") as store:
        principal = played(store)
        check_store(store, replay=True)
        principal.compact()
        principal.ask(5)
        check_store(store, replay=True)


def test_a_snapshot_of_another_state_is_found_by_replay() -> None:
    with open_store("memory:") as store:
        principal = played(store)
        with open_store("memory:") as other:
            store.save_snapshot("default", principal.last, to_bytes(played(other)._state))
            check_store(store, replay=True)
            wrong = Principal(store=other)
            wrong.ask()
        store.save_snapshot("default", principal.last, to_bytes(wrong._state))
        check_store(store)
        with pytest.raises(Damaged, match="is not the state to which the journal leads"):
            check_store(store, replay=True)


def test_a_decision_against_the_rule_is_found_by_replay() -> None:
    with open_store("memory:") as store:
        store.create_market("m", MarketConfig("h-ucb", seed=1).to_dict())
        events = [
            {"kind": "agent", "agent": "ann", "at": 0.0},
            {"kind": "arms", "arms": [["ann", "a"], ["ann", "b"]], "at": 0.0},
            {"kind": "asked", "round": 1, "at": 0.0, "arms": [1, 1, 1]},
        ]
        store.append("m", 1, events)
        check_store(store)
        with pytest.raises(Damaged, match="cannot be replayed: decisions from round 1 on"):
            check_store(store, replay=True)


@pytest.mark.parametrize(
    "event",
    [
        {"kind": "policy", "policy": "no such policy", "at": 0.0},
        {"kind": "told", "rounds": "x", "rewards": None, "at": 0.0},
        {"kind": "told", "rounds": [1 << 70], "rewards": [0.5], "at": 0.0},
        {"kind": "arms", "arms": [5], "at": 0.0},
        {"kind": "agent", "agent": "ann", "at": "noon"},
        {"kind": "rails", "rails": ["none"], "at": 0.0},
    ],
)
def test_what_cannot_be_carried_out_is_found_by_replay(event: dict[str, Any]) -> None:
    with open_store("memory:") as store:
        played(store)
        store.append("default", store.last("default") + 1, [event])
        check_store(store)
        with pytest.raises(Damaged, match="market 'default': the journal cannot be replayed"):
            check_store(store, replay=True)
