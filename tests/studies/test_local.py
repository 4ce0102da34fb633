"""Threads: they play everything, stop at once, and pass on what goes wrong with the machine."""

from pathlib import Path
from typing import Any

import pytest

from copyproof import paper_market
from copyproof.studies import local
from copyproof.studies.arrays import CellArrays
from copyproof.studies.assembly import Assembly
from copyproof.studies.cells import Cell, Terms
from copyproof.studies.local import play_here
from copyproof.studies.store import Store
from copyproof.studies.tasks import Outcome, Player, Task
from tests.studies.studies import point_of

TERMS = Terms(("regret",))


def cell(policy: str, repetitions: int = 4, horizon: int = 100, terms: Terms = TERMS) -> Cell:
    game: dict[str, Any] = {"horizon": horizon, "repetitions": repetitions, "seed": 1}
    return point_of(paper_market("1a"), policy, **game, terms=terms).cell


def assembly_of(folder: Path, cells: list[Cell]) -> tuple[Store, Assembly]:
    store = Store(folder / "study.db")
    store.plan((one.digest, {}) for one in cells)
    return store, Assembly(store, CellArrays(folder), cells)


def test_ours_and_others(tmp_path: Path) -> None:
    cells = [cell("river:UCB(delta=1)"), cell("h-ucb"), cell("ucb1")]
    store, assembly = assembly_of(tmp_path, cells)
    told: list[int] = []
    play_here(assembly, workers=2, progress=told.append)
    assert store.status().done == assembly.finished == 3
    assert told == sorted(told)
    assert told[-1] == 3 * 400


def test_what_is_no_game_is_progress_too(tmp_path: Path) -> None:
    """Audits, exact values and a cell that fails: each counts as the rounds of its cell."""
    cells = [
        cell(policy, horizon=4, terms=Terms(("audit", "exact"))) for policy in ("ucb1", "thompson")
    ]
    store, assembly = assembly_of(tmp_path, cells)
    told: list[int] = []
    play_here(assembly, workers=1, progress=told.append)
    assert (store.status().done, store.status().failed) == (1, 1)
    assert told[-1] == assembly.total == 2 * 16


def test_a_rule_that_ends_its_process_does_not_end_the_run(tmp_path: Path) -> None:
    """Neither with one worker nor with a slice of one game, which would need no process."""
    mine = tmp_path / "mine.py"
    mine.write_text(
        "import os\n\n\ndef dies(arms, *, owners, horizon, seed):\n    os._exit(3)\n",
        encoding="utf-8",
    )
    cells = [cell(f"{mine}:dies", repetitions) for repetitions in (1, 2)] + [cell("h-ucb")]
    cells.append(cell("river:UCB(delta=1)"))
    store, assembly = assembly_of(tmp_path, cells)
    play_here(assembly, workers=1)
    assert (store.status().done, store.status().failed) == (2, 2)
    assert all("ended with exit code 3" in reason for _, reason in store.failures())


def test_an_interrupt_stops_the_threads_at_once(tmp_path: Path) -> None:
    store, assembly = assembly_of(tmp_path, [cell("ucb1", repetitions=1, horizon=10**9)])

    def interrupt(rounds: int) -> None:
        if rounds > 0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_here(assembly, workers=2, progress=interrupt)
    assert store.status().done == 0


def test_a_machine_at_fault_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(Player):
        def play(self, task: Task) -> Outcome | None:
            if task.cell.policy.text == "h-ucb":
                raise OSError(28, "No space left on device")
            return super().play(task)

    monkeypatch.setattr(local, "Player", Broken)
    store, assembly = assembly_of(tmp_path, [cell("ucb1"), cell("h-ucb")])
    with pytest.raises(OSError, match="No space left"):
        play_here(assembly, workers=1)
    assert store.status().done == 1  # what was found before is kept
