"""Assembly: outcomes of tasks, in whatever order they come, put together to finished cells.

Slices are merged in their order. One that comes too early waits, so that the driver holds, for each
unfinished cell, one set of sums and those few slices that are ahead: its memory does not grow with
the repetitions. What is new is written in one transaction, a few times a second.
"""

import time
from collections.abc import Iterator

from copyproof.studies.arrays import CellArrays
from copyproof.studies.cells import Cell
from copyproof.studies.store import Run, Store
from copyproof.studies.sums import Sums, Values, merged, values_of
from copyproof.studies.tasks import EXTRAS, Outcome, Task, tasks_of

# Seconds between two transactions.
EVERY = 0.3


class _Parts:
    """What is known of one unfinished cell."""

    def __init__(self, cell: Cell, runs: list[Run]) -> None:
        self.cell = cell
        self.until = 0
        self.sums: Sums | None = None
        self.ahead: dict[int, Sums] = {}
        self.extras: dict[int, Values] = {}
        for first, until, sums in runs:
            if first == 0:
                self.until, self.sums = until, sums
            elif first > 0:
                self.ahead[first] = sums
            else:
                self.extras[first] = sums
        self._merge()

    def add(self, number: int, found: Sums | Values) -> None:
        if number < 0:
            self.extras[number] = found
        elif number >= self.until:
            self.ahead[number] = found
            self._merge()

    def _merge(self) -> None:
        while (sums := self.ahead.pop(self.until, None)) is not None:
            self.sums = sums if self.sums is None else merged(self.sums, sums)
            self.until += 1

    @property
    def whole(self) -> bool:
        return self.until == self.cell.slices and len(self.extras) == len(self.cell.extras)

    def knows(self, number: int) -> bool:
        return number in self.extras or 0 <= number < self.until or number in self.ahead

    def runs(self) -> Iterator[Run]:
        if self.sums is not None:
            yield 0, self.until, self.sums
        for number, sums in sorted(self.ahead.items()):
            yield number, number + 1, sums
        for number, values in self.extras.items():
            yield number, number + 1, values

    def values(self) -> Values:
        values = {} if self.sums is None else values_of(self.sums)
        for name in self.cell.extras:
            values |= self.extras[EXTRAS[name]]
        return values


class Assembly:
    """Takes outcomes, finishes cells, and writes both to the store.

    Parameters
    ----------
    store : Store
        Where to.
    arrays : CellArrays
        Where repetitions are kept.
    cells : iterable of Cell
        All that are to be played.
    """

    def __init__(self, store: Store, arrays: CellArrays, cells: list[Cell]) -> None:
        self._store = store
        self._arrays = arrays
        self._cells = {cell.digest: cell for cell in cells}
        self._begun: dict[str, list[Run]] = store.begun()
        self._parts: dict[str, _Parts] = {}
        self._new: list[Outcome] = []
        self._flushed = time.monotonic()
        self.failed: set[str] = set()
        self.finished = 0
        self.work = 0
        #: The work of all tasks that are still to be played.
        self.total = sum(self._open_work(cell) for cell in cells)

    def tasks(self) -> Iterator[Task]:
        """What is still to be played, cell by cell; nothing more of a cell that has failed."""
        for cell in self._cells.values():
            parts = self._parts_of(cell) if cell.digest in self._begun else None
            for task in tasks_of(cell):
                if cell.digest in self.failed:
                    break
                if parts is None or not self._is_kept(parts, task.number):
                    yield task

    def add(self, outcomes: list[Outcome]) -> None:
        """Take outcomes; write them if it is time."""
        self._new += outcomes
        self.work += sum(one.work for one in outcomes)
        self.failed.update(one.digest for one in outcomes if one.failure is not None)
        if time.monotonic() - self._flushed > EVERY:
            self.flush()

    def flush(self) -> None:
        """Write what is new."""
        new, self._new = self._new, []
        if new:
            self._write(new)
        self._flushed = time.monotonic()

    def _write(self, new: list[Outcome]) -> None:
        touched: dict[str, _Parts] = {}
        whole: list[Cell] = []
        with self._store.transaction():
            for one in new:
                cell = self._cells[one.digest]
                if one.found is None:
                    self._store.fail(one.digest, str(one.failure))
                    self._parts.pop(one.digest, None)
                    continue
                if one.digest in self.failed:
                    continue
                if one.arrays is not None:
                    self._arrays.keep_slice(one.digest, one.number, one.arrays)
                parts = self._parts_of(cell)
                parts.add(one.number, one.found)
                touched[one.digest] = parts
            for digest, parts in touched.items():
                if digest in self.failed:
                    continue
                if not parts.whole:
                    self._store.keep(digest, parts.runs())
                    continue
                if parts.cell.terms.arrays:
                    self._arrays.assemble(parts.cell)
                    whole.append(parts.cell)
                self._store.finish(digest, parts.values())
                del self._parts[digest]
                self.finished += 1
        for cell in whole:
            self._arrays.tidy(cell)

    def _open_work(self, cell: Cell) -> int:
        if cell.digest not in self._begun:
            return cell.work
        parts = _Parts(cell, self._begun[cell.digest])
        tasks = tasks_of(cell)
        return sum(task.work for task in tasks if not self._is_kept(parts, task.number))

    def _parts_of(self, cell: Cell) -> _Parts:
        found = self._parts.get(cell.digest)
        if found is None:
            found = _Parts(cell, self._begun.pop(cell.digest, []))
            self._parts[cell.digest] = found
        return found

    def _is_kept(self, parts: _Parts, number: int) -> bool:
        if not parts.knows(number):
            return False
        if number < 0 or not parts.cell.terms.arrays:
            return True
        return self._arrays.has_slice(parts.cell.digest, number)
