"""What a study has found so far, in one SQLite file that survives a kill at any moment.

Four tables. ``points`` lists the places of the study as it was run last, each with the columns that
say what it is, and its cell. ``cells`` has the values of every finished cell, also of those that an
earlier version of the study had. ``slices`` has what is known of unfinished ones: the sums of
slices ``first`` to ``until`` − 1, merged in their order. ``failures`` says why a cell failed; it is
tried again by the next run.

One process writes, a few transactions a second: whatever was committed is there after a kill, and
what was not is played again. The journal is SQLite's rollback journal and not its write-ahead log,
which does not work on the network file systems that clusters share. Values are JSON, in which
floats keep every bit.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from copyproof.studies.sums import Sums, Values

_VERSION = 1
_BUSY_SECONDS = 30.0
_TABLES = """
CREATE TABLE IF NOT EXISTS points (
    place INTEGER PRIMARY KEY, cell TEXT NOT NULL, identity TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS cells (cell TEXT PRIMARY KEY, found TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS slices (
    cell TEXT NOT NULL, first INTEGER NOT NULL, until INTEGER NOT NULL, sums TEXT NOT NULL,
    PRIMARY KEY (cell, first)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS failures (cell TEXT PRIMARY KEY, reason TEXT NOT NULL) WITHOUT ROWID;
"""

# The sums of the slices from the first to before the last, or of one extra (a negative first).
Run: TypeAlias = "tuple[int, int, Sums]"


@dataclass(frozen=True, slots=True)
class Status:
    """How far a study is.

    Examples
    --------
    >>> Status(cells=10, done=7, failed=1).open
    2
    """

    cells: int
    done: int
    failed: int

    @property
    def open(self) -> int:
        """Cells that are neither done nor failed."""
        return self.cells - self.done - self.failed

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"cells": self.cells, "done": self.done, "failed": self.failed, "open": self.open}


class Store:
    """The database of a study.

    Parameters
    ----------
    path : Path
        The file; it is made if it is missing.

    Examples
    --------
    >>> store = Store(Path(":memory:"))
    >>> store.plan([("a", {"policy": "h-ucb"}), ("b", {"policy": "ucb1"})])
    >>> with store.transaction():
    ...     store.finish("a", {"regret_mean": 0.1})
    >>> store.status()
    Status(cells=2, done=1, failed=0)
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._open = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)
            with self._told():
                self._open.execute("PRAGMA synchronous = NORMAL")
                (version,) = self._open.execute("PRAGMA user_version").fetchone()
                if version not in (0, _VERSION):
                    raise ValueError(f"{path} is of version {version}: this one knows {_VERSION}")
                if version == 0:
                    self._open.executescript(_TABLES)
                    self._open.execute(f"PRAGMA user_version = {_VERSION}")
        except sqlite3.Error as error:
            raise ValueError(f"{path} cannot be opened: {error}") from None

    def close(self) -> None:
        """Close the file."""
        self._open.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All that is written inside, or nothing of it."""
        with self._told():
            self._open.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._open.execute("COMMIT")
            except BaseException:
                if self._open.in_transaction:  # a full disk may have ended it already
                    self._open.execute("ROLLBACK")
                raise

    def plan(self, points: Iterable[tuple[str, dict[str, Any]]]) -> None:
        """Say what the study is now: a cell and the identity of every point, in order."""
        rows = ((place, cell, json.dumps(one)) for place, (cell, one) in enumerate(points))
        with self.transaction():
            self._open.execute("DELETE FROM points")
            self._open.execute("DELETE FROM failures")
            self._open.executemany("INSERT INTO points VALUES (?, ?, ?)", rows)

    def finish(self, cell: str, values: "Values") -> None:
        """Keep the values of a whole cell; what was known of its slices goes."""
        text = json.dumps(values)
        self._open.execute("INSERT OR REPLACE INTO cells VALUES (?, ?)", (cell, text))
        self._open.execute("DELETE FROM slices WHERE cell = ?", (cell,))

    def fail(self, cell: str, reason: str) -> None:
        """Note why a cell failed."""
        self._open.execute("INSERT OR REPLACE INTO failures VALUES (?, ?)", (cell, reason))

    def keep(self, cell: str, runs: Iterable[Run]) -> None:
        """Keep all that is known of an unfinished cell, in place of what was kept."""
        self._open.execute("DELETE FROM slices WHERE cell = ?", (cell,))
        rows = ((cell, first, until, json.dumps(sums)) for first, until, sums in runs)
        self._open.executemany("INSERT INTO slices VALUES (?, ?, ?, ?)", rows)

    def finished(self) -> set[str]:
        """The cells of the study that are done."""
        rows = "SELECT DISTINCT cell FROM points JOIN cells USING (cell)"
        return {cell for (cell,) in self._read(rows)}

    def others(self) -> int:
        """How many finished cells are not of the study as it was run last."""
        rows = "SELECT COUNT(*) FROM cells WHERE cell NOT IN (SELECT cell FROM points)"
        ((count,),) = self._read(rows)
        return int(count)

    def begun_cells(self) -> set[str]:
        """The unfinished cells of which something is known."""
        return {cell for (cell,) in self._read("SELECT DISTINCT cell FROM slices")}

    def begun(self) -> dict[str, list[Run]]:
        """What is known of unfinished cells."""
        found: dict[str, list[Run]] = {}
        rows = self._read("SELECT cell, first, until, sums FROM slices ORDER BY cell, first")
        for cell, first, until, sums in rows:
            found.setdefault(cell, []).append((first, until, json.loads(sums)))
        return found

    def status(self) -> Status:
        """How many points there are, how many are done, and how many failed."""
        (row,) = self._read(
            "SELECT COUNT(*), COUNT(cells.cell), "
            "COUNT(CASE WHEN cells.cell IS NULL THEN failures.cell END) FROM points "
            "LEFT JOIN cells USING (cell) LEFT JOIN failures USING (cell)"
        )
        return Status(*row)

    def failures(self) -> list[tuple[dict[str, Any], str]]:
        """The points that failed, in order, and why."""
        rows = self._read(
            "SELECT identity, reason FROM points JOIN failures USING (cell) ORDER BY place"
        )
        return [(json.loads(identity), reason) for identity, reason in rows]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Every point in order: its identity, its values if it is done, or its failure."""
        rows = self._read(
            "SELECT identity, found, reason FROM points LEFT JOIN cells USING (cell) "
            "LEFT JOIN failures USING (cell) ORDER BY place"
        )
        for identity, found, reason in rows:
            values = {} if found is None else json.loads(found)
            yield {**json.loads(identity), **values, "failure": None if found else reason}

    def _read(self, statement: str) -> Iterator[tuple[Any, ...]]:
        with self._told():
            yield from self._open.execute(statement)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What SQLite has to say, as one line that names the file."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            said = str(error)
            if "malformed" in said or "not a database" in said:
                said = (
                    f"is damaged ({said}); move it away to play the study again, or bring back a "
                    "copy"
                )
            elif "full" in said:
                said = "cannot be written: no space left on the disk; what was committed is kept"
            else:
                said = f"cannot be used: {said}"
            raise ValueError(f"{self._path} {said}") from None
