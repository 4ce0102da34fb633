"""The comparison of both sides, with the engine in the place of the GPU."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import gpu_identity
from benchmarks.gpu_identity import COMPARED, Group, checkpoints_of, lowered, rows, run
from copyproof.simulation.threads import fill, new_record


def by_the_engine(group: Group, repetitions: int, kernels: Any) -> dict[str, Any]:
    """What a GPU would leave behind, padded to the largest market's size as there."""

    found: dict[str, Any] = {"seconds": 1.0}
    played = []
    for one in lowered(group, 0, group.markets):
        record = new_record(one, 2, repetitions, trace=False)
        fill(one, checkpoints_of(group.horizon), record, workers=1)
        played.append(record)
    for name in COMPARED:
        arrays = [getattr(record, name) for record in played]
        width = max(array.shape[1] for array in arrays)
        padded = [np.pad(array, ((0, 0), (0, width - array.shape[1]))) for array in arrays]
        found[name] = np.concatenate(padded)
    return found


@pytest.fixture
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu_identity, "compiled", lambda shape: b"\x7fELF")
    monkeypatch.setattr(gpu_identity, "play_on_gpu", by_the_engine)
    monkeypatch.setattr(gpu_identity, "HORIZONS", {100: 2, 200: 1})


@pytest.mark.usefixtures("no_gpu")
def test_equal_games_are_counted_and_kept(tmp_path: Path) -> None:
    out = tmp_path / "identity.json"
    asked = [row for row in rows(families=False) if row.name in ("ucb1", "trial")]
    asked += [row for row in rows(families=True) if row.name == "mixture: h-ucb"]
    found = run(asked, 30, out, workers=2, stop_after=60)
    assert [(one["games"], one["differing"]) for one in found] == [(30, 0)] * 3
    assert json.loads(out.read_text())["rows"] == found
    assert run(asked, 30, out, workers=2, stop_after=60) == found  # nothing is played again


@pytest.mark.usefixtures("no_gpu")
def test_a_game_that_differs_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def one_wrong(group: Group, repetitions: int, kernels: Any) -> dict[str, Any]:
        found = by_the_engine(group, repetitions, kernels)
        found["agent_plays"][3, 1] += 1
        return found

    monkeypatch.setattr(gpu_identity, "play_on_gpu", one_wrong)
    asked = [row for row in rows(families=False) if row.name == "h-ucb"]
    (found,) = run(asked, 30, tmp_path / "identity.json", workers=1, stop_after=60)
    assert found["differing"] == 2  # one in each of two launches


@pytest.mark.usefixtures("no_gpu")
def test_it_stops_in_time(tmp_path: Path) -> None:
    out = tmp_path / "identity.json"
    assert run(rows(families=False)[:2], 30, out, workers=1, stop_after=0.0) == []
    assert not out.exists()
