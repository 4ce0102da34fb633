"""A decision takes a short way through the code, and what is refused says which field is wrong."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from copyproof.live import KeyReused, MarketConfig, NoArm, Principal
from copyproof.live.stores import open_store
from copyproof.validation import FieldError


def entered(call: Callable[[], object]) -> set[str]:
    """The modules of the live principal that a call enters."""
    found: set[str] = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event == "call":
            found.add(str(frame.f_globals.get("__name__")))

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return {name for name in found if name.startswith(("copyproof.live", "copyproof.validation"))}


def test_a_warm_decision_enters_few_modules(tmp_path: Path) -> None:
    with open_store(f"sqlite:{tmp_path}/live.db") as store:
        principal = Principal("h-ucb", store)
        principal.register_arms([("ann", "a"), ("bob", "b")])
        principal.ask()
        found = entered(principal.ask)
    assert found == {
        "copyproof.live.ask_tell",
        "copyproof.live.events",
        "copyproof.live.ids",
        "copyproof.live.journaled",
        "copyproof.live.market",
        "copyproof.live.operations",
        "copyproof.live.outcomes",
        "copyproof.live.requests",
        "copyproof.live.stores.appends",
        "copyproof.live.stores.chain",
        "copyproof.live.segments",
        "copyproof.live.stores.contract",
        "copyproof.live.stores.database",
        "copyproof.live.stores.leases",
        "copyproof.live.stores.market_rows",
        "copyproof.live.stores.sql",
        "copyproof.live.stores.sqlite",
        "copyproof.live.switch",
    }


BAD: list[tuple[str, Callable[[Principal, Any], object], object]] = [
    ("count", lambda principal, value: principal.ask(value), 0),
    ("slate", lambda principal, value: principal.ask(slate=value), 1),
    ("eligible", lambda principal, value: principal.ask(eligible=value), "ann"),
    ("eligible['ann']", lambda principal, value: principal.ask(eligible={"ann": value}), "a"),
    ("key", lambda principal, value: principal.ask(key=value), "a\u200b"),
    ("reward", lambda principal, value: principal.tell(principal.ask()[0].id, value), 1.5),
    (
        "rewards[1].reward",
        lambda principal, value: principal.tell_many(
            [(principal.ask()[0].id, 1), (principal.ask()[0].id, value)]
        ),
        True,
    ),
    ("rewards[0]", lambda principal, value: principal.tell_many(value), ["x"]),
    ("len(rewards)", lambda principal, value: principal.tell_many(value), []),
    ("agent", lambda principal, value: principal.register_agent(value), ""),
    ("arms[0].arm", lambda principal, value: principal.register_arm("ann", value), "a\nb"),
    ("arms[1]", lambda principal, value: principal.register_arms([("a", "b"), value]), "x"),
    ("arms", lambda principal, value: principal.register_arms(value), [("ann", "b"), ("ann", "c")]),
    ("policy", lambda principal, value: principal.set_policy(value), "rh-ucb(L=1)"),
    ("policy", lambda principal, value: principal.set_policy(value), "s-ucb"),
    ("now", lambda principal, value: principal.expire(value), float("nan")),
    ("market", lambda principal, value: Principal(store=principal.store, market=value), " "),
    (
        "config",
        lambda principal, value: Principal(store=principal.store, market="m", config=value),
        MarketConfig("h-ucb", seed=9),
    ),
    ("number", lambda principal, value: principal.store.save_snapshot("m", value, b""), 99),
    ("upto", lambda principal, value: principal.store.compact("m", value), 1),
    ("seconds", lambda principal, value: principal.store.acquire("m", "me", value), 0),
    ("owner", lambda principal, value: principal.store.acquire("m", value, 1.0), ""),
    ("market", lambda principal, value: principal.store.create_market(value, {}), "m"),
    ("id", lambda principal, value: principal.store.put_key(value), {}),
    ("event", lambda principal, value: principal.store.append("m", 1, [value]), {"x": {1}}),
    ("store", lambda principal, value: open_store(value), "mysql://host"),
    ("synchronous", lambda principal, value: open_store(value), "sqlite:x.db?synchronous=no"),
]


@pytest.mark.parametrize(
    ("field", "call", "value"), BAD, ids=[f"{n} {one[0]}" for n, one in enumerate(BAD)]
)
def test_errors_have_the_field(
    field: str, call: Callable[[Principal, Any], object], value: object
) -> None:
    principal = Principal(config=MarketConfig("h-ucb", most_arms=2), market="m")
    principal.register_arm("ann", "a")
    with pytest.raises(FieldError) as error:
        call(principal, value)
    assert error.value.field == field
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("segment", [None, "de"])
def test_a_reward_that_does_nothing_is_no_event(segment: str | None) -> None:
    now = [100.0]
    config = MarketConfig(seed=1, reward_window=10.0)
    with open_store("memory:") as store:
        principal = Principal("h-ucb", store, config=config, clock=lambda: now[0])
        principal.register_arms([("ann", "a"), ("bob", "b")])
        first, second, third = (one.id for one in principal.ask(3, segment=segment))
        assert principal.tell(first, 1.0).status == "counted"
        now[0] = 101.0
        last, before = principal.last, principal.digest()
        again = principal.tell(first, 0.5, key="mine")
        assert (again.status, again.reward) == ("ignored", 1.0)
        assert principal.tell(first, 0.5, key="mine") == again
        with pytest.raises(KeyReused):
            principal.tell(second, 0.5, key="mine")
        assert (principal.last, principal.digest(), principal.now) == (last, before, 100.0)
        # One that counts takes the others of its request with it.
        told = principal.tell_many([(first, 0.0), (second, 1.0)], key="both")
        assert [one.status for one in told] == ["ignored", "counted"]
        assert principal.last == last + 1
        assert principal.tell_many([(first, 0.0), (second, 1.0)], key="both") == told
        now[0] = 200.0
        principal.expire()
        last = principal.last
        assert principal.tell(third, 1.0).status == "refused-late"
        assert principal.last == last
        replayed = Principal(store=store)
        assert replayed.digest() == principal.digest()
        assert replayed.tell_many([(first, 0.0), (second, 1.0)], key="both") == told


def test_who_can_choose_nothing_is_told_what_left_nothing() -> None:
    principal = Principal("h-ucb")
    with pytest.raises(NoArm, match="no arm is registered"):
        principal.ask()
    principal.register_arms([("ann", "a"), ("bob", "b")])
    principal.suspend_agent("bob")
    with pytest.raises(NoArm, match="eligible: no such arm is registered") as listed:
        principal.ask(eligible=["bob"])
    with pytest.raises(NoArm, match="seen: nothing is left") as seen:
        principal.ask(seen={"ann": ["a"]})
    assert (listed.value.field, seen.value.field) == ("eligible", "seen")
