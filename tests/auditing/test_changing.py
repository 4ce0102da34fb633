"""Audits, and all that assumes fixed means, on markets whose means change."""

import re
from collections.abc import Callable

import pytest

from copyproof import (
    Agent,
    Drift,
    Market,
    Piecewise,
    attacks,
    audit,
    bounds,
    equilibrium,
    exact,
    lost_probability,
    simulate,
)

STEPS = Piecewise([(1, 0.8), (300, 0.2)])
MARKET = Market([Agent("ann", [STEPS, Drift(0.3, 0.9, 1, 900)]), Agent("bob", [0.5])])


def test_copies_pay_under_ucb1_and_not_inside_agents() -> None:
    market = Market([Agent("ann", [STEPS]), Agent("bob", [0.7])])
    found = audit(market, "ucb1", agent="ann", horizon=600, seed=1, most_copies=20, budget=10**7)
    assert found.verdict == "prone"
    same = audit(market, "trial", agent="ann", horizon=600, seed=1, most_copies=20, budget=10**7)
    assert same.verdict == "no-gain"
    assert same.agents[0].best_deviation.gain.high == 0


def test_an_agent_whose_means_change_deviates_from_all_its_arms() -> None:
    found = audit(MARKET, "ucb1", agent="ann", horizon=100, seed=1, most_copies=2, budget=200_000)
    (ann,) = found.agents
    assert ann.reference == (1, 1)
    assert {gain.copies for gain in ann.copying} == {(2, 2), (2, 1), (1, 2)}


def test_no_game_is_called_lost() -> None:
    assert simulate(MARKET, "h-ucb", horizon=100, repetitions=2, seed=1).lost is None


CHANGES = "agents[0].arms[0] has a mean that changes"


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: exact(MARKET, "h-ucb", horizon=5), f"{CHANGES}: exact takes fixed means only"),
        (lambda: bounds(MARKET, "h-ucb", 100), f"{CHANGES}: bounds takes fixed means only"),
        (
            lambda: lost_probability(MARKET, "trial", horizon=100, seed=1),
            f"{CHANGES}: lost_probability takes fixed means only",
        ),
        (
            lambda: equilibrium(MARKET, "h-ucb", horizon=100, seed=1),
            f"{CHANGES}: equilibrium takes fixed means only",
        ),
        (
            lambda: attacks(MARKET, "h-ucb", agent="ann", horizon=100, seed=1),
            "agent = 'ann' has means that change: attacks takes agents who know their fixed means",
        ),
    ],
)
def test_refusals(ask: Callable[[], object], said: str) -> None:
    with pytest.raises(ValueError, match=rf"^{re.escape(said)}\Z"):
        ask()
