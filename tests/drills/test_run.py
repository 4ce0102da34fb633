"""Drills: pairs of games share their luck, and gains are judged as they should be."""

import json
import math
from dataclasses import replace

import pytest

from copyproof.drills import SCENARIOS, LiveGame, Setting, drill
from copyproof.drills import run as module
from copyproof.drills.run import Played


def test_processes_have_no_effect_on_the_result() -> None:
    alone, together = (
        drill("h-ucb", scenarios=["slates"], games=5, seed=3, workers=n) for n in (1, 2)
    )
    assert replace(together, seconds=0.0) == replace(alone, seconds=0.0)
    assert json.loads(json.dumps(alone.to_dict()))["gains"][0]["gain"]["low"] is None


def test_progress_counts_games() -> None:
    told: list[int] = []
    drill("h-ucb", scenarios=["slates"], games=2, workers=1, progress=told.append)
    assert told == [4, 8]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"scenarios": ["slate"]}, "scenario = 'slate' is not one of slates, .*'slates'"),
        ({"games": 0}, "games = 0 is not a whole number from 1"),
        ({"confidence": 1}, "confidence = 1 is not between 0 and 1"),
        ({"workers": 0}, "workers = 0"),
    ],
)
def test_bad_input_is_one_line(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        drill("h-ucb", **wrong)  # type: ignore[arg-type]


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
    pairs = [(Played(100.0, 0.5, 200.0, 1), Played(100.0 + one, 0.5, 200.0, 1)) for one in gains]
    found = module._gain(SCENARIOS[0], setting, pairs, alpha=0.05)
    assert found.verdict == verdict
    assert found.largest == max(gains)
    assert math.isclose(found.gain.mean, sum(gains) / len(gains), abs_tol=1e-9)
