"""Inverse distribution functions against SciPy's, and their monotonicity."""

import numpy as np
import pytest
import scipy.stats
from numpy.typing import NDArray

from copyproof import (
    Agent,
    Bernoulli,
    Beta,
    Empirical,
    Exponential,
    Gaussian,
    Market,
    Poisson,
    parse_policy,
)
from copyproof.engine.lower import lower
from copyproof.engine.quantiles import reward
from copyproof.game import Reward

RNG = np.random.default_rng(7)
EDGES = [2.0**-53, 1e-12, 0.02425, 0.5, 0.97575, 1 - 1e-12, 1 - 2.0**-53]
UNIFORMS = np.sort(np.concatenate([RNG.random(500), EDGES]))


def quantiles(arm: Reward, uniforms: NDArray[np.float64] = UNIFORMS) -> NDArray[np.float64]:
    market = Market([Agent("a", [0.1, arm])])
    game = lower(market, parse_policy("ucb1"), horizon=1, seed=0).game
    return np.array([reward(game.rewards, 1, u, 1) for u in uniforms])


@pytest.mark.parametrize(
    ("arm", "expected"),
    [
        (Gaussian(0.3, 2.0), scipy.stats.norm(0.3, 2.0)),
        (Exponential(0.7), scipy.stats.expon(scale=0.7)),
        (Beta(1, 1), scipy.stats.beta(1, 1)),
        (Beta(2, 5), scipy.stats.beta(2, 5)),
        (Beta(0.5, 0.5), scipy.stats.beta(0.5, 0.5)),
        (Beta(0.1, 3), scipy.stats.beta(0.1, 3)),
        (Beta(300, 40), scipy.stats.beta(300, 40)),
        (Beta(1e5, 1e5), scipy.stats.beta(1e5, 1e5)),
    ],
)
def test_continuous_families(arm: Reward, expected: "scipy.stats.rv_continuous") -> None:
    got = quantiles(arm)
    assert np.allclose(got, expected.ppf(UNIFORMS), rtol=1e-9, atol=1e-13)


def test_bernoulli() -> None:
    assert np.array_equal(quantiles(Bernoulli(0.3)), (UNIFORMS >= 0.7).astype(float))
    assert quantiles(Bernoulli(0)).max() == 0
    assert quantiles(Bernoulli(1)).min() == 1


@pytest.mark.parametrize("mean", [0.0, 0.01, 1.0, 4.5, 300.0, 1e5])
def test_poisson(mean: float) -> None:
    inside = UNIFORMS[(UNIFORMS > 1e-10) & (UNIFORMS < 1 - 1e-10)]
    got = quantiles(Poisson(mean), inside)
    assert np.array_equal(got, scipy.stats.poisson(mean).ppf(inside).clip(0))


def test_empirical_list() -> None:
    arm = Empirical([0.9, 0.1, 0.4, 0.4])
    assert quantiles(arm, np.array([0.1, 0.25, 0.26, 0.5, 0.75, 0.76, 0.99])).tolist() == [
        0.1,
        0.1,
        0.4,
        0.4,
        0.4,
        0.9,
        0.9,
    ]


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (Bernoulli(0.6), Bernoulli(0.5)),
        (Beta(3, 2), Beta(2, 2)),
        (Gaussian(0.5, 1.0), Gaussian(0.4, 1.0)),
        (Poisson(2.0), Poisson(1.5)),
        (Exponential(1.0), Exponential(0.9)),
        (Empirical([0.2, 0.9]), Empirical([0.1, 0.9])),
    ],
)
def test_dominating_arms_pay_at_least_as_much_for_every_uniform(
    better: Reward, worse: Reward
) -> None:
    high, low = quantiles(better), quantiles(worse)
    assert np.all(high >= low)
    assert np.any(high > low)
    assert np.all(np.diff(high) >= 0)
