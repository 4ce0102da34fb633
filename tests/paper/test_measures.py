"""Intervals and rates against what they must be."""

import numpy as np
import pytest
import scipy.stats
from numpy.typing import NDArray

from copyproof import paper_market, simulate
from copyproof.paper.measures import exponent, fitted_growth, misses, regret_ratio
from copyproof.paper.study import Run
from copyproof.simulation import Interval
from tests.paper.made_up import REPETITIONS, result_of

RUN = Run(paper_market("2c"), "rh-ucb", 1000, 40, 1)


def test_the_ratio_of_regrets_is_paired() -> None:
    ratio = regret_ratio(result_of(RUN, regret=50.0), result_of(RUN, regret=200.0))
    assert (ratio.mean, ratio.low, ratio.high) == pytest.approx((0.25, 0.25, 0.25))


def test_the_ratios_interval_covers() -> None:
    # Correlated regrets of means 2 and 8: the interval should hold 1/4 in about 95 % of the cases.
    rng = np.random.default_rng(7)
    one, other = result_of(RUN), result_of(RUN)
    covered = 0
    for _ in range(400):
        common = rng.exponential(1.0, REPETITIONS)
        one.regret_curves[:, -1] = common + rng.exponential(1.0, REPETITIONS)
        other.regret_curves[:, -1] = 4 * common + rng.exponential(4.0, REPETITIONS)
        ratio = regret_ratio(one, other)
        covered += ratio.low <= 0.25 <= ratio.high
    assert 0.91 * 400 < covered < 0.99 * 400


@pytest.mark.parametrize("power", [0.2, 0.5, 0.9, 1.0])
def test_the_exponent_of_a_power_is_the_power(power: float) -> None:
    b = exponent(result_of(RUN, power=power))
    assert b.mean == pytest.approx(power, abs=1e-12)
    assert b.low - 1e-12 <= b.mean <= b.high + 1e-12


def test_the_exponents_interval_covers() -> None:
    # Curves a·t^b whose a and b vary between repetitions: the interval should hold the exponent of
    # the mean curve in about 95 % of the cases.
    rng = np.random.default_rng(5)
    result = result_of(RUN)
    rounds = result.rounds / RUN.horizon

    def curves(count: int) -> NDArray[np.float64]:
        scale = rng.lognormal(0, 0.3, (count, 1))
        return scale * 100 * rounds ** rng.normal(0.6, 0.1, (count, 1))

    long = curves(200_000)
    middle = int(np.searchsorted(result.rounds, RUN.horizon / 2))
    true = np.log(long[:, -1].mean() / long[:, middle].mean()) / -np.log(rounds[middle])
    covered = 0
    for _ in range(400):
        sample = curves(len(result.regret_curves))
        made = result_of(RUN)
        made.regret_curves[:] = sample
        interval = exponent(made)
        covered += interval.low <= true <= interval.high
    assert 0.91 * 400 < covered < 0.99 * 400


def test_growth_across_horizons() -> None:
    results = [
        result_of(Run(paper_market("2a"), "rh-ucb", horizon, 40, 1), regret=3 * horizon**0.7)
        for horizon in (1000, 3000, 10_000, 100_000)
    ]
    b = fitted_growth(results)
    assert b.mean == pytest.approx(0.7, abs=1e-12)
    assert b.low < 0.7 < b.high


@pytest.mark.parametrize(("successes", "trials"), [(0, 100), (16, 100), (100, 100), (3, 7)])
def test_wilsons_interval(successes: int, trials: int) -> None:
    expected = scipy.stats.binomtest(successes, trials).proportion_ci(0.95, method="wilson")
    found = Interval.of_share(successes, trials)
    assert found.low == pytest.approx(expected.low, abs=1e-4)
    assert found.high == pytest.approx(expected.high, abs=1e-4)


def test_misses_are_counted_on_the_best_original() -> None:
    assert misses(result_of(RUN, missed=8)).sum() == 8
    played = simulate(paper_market("2c"), "rh-ucb(L=1)", horizon=3000, repetitions=200, seed=1)
    # ⌊ln 3000⌋ = 8 of 210 arms, 10 of them best: (200 choose 8)/(210 choose 8) ≈ 0.673.
    share = misses(played).mean()
    exact = np.prod([(200 - k) / (210 - k) for k in range(8)])
    assert abs(share - exact) < 4 * np.sqrt(exact * (1 - exact) / 200)
