"""First-order dominance: exact, sampled, and how often its limits miss."""

import numpy as np
import pytest
from scipy import stats

from copyproof.auditing.dominance import chernoff_limit, exact_advantage, sampled_advantage


def test_a_dominating_reference_leaves_no_advantage() -> None:
    better, worse = np.array([0.1, 0.3, 0.6]), np.array([0.2, 0.3, 0.5])
    assert exact_advantage(better, worse).dominated is True
    assert exact_advantage(worse, better).dominated is False
    assert exact_advantage(worse, better).value == pytest.approx(0.1)


def test_a_riskier_deviation_of_equal_mean_pays_those_who_seek_risk() -> None:
    sure, lottery = np.array([0.0, 1.0, 0.0]), np.array([0.5, 0.0, 0.5])
    assert exact_advantage(sure, lottery).value == 0.5  # passes 1 more often
    assert exact_advantage(lottery, sure).value == 0.5  # passes 0 more often


def test_rounding_is_no_advantage() -> None:
    chances = np.array([0.1, 0.2, 0.7])
    assert exact_advantage(chances, chances * (1 + 1e-15)).dominated is True


def test_pairs_give_an_upper_limit_that_distributions_do_not() -> None:
    rng = np.random.default_rng(1)
    reference = rng.normal(size=10_000)
    found = sampled_advantage(reference, reference - 0.001, 0.01)
    assert found.paths_better == 0
    assert found.value <= 0.001
    assert found.high == pytest.approx(chernoff_limit(0, 10_000, 0.005))
    assert found.dominated is None  # never said of samples


def test_a_clear_advantage_is_seen() -> None:
    rng = np.random.default_rng(2)
    found = sampled_advantage(rng.normal(size=2000), rng.normal(1, 1, size=2000), 0.01)
    true = 2 * stats.norm.cdf(0.5) - 1
    assert found.low <= true <= found.high
    assert found.dominated is False


def test_the_limits_miss_no_more_often_than_they_say() -> None:
    rng = np.random.default_rng(3)
    true = 2 * stats.norm.cdf(0.1) - 1
    misses = 0
    for _ in range(500):
        found = sampled_advantage(rng.normal(size=300), rng.normal(0.2, 1, size=300), 0.1)
        misses += not found.low <= true <= found.high
    assert misses <= 50


@pytest.mark.parametrize(("successes", "trials"), [(0, 10), (0, 1000), (3, 50), (50, 50)])
def test_the_chernoff_limit_is_above_the_exact_one(successes: int, trials: int) -> None:
    exact = stats.beta.ppf(0.95, successes + 1, trials - successes) if successes < trials else 1.0
    found = chernoff_limit(successes, trials, 0.05)
    assert exact <= found + 1e-9 <= 1.0 + 1e-9
