"""What the stores in databases share: the statements, and the order in which they run.

A database's own module says how a transaction begins and ends, what its errors mean, and what time
it is. The market's row is read for update at the head of every write, so that two writers come one
after the other, and the number and the token are compared in the transaction that stores.
"""

import threading
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import groupby, islice
from typing import Any

from copyproof.live.stores import errors
from copyproof.live.stores.appends import (
    Append,
    EventRow,
    Standing,
    generations_of,
    heads_of,
    rows_of,
)
from copyproof.live.stores.chain import Chain, encode
from copyproof.live.stores.chain_columns import chain_row
from copyproof.live.stores.contract import (
    DROPPED_AT_ONCE,
    TableRow,
)
from copyproof.live.stores.database import Database
from copyproof.live.stores.errors import Damaged, StoreError
from copyproof.live.stores.leases import Lease
from copyproof.live.stores.market_rows import (
    LARGE,
    STANDING,
    MarketRows,
    check_strays,
    ends_of_rest,
    is_name,
)
from copyproof.live.stores.schema import CHAIN, COLUMNS
from copyproof.live.stores.snapshot_parts import OF_A_SNAPSHOT, Parts, Transaction
from copyproof.live.stores.sql_keys import SqlKeys
from copyproof.live.stores.sql_service_records import SqlServiceRecords
from copyproof.live.stores.texts import (
    PART,
    decode,
    decode_events,
)
from copyproof.validation import name

# How many rows are read or written in one go.
CHUNK = 1000

# Columns by which rows are told apart, and in whose order they are dumped.
_KEYS = ("id", "name", "market", "number", "part")

# In a copy of a store: who held a lease in the original shall not write here.
UNLEASE = "UPDATE markets SET token = token + 1, owner = '', since = 0, until = 0"


class SqlStore(SqlServiceRecords, SqlKeys):
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
        """A transaction that may wait for others; on leaving, a write is committed."""
        with self._joint_transaction(write) as database:
            yield database

    @contextmanager
    def _joint_transaction(self, write: bool = True) -> Iterator[Database]:
        """A transaction on the connection of all markets, which waits for no lock on one."""
        with self._lock:
            database = self._database(self._connection())
            with self._committed(database, write, self._drop):
                yield database

    @contextmanager
    def _committed(
        self, database: Database, write: bool, drop: Callable[[], None]
    ) -> Iterator[None]:
        """Begin a transaction, and commit it at the end; a connection that fails is dropped."""
        committing = False
        try:
            database.begin(write)
            yield
            committing = True
            database.commit()
        except self._driver_error as error:
            drop()
            raise self._error(error, committing and write) from error
        except BaseException:
            try:
                database.rollback()
            except self._driver_error:
                drop()
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
    def _market(self, market: str, *, write: bool) -> Iterator[MarketRows]:
        with self._transaction(write) as database:
            yield MarketRows.read(self, database, market, write=write)

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
            # What is left of one that was being deleted.
            database.drop_events("market = ?", market)
            for table in LARGE:
                database.change(f"DELETE FROM {table} WHERE market = ?", market)

    def drop_market(self, market: str) -> None:
        """Delete a market: first its row, and then, in slices, events that nobody sees any more.

        A deletion that was broken off goes on.
        """
        with self._transaction(write=True) as database:
            try:
                mine = MarketRows.read(self, database, market, write=True)
            except errors.UnknownMarket:
                first, upto = ends_of_rest(database, market)
            else:
                mine.lease.check(market, None, mine.now())
                first, upto = mine.compacted + 1, mine.last
            database.change("DELETE FROM markets WHERE name = ?", market)
            for table in LARGE:
                database.change(f"DELETE FROM {table} WHERE market = ?", market)
        gone = "market = ? AND market NOT IN (SELECT name FROM markets)"
        for number in range(first, upto + 1, DROPPED_AT_ONCE):
            with self._transaction(write=True) as database:
                database.drop_events(f"{gone} AND number < ?", market, number + DROPPED_AT_ONCE)

    def markets(self) -> dict[str, dict[str, Any]]:
        """All markets with their configurations."""
        with self._transaction(write=False) as database:
            found = database.rows("SELECT name, config FROM markets")
        return {name: decode(text) for name, text in sorted(found)}

    def config(self, market: str) -> dict[str, Any] | None:
        """The configuration of one market."""
        if not is_name(market):
            return None
        with self._transaction(write=False) as database:
            found = database.rows("SELECT config FROM markets WHERE name = ?", market)
        return decode(found[0][0]) if found else None

    def append_all(self, appends: Sequence[Append]) -> list[Exception | None]:
        """Store events of several markets in one transaction."""
        texts = [[encode(event) for event in one.events] for one in appends]
        outcomes: list[Exception | None] = [None] * len(appends)
        try:
            with self._joint_transaction() as database:
                self._append_within(database, appends, texts, outcomes)
        except StoreError as error:
            return [error if one is None else one for one in outcomes]
        return outcomes

    def _append_within(
        self,
        database: Database,
        appends: Sequence[Append],
        texts: Sequence[Sequence[str]],
        outcomes: list[Exception | None],
    ) -> list[Standing]:
        """Store events within a transaction; where markets stand then, and errors as outcomes."""
        there = self._lock_free(database, [one.market for one in appends])
        rows: list[EventRow] = []
        standings: list[Standing] = []
        for n, one in enumerate(appends):
            row = there.get(one.market)
            if row is None:
                message = f"market {one.market!r} is locked by another process, or not there"
                outcomes[n] = errors.Locked(message)
                continue
            mine = MarketRows(self, database, row)
            try:
                heads = heads_of(one, mine, texts[n])
            except StoreError as error:
                outcomes[n] = error
                continue
            rows += rows_of(one, texts[n], heads)
            last = one.first + len(heads) - 1
            standings.append(
                Standing(one.market, last, heads[-1], mine.lease.token, mine.chain.secret)
            )
            if (generations := generations_of(one, mine)) is not None:
                mine.set_generations(generations)
        if rows:
            database.append([(last, head, market) for market, last, head, *_ in standings], rows)
        return standings

    def _lock_free(self, database: Database, markets: Sequence[str]) -> dict[str, Sequence[Any]]:
        """Lock the rows of markets that nobody else has locked: ``STANDING`` of each, by name.

        Where there is one writer at a time, as in SQLite, these are all that are there.
        """
        query = f"SELECT {STANDING} FROM markets WHERE name = ?"
        return {row[-1]: row for market in markets for row in database.rows(query, market)}

    def takeable(self, owner: str) -> dict[str, bool]:
        """All markets, and whether a lease on them might be had."""
        with self._joint_transaction(write=False) as database:
            now = self.now(database)
            found = database.rows("SELECT name, owner, token, since, until FROM markets")
        return {
            market: lease[0] == owner or not Lease(*lease).runs(now) for market, *lease in found
        }

    def acquire_all(self, markets: Sequence[str], owner: str, seconds: float) -> dict[str, int]:
        """Take leases in one transaction."""
        taken: dict[str, int] = {}
        if markets:
            with self._joint_transaction() as database:
                now = self.now(database)
                for market, row in self._lock_free(database, markets).items():
                    mine = MarketRows(self, database, row)
                    if mine.lease.owner == owner or not mine.lease.runs(now):
                        lease = mine.lease.taken(owner, now, seconds)
                        mine.set_lease(lease)
                        taken[market] = lease.token
        return taken

    def renew_all(self, tokens: Mapping[str, int], owner: str, seconds: float) -> dict[str, bool]:
        """Renew leases in one transaction."""
        if not tokens:
            return {}
        with self._joint_transaction() as database:
            now = self.now(database)
            renewed = database.renew(tokens, owner, now, now + seconds)
            found = dict.fromkeys(renewed, True)
            for market in tokens.keys() - renewed:
                read = "SELECT 1 FROM markets WHERE name = ? AND owner = ? AND token = ?"
                if not database.rows(read, market, owner, tokens[market]):
                    found[market] = False  # else it is locked
        return found

    def events(self, market: str, after: int = 0) -> Iterator[tuple[int, dict[str, Any]]]:
        """Events after number ``after``, on a connection of their own."""
        query = (
            "SELECT number, body FROM events WHERE market = ? AND number > ? AND number <= ?"
            f" ORDER BY number LIMIT {CHUNK}"
        )
        with self._reading() as database:
            mine = MarketRows.read(self, database, market, write=False)
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
                    mine = MarketRows.read(self, database, market, write=False)

    def save_snapshot(
        self, market: str, number: int, data: bytes, digest: str | None = None
    ) -> None:
        """Keep a state; a large one part by part, so that nobody waits for it."""
        with self._market(market, write=False) as mine:
            is_there = number in mine.snapshots()  # then it is replaced at once, or not at all
        if is_there or len(data) <= PART:
            super().save_snapshot(market, number, data, digest)
        else:
            with self.in_parts() as transaction:
                Parts(self, market, transaction).save(number, data, digest)

    @contextmanager
    def in_parts(self) -> Iterator[Transaction]:
        """Write something large, each part in a transaction, as what is given here makes them."""
        yield lambda: self._transaction(write=True)

    def check(self) -> None:
        """Read everything; and no event lies outside of the journals."""
        with self._reading() as database:
            check_strays(database)
        super().check()
        after = ""
        while some := self.actions(after):
            after = some[-1]["id"]

    def dump(self) -> Iterator[TableRow]:
        """Every row, on a connection of its own."""
        with self._reading() as database:
            for table, columns in COLUMNS.items():
                order = ", ".join(column for column in columns if column in _KEYS)
                which = f"WHERE {OF_A_SNAPSHOT} " if table == "parts" else ""
                for chunk in database.stream(
                    f"SELECT {', '.join(columns)} FROM {table} {which}ORDER BY {order}",
                    1 if table in LARGE else CHUNK,
                ):
                    yield from ((table, row) for row in chunk)

    def load(self, rows: Iterable[TableRow]) -> None:
        """Fill an empty store, in one transaction."""
        with self._transaction(write=True) as database:
            for table in ("markets", "keys"):
                if database.rows(f"SELECT 1 FROM {table} LIMIT 1"):
                    raise errors.not_empty()
            for table, group in groupby(rows, key=lambda row: row[0]):
                size = 1 if table in LARGE else CHUNK
                while chunk := [row for _, row in islice(group, size)]:
                    into = database.event_tables[0] if table == "events" else table
                    database.insert(into, COLUMNS[table], chunk)
            database.change(UNLEASE)
