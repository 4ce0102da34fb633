"""Parts: products in a fixed order, and what cannot be is refused with its place."""

import re
from typing import Any

import pytest

from copyproof import Agent, Market, RandomMarkets, Variation, paper_market
from copyproof.studies.cases import audit_options
from copyproof.studies.parts import Part, make_part

GIVEN: dict[str, Any] = {
    "policies": ["ucb1", "h-ucb"],
    "markets": ["paper:1a"],
    "horizons": [10, 20],
    "repetitions": 2,
    "seed": [1, 2],
}


def part(**changes: Any) -> Part:
    return make_part(**(GIVEN | changes))


def test_points_come_market_by_market_and_policy_by_policy() -> None:
    strategies = [Variation(name="as given"), Variation(name="copies", rank=1, copies=2)]
    found = part(markets=["paper:1a", RandomMarkets(count=2)], strategies=strategies)
    points = list(found.points())
    assert len(points) == 3 * 2 * 2 * 2 * 2
    keys = [(p.market, p.strategy, p.cell.horizon, p.cell.seed, p.cell.policy.text) for p in points]
    assert len(set(keys)) == len(keys)
    assert keys[:3] == [
        ("paper:1a", "as given", 10, 1, "ucb1"),
        ("paper:1a", "as given", 10, 1, "h-ucb"),
        ("paper:1a", "as given", 10, 2, "ucb1"),
    ]
    assert [p.market for p in points[::16]] == ["paper:1a", "random 1", "random 2"]


def test_one_of_each_need_not_be_a_list() -> None:
    found = part(policies="ucb1", markets=paper_market("1a"), horizons=10, seed=1)
    (point,) = found.points()
    assert (point.market, point.cell.policy.text) == ("paper:1a", "ucb1")
    named = part(markets={"mine": Market([Agent("ann", [0.5])])})
    assert {point.market for point in named.points()} == {"mine"}


def test_markets_are_called_by_their_names() -> None:
    shops = Market([Agent("ann", [0.5]), Agent("bob", [0.9])])
    found = part(
        markets=[
            shops,
            shops.named("two shops"),
            RandomMarkets(count=1),
            RandomMarkets(count=1, seed=1, name="more"),
            {"generator": "random", "count": 1, "name": "written"},
        ]
    )
    names = list(dict.fromkeys(point.market for point in found.points()))
    assert names == ["market 1", "two shops", "random 1", "more 1", "written 1"]
    with pytest.raises(
        ValueError, match=r"markets\[1\].name = 'random' is the name of markets\[0\]"
    ):
        part(markets=[RandomMarkets(count=1), RandomMarkets(count=1, seed=1)])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"strategies": [{"nam": "a"}]},
            "strategies[0].nam is not a key of a strategy: name, profile, agent, rank, copies, "
            "hide, renew_after, renew_below, churn are accepted; did you mean 'name'?",
        ),
        ({"strategies": [{"rank": 1}]}, "strategies[0].name is missing"),
        ({"policies": ["ucb1", 3]}, "policies[1] = 3 is not a text such as 'h-ucb'"),
        (
            {"policies": ["rh-ucb(L=3)", "ucb1", "rh-ucb( L = 3 )"]},
            "policies[2] = 'rh-ucb( L = 3 )' is policies[0] again",
        ),
        ({"policies": []}, "policies is empty: at least one is needed"),
        ({"markets": {}}, "markets = {} is not at least one"),
        ({"markets": {"a": "paper:1a"}}, "markets['a'] = 'paper:1a' is not a Market"),
        ({"markets": ["paper:9z"]}, "markets[0]"),
        ({"horizons": [10, 0]}, "horizons[1] = 0 is not a whole number"),
        ({"horizons": "10"}, "horizons = '10' is not a whole number"),
        ({"horizons": [10, 20, 20]}, "horizons[2] = 20 is horizons[1] again"),
        ({"seed": [1, 1]}, "seed[1] = 1 is seed[0] again"),
        ({"seed": -1}, "seed = -1 is not a whole number"),
        ({"repetitions": 0}, "repetitions = 0 is not a whole number"),
        ({"measure": ["regrets"]}, "measure[0] = 'regrets' is not one of regret, revenue"),
        ({"arrays": 1}, "arrays = 1 is not true or false"),
        ({"checkpoints": 0}, "checkpoints = 0 is not a whole number"),
        ({"audit": 3}, "audit = 3 is not a table"),
        ({"audit": {"copies": 3}}, "audit.copies is not a known key"),
        ({"audit": {"method": "magic"}}, "audit.method = 'magic' is not one of auto, exact"),
        ({"audit": {"reference": "bst"}}, "audit.reference = 'bst' is not one of best, honest"),
        ({"audit": {"reference": 3}}, "audit.reference = 3 is not a list of copy counts"),
        ({"audit": {"reference": [1, -1]}}, "audit.reference[1] = -1 is not a whole number"),
    ],
)
def test_what_cannot_be(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        part(**changes)


def test_an_audit_knows_no_arms_that_come_and_go() -> None:
    with pytest.raises(ValueError, match="strategy 'churns' has them"):
        part(measure=["audit"], strategies=[Variation(name="churns", rank=1, churn=3)])


def test_a_strategy_that_does_not_fit_names_its_market() -> None:
    found = part(strategies=[Variation(name="hides", agent="nobody", hide=[0])])
    with pytest.raises(ValueError, match=r"^strategies\[0\].agent = 'nobody' .*market 'paper:1a'"):
        list(found.points())


def test_options_of_audits_have_one_order() -> None:
    assert list(audit_options({"budget": 5, "agent": "ann"})) == ["agent", "budget"]
    one, other = (
        part(measure=["audit"], audit=given)
        for given in ({"budget": 5, "most_copies": 2}, {"most_copies": 2, "budget": 5})
    )
    assert [p.cell.digest for p in one.points()] == [p.cell.digest for p in other.points()]
