"""Confidence sequences: how often they miss, whenever one looks, and what they cost."""

import math

import numpy as np
import pytest

from copyproof.auditing.confidence_sequences import (
    games_above,
    games_below,
    lower_limit,
    upper_limit,
)

LOOKS = (2, 8, 32, 64, 128, 256, 512)


@pytest.mark.parametrize("chance", [0.5, 0.1, 0.02, 0.003, 0.0005])
@pytest.mark.parametrize("size", [-900.0, 900.0])
def test_they_miss_no_more_often_than_they_say_at_any_look(chance: float, size: float) -> None:
    rng = np.random.default_rng(7)
    alpha, trials, mean = 0.05, 400, size * chance
    high = low = 0
    for _ in range(trials):
        values = rng.integers(-1, 2, LOOKS[-1]) + size * (rng.random(LOOKS[-1]) < chance)
        high += any(upper_limit(values[:n], 901.0, alpha) < mean for n in LOOKS)
        low += any(lower_limit(values[:n], -901.0, alpha) > mean for n in LOOKS)
    # Three standard errors of a share of 5 % in 400 trials are 3.3 %.
    assert max(high, low) / trials <= alpha + 0.033


def test_one_coin_is_never_counted_out_too_early() -> None:
    """The exact chance that a coin of chance p ever leaves its upper limit is at most α."""
    p, alpha, most = 0.3, 0.2, 60
    states = {0: 1.0}  # successes so far of the games that have not missed, and their chance
    missed = 0.0
    for n in range(1, most + 1):
        later: dict[int, float] = {}
        for successes, chance in states.items():
            for more, part in ((0, 1 - p), (1, p)):
                later[successes + more] = later.get(successes + more, 0.0) + chance * part
        states = {}
        for successes, chance in later.items():
            values = np.repeat([0.0, 1.0], [n - successes, successes])
            if upper_limit(values, 1.0, alpha) < p:
                missed += chance
            else:
                states[successes] = chance
    assert 0 < missed <= alpha


def test_equal_values_leave_what_no_game_has_shown() -> None:
    values = np.zeros(1000)
    limit = upper_limit(values, 900.0, 0.01)
    assert 900 * math.log(100) / 1000 < limit < 1.3 * 900 * math.log(200) / 1000
    assert lower_limit(values, -900.0, 0.01) == -limit


def test_an_unbounded_range_leaves_all_open() -> None:
    assert upper_limit(np.zeros(10), math.inf, 0.05) == math.inf
    assert lower_limit(np.array([]), 0.0, 0.05) == -math.inf
    assert games_below(np.zeros(10), 1.0, math.inf, 0.05) is None


def test_limits_stay_within_the_range() -> None:
    assert upper_limit(np.ones(3), 1.0, 0.05) == 1.0
    assert 0.5 < upper_limit(np.array([0.5]), 1.0, 0.05) < 1.0
    assert 0.0 < lower_limit(np.array([0.5]), 0.0, 0.05) < 0.5


@pytest.mark.parametrize("level", [0.02, 0.1, 0.5])
def test_so_many_games_bring_the_limit_below_a_level(level: float) -> None:
    values = np.tile([-1.0, 1.0], 10)
    games = games_below(values, level, 50.0, 0.01)
    assert games is not None
    enough = np.tile([-1.0, 1.0], math.ceil(0.55 * games))
    assert upper_limit(enough, 50.0, 0.01) <= level
    assert upper_limit(enough[: games // 4], 50.0, 0.01) > level
    assert games_above(-values, -level, -50.0, 0.01) == games
    assert games_below(values, -level, 50.0, 0.01) is None
