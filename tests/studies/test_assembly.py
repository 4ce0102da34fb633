"""Assembly: outcomes in any order, twice or not at all, make the same cells."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from copyproof import paper_market
from copyproof.studies.arrays import CellArrays
from copyproof.studies.assembly import Assembly
from copyproof.studies.cells import Cell, Terms
from copyproof.studies.store import Store
from copyproof.studies.tasks import Outcome, Player, Task
from tests.studies.studies import point_of

Opened = Callable[[], tuple[Store, Assembly]]
TERMS = Terms(("regret", "exact"))


@pytest.fixture(scope="module")
def cell() -> Cell:
    game: dict[str, Any] = {"horizon": 4, "repetitions": 700_000, "seed": 1}
    found = point_of(paper_market("1a"), "h-ucb", **game, terms=TERMS).cell
    assert found.slices == 4
    return found


@pytest.fixture(scope="module")
def outcomes(cell: Cell) -> list[Outcome]:
    player = Player()
    found = [player.play(Task(cell, number)) for number in (0, 1, 2, 3, -2)]
    return [one for one in found if one is not None]


@pytest.fixture
def opened(cell: Cell, tmp_path: Path) -> Opened:
    def again() -> tuple[Store, Assembly]:
        store = Store(tmp_path / "study.db")
        store.plan([(cell.digest, {"policy": "h-ucb"})])
        return store, Assembly(store, CellArrays(tmp_path), [cell])

    return again


def test_any_order_gives_the_same_bits(opened: Opened, outcomes: list[Outcome]) -> None:
    rows = []
    for seed in range(3):
        store, assembly = opened()
        with store.transaction():
            store._open.execute("DELETE FROM cells")
        mixed = outcomes * 2  # a worker that was given up may answer all the same
        random.Random(seed).shuffle(mixed)
        for one in mixed:
            assembly.add([one])
            assembly.flush()
            if assembly.finished:
                break
        (row,) = store.rows()
        assert assembly.finished == 1
        rows.append(row)
        store.close()
    assert all(row == rows[0] for row in rows)
    assert rows[0]["exact_regret"] == pytest.approx(rows[0]["regret_mean"], rel=0.01)


def test_what_was_written_is_not_played_again(opened: Opened, outcomes: list[Outcome]) -> None:
    store, assembly = opened()
    assert [task.number for task in assembly.tasks()] == [0, 1, 2, 3, -2]
    assert assembly.total == 4 * 700_000
    assembly.add([outcomes[2], outcomes[4]])
    assembly.flush()
    assembly.add([outcomes[0]])  # never written: the process is killed here
    store.close()
    store, assembly = opened()
    assert [task.number for task in assembly.tasks()] == [0, 1, 3]
    assert assembly.total == sum(outcomes[k].work for k in (0, 1, 3)) < 4 * 700_000
    assembly.add([outcomes[0], outcomes[1], outcomes[3]])
    assembly.flush()
    assert (assembly.finished, store.status().done) == (1, 1)
    assert store.begun() == {}


def test_a_failure_ends_its_cell(opened: Opened, outcomes: list[Outcome], cell: Cell) -> None:
    store, assembly = opened()
    tasks = assembly.tasks()
    next(tasks)
    assembly.add([outcomes[0], Outcome(cell.digest, 1, None, "it raised", work=10)])
    assert list(tasks) == []
    assembly.add(outcomes[2:])
    assembly.flush()
    assert (assembly.finished, store.status().failed) == (0, 1)
    assert assembly.work == sum(one.work for one in (outcomes[0], *outcomes[2:])) + 10
