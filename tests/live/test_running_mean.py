"""Limits of a mean hold at any time, also for numbers that depend on those before."""

import random

import pytest

from copyproof.live.running_mean import RunningMean


def test_squares_are_taken_around_the_mean_so_far() -> None:
    mean = RunningMean(2.0)
    for value in (1.0, 0.0, 2.0):
        mean.add(value)
    assert mean.mean == 1.0
    assert mean.squares == pytest.approx(1.0 + 1.0 + 1.5**2)
    again = RunningMean.from_list(mean.to_list())
    assert (again.margin, again.count, again.width) == (mean.margin, 3, 2.0)


def test_nothing_is_known_before_the_first() -> None:
    assert RunningMean(1.0).margin == float("inf")


def test_little_variance_gives_narrow_limits() -> None:
    margins = []
    for often in (2, 100):
        mean = RunningMean(1.0)
        for n in range(20_000):
            mean.add(float(n % often == 0))
        margins.append(mean.margin)
    assert margins[1] < 0.4 * margins[0]


@pytest.mark.parametrize("share", [0.05, 0.5, 1.0])
def test_few_games_ever_leave_the_limits(share: float) -> None:
    """Inverse propensities of a chance that moves with what was paid before, seen at all times."""
    left, games = 0, 100
    for game in range(games):
        luck = random.Random(game)
        mean, expected, outside = RunningMean(1.0 / share), 0.0, False
        for n in range(1, 601):
            chance = 0.3 + 0.4 * (mean.mean > 0.5)  # by what was paid so far
            expected += chance
            mean.add((luck.random() < chance) / share if luck.random() < share else 0.0)
            outside = outside or abs(mean.mean - expected / n) > mean.margin
        left += outside
    # 5 of 100 are allowed, and the bound is known to be cautious.
    assert left <= 5
