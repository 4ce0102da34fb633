"""Fingerprints, suspicions and groups of a market, and that content alone binds nobody."""

from typing import Any

import pytest

from copyproof.fingerprints import of_text
from copyproof.live import MarketConfig, Principal, Unknown
from copyproof.live.identities import Identities, checked_fingerprint
from copyproof.validation import FieldError

SAME = {"hash": "00000000000000ff"}
NEAR = {"hash": "00000000000000fe"}
OTHER = {"hash": "ffffffff00000000"}


def market(**config: Any) -> Principal:
    principal = Principal(config=MarketConfig(policy="h-ucb", seed=1, **config))
    principal.register_arms([("ann", "a"), ("bob", "b"), ("eve", "e"), ("eve", "f")])
    return principal


def reopened(principal: Principal) -> Principal:
    found = Principal(store=principal.store, market=principal.market)
    assert found.digest() == principal.digest()
    return found


def test_arms_of_several_agents_that_are_alike_are_suspected() -> None:
    principal = market()
    assert principal.suspicions() == []
    principal.set_fingerprints({("ann", "a"): SAME, ("eve", "e"): NEAR, ("bob", "b"): OTHER})
    [one] = principal.suspicions()
    assert one.agents == ("ann", "eve")
    assert [(arm.agent, arm.arm) for arm in one.arms] == [("ann", "a"), ("eve", "e")]
    assert one.similarity == 63 / 64
    assert (one.status, one.evidence) == ("open", "fingerprints")
    assert principal.statistics().open_suspicions == 1
    assert reopened(principal).suspicions() == [one]
    principal.snapshot()
    assert reopened(principal).suspicions() == [one]


def test_copies_of_one_agent_are_no_suspicion_across_agents() -> None:
    principal = market()
    principal.set_fingerprints({("eve", "e"): SAME, ("eve", "f"): SAME})
    assert principal.suspicions() == []


def test_fingerprints_are_kept_and_content_is_not() -> None:
    principal = market()
    text = "Fresh coffee, roasted daily"
    principal.set_fingerprints({("ann", "a"): str(of_text(text)), ("eve", "e"): {"hashes": ["x"]}})
    assert not principal.set_fingerprints({("eve", "e"): {"hashes": ["x"]}})
    journal = str(list(principal.store.events(principal.market)))
    assert "coffee" not in journal
    with pytest.raises(FieldError, match="which the arm was registered with"):
        principal.set_fingerprints({("eve", "e"): {"hashes": ["y"]}})


@pytest.mark.parametrize(
    "given", ["nothing", {"hash": "12"}, {"hashes": []}, {"vector": [0.0]}, {"text": "x"}, {}, 7]
)
def test_what_is_no_fingerprint_is_refused(given: object) -> None:
    with pytest.raises(FieldError, match=r"^fingerprints = "):
        checked_fingerprint("fingerprints", given)


def test_a_confirmation_binds_and_a_dismissal_does_not() -> None:
    principal = market()
    principal.set_fingerprints({("ann", "a"): SAME, ("eve", "e"): SAME})
    [one] = principal.suspicions()
    assert principal.review(one.id, "dismissed")
    assert not principal.review(one.id, "dismissed")
    assert [agent.group for agent in principal.statistics().agents] == [None] * 3
    assert principal.review(one.id, "confirmed", group="eve & co", key="mine")
    assert principal.suspicions()[0].status == "confirmed"
    groups = [agent.group for agent in principal.statistics().agents]
    assert groups == ["eve & co", None, "eve & co"]
    assert principal.bind(["ann"], None)
    assert principal.review(one.id, "confirmed", group="eve & co", key="mine")
    assert [agent.group for agent in principal.statistics().agents] == [None, None, "eve & co"]
    reopened(principal)
    kinds = [event["kind"] for _, event in principal.store.events(principal.market)]
    assert kinds[-4:] == ["reviewed", "group", "reviewed", "group"]
    with pytest.raises(Unknown, match="suspicion = 'no' is not known"):
        principal.review("no", "dismissed")


def test_a_dismissed_suspicion_is_open_again_when_another_arm_joins() -> None:
    principal = market()
    principal.set_fingerprints({("ann", "a"): SAME, ("eve", "e"): SAME})
    principal.review(principal.suspicions()[0].id, "dismissed")
    principal.set_fingerprints({("eve", "f"): SAME})
    [one] = principal.suspicions()
    assert (len(one.arms), one.status) == (3, "open")


def test_copying_a_rivals_item_does_not_drag_the_rival_in() -> None:
    """The attack: eve copies bob's item, so that bob would be bound to her, or be shown less."""
    attacked, left_alone = market(reward_window=1e9), market(reward_window=1e9)
    attacked.set_fingerprints({("bob", "b"): SAME, ("eve", "e"): SAME, ("eve", "f"): SAME})
    left_alone.set_fingerprints({("bob", "b"): SAME, ("eve", "e"): OTHER})
    for principal in (attacked, left_alone):
        for k in range(300):
            [decision] = principal.ask()
            principal.tell(decision.id, float(decision.agent == "bob" and k % 3 > 0))
    with_attack, without = attacked.statistics(), left_alone.statistics()
    assert with_attack.agents == without.agents  # plays, revenue, shares, and no group
    assert (with_attack.open_suspicions, without.open_suspicions) == (1, 0)
    [one] = attacked.suspicions()
    assert attacked.review(one.id, "dismissed")
    assert attacked.statistics().agents == without.agents


def test_bound_names_count_as_one_for_what_was_seen_and_for_the_most_arms() -> None:
    principal = market(most_arms=3)
    assert {one.agent for one in principal.ask(9, seen={"ann": ["a"]})} == {"bob", "eve"}
    principal.bind(["ann", "eve"], "x")
    assert {one.agent for one in principal.ask(9, seen={"ann": ["a"]})} == {"bob"}
    with pytest.raises(FieldError, match="arms = 4 is not at most 3"):
        principal.register_arm("ann", "c")
    principal.bind(["ann"], None)
    assert principal.register_arm("ann", "c")
    reopened(principal)


def test_an_agent_may_join_a_group_when_it_is_registered() -> None:
    principal = market()
    assert principal.register_agent("zoe", group="zoe & co", key="k")
    principal.bind(["zoe"], None)
    assert principal.register_agent("zoe", group="zoe & co", key="k")  # answered, not done again
    assert principal.statistics().agents[3].group is None


def test_a_market_without_any_of_it_is_saved_as_before() -> None:
    assert Identities().words() == {}
