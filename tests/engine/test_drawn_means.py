"""Means that are drawn for every game: their law, their keys, and the game that they make."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from copyproof import Agent, BetaPrior, Gaussian, ListPrior, Market, UniformPrior
from copyproof.engine.drawn_means import drawn_means, put_means
from copyproof.engine.lower import lower_priors, lower_rewards
from copyproof.game import Prior

GAMES = 20_000
# The chance that a right law fails one of these tests, by the inequality of Dvoretzky, Kiefer and
# Wolfowitz with Massart's constant: P(sup |F_n − F| > ε) ≤ 2 exp(−2 n ε²). The seed is fixed, too.
FALSE_ALARM = 1e-6
FARTHEST = math.sqrt(math.log(2 / FALSE_ALARM) / (2 * GAMES))


def draws(market: Market, repetitions: int = GAMES, first: int = 0) -> NDArray[np.float64]:
    return drawn_means(lower_priors(market), seed=5, first=first, repetitions=repetitions)


@pytest.mark.parametrize(
    ("prior", "law"),
    [
        (BetaPrior(2, 5), stats.beta(2, 5)),
        (BetaPrior(0.1, 0.1), stats.beta(0.1, 0.1)),
        (UniformPrior(0.2, 0.6), stats.uniform(0.2, 0.4)),
    ],
)
def test_continuous_laws(prior: Prior, law: Any) -> None:
    means = draws(Market([Agent("ann", [0.5, prior])]))
    assert (means[:, 0] == 0.5).all()
    assert stats.kstest(means[:, 1], law.cdf).statistic < FARTHEST


def test_a_list_is_drawn_as_often_as_it_says() -> None:
    means = draws(Market([Agent("ann", [ListPrior([0.9, 0.1, 0.9, 0.5])])]))[:, 0]
    values, counts = np.unique(means, return_counts=True)
    assert values.tolist() == [0.1, 0.5, 0.9]
    assert abs(np.cumsum(counts) / GAMES - [0.25, 0.5, 1]).max() < FARTHEST


def test_two_arms_of_one_prior_are_drawn_independently() -> None:
    agents = [Agent("ann", [UniformPrior(0, 1)] * 2), Agent("bob", [UniformPrior(0, 1)])]
    means = draws(Market(agents))
    for one, other in ((0, 1), (0, 2), (1, 2)):
        # With the copula of independent uniforms, (one + other) mod 1 is uniform again.
        together = (means[:, one] + means[:, other]) % 1
        assert stats.kstest(together, "uniform").statistic < FARTHEST
        assert abs(np.corrcoef(means[:, one], means[:, other])[0, 1]) < 5 / math.sqrt(GAMES)


@settings(deadline=None)
@given(
    copies=st.lists(st.integers(0, 4), min_size=3, max_size=3),
    first=st.integers(0, 2**31),
)
def test_a_game_has_the_same_means_whatever_is_registered(copies: list[int], first: int) -> None:
    arms: list[Prior] = [BetaPrior(1, 2), UniformPrior(0, 1), ListPrior([0.1, 0.2, 0.3])]
    market = Market([Agent("ann", arms), Agent("bob", [BetaPrior(1, 2)])])
    reference = draws(market, 5, first)
    assert np.array_equal(draws(market.with_strategy("ann", copies), 5, first), reference)
    # Ranges may be cut anywhere.
    assert np.array_equal(draws(market, 2, first + 3), reference[3:])
    # The first arms of ann and bob have one prior, and means of their own.
    assert (reference[:, 0] != reference[:, 3]).all()


def test_a_game_is_one_of_its_means() -> None:
    market = Market([Agent("ann", [UniformPrior(0, 1), 0.4]), Agent("bob", [Gaussian(0.3, 1)])])
    rewards = lower_rewards(market)
    assert np.isnan(rewards.originals["gap"]).all()  # nothing can be played before the draw
    (means,) = draws(market, 1)
    put_means(rewards, means)
    known = lower_rewards(Market([Agent("ann", means[:2]), Agent("bob", [Gaussian(0.3, 1)])]))
    assert (rewards.originals == known.originals).all()
