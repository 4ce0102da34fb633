"""The folder of a study: resumed, never confused with something else, for one process at a time."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from copyproof.paper import Settings, all_runs, by_figure, open_study, play
from copyproof.paper.study import OURS, Run

TINY = Settings(horizon=200, repetitions=3, seed=5)
RUNS = all_runs(("fig2a", "samples"), TINY)


def complete(folder: Path, limit: int | None = None) -> list[Run]:
    """Play what is missing, at most ``limit`` runs; which were played."""
    played: list[Run] = []
    with open_study(folder) as store:
        found = store.found(RUNS)
        for run in RUNS:
            if run not in found and (limit is None or len(played) < limit):
                store.keep(run, play(run))
                played.append(run)
    return played


def test_a_study_that_was_broken_off_goes_on(tmp_path: Path) -> None:
    broken, whole = tmp_path / "broken", tmp_path / "whole"
    assert len(complete(broken, limit=4)) == 4
    left_over = broken / "runs" / ".0123.tmp"
    left_over.write_bytes(b"half")
    assert len(complete(broken)) == len(RUNS) - 4
    assert complete(broken) == []
    assert not left_over.exists()
    complete(whole)
    with open_study(broken) as one, open_study(whole) as two:
        first, second = one.found(RUNS), two.found(RUNS)
        for run in RUNS:
            for name in ("regret_curves", "revenue", "plays", "original_plays"):
                assert np.array_equal(getattr(first[run], name), getattr(second[run], name))
        figures = by_figure(("fig2a",), TINY, first)
        assert figures["fig2a"][("ucb1",)].market == RUNS[0].market


def test_a_folder_of_a_smaller_study_goes_on(tmp_path: Path) -> None:
    """A study that has got more policies plays theirs, and reads the others back."""
    former = [run for run in RUNS if run.policy != OURS]
    with open_study(tmp_path) as store:
        for run in former:
            store.keep(run, play(run))
    assert complete(tmp_path) == [run for run in RUNS if run.policy == OURS]
    assert len(former) == len(RUNS) - 1


@pytest.mark.parametrize("content", [b"", b"damaged"])
def test_a_damaged_file_is_played_again(content: bytes, tmp_path: Path) -> None:
    complete(tmp_path)
    with open_study(tmp_path) as store:
        store.path(RUNS[2]).write_bytes(content)
    assert complete(tmp_path) == [RUNS[2]]


def test_a_run_of_other_numerics_is_played_again(tmp_path: Path) -> None:
    complete(tmp_path)
    with open_study(tmp_path) as store:
        former = store.load(RUNS[2])
        assert former is not None
        store.keep(RUNS[2], replace(former, numerics=1))
    assert complete(tmp_path) == [RUNS[2]]


def test_a_folder_that_holds_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    message = f"{tmp_path} holds something else (thesis.tex): give an empty or a new folder"
    with pytest.raises(ValueError, match=re.escape(message)), open_study(tmp_path):
        pass
    assert [entry.name for entry in tmp_path.iterdir()] == ["thesis.tex"]
    file = tmp_path / "thesis.tex"
    with pytest.raises(ValueError, match="is not a folder"), open_study(file):
        pass


def test_two_at_once_are_refused(tmp_path: Path) -> None:
    with (
        open_study(tmp_path),
        pytest.raises(ValueError, match="is in use by another process"),
        open_study(tmp_path),
    ):
        pass
    with open_study(tmp_path) as store:
        assert store.found(RUNS) == {}


def test_play_is_simulate() -> None:
    told: list[int] = []
    result = play(RUNS[0], told.append)
    assert result.horizon == 200
    assert told[-1] == RUNS[0].rounds
