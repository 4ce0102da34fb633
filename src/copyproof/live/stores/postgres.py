"""The store for several processes: tables in a schema of a PostgreSQL database.

A commit waits for the server's disk (``synchronous_commit``); a server that does not sync at all
(``fsync=off``) is refused. The market's row is locked and its token compared in the transaction
that stores, so a process that lost its lease cannot write, whatever it believes. Leases run by the
server's clock, so the clocks of the processes do not matter.

One connection is for what concerns many markets, as the commit of a group: it waits for no lock on
a market's row, but leaves that market out. What concerns one market, and may wait, has a connection
of its own from a small pool, so that a lock delays that market and no other.

A lost connection is opened anew with the next call. If it is lost while a commit is under way,
nobody but the server knows what became of it: ``Uncertain``. A process that hangs in the middle of
a transaction is thrown out by the server after a few seconds, so that another can take over.
"""

import re
import secrets
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
from psycopg import conninfo, errors

from copyproof.live.stores import schema
from copyproof.live.stores.contract import Store
from copyproof.live.stores.database import Database, closed_on_failure
from copyproof.live.stores.errors import Damaged, StoreError, Uncertain
from copyproof.live.stores.market_rows import STANDING
from copyproof.live.stores.schema import COLUMNS
from copyproof.live.stores.sql import SqlStore
from copyproof.live.stores.sqlite import check_synchronous, write_backup
from copyproof.validation import FieldError

# After so many seconds without use, see whether the connection is still there.
_IDLE = 1.0
_POOL = 12  # the most connections for what concerns one market
_KEPT = 4  # of these, the most that are kept open

# Two processes that open a new database at once take turns; any number of our own will do.
_MIGRATION_LOCK = 7_039_721_433

_SETTINGS = {
    # A process that hangs, or whose machine is gone, must not hold its locks for long.
    "idle_in_transaction_session_timeout": "4s",
    "lock_timeout": "5s",
    "tcp_keepalives_idle": "2",
    "tcp_keepalives_interval": "1",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "5s",
}

_CONNECTING = {
    "connect_timeout": "3",
    "application_name": "copyproof",
    "keepalives_idle": "2",
    "keepalives_interval": "1",
    "keepalives_count": "3",
    "tcp_user_timeout": "5000",
}


# All rows of a group with one statement; lists travel in binary form, which need not be quoted.
# It is no pipeline: psycopg ends one with a flush behind its sync, which the server takes for the
# beginning of a query, so that a process that hangs then is not thrown out.
_APPEND = (
    "WITH advanced AS (UPDATE markets SET last = new.last, head = new.head"
    " FROM unnest(%b::bigint[], %b::text[], %b::text[]) AS new (last, head, market)"
    " WHERE name = new.market)"
    " INSERT INTO events (market, number, body, mark)"
    " SELECT * FROM unnest(%b::text[], %b::bigint[], %b::text[], %b::text[])"
)
# Rows that somebody else has locked are left out.
_RENEW = (
    "UPDATE markets SET since = %s, until = %s FROM (SELECT name AS mine FROM markets"
    " JOIN unnest(%s::text[], %s::bigint[]) AS held (market, fence)"
    " ON name = market AND token = fence WHERE owner = %s FOR UPDATE OF markets SKIP LOCKED)"
    " AS found WHERE name = mine RETURNING name"
)


class _Connection(Database):
    """A PostgreSQL connection as a ``Database``."""

    _mark = "%s"
    event_tables = ("events",)
    raw: psycopg.Connection[tuple[Any, ...]]

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
        names = ", ".join(columns)
        if len(rows) == 1:
            marks = ", ".join(["%s"] * len(columns))
            self.raw.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", rows[0])
            return
        # COPY is a transaction's part as any other, and several times as fast for many rows.
        with self.raw.cursor() as cursor, cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)

    def append(
        self, standings: Sequence[tuple[int, str, str]], rows: Sequence[tuple[str, int, str, str]]
    ) -> None:
        columns = (*zip(*standings, strict=True), *zip(*rows, strict=True))
        self.raw.execute(_APPEND, [*map(list, columns)])

    def renew(self, tokens: Mapping[str, int], owner: str, since: float, until: float) -> set[str]:
        values = (since, until, list(tokens), list(tokens.values()), owner)
        return {market for (market,) in self.raw.execute(_RENEW, values).fetchall()}

    def stream(self, sql: str, size: int) -> Iterator[list[tuple[Any, ...]]]:
        with self.raw.cursor(name=f"c{secrets.token_hex(4)}") as cursor:
            cursor.execute(sql)
            while chunk := cursor.fetchmany(size):
                yield chunk

    def begin(self, write: bool) -> None:
        pass  # the driver does, with the first query

    def commit(self) -> None:
        self.raw.commit()

    def rollback(self) -> None:
        self.raw.rollback()


class PostgresStore(SqlStore):
    """A store in a PostgreSQL database.

    Parameters
    ----------
    url : str
        ``postgresql://USER:PASSWORD@HOST:PORT/DATABASE``, and after a ``?`` what libpq takes;
        ``schema=NAME`` in place of the schema ``copyproof``; and ``synchronous=off``, to measure
        what waiting for the disk costs: then a crash of the server loses commits.
    """

    for_update = " FOR UPDATE"
    _database = _Connection
    shared = True
    _driver_error = psycopg.Error

    def __init__(self, url: str) -> None:
        url, self._schema, synchronous = _own_options(url)
        try:
            asked = conninfo.conninfo_to_dict(url)
        except psycopg.Error as error:
            said = f"= postgresql: {_line(error)}"
            raise FieldError("store", "postgresql:", "a URL", said=said) from error
        self._url = conninfo.make_conninfo(
            url, **{k: v for k, v in _CONNECTING.items() if k not in asked}
        )
        where = asked.get("host", "the local socket")
        super().__init__(f"postgresql database {asked.get('dbname', '')!r} at {where}")
        self.durable = synchronous == "full"
        self._used = 0.0
        self._places = threading.BoundedSemaphore(_POOL)
        self._idle: list[tuple[float, psycopg.Connection[tuple[Any, ...]]]] = []
        with self._lock:
            self._connection()

    # --- connections -----------------------------------------------------------------------

    def _error(self, error: psycopg.Error, committing: bool = False) -> StoreError:
        """What an error of PostgreSQL means, in one line."""
        if committing:
            return Uncertain(f"{self._name}: unknown whether it was stored: {_line(error)}")
        if isinstance(error, errors.DiskFull):
            return StoreError(f"{self._name}: the disk is full; nothing was stored")
        if isinstance(error, errors.ReadOnlySqlTransaction):
            return StoreError(f"{self._name}: the database is read-only")
        if isinstance(error, errors.LockNotAvailable):
            return StoreError(f"{self._name}: locked by another process for more than 5 s")
        if isinstance(error, errors.DataCorrupted | errors.IndexCorrupted):
            return Damaged(f"{self._name}: damaged: {_line(error)}")
        if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
            return StoreError(f"{self._name}: away: {_line(error)}")
        return StoreError(f"{self._name}: {_line(error)}")

    def _connect(self) -> psycopg.Connection[tuple[Any, ...]]:
        raw = psycopg.connect(self._url)
        with closed_on_failure(raw):
            for name, value in {**_SETTINGS, "search_path": self._schema}.items():
                raw.execute("SELECT set_config(%s, %s, false)", (name, value))
            synced = raw.execute(
                "SELECT current_setting('fsync'), current_setting('synchronous_commit')"
            ).fetchone()
            if self.durable and synced is not None:
                if synced[0] != "on":
                    raise StoreError(f"{self._name}: fsync is off, so nothing would be durable")
                if synced[1] == "off":
                    raw.execute("SET synchronous_commit = on")
            if not self.durable:
                raw.execute("SET synchronous_commit = off")
            raw.commit()
        return raw

    def _look_after(self) -> None:
        if time.monotonic() > self._used + _IDLE and not _answers(self._main):
            self._drop()
        self._used = time.monotonic()

    def _drop(self) -> None:
        super()._drop()
        self._drop_idle()  # they are of the same server, and lost as well

    def _drop_idle(self) -> None:
        while self._idle:
            with suppress(IndexError, psycopg.Error):
                self._idle.pop()[1].close()

    def close(self) -> None:
        """Close all connections."""
        super().close()
        self._drop_idle()

    @contextmanager
    def _transaction(self, write: bool) -> Iterator[Database]:
        """A transaction on a connection of its own, which may wait for a lock."""
        with self._places:
            raw = self._borrow()

            def drop() -> None:
                raw.close()
                self._drop_idle()

            database = _Connection(raw)
            try:
                with self._committed(database, write, drop):
                    yield database
            finally:
                if raw.closed or self._closed or len(self._idle) >= _KEPT:
                    raw.close()
                else:
                    self._idle.append((time.monotonic(), raw))

    def _borrow(self) -> psycopg.Connection[tuple[Any, ...]]:
        """A connection that nobody else uses."""
        if self._closed:
            raise StoreError(f"{self._name}: the store is closed")
        while self._idle:
            with suppress(IndexError):  # another thread was faster
                used, raw = self._idle.pop()
                if time.monotonic() <= used + _IDLE or _answers(raw):
                    return raw
                raw.close()
        try:
            return self._connect()
        except psycopg.Error as error:
            raise self._error(error) from error

    def _lock_free(self, database: Database, markets: Sequence[str]) -> dict[str, Sequence[Any]]:
        found = database.raw.execute(
            f"SELECT {STANDING} FROM markets WHERE name = ANY(%s) FOR UPDATE SKIP LOCKED",
            (list(markets),),
        )
        return {row[-1]: row for row in found.fetchall()}

    def _open(self) -> psycopg.Connection[tuple[Any, ...]]:
        raw = self._connect()
        with closed_on_failure(raw):
            self._migrate(raw)
        self._used = time.monotonic()
        return raw

    def _migrate(self, raw: psycopg.Connection[tuple[Any, ...]]) -> None:
        # The catalogue is read, not asked for names (to_regclass): within one transaction a name
        # that was not there is remembered as missing.
        def is_there(query: str) -> bool:
            return raw.execute(query, (self._schema,)).fetchone() is not None

        def version() -> int:
            if not is_there(
                "SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = %s AND tablename = 'schema'"
            ):
                return 0
            row = raw.execute(f"SELECT version FROM {self._schema}.schema").fetchone()
            return int(row[0]) if row is not None else 0

        found = version()
        if found != schema.version():
            raw.execute("SELECT pg_advisory_xact_lock(%s)", (_MIGRATION_LOCK,))
            found = version()
        if (why := schema.refusal(found)) is not None:
            raise Damaged(f"{self._name}: {why}")
        if found < schema.version():
            if not is_there("SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = %s"):
                raw.execute(f"CREATE SCHEMA {self._schema}")
            for step in schema.STEPS[found:]:
                for sql in (*step.shared, *step.postgres):
                    raw.execute(sql.replace(schema.BLOB, "BYTEA"))
            raw.execute("CREATE TABLE IF NOT EXISTS schema (version INTEGER NOT NULL)")
            raw.execute("DELETE FROM schema")
            raw.execute("INSERT INTO schema VALUES (%s)", (schema.version(),))
        raw.commit()

    def _begin_reading(self, raw: psycopg.Connection[tuple[Any, ...]]) -> None:
        # A reader may take its time between two events.
        raw.execute("SET idle_in_transaction_session_timeout = 0")
        raw.commit()
        raw.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        raw.read_only = True

    def now(self, database: Database) -> float:
        """The time by which leases run."""
        return float(database.rows("SELECT extract(epoch FROM clock_timestamp())")[0][0])

    # --- the whole store -------------------------------------------------------------------

    def backup(self, path: Path, also: Callable[[Store], None] | None = None) -> None:
        """Write everything into a new SQLite file, read in one transaction; writers go on."""
        write_backup(self, path, also)

    def scrub(self, tables: Collection[str] | None = None) -> None:
        """Write tables anew, and what the server knows of their values.

        Each is locked for everybody meanwhile. Rows that another transaction may still see stay,
        and so does the server's own log.
        """
        written = [table for table in COLUMNS if tables is None or table in tables]
        if "keys" in written:
            written.append("key_changes")
        try:
            raw = self._connect()
            with closed_on_failure(raw):
                raw.autocommit = True
                for table in written:
                    raw.execute(f"VACUUM (FULL, ANALYZE) {table}")
            raw.close()
        except psycopg.Error as error:
            raise self._error(error) from error


def _own_options(url: str) -> tuple[str, str, str]:
    """A URL as libpq reads it, and the options in it that are ours: schema and synchronous.

    >>> _own_options("postgresql://host/db?schema=mine&connect_timeout=9")
    ('postgresql://host/db?connect_timeout=9', 'mine', 'full')
    """
    head, _, query = url.partition("?")
    ours = {"schema": "copyproof", "synchronous": "full"}
    rest = []
    for part in filter(None, query.split("&")):
        name, _, value = part.partition("=")
        if name in ours:
            ours[name] = value
        else:
            rest.append(part)
    if not re.fullmatch("[a-z_][a-z0-9_]{0,62}", ours["schema"]):
        raise FieldError("schema", ours["schema"], "a word of a-z, 0-9 and _")
    check_synchronous(ours["synchronous"])
    return "?".join([head, "&".join(rest)] if rest else [head]), ours["schema"], ours["synchronous"]


def _answers(raw: psycopg.Connection[tuple[Any, ...]]) -> bool:
    """Whether a connection is still there."""
    try:
        raw.execute("SELECT 1")
        raw.rollback()
    except psycopg.Error:
        return False
    return True


def _line(error: psycopg.Error) -> str:
    """The first line of an error."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]
