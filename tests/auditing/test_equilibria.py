"""Best-response dynamics: where copying pays it takes over, where it does not nothing moves."""

import re
from typing import Any

import pytest

from copyproof import Agent, Market, equilibrium
from copyproof.auditing.equilibria import strategies_of

MARKET = Market([Agent("ann", [0.5]), Agent("bob", [0.7]), Agent("cleo", [0.9])])


def test_under_ucb1_everybody_copies_up_to_the_cap() -> None:
    found = equilibrium(MARKET, "ucb1", horizon=2000, seed=1, cap=4)
    assert found.truthful is False
    assert [name for name, _ in found.tempted] == ["ann", "bob", "cleo"]
    for path in found.paths:
        assert path.profile == ((4,), (4,), (4,))
        assert path.ending == "equilibrium"
        assert path.price.low > 0
        for step in path.steps:
            assert step.gain.low > 0


def test_under_h_ucb_nothing_moves() -> None:
    found = equilibrium(MARKET, "h-ucb", horizon=2000, seed=1, cap=4)
    assert found.truthful is True
    assert found.tempted == ()
    assert [path.ending for path in found.paths] == ["equilibrium"] * 3
    assert all(path.steps == () for path in found.paths)
    assert [path.price.mean for path in found.paths] == [0.0] * 3


def test_agents_leave_a_bad_strategy() -> None:
    market = Market([Agent("ann", [0.8, 0.2]), Agent("bob", [0.6])])
    found = equilibrium(market, "h-ucb", horizon=500, seed=1, cap=2, starts=["honest", "capped"])
    assert found.truthful is True
    for path in found.paths:
        assert path.ending == "equilibrium"
        assert path.profile[0][0] >= 1
        assert path.profile[0][1] == 0
        assert [step.agent for step in path.steps] == ["ann"]


def test_a_small_budget_says_undecided() -> None:
    found = equilibrium(MARKET, "ucb1", horizon=2000, seed=1, cap=4, budget=400_000)
    assert found.truthful is None
    assert {path.ending for path in found.paths} == {"undecided"}


def test_results_do_not_depend_on_the_workers() -> None:
    one = equilibrium(MARKET, "ucb1", horizon=300, seed=1, cap=2, workers=1)
    two = equilibrium(MARKET, "ucb1", horizon=300, seed=1, cap=2, workers=2)
    assert (one.paths, one.tempted, one.rounds) == (two.paths, two.tempted, two.rounds)


def test_all_strategies_are_tried_where_they_are_few() -> None:
    assert len(strategies_of(Agent("ann", [0.5, 0.2]), 5)) == 35
    many = strategies_of(Agent("ann", [0.5, 0.2, 0.1]), 5)
    assert 10 < len(many) < 40
    assert max(max(one.copies) for one in many) == 5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cap": 1}, "cap = 1 is not a whole number from 2 to 10000"),
        ({"epsilon": 0}, "epsilon = 0.0 is not a number > 0"),
        ({"starts": ["drunk"]}, "start = 'drunk' is not one of truthful, honest, market, capped"),
        ({"confidence": 0}, "confidence = 0.0 is not in (0, 1)"),
        ({"horizon": "7"}, "horizon = '7' is not a whole number"),
    ],
)
def test_bad_input_is_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        equilibrium(MARKET, "ucb1", **({"horizon": 100, "seed": 1} | change))


def test_a_market_start_above_the_cap_is_refused() -> None:
    market = MARKET.with_strategy("ann", [9])
    with pytest.raises(ValueError, match="more than cap = 4 copies"):
        equilibrium(market, "ucb1", horizon=100, seed=1, cap=4, starts=["market"])
