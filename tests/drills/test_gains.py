"""Gains are judged as they should be."""

import math
from dataclasses import replace

import pytest

from copyproof.drills import SCENARIOS, LiveGame, Setting
from copyproof.drills.gains import Played, gain_of
from copyproof.drills.scenario import Measure


def _nothing(game: LiveGame) -> None:
    raise AssertionError("not played")


@pytest.mark.parametrize(
    ("gains", "verdict"),
    [
        ([0.0] * 20, "unchanged"),
        ([5.0] * 20, "undecided"),  # few games: what was not seen may be worth all plays
        ([5.0] * 2000, "prone"),
        ([-5.0] * 2000, "no-gain"),
        ([-5.0, 5.0] * 1000, "undecided"),
    ],
)
def test_verdicts(gains: list[float], verdict: str) -> None:
    setting = Setting("now", _nothing, 1000, 1000)
    without = Played(100.0, 200, 0.5, 200.0, 50.0, 1)
    pairs = [(without, without._replace(revenue=100.0 + one)) for one in gains]
    found = gain_of(SCENARIOS[0], setting, pairs, alpha=0.05)
    assert found.verdict == verdict
    assert found.largest == max(gains)
    assert math.isclose(found.gain.mean, sum(gains) / len(gains), abs_tol=1e-9)


@pytest.mark.parametrize(
    ("measure", "values", "gain", "verdict"),
    [
        ("plays", [200, 250], 50.0, "prone"),
        ("plays", [200, 150], -50.0, "no-gain"),
        ("regret", [200, 150], 50.0, "saves"),
        ("regret", [200, 250], -50.0, "costs"),
    ],
)
def test_what_is_measured(measure: Measure, values: list[int], gain: float, verdict: str) -> None:
    scenario = replace(SCENARIOS[0], measure=measure)
    one = Played(100.0, 0, 0.5, 200.0, 0.0, 1)
    before, after = (one._replace(**{measure: value}) for value in values)
    setting = Setting("now", _nothing, 1000, 1000)
    found = gain_of(scenario, setting, [(before, after)] * 2000, alpha=0.05)
    assert (found.measure, found.gain.mean, found.verdict) == (measure, gain, verdict)
    assert (found.without.most, found.attacking.most) == tuple(values)
