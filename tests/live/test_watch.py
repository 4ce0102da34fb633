"""Guard rails on the share of one agent: named by callers, numbered in the journal, replayed."""

import pytest

from copyproof.live import Diverged, Principal, Rail, Unknown
from copyproof.live.forgetting import forget
from copyproof.live.snapshots import from_bytes, to_bytes
from copyproof.live.watch import stored_rails
from tests.live.test_principal import market, reopened
from tests.live.test_switch import checked, events_of, why_paused

LEAST = {"measure": "share", "last": 10, "at_least": 0.3, "agent": "bob"}
MOST = {"measure": "share", "last": 10, "at_most": 0.7, "agent": "bob"}


@pytest.mark.parametrize(
    ("rail", "shown", "measured", "limit"),
    [
        (LEAST, {"bob": 3, "ann": 8}, 0.2, "at_least = 0.3"),  # of bob's the first is gone
        (MOST, {"ann": 2, "bob": 8}, 0.8, "at_most = 0.7"),
    ],
)
def test_the_share_of_one_agent_has_limits(
    rail: dict[str, object], shown: dict[str, int], measured: float, limit: str
) -> None:
    principal, _ = market()
    principal.set_rails([rail])
    assert not principal.set_rails([Rail.from_dict(rail)])
    for agent, count in shown.items():
        for _ in range(count):
            assert why_paused(principal) is None
            principal.ask(eligible=[agent])
    why = f"the share of agent 'bob' in the last 10 decisions is {measured}: {limit}"
    assert why_paused(principal) == why
    found = principal.statistics()
    assert found.crossed is not None
    assert (found.crossed.agent, found.crossed.measured) == ("bob", measured)
    [stands] = found.rails
    assert (stands.agent, stands.seen, stands.at_least) == ("bob", 0, rail.get("at_least"))
    [said] = events_of(principal, "rails")
    number = principal._current().registry.agent("bob")
    unnamed = {name: value for name, value in rail.items() if name != "agent"}
    assert said["rails"] == [{**unnamed, "then": "pause", "owner": number}]
    [crossed] = events_of(principal, "crossed")
    assert crossed["owner"] == number
    checked(principal)


def test_others_may_have_any_share() -> None:
    principal, _ = market()
    principal.set_rails([MOST])
    principal.ask(30, eligible=["ann"])
    assert why_paused(principal) is None
    assert principal.statistics().rails[0].measured == 0.0
    principal.ask(5, eligible=["bob"])
    assert principal.statistics().rails[0].measured == 0.5
    checked(principal)


def test_a_share_is_that_of_the_principal() -> None:
    principal, _ = market()
    principal.set_rails([LEAST])
    principal.ask(5, eligible=["cid"])
    principal.bind(["bob", "cid"], "one")
    assert principal.statistics().rails[0].seen == 0  # it is somebody else's share now
    principal.ask(10, eligible=["cid"])
    assert why_paused(principal) is None
    assert principal.statistics().rails[0].measured == 1.0
    principal.bind(["cid"], None)
    principal.ask(10, eligible=["cid"])
    assert why_paused(principal) is not None
    checked(principal)


def test_a_candidate_that_forgets_an_agent_loses_its_share() -> None:
    principal, _ = market("fair")
    principal.set_rails([{**LEAST, "then": "fall-back"}])
    principal.set_policy("h-ucb", share=0.5)
    asked = 0
    while principal.candidate == ("h-ucb", 0.5):
        principal.ask(eligible=["ann"])
        asked += 1
        assert asked < 100
    assert asked > 10
    assert principal.candidate == ("h-ucb", 0.0)
    assert why_paused(principal) is None
    checked(principal)


def test_what_a_rail_has_seen_is_in_a_snapshot() -> None:
    principal, _ = market()
    principal.set_rails([LEAST])
    principal.ask(3, eligible=["bob"])
    principal.ask(7, eligible=["ann"])
    again = from_bytes(to_bytes(principal._current()))
    assert again is not None
    assert again.digest() == principal.digest()
    principal.snapshot()
    for one in (principal, reopened(principal)):
        assert one.statistics().rails == principal.statistics().rails
        assert one.statistics().rails[0].measured == 0.3


def test_agents_must_be_known() -> None:
    principal, _ = market()
    with pytest.raises(Unknown, match=r"rails\[1\].agent = 'eve' is not known"):
        principal.set_rails([LEAST, {**LEAST, "agent": "eve"}])
    assert events_of(principal, "rails") == []


@pytest.mark.parametrize("wrong", [{"owner": 3}, {"agent": "bob"}])
def test_a_journal_with_a_rail_of_nobody_is_damaged(wrong: dict[str, object]) -> None:
    rail = {"measure": "share", "last": 10, "at_least": 0.3}
    assert stored_rails([{**rail, "owner": 2}], 3)[0].owner == 2
    with pytest.raises(Diverged, match="an agent that is not there"):
        stored_rails([{**rail, **wrong}], 3)


def test_a_name_that_is_forgotten_leaves_its_rail() -> None:
    principal, _ = market()
    principal.set_rails([LEAST])
    forget(principal.store, "default", "bob")
    [rail] = Principal(store=principal.store).statistics().rails
    assert rail.agent is not None
    assert rail.agent.startswith("~")
