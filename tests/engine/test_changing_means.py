"""Means that change: games against slow ones, the dynamic regret, and what still holds."""

from typing import Any

import numpy as np
import pytest

from copyproof import Agent, Drift, Market, Piecewise, simulate
from copyproof.simulation.decisions import decisions_of_games
from tests import reference
from tests.markets import record_of

STEPS = Piecewise([(1, 0.9), (100, 0.1), (150, 0.7)])
RISING = Drift(0.1, 0.8, 50, 200)
MARKET = Market(
    [
        Agent("ann", [STEPS, 0.3], copies=[2, 1]),
        Agent("bob", [0.5]),
        Agent("cat", [RISING], copies=[3]),
    ]
)


@pytest.mark.parametrize("policy", ["ucb1", "h-ucb", "rh-ucb-t-free", "thompson", "kl-ucb"])
def test_the_engine_plays_what_the_slow_reference_plays(policy: str) -> None:
    for repetition in range(3):
        found = decisions_of_games(MARKET, policy, horizon=300, repetitions=3, seed=5)[repetition]
        expected = reference.choices(MARKET, policy, 300, seed=5, repetition=repetition)
        assert found.tolist() == expected


def test_the_regret_is_to_the_best_mean_of_each_round() -> None:
    record = record_of(MARKET, "h-ucb", horizon=300, repetitions=2, seed=5)
    original = [0, 0, 1, 2, 3, 3, 3]
    arms = [arm for agent in MARKET.agents for arm in agent.arms]
    for row, choices in enumerate(record.choices):
        regret = 0.0
        for t, choice in enumerate(choices, start=1):
            means = [reference.mean_of(arm, t) for arm in arms]
            regret += max(means) - means[original[choice]]
        assert record.regret[row, 0] == pytest.approx(regret, rel=1e-12)


def test_a_mean_that_never_changes_is_a_bernoulli_arm() -> None:
    fixed = Market([Agent("a", [0.3], copies=[3]), Agent("b", [0.6, 0.2])])
    still = Piecewise([(1, 0.3), (500, 0.3)])
    same = Market([Agent("a", [still], copies=[3]), Agent("b", [Drift(0.6, 0.6, 3, 9), 0.2])])
    for policy in ("ucb1", "h-ucb", "trial"):
        how: dict[str, Any] = {"horizon": 1000, "repetitions": 3, "seed": 2}
        one, other = simulate(fixed, policy, **how), simulate(same, policy, **how)
        assert np.array_equal(one.revenue, other.revenue)
        assert np.allclose(one.regret_curves, other.regret_curves, rtol=1e-12)


@pytest.mark.parametrize("policy", ["h-ucb", "trial", "rh-ucb-t-free(L=2)"])
def test_copies_of_an_only_arm_still_change_nothing(policy: str) -> None:
    honest = Market([Agent("ann", [STEPS]), Agent("bob", [0.5]), Agent("cat", [RISING])])
    how: dict[str, Any] = {"horizon": 2000, "repetitions": 4, "seed": 3}
    one = simulate(honest, policy, **how)
    copied = simulate(honest.replicate("ann", 40), policy, **how)
    assert np.array_equal(one.revenue, copied.revenue)


def test_threads_do_not_matter() -> None:
    one = record_of(MARKET, "trial", horizon=500, repetitions=9, seed=4)
    other = record_of(MARKET, "trial", horizon=500, repetitions=9, seed=4, workers=3, batch=2)
    for mine, theirs in zip(one, other, strict=True):
        assert np.array_equal(mine, theirs)
