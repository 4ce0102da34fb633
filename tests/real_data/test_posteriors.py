"""Posteriors by empirical Bayes: what they say of the means holds."""

import numpy as np
import pytest

from copyproof.real_data.posteriors import posteriors


def test_posteriors_hold_the_means_as_often_as_they_say() -> None:
    rng = np.random.default_rng(2)
    plays = rng.integers(1, 50, size=5000)
    means = rng.beta(2.0, 5.0, size=5000)
    known = posteriors(rng.binomial(plays, means).tolist(), plays.tolist())
    drawn = rng.beta([one.alpha for one in known], [one.beta for one in known], size=(400, 5000))
    low, high = np.quantile(drawn, [0.05, 0.95], axis=0)
    assert np.mean((low <= means) & (means <= high)) == pytest.approx(0.9, abs=0.02)


def test_arms_that_differ_by_chance_alone_are_drawn_together() -> None:
    rng = np.random.default_rng(3)
    wins = rng.binomial(100, 0.3, size=50)
    means = [one.mean for one in posteriors(wins.tolist(), [100] * 50)]
    assert max(means) - min(means) < 0.5 * np.ptp(wins / 100)
