"""The paper's runs in a study's folder: resumed, and never confused with something else."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from copyproof.paper import Settings, all_runs, complete, found, play
from copyproof.paper.runs import load
from copyproof.paper.study import OURS, Run
from copyproof.studies.arrays import CellArrays

TINY = Settings(horizon=200, repetitions=3, seed=5)
RUNS = all_runs(("fig2a", "samples"), TINY)


def played(folder: Path, runs: list[Run]) -> int:
    """Play what is missing; how many were played."""
    return complete(folder, {"some": runs}, known=found(folder, runs)).played


def test_runs_are_those_of_simulate_and_are_played_once(tmp_path: Path) -> None:
    assert played(tmp_path, RUNS[:4]) == 4
    assert played(tmp_path, RUNS) == len(RUNS) - 4
    assert played(tmp_path, RUNS) == 0
    results = found(tmp_path, RUNS)
    for run in RUNS:
        alone = play(run)
        for name in ("rounds", "regret_curves", "revenue", "plays", "original_plays"):
            assert np.array_equal(getattr(results[run], name), getattr(alone, name))
        assert str(results[run].policy) == run.policy


def test_a_folder_of_a_smaller_study_goes_on(tmp_path: Path) -> None:
    """A study that has got more policies plays theirs, and reads the others back."""
    former = [run for run in RUNS if run.policy != OURS]
    played(tmp_path, former)
    assert played(tmp_path, RUNS) == len(RUNS) - len(former) == 1


@pytest.mark.parametrize("content", [b"", b"damaged"])
def test_a_damaged_file_is_played_again(content: bytes, tmp_path: Path) -> None:
    played(tmp_path, RUNS)
    CellArrays(tmp_path).path(RUNS[2].digest).write_bytes(content)
    assert load(tmp_path, RUNS[2]) is None
    assert played(tmp_path, RUNS) == 1
    assert load(tmp_path, RUNS[2]) is not None


def test_a_run_of_other_numerics_is_played_again(tmp_path: Path) -> None:
    played(tmp_path, RUNS)
    former = load(tmp_path, RUNS[2])
    assert former is not None
    replace(former, numerics=99).save(CellArrays(tmp_path).path(RUNS[2].digest))
    assert played(tmp_path, RUNS) == 1


def test_play_is_simulate() -> None:
    told: list[int] = []
    result = play(RUNS[0], told.append)
    assert result.horizon == 200
    assert told[-1] == RUNS[0].rounds
