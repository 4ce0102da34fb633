"""What the stores in databases share: the statements, and the order in which they run.

A database's own module says how a transaction begins and ends, what its errors mean, and what time
it is. The market's row is read for update at the head of every write, so that two writers come one
after the other, and the number and the token are compared in the transaction that stores.
"""

import json
import threading
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import astuple
from itertools import groupby, islice
from typing import Any

from copyproof.live.stores import errors
from copyproof.live.stores.chain import MARK, Chain, encode
from copyproof.live.stores.chain_columns import chain_row, read_generations
from copyproof.live.stores.contract import (
    DROPPED_AT_ONCE,
    Generations,
    Lease,
    Store,
    TableRow,
)
from copyproof.live.stores.database import Database
from copyproof.live.stores.errors import Damaged, StoreError
from copyproof.live.stores.schema import CHAIN, COLUMNS
from copyproof.live.stores.texts import decode, decode_events
from copyproof.validation import FieldError, name

# How many rows are read or written in one go.
CHUNK = 1000

# Tables whose rows go one by one: each may be large.
_LARGE = ("snapshots", "parts")
# Tables whose rows belong to a market.
_OF_MARKETS = ("events", *_LARGE)
# One snapshot, in either.
_ONE = "WHERE market = ? AND number = ?"

# Columns by which rows are told apart, and in whose order they are dumped.
_KEYS = ("id", "name", "market", "number", "part")

# A market's row, as ``_Market`` reads it.
_STANDING = (
    f"SELECT last, compacted, owner, token, since, until, {', '.join(CHAIN)} FROM markets "
    "WHERE name = ?"
)

# In a copy of a store: who held a lease in the original shall not write here.
UNLEASE = "UPDATE markets SET token = token + 1, owner = '', since = 0, until = 0"


class _Market:
    """A market's rows; the one in ``markets`` is locked for a write."""

    def __init__(self, store: "SqlStore", database: Database, market: str, *, write: bool) -> None:
        self._store, self._database, self._name = store, database, market
        sql = _STANDING + store.for_update if write else _STANDING
        if not _is_name(market) or not (found := database.rows(sql, market)):
            raise errors.UnknownMarket(f"market {market!r} is not in the store")
        self.last: int
        self.compacted: int
        self.last, self.compacted, *lease = found[0][:6]
        self.lease = Lease(*lease)
        *chain, self._marks = found[0][6:]
        self.chain = Chain(*chain)

    def now(self) -> float:
        return self._store.now(self._database)

    def _update(self, columns: str, *values: object) -> None:
        self._database.change(f"UPDATE markets SET {columns} WHERE name = ?", *values, self._name)

    def set_lease(self, lease: Lease) -> None:
        self._update("owner = ?, token = ?, since = ?, until = ?", *astuple(lease))

    @property
    def generations(self) -> Generations | None:
        return read_generations(self._marks)

    def set_generations(self, generations: Generations) -> None:
        self._update("generations = ?", json.dumps(generations))

    def add_events(self, texts: Sequence[str], heads: Sequence[str]) -> None:
        rows = [
            (self._name, number, text, head[:MARK])
            for number, (text, head) in enumerate(zip(texts, heads, strict=True), self.last + 1)
        ]
        self._update("last = ?, head = ?", rows[-1][1], heads[-1])
        self._database.insert("events", COLUMNS["events"], rows)

    def replace_event(self, number: int, text: str) -> None:
        self._database.change(f"UPDATE events SET body = ? {_ONE}", text, self._name, number)

    def read_events(self, upto: int) -> list[str]:
        read = "SELECT body FROM events WHERE market = ? AND number <= ? ORDER BY number"
        return [body for (body,) in self._database.rows(read, self._name, upto)]

    def read_marks(self, after: int, upto: int) -> dict[int, str | None]:
        read = "SELECT number, mark FROM events WHERE market = ? AND number > ? AND number <= ?"
        return dict(self._database.rows(read, self._name, after, upto))

    def drop_events(self, upto: int, cut: str) -> None:
        drop = "DELETE FROM events WHERE market = ? AND number <= ?"
        self._database.change(drop, self._name, upto)
        self._update("compacted = ?, cut = ?", upto, cut)

    def snapshots(self) -> list[int]:
        found = self._database.rows("SELECT number FROM snapshots WHERE market = ?", self._name)
        return sorted((number for (number,) in found), reverse=True)

    def read_snapshot(self, number: int) -> tuple[bytes, str, str]:
        read, one = self._database.rows, (self._name, number)
        [(first, digest, own)] = read(f"SELECT data, digest, sum FROM snapshots {_ONE}", *one)
        more = read(f"SELECT data FROM parts {_ONE} ORDER BY part", *one)
        return b"".join([first, *(piece for (piece,) in more)]), digest, own

    def add_snapshot(self, number: int, parts: Sequence[bytes], digest: str, own: str) -> None:
        row = (self._name, number, parts[0], digest, own)
        self._database.insert("snapshots", COLUMNS["snapshots"], [row])
        for part, piece in enumerate(parts[1:], 1):
            self._database.insert("parts", COLUMNS["parts"], [(self._name, number, part, piece)])

    def drop_snapshot(self, number: int) -> None:
        for table in _LARGE:
            self._database.change(f"DELETE FROM {table} {_ONE}", self._name, number)


class SqlStore(Store):
    """A store in an SQL database."""

    for_update = ""
    _database: type[Database] = Database
    # What the driver raises.
    _driver_error: type[Exception]

    def __init__(self, name: object) -> None:
        self._name = str(name)  # what errors call the store
        self._lock = threading.RLock()
        self._closed = False
        # The driver's connection that writes, if it is open.
        self._main: Any = None

    def _connection(self) -> Any:
        """The driver's one connection that writes, opened anew if need be."""
        if self._closed:
            raise StoreError(f"{self._name}: the store is closed")
        if self._main is not None:
            self._look_after()
        if self._main is None:
            try:
                self._main = self._open()
            except self._driver_error as error:
                raise self._error(error) from error
        return self._main

    @abstractmethod
    def _look_after(self) -> None:
        """See whether the connection that is open is good; drop it if not."""

    @abstractmethod
    def _open(self) -> Any:
        """A connection to a store that is ours, with all tables."""

    @abstractmethod
    def _connect(self) -> Any:
        """Another connection of the driver."""

    @abstractmethod
    def _begin_reading(self, raw: Any) -> None:
        """Let a connection see the store as it is at this moment."""

    @abstractmethod
    def _error(self, error: Any, committing: bool = False) -> StoreError:
        """What an error of the driver means, in one line."""

    def _drop(self) -> None:
        """Let go of the connection; the next call opens a new one."""
        raw, self._main = self._main, None
        if raw is not None:
            with suppress(self._driver_error):
                raw.close()

    @contextmanager
    def _transaction(self, write: bool) -> Iterator[Database]:
        """A transaction on the store's one connection; on leaving, a write is committed."""
        with self._lock:
            database = self._database(self._connection())
            committing = False
            try:
                database.begin(write)
                yield database
                committing = True
                database.commit()
            except self._driver_error as error:
                self._drop()
                raise self._error(error, committing and write) from error
            except BaseException:
                try:
                    database.rollback()
                except self._driver_error:
                    self._drop()
                raise

    @contextmanager
    def _reading(self) -> Iterator[Database]:
        """A connection of its own that sees the store as it was at one moment."""
        with self._lock:
            self._connection()
        try:
            raw = self._connect()
            try:
                self._begin_reading(raw)
                yield self._database(raw)
            finally:
                raw.close()
        except self._driver_error as error:
            raise self._error(error) from error

    def close(self) -> None:
        """Close the connection; an SQLite file's log is written back."""
        with self._lock:
            self._closed = True
            self._drop()

    @abstractmethod
    def now(self, database: Database) -> float:
        """The time by which leases run."""

    @contextmanager
    def _market(self, market: str, *, write: bool) -> Iterator["_Market"]:
        with self._transaction(write) as database:
            yield _Market(self, database, market, write=write)

    def create_market(self, market: str, config: dict[str, Any]) -> None:
        """Begin a market with an empty journal."""
        name("market", market)
        text = encode(config)
        columns = ("name", "config", *CHAIN)
        marks = ", ".join("?" * len(columns))
        add = f"INSERT INTO markets ({', '.join(columns)}) VALUES ({marks})"
        chain = chain_row(Chain.begin(market, decode(text)), [])
        with self._transaction(write=True) as database:
            if not database.change(f"{add} ON CONFLICT (name) DO NOTHING", market, text, *chain):
                raise errors.exists_already("market", market)
            for table in _OF_MARKETS:  # what is left of one that was being deleted
                database.change(f"DELETE FROM {table} WHERE market = ?", market)

    def drop_market(self, market: str) -> None:
        """Delete a market: first its row, and then, in slices, events that nobody sees any more."""
        with self._transaction(write=True) as database:
            mine = _Market(self, database, market, write=True)
            mine.lease.check(market, None, mine.now())
            upto = mine.last
            database.change("DELETE FROM markets WHERE name = ?", market)
            for table in _LARGE:
                database.change(f"DELETE FROM {table} WHERE market = ?", market)
        gone = "market = ? AND market NOT IN (SELECT name FROM markets)"
        for number in range(
            mine.compacted + DROPPED_AT_ONCE, upto + DROPPED_AT_ONCE, DROPPED_AT_ONCE
        ):
            with self._transaction(write=True) as database:
                drop = f"DELETE FROM events WHERE {gone} AND number <= ?"
                database.change(drop, market, number)

    def markets(self) -> dict[str, dict[str, Any]]:
        """All markets with their configurations."""
        with self._transaction(write=False) as database:
            found = database.rows("SELECT name, config FROM markets")
        return {name: decode(text) for name, text in sorted(found)}

    def events(self, market: str, after: int = 0) -> Iterator[tuple[int, dict[str, Any]]]:
        """Events after number ``after``, on a connection of their own."""
        query = (
            "SELECT number, body FROM events WHERE market = ? AND number > ? AND number <= ?"
            f" ORDER BY number LIMIT {CHUNK}"
        )
        with self._reading() as database:
            mine = _Market(self, database, market, write=False)
            number, last = after, mine.last
            while True:
                if number < mine.compacted:
                    raise errors.was_compacted(number, mine.compacted)
                if number >= last:
                    return
                chunk = database.rows(query, market, number, last)
                if not chunk:
                    raise Damaged(f"market {market!r}: the journal ends at {number}, not at {last}")
                bodies = [body for each, (at, body) in enumerate(chunk, number + 1) if at == each]
                database.pause()  # nothing is held for a reader that takes its time
                yield from enumerate(decode_events(market, number + 1, bodies), number + 1)
                number += len(bodies)
                if len(bodies) < len(chunk):
                    raise Damaged(f"market {market!r}: event {number + 1} is missing")
                if number < last:
                    mine = _Market(self, database, market, write=False)

    def keys(self) -> list[dict[str, Any]]:
        """API keys."""
        with self._transaction(write=False) as database:
            found = database.rows("SELECT id, body FROM keys")
        return [decode(body) for _, body in sorted(found)]

    def put_key(self, key: dict[str, Any], *, replacing: dict[str, Any] | None = None) -> None:
        """Store a key."""
        name("id", key.get("id", ""))
        text = encode(key)
        put = "INSERT INTO keys (body, id) VALUES (?, ?)"
        values = [text, key["id"]]
        if replacing is None:
            put += " ON CONFLICT (id) DO UPDATE SET body = excluded.body"
        else:
            put = "UPDATE keys SET body = ? WHERE id = ? AND body = ?"
            values.append(encode(replacing))
        with self._transaction(write=True) as database:
            if not database.change(put, *values):
                raise errors.Conflict(f"key {key['id']!r} is not the one to be replaced")

    def drop_key(self, key_id: str) -> None:
        """Forget a key."""
        with self._transaction(write=True) as database:
            if not _is_name(key_id) or not database.change("DELETE FROM keys WHERE id = ?", key_id):
                raise LookupError(f"key {key_id!r} is not in the store")

    def dump(self) -> Iterator[TableRow]:
        """Every row, on a connection of its own."""
        with self._reading() as database:
            for table, columns in COLUMNS.items():
                order = ", ".join(column for column in columns if column in _KEYS)
                for chunk in database.stream(
                    f"SELECT {', '.join(columns)} FROM {table} ORDER BY {order}",
                    1 if table in _LARGE else CHUNK,
                ):
                    yield from ((table, row) for row in chunk)

    def load(self, rows: Iterable[TableRow]) -> None:
        """Fill an empty store, in one transaction."""
        with self._transaction(write=True) as database:
            for table in ("markets", "keys"):
                if database.rows(f"SELECT 1 FROM {table} LIMIT 1"):
                    raise errors.not_empty()
            for table, group in groupby(rows, key=lambda row: row[0]):
                size = 1 if table in _LARGE else CHUNK
                while chunk := [row for _, row in islice(group, size)]:
                    database.insert(table, COLUMNS[table], chunk)
            database.change(UNLEASE)


def _is_name(value: str) -> bool:
    """Whether anything can be called so; what cannot, not every database can be asked for."""
    if value.isprintable():  # the short way for most
        return True
    try:
        name("name", value)
    except FieldError:
        return False
    return True
