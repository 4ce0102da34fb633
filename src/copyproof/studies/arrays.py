"""Every repetition of a cell, on disk: slices as they come, then one file for the whole cell.

A slice is packed where it was played, and written by the driver; the file of a cell is what
``Result.save`` writes, so that ``Result.load`` reads it. Files appear whole or not at all.
"""

import io
from collections.abc import Collection, Iterator
from dataclasses import fields
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from copyproof._files import write_atomically
from copyproof._version import __version__
from copyproof.simulation import Repetitions, Result
from copyproof.studies.cells import Cell

_LEFT_OUT = ("first", "seconds", "paths")
_ARRAYS = tuple(one.name for one in fields(Repetitions) if one.name not in _LEFT_OUT)


def pack(games: Repetitions) -> bytes:
    """The arrays of a slice as the bytes of an ``.npz`` file.

    Examples
    --------
    >>> from copyproof import paper_market
    >>> from copyproof.simulation import play
    >>> games = play(paper_market("2a"), "h-ucb", 0, 4, horizon=100, seed=1)
    >>> unpack(pack(games)).revenue.shape
    (4, 5)
    """
    memory = io.BytesIO()
    arrays = {name: getattr(games, name) for name in _ARRAYS}
    given = {name: array for name, array in arrays.items() if array is not None}
    np.savez(memory, **given, seconds=np.array(games.seconds))
    return memory.getvalue()


def unpack(data: bytes) -> Repetitions:
    """Read what ``pack`` wrote."""
    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files if name != "seconds"}
        return Repetitions(seconds=float(file["seconds"]), **arrays)


class CellArrays:
    """The folders of a study that hold arrays.

    Parameters
    ----------
    folder : Path
        The study's.
    """

    def __init__(self, folder: Path) -> None:
        self.cells = folder / "arrays"
        self.slices = folder / "slices"

    def path(self, digest: str) -> Path:
        """The file of a cell."""
        return self.cells / f"{digest}.npz"

    def has(self, digest: str) -> bool:
        """Whether the cell's file is there."""
        return self.path(digest).is_file()

    def keep_slice(self, digest: str, number: int, data: bytes) -> None:
        """Write the arrays of a slice."""
        self.slices.mkdir(exist_ok=True)
        write_atomically(self._slice(digest, number), data)

    def has_slice(self, digest: str, number: int) -> bool:
        """Whether the arrays of a slice are there."""
        return self._slice(digest, number).is_file()

    def assemble(self, cell: Cell) -> None:
        """Write the file of a cell whose slices are all there; these are left for ``tidy``."""
        self.cells.mkdir(exist_ok=True)
        parts = list(self._parts(cell))
        joined: dict[str, Any] = {
            name: np.concatenate([getattr(part, name) for part in parts])
            for name in _ARRAYS
            if name != "rounds" and getattr(parts[0], name) is not None
        }
        result = Result(
            market=cell.market,
            policy=cell.policy.policy,
            horizon=cell.horizon,
            repetitions=cell.repetitions,
            seed=cell.seed,
            schedule=cell.schedule,
            versions={
                "copyproof": __version__,
                "numpy": version("numpy"),
                "numba": version("numba"),
            },
            rounds=parts[0].rounds,
            seconds=sum(part.seconds for part in parts),
            **joined,
        )
        result.save(self.path(cell.digest))

    def tidy(self, cell: Cell) -> None:
        """Remove the slices of a cell that is stored."""
        for number in range(cell.slices):
            self._slice(cell.digest, number).unlink(missing_ok=True)

    def sweep(self, begun: Collection[str]) -> None:
        """Remove what a process that was killed has left: all but slices of cells in ``begun``."""
        for folder in (self.cells, self.slices):
            for left_over in folder.glob(".*.tmp"):
                left_over.unlink()
        for slice_ in self.slices.glob("*.npz"):
            if slice_.name.partition("-")[0] not in begun:
                slice_.unlink()

    def close(self) -> None:
        """Remove the folder of slices if nothing is in it."""
        if self.slices.is_dir() and not any(self.slices.iterdir()):
            self.slices.rmdir()

    def _parts(self, cell: Cell) -> Iterator[Repetitions]:
        for number in range(cell.slices):
            yield unpack(self._slice(cell.digest, number).read_bytes())

    def _slice(self, digest: str, number: int) -> Path:
        return self.slices / f"{digest}-{number}.npz"
