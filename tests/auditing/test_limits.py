"""Limits: against the published inequality, and how often they miss."""

import math

import numpy as np
import pytest

from copyproof.auditing.limits import (
    LEAST_GAMES,
    bounded_limits,
    games_needed,
    large_sample_limits,
    share_at,
)


def test_the_shares_of_all_stages_and_gains_add_up_to_the_error_rate() -> None:
    shares = [share_at(stage, 7, 0.05) for stage in range(1, 100_000) for _ in range(7)]
    assert 0.0499 < math.fsum(shares) <= 0.05


def test_the_bounded_limits_are_those_of_maurer_and_pontil() -> None:
    values = np.array([0.0, 1.0, 1.0, 0.0, 1.0])
    n, delta = 5, 0.05  # each side has α/2 = delta
    variance = values.var(ddof=1)
    half = math.sqrt(2 * variance * math.log(2 / delta) / n)
    half += 7 * math.log(2 / delta) / (3 * (n - 1))
    found = bounded_limits(values, 1.0, 2 * delta)
    assert found.high - found.mean == pytest.approx(half)
    assert found.mean - found.low == pytest.approx(half)


def test_too_few_games_give_no_limits() -> None:
    found = large_sample_limits(np.zeros(LEAST_GAMES - 1), 0.05, least=0.0, most=0.0)
    assert (found.low, found.high) == (-math.inf, math.inf)


def test_a_rare_event_that_was_not_seen_is_allowed_for() -> None:
    # A gain of 0.002 = 1 × P(1 in 500), looked at 64 times: most samples are all zeros.
    found = large_sample_limits(np.zeros(64), 0.001, least=0.0, most=1.0)
    assert found.high > 0.002
    assert found.low == 0.0


def test_a_rare_event_may_lower_a_difference_as_well_as_raise_it() -> None:
    found = large_sample_limits(np.full(64, 3.0), 0.001, least=-7.0, most=13.0)
    assert found.high - 3.0 == pytest.approx(3.0 - found.low)


def test_so_many_games_bring_the_limits_within_the_margin() -> None:
    for margin in (0.01, 0.3, 5.0):
        n = games_needed(margin, 2.0, 30.0)
        assert n is not None
        assert 2.0 / math.sqrt(n) + 30.0 / n <= margin
        assert 2.0 / math.sqrt(n - 1) + 30.0 / (n - 1) > margin
    assert games_needed(0.0, 2.0, 30.0) is None
    assert games_needed(1.0, 2.0, math.inf) is None


@pytest.mark.parametrize("games", [16, 64, 256])
@pytest.mark.parametrize("chance", [0.05, 0.01, 0.003, 0.001, 0.0001])
@pytest.mark.parametrize("size", [-900.0, 900.0])
def test_a_rare_and_huge_event_is_within_the_limits(size: float, chance: float, games: int) -> None:
    # Seen never, once, or a few times, in differences that are otherwise small.
    rng = np.random.default_rng(7)
    alpha, trials = 0.05, 2000
    misses = 0
    for _ in range(trials):
        values = rng.normal(0.0, 1.0, games) + size * (rng.random(games) < chance)
        found = large_sample_limits(values, alpha, least=-900.0, most=900.0)
        misses += not found.low <= size * chance <= found.high
    # Four standard errors of a share of 5 % in 2,000 trials are 2 %.
    assert misses / trials <= alpha + 0.02


@pytest.mark.parametrize("chance", [0.5, 0.1, 0.01, 0.002])
@pytest.mark.parametrize("kind", ["bounded", "large-sample"])
def test_limits_miss_no_more_often_than_they_say(kind: str, chance: float) -> None:
    rng = np.random.default_rng(5)
    alpha, n, trials = 0.05, 256, 4000
    misses = 0
    for _ in range(trials):
        values = (rng.random(n) < chance).astype(float) - (rng.random(n) < 0.3)
        mean = chance - 0.3
        if kind == "bounded":
            found = bounded_limits(values, 2.0, alpha)
        else:
            found = large_sample_limits(values, alpha, least=-1.0, most=1.0)
        misses += not found.low <= mean <= found.high
    # Four standard errors of a share of 5 % in 4,000 trials are 1.4 %.
    assert misses / trials <= alpha + 0.014
