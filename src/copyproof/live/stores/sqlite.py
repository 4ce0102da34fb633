"""The default store: one SQLite file, in WAL mode, with a full sync for every commit.

``synchronous=FULL`` in WAL mode syncs the log before a commit returns, so what was acknowledged is
on the disk. One append is one transaction, and the caller groups requests into appends.

After a failed write the connection is closed and opened anew with the next call. A failed sync
leaves a commit in the log that may or may not be read later (``Uncertain``). Nothing is read from a
log, at the start or after an I/O error, before all of it is known to be on the disk (``_settle``).
A running store never makes a new file in place of one that was taken away, and never takes another
file for it: it says so until the file is back. Nor is a file opened beside the log of another one,
or one that has lost what it had (``known``, ``log_file``).
"""

import contextlib
import os
import secrets
import sqlite3
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from copyproof.live.stores import schema
from copyproof.live.stores.appends import Append, Standing, advanced
from copyproof.live.stores.contract import Store
from copyproof.live.stores.database import Database, closed_on_failure
from copyproof.live.stores.errors import Damaged, StoreError, Uncertain
from copyproof.live.stores.known import (
    HEADS,
    SERVE,
    SERVING,
    UNSERVE,
    Known,
    compare_heads,
    heads_of,
    read_known,
    refuse_foreign_log,
    write_known,
)
from copyproof.live.stores.log_file import refuse_damaged_log
from copyproof.live.stores.new_file import into_new_file, make_private, write_anew
from copyproof.live.stores.snapshot_parts import Transaction
from copyproof.live.stores.sql import UNLEASE, SqlStore
from copyproof.validation import require

# What marks a file as ours (SQLite's application id): "copy".
APPLICATION = 0x636F7079

# How long a writer waits for another process.
BUSY_SECONDS = 5.0
# Pages of 4 KiB after which the log is written back. Every market writes to pages of its own, again
# and again: the longer the log, the fewer of them are written back.
_LOG_PAGES = 4000
# Parts of something large after which the log is written back: before SQLite itself would do so.
_WRITE_BACK = 2

_OLDEST = (3, 33)  # SQLite's version with UPDATE ... FROM

_MOST_STANDINGS = 100_000  # that are remembered
# Events of a group for each of its markets that go where they will stay: they share a page.
_SHARE_A_PAGE = 4
# The newest events that are kept side by side before they settle; a long one counts as several.
_NEWEST = 2048
_LONG = 1024  # characters


class SqliteStore(SqlStore):
    """A store in one file.

    Parameters
    ----------
    path : Path
        The file; it is made if there is none, its folder must exist.
    synchronous : str
        "full", or "off" to measure what durability costs: then a loss of power loses commits.
    create : bool
        Whether to make the file if there is none.
    read_only : bool
        Whether the file and its log stay as they are, to the byte; others may write meanwhile.
    clock : callable, optional
        The time in seconds, by which leases run.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with SqliteStore(Path(folder) / "live.db") as store:
    ...         store.create_market("m", {})
    ...         store.append("m", 1, [{"kind": "agent"}])
    ...     SqliteStore(Path(folder) / "live.db").last("m")
    1
    """

    _driver_error = sqlite3.Error

    def __init__(
        self,
        path: Path,
        *,
        synchronous: str = "full",
        create: bool = True,
        read_only: bool = False,
        clock: Callable[[], float] = time.time,
    ) -> None:
        accepted = f"{_OLDEST[0]}.{_OLDEST[1]} or newer"
        require(sqlite3.sqlite_version_info >= _OLDEST, "SQLite", sqlite3.sqlite_version, accepted)
        self._path = Path(os.path.abspath(path))
        super().__init__(self._path)
        check_synchronous(synchronous)
        self._synchronous = synchronous
        self._create = create and not read_only
        self._read_only = read_only
        self._clock = clock
        self.durable = synchronous == "full"
        self._file: tuple[int, int] | None = None
        self._known = Known([], {})  # as it was written last, by this process while it serves
        # How many I/O errors there were, and how many of them before the log was last settled.
        self._errors = self._settled_errors = 0
        # Connections that failed since then.
        self._doubtful: list[sqlite3.Connection] = []
        # Where markets stood when this process has last written to them.
        self._standings: dict[str, Standing] = {}
        # Events that are to settle: those that were found, and those that this process has written.
        self._newest = 0
        with self._lock:
            self._connection()

    @property
    def is_settled(self) -> bool:
        """Whether all that is read from the file is known to be on the disk."""
        return self._errors == self._settled_errors

    @property
    def _log(self) -> Path:
        """The log that SQLite keeps beside the file."""
        return self._path.with_name(f"{self._path.name}-wal")

    @property
    def path(self) -> Path:
        """The file."""
        return self._path

    # --- connections -----------------------------------------------------------------------

    def _error(self, error: sqlite3.Error, committing: bool = False) -> StoreError:
        """What an error of SQLite means, in one line."""
        name = getattr(error, "sqlite_errorname", "SQLITE_ERROR")
        primary = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        if primary == sqlite3.SQLITE_IOERR:  # maybe of a sync, on whatever connection it was
            self._errors += 1
        match primary:
            case sqlite3.SQLITE_FULL:
                return StoreError(f"{self._path}: the disk is full; nothing was stored")
            case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
                return StoreError(f"{self._path}: the file or its folder is read-only ({name})")
            case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
                return StoreError(
                    f"{self._path}: locked by another process for more than {BUSY_SECONDS:g} s"
                )
            case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
                return Damaged(f"{self._path}: damaged, or not a database ({error})")
            case sqlite3.SQLITE_CANTOPEN:
                return StoreError(f"{self._path}: {self._why_not_opened()}")
            case _ if committing:
                return Uncertain(f"{self._path}: unknown whether it was stored: {error} ({name})")
            case _:
                return StoreError(f"{self._path}: {error} ({name})")

    def _why_not_opened(self) -> str:
        """SQLite does not say; look."""
        if not self._path.parent.is_dir():
            return "cannot be opened: its folder is not there"
        if self._path.is_dir():
            return "cannot be opened: it is a folder"
        if not self._path.exists():
            return "cannot be opened: it is not there"
        if not all(os.access(each, os.W_OK) for each in (self._path.parent, self._path)):
            return "cannot be opened: the file or its folder is read-only"
        return "cannot be opened"

    def _connect(self, mode: str = "rw") -> sqlite3.Connection:
        if self._read_only:
            mode = "ro" if _has_bytes(self._log) else "ro&immutable=1"
        uri = f"{self._path.as_uri()}?mode={mode}"
        raw = sqlite3.connect(
            uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        with closed_on_failure(raw):
            raw.execute(f"PRAGMA synchronous = {self._synchronous}")
            raw.execute("PRAGMA temp_store = MEMORY")  # no files of their own, which may not fit
            raw.execute("PRAGMA fullfsync = ON")  # macOS: to the platter, not only to the drive
            raw.execute(f"PRAGMA wal_autocheckpoint = {_LOG_PAGES}")
        return raw

    def _identity(self) -> tuple[int, int]:
        try:
            found = self._path.stat()
        except OSError as error:
            raise StoreError(f"{self._path}: the file is gone ({error.strerror})") from error
        return found.st_dev, found.st_ino

    def _look_after(self) -> None:
        try:
            self._refuse_replaced()
        except StoreError:
            self._drop()
            raise
        if not self.is_settled:
            self._drop()

    def _refuse_replaced(self) -> None:
        if self._file is not None and self._identity() != self._file:
            raise StoreError(
                f"{self._path}: the file was replaced by another one while it was in use: put it "
                "back, or start anew to use the other one"
            )

    def _open(self) -> Any:
        self._refuse_replaced()
        if self._file is None and (self._create or self._path.exists()):
            refuse_foreign_log(self._path, self._log)
            if self.durable:  # else a loss of power may have left anything
                refuse_damaged_log(self._log)
        if self._create and self._file is None:
            make_private(self._path)
        writing = "rwc" if self._create and self._file is None else "rw"
        raw = self._connect(writing)
        with closed_on_failure(raw):
            self._recognise(raw)
            if not self._read_only:
                self._set_wal(raw)
                self._migrate(raw)
                if self._file is None or not self.is_settled:
                    self._settle(raw)
                [(self._newest,)] = raw.execute("SELECT count(*) FROM newest_events")
            if self._file is None:
                compare_heads(raw, self._path)
            self._file = self._identity()
        return raw

    def _recognise(self, raw: sqlite3.Connection) -> None:
        """Leave the files of others alone."""
        # In this order: another process may be making the tables, and the mark comes with them.
        used = raw.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
        if used and raw.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
            raise Damaged(f"{self._path}: a database, but not of copyproof")
        found = raw.execute("PRAGMA user_version").fetchone()[0]
        if (why := schema.refusal(found)) is not None:
            raise Damaged(f"{self._path}: {why}")

    def _set_wal(self, raw: sqlite3.Connection) -> None:
        """Switch to WAL mode, for which SQLite itself does not wait if another does the same."""
        end = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                [(mode,)] = raw.execute("PRAGMA journal_mode = WAL").fetchall()
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                    raise
                time.sleep(0.01)
                continue
            if mode != "wal":
                raise StoreError(f"{self._path}: this file system cannot hold a WAL database")
            return

    def _drop(self) -> None:
        """Let go of the connection, but do not close it before all of the log is on the disk.

        SQLite would write the log back with the last connection, and delete it. If a sync of the
        log had failed, power lost at that moment would leave a part of the log beside newer pages.
        """
        if self._main is not None and not self.is_settled and not self._closed:
            with contextlib.suppress(sqlite3.Error):
                self._main.rollback()
            self._doubtful.append(self._main)
            self._main = None
        super()._drop()
        if self._closed:
            self._close_doubtful()

    def close(self) -> None:
        """Close the connection; the log is written back, after an error once it is synced."""
        with self._lock:
            if not self._closed and not self.is_settled:
                with contextlib.suppress(StoreError):
                    self._connection()
            super().close()

    def _close_doubtful(self) -> None:
        while self._doubtful:
            self._doubtful.pop().close()

    def _settle(self, raw: sqlite3.Connection) -> None:
        """Bring to the disk what is in the log, and write it back, as far as readers let it.

        After a failed sync the system takes pages for clean that were never written, and later
        syncs pass them over. So the log is written anew, in place, before it is synced.
        """
        errors = self._errors
        if self.durable and self._log.exists():
            raw.execute("BEGIN IMMEDIATE")  # so that nobody else writes to the log
            try:
                write_anew(self._log)
            except OSError as error:
                self._errors += 1
                raise StoreError(f"{self._log}: cannot be synced ({error.strerror})") from error
            finally:
                raw.execute("ROLLBACK")
            try:
                raw.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_FULL:  # all of it is in the log
                    raise
        self._settled_errors = errors
        self._close_doubtful()

    def _migrate(self, raw: sqlite3.Connection) -> None:
        """Walk the steps that are missing, all or none."""
        if raw.execute("PRAGMA user_version").fetchone()[0] == schema.version():
            return
        raw.execute("BEGIN IMMEDIATE")
        found = raw.execute("PRAGMA user_version").fetchone()[0]
        for step in schema.STEPS[found:]:
            for sql in (*step.shared, *step.sqlite):
                raw.execute(sql.replace(schema.BLOB, "BLOB"))
        raw.execute(f"PRAGMA application_id = {APPLICATION}")
        raw.execute(f"PRAGMA user_version = {schema.version()}")
        raw.execute("COMMIT")

    def _begin_reading(self, raw: sqlite3.Connection) -> None:
        raw.execute("BEGIN")

    @contextlib.contextmanager
    def in_parts(self) -> Iterator[Transaction]:
        """Write parts on a connection that does not wait for the disk while others wait for it.

        The log keeps the order of what is written, so that nothing that comes later can outlive
        them. They are written back from the log when nobody is kept from writing.
        """
        number = 0

        @contextlib.contextmanager
        def transaction() -> Iterator[Database]:
            nonlocal number
            with self._lock:
                self._connection()  # the file is still there
                with self._committed(Database(raw), True, raw.close):
                    yield Database(raw)
            number += 1
            if number % _WRITE_BACK == 0:
                raw.execute("PRAGMA wal_checkpoint(PASSIVE)")

        try:
            raw = self._connect()
            with contextlib.closing(raw):
                raw.execute("PRAGMA wal_autocheckpoint = 0")
                if self.durable:
                    raw.execute("PRAGMA synchronous = NORMAL")
                yield transaction
                raw.execute("PRAGMA wal_checkpoint(PASSIVE)")
        except sqlite3.Error as error:
            raise self._error(error) from error

    def now(self, database: Database) -> float:
        """The time by which leases run."""
        return self._clock()

    def _append_within(
        self,
        database: Database,
        appends: Sequence[Append],
        texts: Sequence[Sequence[str]],
        outcomes: list[Exception | None],
    ) -> list[Standing]:
        """Store events of markets that stand where this process has left them without a look.

        Whether they do is seen when their rows are changed; if not, they are read after all.
        """
        known = self._standings
        if len(known) > _MOST_STANDINGS:
            known.clear()
        found = advanced(known, appends, texts)
        if found is not None:
            standings, rows = found
            before = [known[one.market] for one in standings]
            if database.advance(before, standings) == len(before):
                newest = len(rows) < _SHARE_A_PAGE * len(standings) and len(standings) > 1
                database.add_events(rows, newest=newest)
                self._newest += newest * sum(1 + len(row[2]) // _LONG for row in rows)
                if self._newest > _NEWEST:
                    database.settle_events()
                    self._newest = 0
            else:
                database.rollback()
                database.begin(write=True)
                found = None
        if found is None:
            standings = super()._append_within(database, appends, texts, outcomes)
        known.update((one.market, one) for one in standings)
        return standings

    # --- what is known beside the file -------------------------------------------------------

    def begin_serving(self) -> None:
        """Tie the log to the file, so that no other file is opened beside it.

        At any moment what is known holds the number that the file has without its log.
        """
        with self._lock:
            raw = self._connection()
            number = secrets.randbits(62)
            before = [int(one) for (one,) in raw.execute(SERVING).fetchall()]
            servings, heads = read_known(self._path)
            self._note(Known([*{*servings, *before, number}], heads), sync=True)
            with self._joint_transaction() as database:
                database.change(SERVE, number)
            try:
                [(busy, log, done)] = raw.execute("PRAGMA wal_checkpoint(FULL)").fetchall()
            except sqlite3.Error as error:
                raise self._error(error) from error
            if not busy and log == done:
                self._note(Known([number], heads), sync=True)

    def note_heads(self) -> None:
        """Note where all journals end, to be compared when the file is opened next."""
        with self._joint_transaction(write=False) as database:
            heads = heads_of(database.rows(HEADS))
            if heads != self._known.heads:
                self._note(Known(read_known(self._path).servings, heads))

    def drop_market(self, market: str) -> None:
        """Delete a market, which will not be missed."""
        with self._lock:
            servings, heads = read_known(self._path)
            if heads.pop(market, None) is not None:
                self._note(Known(servings, heads))
        super().drop_market(market)

    def _note(self, known: Known, *, sync: bool = False) -> None:
        write_known(self._path, known, sync=sync)
        self._known = known

    # --- the whole file --------------------------------------------------------------------

    def backup(self, path: Path, also: Callable[[Store], None] | None = None) -> None:
        """Write everything into a new file, by SQLite's own means; writers go on.

        The copy is checked before it gets its name: Damaged if the store is.
        """

        def copy(beside: Path) -> None:
            with (
                contextlib.closing(self._connect()) as source,
                contextlib.closing(sqlite3.connect(beside)) as to,
            ):
                source.backup(to)
            with SqliteStore(beside, synchronous="off") as made:
                _check(made, also)
            with contextlib.closing(sqlite3.connect(beside)) as to:
                to.execute("PRAGMA journal_mode = DELETE")
                to.execute(UNLEASE)
                to.execute(UNSERVE)
                to.commit()

        with self._lock:
            self._connection()
        into_new_file(path, copy)

    def scrub(self, tables: Collection[str] | None = None) -> None:
        """Write the file anew, whatever the tables are, and empty its log."""
        with self._lock:
            raw = self._connection()
            try:
                raw.execute("VACUUM")
                [(busy, *_)] = raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            except sqlite3.Error as error:
                raise self._error(error) from error
        if busy:
            raise StoreError(
                f"{self._path}: others read the file, so that what was replaced is still in its "
                "log: do it again when they are done"
            )

    def check(self) -> None:
        """SQLite's own check of the file, then every journal from end to end.

        A file of an earlier version that is read only is not brought up to date, nor read further.
        """
        with self._reading() as database:
            found = database.rows("PRAGMA integrity_check(1)")
            if found != [("ok",)]:
                raise Damaged(f"{self._path}: {str(found[0][0]).splitlines()[-1]}")
            [(version,)] = database.rows("PRAGMA user_version")
        if version == schema.version():
            super().check()


def _has_bytes(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0


def check_synchronous(value: str) -> None:
    """Refuse what is neither "full" nor "off"."""
    require(value in ("full", "off"), "synchronous", value, "full or off")


def write_backup(store: Store, path: Path, also: Callable[[Store], None] | None = None) -> None:
    """Write what any store holds, as of one moment, into a new SQLite file.

    Raises
    ------
    FieldError
        If the file exists.
    StoreError
        If it cannot be written.
    """

    def copy(beside: Path) -> None:
        with SqliteStore(beside) as target:
            target.load(store.dump())
            _check(target, also)

    into_new_file(path, copy)


def _check(copy: Store, also: Callable[[Store], None] | None) -> None:
    copy.check()
    if also is not None:
        also(copy)
