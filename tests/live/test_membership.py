"""Everything that counts by agent counts bound names as one: slates, rails, shares, segments."""

import json
from pathlib import Path
from typing import Any

import pytest

from copyproof.game import quotient
from copyproof.game.files import read_market
from copyproof.live import MarketConfig, MarketPaused, NoArm, Principal
from copyproof.live.guarantee import guarantee
from copyproof.live.rails import Rail
from copyproof.policy import parse_policy
from tests.live.test_principal import reopened

ARMS = [("ann", "a"), ("anna", "b"), ("bob", "c"), ("cid", "d"), ("anna", "e")]


def market(policy: str = "h-ucb", *, bound: bool = True, **settings: Any) -> Principal:
    principal = Principal(config=MarketConfig(policy, seed=4, horizon=5000, **settings))
    principal.register_arms(ARMS)
    if bound:
        principal.bind(["ann", "anna"], "x")
    return principal


def both(policy: str, **settings: Any) -> tuple[Principal, Principal]:
    """A market with bound names, and one in which they are one name."""
    one = Principal(config=MarketConfig(policy, seed=4, horizon=5000, **settings))
    one.register_arms([("ann" if agent == "anna" else agent, arm) for agent, arm in ARMS])
    return market(policy, **settings), one


POLICIES = ["trial", "trial-anytime", "h-ucb", "rh-ucb(L=0.3)", "prh-ucb", "h-thompson", "ucb1"]
REQUESTS: list[dict[str, Any]] = [
    {},
    {"count": 3, "slate": True},
    {"eligible": ["ann", "anna", "cid"]},
    {"eligible": {"anna": ["e"], "bob": ["c"]}},
    {"seen": {"bob": ["c"]}},
    {"seen": {"anna": ["b"]}},
    {"segment": "de"},
]


def as_one_name(request: dict[str, Any]) -> dict[str, Any]:
    def renamed(value: Any) -> Any:
        if isinstance(value, dict):
            return {"ann" if name == "anna" else name: arms for name, arms in value.items()}
        if isinstance(value, list):
            return list(dict.fromkeys("ann" if name[:3] == "ann" else name for name in value))
        return value

    return {field: renamed(value) for field, value in request.items()}


@pytest.mark.parametrize("per_agent", [1, 2])
@pytest.mark.parametrize("policy", POLICIES)
def test_bound_names_are_one_name_whatever_is_asked(policy: str, per_agent: int) -> None:
    """Decision by decision: slates, lists, what was seen, segments, candidates, late rewards."""
    bound, one = both(policy, per_agent=per_agent)
    late: list[tuple[str, str, float]] = []
    for k in range(400):
        if k == 150:
            for principal in (bound, one):
                principal.set_policy("h-ucb" if policy != "h-ucb" else "trial", share=0.5)
        if k == 200:  # a name that joins later, where one name gets one more arm
            bound.register_agent("anni", group="x")
            bound.register_arm("anni", "f")
            one.register_arm("ann", "f")
        if k == 250:
            bound.suspend_arm("anna", "b")
            one.suspend_arm("ann", "b")
        if k == 300:
            bound.register_arm("eve", "g")
            one.register_arm("eve", "g")
        request = dict(REQUESTS[k % len(REQUESTS)])
        if k >= 200 and isinstance(request.get("eligible"), list):
            request["eligible"] = [*request["eligible"], "anni"]
        here, there = bound.ask(**request), one.ask(**as_one_name(request))
        assert [each.arm for each in here] == [each.arm for each in there], (k, request)
        for mine, other in zip(here, there, strict=True):
            late.append((mine.id, other.id, float((ord(mine.arm) + k) % 3 == 0)))
        if k % 4 == 3:
            for mine_id, other_id, reward in late:
                bound.tell(mine_id, reward)
                one.tell(other_id, reward)
            late.clear()
    of_group = bound.statistics().groups[0]
    of_one = one.statistics().agents[0]
    assert of_group.agents == ("ann", "anna", "anni")
    for field in ("plays", "answered", "pending", "revenue", "play_share", "revenue_share"):
        assert getattr(of_group, field) == getattr(of_one, field), field
    reopened(bound)


def test_a_slate_has_as_many_places_as_principals() -> None:
    free, bound = market(bound=False), market()
    assert len(free.ask(9, slate=True)) == 4
    assert len(bound.ask(9, slate=True)) == 3
    assert len(market(per_agent=2).ask(9, slate=True)) == 4
    assert [one.agent for one in bound.ask(9, slate=True, seen={"ann": ["a"]})] != []
    assert {one.agent for one in bound.ask(9, slate=True, seen={"ann": ["a"]})} == {"bob", "cid"}
    assert len(bound.ask(9, slate=True, eligible=["ann", "anna", "bob"])) == 2


@pytest.mark.parametrize("policy", ["h-ucb", "ucb1"])
def test_one_of_the_names_may_be_suspended(policy: str) -> None:
    principal = market(policy)
    principal.ask(20)
    principal.suspend_agent("anna")
    principal.register_arm("anna", "new")
    assert {one.agent for one in principal.ask(60)} == {"ann", "bob", "cid"}
    principal.suspend_agent("ann")
    assert {one.agent for one in principal.ask(30)} == {"bob", "cid"}
    with pytest.raises(NoArm):
        principal.ask(eligible=["ann", "anna"])
    principal.bind(["anna"], None)
    assert {one.agent for one in principal.ask(30)} == {"bob", "cid"}
    reopened(principal)
    principal.resume_agent("anna")
    assert {one.agent for one in principal.ask(300)} == {"anna", "bob", "cid"}
    principal.bind(["anna"], "x")
    principal.resume_agent("ann")
    shown = {(one.agent, one.arm) for one in principal.ask(400)}
    assert {agent for agent, _ in shown} == {"ann", "anna", "bob", "cid"}
    reopened(principal)


def test_a_share_of_a_guard_rail_is_that_of_all_names() -> None:
    """Each of the names alone stays below the limit."""
    rail = Rail("share", last=20, at_most=0.6, then="pause")
    for bound in (False, True):
        principal = market(bound=bound)
        principal.set_rails([rail])
        for name in ("ann", "anna") * 10:
            try:
                principal.tell(principal.ask(eligible=[name])[0].id, 1.0)
            except MarketPaused:
                break
        crossed = principal.statistics().crossed
        assert (crossed is not None) == bound
        if crossed is not None:
            assert (crossed.agent, crossed.measured) == ("ann", 1.0)
        reopened(principal)


def test_an_audit_of_its_estimates_is_one_of_principals(tmp_path: Path) -> None:
    """What an audit is given binds the names, under a group that is nobody's name."""
    principal = market(bound=False)
    principal.bind(["ann", "anna"], "bob")
    principal.ask(50)
    found = principal.estimates(9, 9).to_market()
    path = tmp_path / "market.json"
    path.write_text(json.dumps(found), encoding="utf-8")
    read = read_market(path)
    assert {agent.name: agent.group for agent in read.agents} == {
        "ann": "bob (group)", "anna": "bob (group)", "bob": None, "cid": None,
    }  # fmt: skip
    assert len(quotient(read).market.agents) == 3


def test_the_guarantee_says_so() -> None:
    said = guarantee(parse_policy("trial-anytime"), MarketConfig())
    assert "names that are bound to one group before the first decision" in said
    assert "lists of eligible arms; several identities that are not bound" in said


@pytest.mark.parametrize(
    ("policy", "what"),
    [
        ("trial", "where more than 206 agents share an epoch of 100,000 decisions"),
        (
            "trial(season=1000)",
            "where more than 2 agents share an epoch of 1,000 decisions",
        ),
        ("trial-anytime", "in an epoch of 500 decisions, which is too short for whole trials"),
        ("h-ucb", "not bound to one group; "),
    ],
)
def test_the_guarantee_says_what_names_with_worthless_arms_do(policy: str, what: str) -> None:
    said = guarantee(parse_policy(policy), MarketConfig(policy, horizon=100_000))
    assert what in said


@pytest.mark.parametrize(
    ("config", "own", "others"),
    [
        (MarketConfig(), True, True),
        (MarketConfig(default_reward=0.5), False, True),
        (MarketConfig(rewards="last"), False, True),
        (MarketConfig(unanswered="patient"), False, False),
    ],
)
def test_the_guarantee_says_whose_lateness_pays(
    config: MarketConfig, own: bool, others: bool
) -> None:
    said = guarantee(parse_policy("trial-anytime"), config)
    assert ("all other agents' rewards are told before the next decision" in said) == own
    assert "where the agent has an arm as every epoch begins (it may be away afterwards)" in said
    assert ("to become worse and be told late, where another one is, too" in said) == others
    assert "to be told at once while all others are told late" in said
    assert ("failures of one agent alone that are not told" in said) == (config.default_reward > 0)
