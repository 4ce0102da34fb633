"""The limits of sampled audits hold as often as they say, in games that are hard on them.

`benchmarks/calibration.py` measures it in full. With large samples of what was seen alone, 26 % of
the audits of the first setting had a gain outside its limits, and half of those of the second.
"""

import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
from scipy.stats import binomtest

from benchmarks.audit_settings import CONFIDENCE, SETTINGS, TRUTH, Setting, judged, known_truth

BY_NAME = {setting.name: setting for setting in SETTINGS}


def _check(setting: Setting, audits: int, folder: Path) -> None:
    outcomes = judged(setting, known_truth(setting), range(audits), folder)
    for missed in (
        sum(one.missed_gain for one in outcomes),
        sum(one.missed_loss for one in outcomes),
    ):
        assert binomtest(missed, audits, 1 - CONFIDENCE, alternative="greater").pvalue > 0.001
    assert not any(one.false_prone or one.false_no_gain for one in outcomes)
    # They are counted and published: no types of NumPy.
    assert {type(value) for one in outcomes for value in asdict(one).values()} == {str, bool}


@pytest.mark.parametrize("name", ["greedy, bad arm", "greedy, good arm", "greedy, discounted"])
def test_greedy_games_that_are_rarely_lost_are_within_the_limits(name: str, tmp_path: Path) -> None:
    _check(BY_NAME[name], audits=20, folder=tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_no_setting_is_missed_more_often_than_is_said(setting: Setting, tmp_path: Path) -> None:
    _check(setting, audits=min(100, setting.audits), folder=tmp_path)


def test_without_a_table_the_script_says_how_to_make_one(tmp_path: Path) -> None:
    script = TRUTH.parents[1] / "calibration.py"
    done = subprocess.run(
        [sys.executable, script, "--cells", tmp_path], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.startswith("there is no table yet: copyproof study run ")
    assert done.stderr.count("\n") == 1
