"""Who may be chosen: places on a slate, what a visitor has had, and copies that change nothing."""

import numpy as np
import pytest

from copyproof import CATALOGUE
from copyproof.live import KeyReused, MarketConfig, NoArm, Principal, Unknown
from tests.live.test_principal import EPOCHS, Clock, market, reopened


@pytest.mark.parametrize("policy", ["h-ucb", "ucb1", "trial-anytime", "thompson", EPOCHS])
def test_a_slate_holds_one_arm_of_an_agent_unless_per_agent_says_otherwise(policy: str) -> None:
    for per_agent, most in ((1, 3), (2, 5), (3, 6), (None, 6)):
        principal, _ = market(policy, per_agent=per_agent)
        for _ in range(9):
            slate = principal.ask(10, slate=True)
            agents = [one.agent for one in slate]
            assert len(slate) == len({one.arm for one in slate}) == most
            assert max(map(agents.count, agents)) <= (per_agent or 10)
        principal.suspend_agent("ann")
        principal.retire_arm("bob", "d")
        assert len(principal.ask(10, slate=True)) == 2
        eligible = {"ann": ["a"], "bob": ["d", "e"], "cid": ["f"]}
        assert len(principal.ask(10, slate=True, eligible=eligible)) == 2
        principal.resume_agent("ann")
        assert len(principal.ask(10, slate=True, eligible=eligible)) == 3
        principal.snapshot()
        principal.ask(10, slate=True)
        reopened(principal)


def test_what_a_visitor_has_had_rules_out_its_agents_or_its_content() -> None:
    by_agent, clock = market(reward_window=60)
    first = by_agent.ask(2, slate=True)
    [last] = {"ann", "bob", "cid"} - {one.agent for one in first}
    assert {one.agent for one in by_agent.ask(9, seen=[one.id for one in first])} == {last}
    assert {one.agent for one in by_agent.ask(9, seen={"ann": ["b"], "bob": []})} == {"bob", "cid"}
    with pytest.raises(NoArm, match="seen: nothing is left"):
        by_agent.ask(eligible=["ann"], seen={"ann": ["a"]})
    with pytest.raises(Unknown, match=r"seen.ann\[0\] = 'x' is not known"):
        by_agent.ask(seen={"ann": ["x"]})
    with pytest.raises(Unknown, match=r"seen\[1\] = 'default-1-0' is not known"):
        by_agent.ask(seen=[first[0].id, "default-1-0"])
    clock.now += 100
    by_agent.expire()
    with pytest.raises(ValueError, match=r"seen\[0\] = .* is not a decision that is remembered"):
        by_agent.ask(seen=[first[0].id])
    by_content, _ = market("ucb1", seen="content", per_agent=None)
    assert by_content.register_arms([("ann", "a", "x"), ("bob", "e", "x"), ("cid", "g", "x")]) == 3
    assert by_content.register_arm("cid", "g", content="x") is False
    for seen, left in (({"ann": ["a"]}, "bcdf"), ({"ann": ["b"]}, "acdefg"), ({}, "abcdefg")):
        slate = by_content.ask(10, slate=True, seen=seen)
        assert sorted(one.arm for one in slate) == sorted(left)
    with pytest.raises(ValueError, match=r"arms\[0\].content = 'y' is not 'x', which the arm was"):
        by_content.register_arm("ann", "a", content="y")
    by_content.snapshot()
    for principal in (by_agent, by_content):
        principal.ask(3, seen={"ann": ["a"]}, key="mine")
        again = reopened(principal)
        assert again.ask(3, seen={"ann": ["a"]}, key="mine")[0].round == again.round - 2
        assert again.ask(3, key="mine")[0].round == again.round - 2  # a page that is loaded again
        with pytest.raises(KeyReused):
            again.ask(4, key="mine")


HIERARCHICAL = [row.name for row in CATALOGUE if row.policy.agent and not row.policy.not_live]


def live(policy: str) -> str:
    """A policy of the catalogue with the size of its sample, where it needs one."""
    given = {"rh-ucb-online": "rh-ucb-online(L=1)", "h-moss": "h-moss(agents=2, K=2)"}
    given["h-moss-anytime"] = "h-moss-anytime(agents=2, K=2)"
    text = given.get(policy, policy)
    return f"{text}(L=0.5)" if text in ("rh-ucb", "rh-ucb-t-free") else text


def path_with(copies: int, policy: str, beside: str | None = None) -> list[int]:
    """The agents that are shown, if two of them have so many copies of their only arm.

    With slates, agents that may be seen, what was seen, and late rewards; and with a second policy
    that makes half of the decisions.
    """
    principal = Principal(config=MarketConfig(policy, seed=3, horizon=2000), clock=Clock())
    if beside is not None:
        principal.set_policy(beside, share=0.5)
    for number, agent in enumerate("abcd"):
        principal.register_arms([(agent, str(n)) for n in range(copies if number < 2 else 1)])
    visits, luck = np.random.default_rng(5), np.random.default_rng(6).random((4, 2000))
    plays = [0, 0, 0, 0]
    waiting: list[tuple[str, float]] = []
    path: list[int] = []
    had: dict[int, dict[str, list[str]]] = {}
    for _ in range(300):
        may = [agent for agent in "abcd" if visits.random() < 0.7] or ["a", "d"]
        seen = had.get(int(visits.integers(5)))
        if seen and set(may) <= seen.keys():
            seen = None
        made = principal.ask(3, slate=bool(visits.random() < 0.7), eligible=may, seen=seen)
        had[int(visits.integers(5))] = {made[0].agent: [made[0].arm]}
        for one in made:
            owner = "abcd".index(one.agent)
            waiting.append((one.id, float(luck[owner, plays[owner]] < 0.2 + 0.15 * owner)))
            plays[owner] += 1
            path.append(owner)
        while len(waiting) > 9:
            principal.tell(*waiting.pop(0))
    return path


@pytest.mark.parametrize("policy", HIERARCHICAL)
def test_copies_of_an_agents_only_arm_leave_every_path_unchanged(policy: str) -> None:
    """To the last play."""
    paths = [path_with(copies, live(policy)) for copies in (1, 2, 7)]
    assert paths[0] == paths[1] == paths[2]


@pytest.mark.parametrize("policy", HIERARCHICAL)
def test_nor_do_they_change_anything_while_two_policies_decide(policy: str) -> None:
    paths = [path_with(copies, "h-ucb", live(policy)) for copies in (1, 7)]
    assert paths[0] == paths[1]
