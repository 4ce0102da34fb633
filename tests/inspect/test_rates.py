"""Empirical-Bayes means."""

import numpy as np
import pytest

from copyproof.game import BetaPrior
from copyproof.inspect.rates import fitted, posterior, scale_of


def test_limits_hold_as_often_as_they_should() -> None:
    """Of 20,000 means, 95 % lie within their posterior's limits."""
    from scipy.stats import beta

    rng = np.random.default_rng(1)
    means, plays = rng.beta(3, 20, 20_000), rng.integers(1, 100, 20_000).astype(float)
    wins = rng.binomial(plays.astype(int), means).astype(float)
    prior = fitted(wins, plays)
    assert prior.mean == pytest.approx(3 / 23, rel=0.03)
    assert prior.alpha + prior.beta == pytest.approx(23, rel=0.1)
    a, b = prior.alpha + wins, prior.beta + plays - wins
    inside = (beta.ppf(0.025, a, b) <= means) & (means <= beta.ppf(0.975, a, b))
    assert inside.mean() == pytest.approx(0.95, abs=0.008)


@pytest.mark.parametrize("wins", [[0.0], [7.0], [0.0, 0.0], [10.0, 10.0], [0.0, 10.0]])
def test_few_arms_give_a_prior_that_is_weak(wins: list[float]) -> None:
    prior = fitted(np.array(wins), np.full(len(wins), 10.0))
    assert 0.01 < prior.alpha + prior.beta < 1000
    made = posterior(prior, wins[0], 10.0)
    assert 0 < made.mean < 1


def test_many_plays_fit() -> None:
    made = posterior(BetaPrior(1, 1), 3e8, 1e9)
    assert made.mean == pytest.approx(0.3)
    assert max(made.alpha, made.beta) <= 1e6


def test_scales_go_back_and_forth() -> None:
    scale = scale_of(-2.0, 5.0)
    assert (scale.low, scale.high) == (-2.0, 5.0)
    assert scale_of(0.0, 0.0) == scale_of(1.0, 1.0) == scale_of(0.0, 1.0)
    assert scale_of(7.0, 7.0) == scale_of(0.0, 7.0)
    assert scale.up(scale.down(12.0, 10), 10) == pytest.approx(12.0)
    assert scale.down(-20.0, 10) == 0.0
    assert scale.down(50.0, 10) == 10.0
