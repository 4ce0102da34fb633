"""Arrays: slices that come in any order make the file that one run of all games would make."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from copyproof import Result, paper_market, simulate
from copyproof.simulation import play
from copyproof.studies.arrays import CellArrays, pack, unpack
from copyproof.studies.cells import Cell, Terms
from tests.studies.studies import point_of

GAME: dict[str, Any] = {"horizon": 300_000, "seed": 1}


@pytest.fixture(scope="module")
def cell() -> Cell:
    terms = Terms(("regret",), arrays=True, checkpoints=3)
    found = point_of(paper_market("1a"), "h-ucb", repetitions=7, **GAME, terms=terms).cell
    assert found.slices == 3
    return found


def packed(cell: Cell, number: int) -> bytes:
    first, count = cell.slice(number)
    return pack(play(cell.market, "h-ucb", first, count, checkpoints=cell.checkpoints, **GAME))


def test_a_slice_survives_packing(cell: Cell) -> None:
    games = play(cell.market, "h-ucb", 3, 3, checkpoints=cell.checkpoints, **GAME)
    again = unpack(pack(games))
    assert again.seconds == games.seconds
    for name in ("rounds", "regret_curves", "revenue", "plays", "original_plays"):
        assert np.array_equal(getattr(again, name), getattr(games, name))
    assert again.means is None


def test_slices_in_any_order_make_one_file(cell: Cell, tmp_path: Path) -> None:
    arrays = CellArrays(tmp_path)
    for number in (2, 0, 1):
        assert not arrays.has_slice(cell.digest, number)
        arrays.keep_slice(cell.digest, number, packed(cell, number))
    assert not arrays.has(cell.digest)
    arrays.assemble(cell)
    assert arrays.has(cell.digest)
    arrays.tidy(cell)
    arrays.close()
    assert [path.name for path in tmp_path.iterdir()] == ["arrays"]
    kept = Result.load(arrays.path(cell.digest))
    alone = simulate(cell.market, "h-ucb", repetitions=7, checkpoints=cell.checkpoints, **GAME)
    assert np.array_equal(kept.regret_curves, alone.regret_curves)
    assert np.array_equal(kept.revenue, alone.revenue)


def test_what_a_kill_leaves_is_swept_away(cell: Cell, tmp_path: Path) -> None:
    arrays = CellArrays(tmp_path)
    arrays.keep_slice(cell.digest, 0, b"kept")
    arrays.keep_slice("0" * 32, 0, b"of a cell that nobody knows")
    (tmp_path / "slices" / ".half.tmp").write_bytes(b"hal")
    arrays.sweep({cell.digest})
    assert [path.name for path in (tmp_path / "slices").iterdir()] == [f"{cell.digest}-0.npz"]
    arrays.close()
    assert arrays.has_slice(cell.digest, 0)  # something is in the folder: it stays
