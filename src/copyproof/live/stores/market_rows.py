"""A market's rows within a transaction, as the stores in databases have them."""

import json
from collections.abc import Sequence
from dataclasses import astuple
from typing import TYPE_CHECKING, Any

from copyproof.live.stores import errors
from copyproof.live.stores.appends import Generations
from copyproof.live.stores.chain import MARK, Chain
from copyproof.live.stores.chain_columns import read_generations
from copyproof.live.stores.database import Database
from copyproof.live.stores.leases import Lease
from copyproof.live.stores.schema import CHAIN, COLUMNS
from copyproof.validation import FieldError, name

if TYPE_CHECKING:
    from copyproof.live.stores.sql import SqlStore

# Tables whose rows go one by one: each may be large.
LARGE = ("snapshots", "parts")
# One snapshot, in either.
ONE_SNAPSHOT = "WHERE market = ? AND number = ?"
# What is read of a market's row; its name comes last.
STANDING = f"last, compacted, owner, token, since, until, {', '.join(CHAIN)}, name"


class MarketRows:
    """A market's rows, given the columns ``STANDING`` of the one in ``markets``."""

    last: int
    compacted: int

    def __init__(self, store: "SqlStore", database: Database, row: Sequence[Any]) -> None:
        self._store, self._database = store, database
        self.last, self.compacted, *lease = row[:6]
        self.lease = Lease(*lease)
        *chain, self._marks, self._name = row[6:]
        self.chain = Chain(*chain)

    @classmethod
    def read(
        cls, store: "SqlStore", database: Database, market: str, *, write: bool
    ) -> "MarketRows":
        """Read a market's row, which is locked for a write."""
        sql = f"SELECT {STANDING} FROM markets WHERE name = ?"
        if write:
            sql += store.for_update
        if not is_name(market) or not (found := database.rows(sql, market)):
            raise errors.UnknownMarket(f"market {market!r} is not in the store")
        return cls(store, database, found[0])

    def now(self) -> float:
        """The time by which leases run."""
        return self._store.now(self._database)

    def _update(self, columns: str, *values: object) -> None:
        self._database.change(f"UPDATE markets SET {columns} WHERE name = ?", *values, self._name)

    def set_lease(self, lease: Lease) -> None:
        """Replace the lease."""
        self._update("owner = ?, token = ?, since = ?, until = ?", *astuple(lease))

    @property
    def generations(self) -> Generations:
        """From which round on which generation of ids holds."""
        return read_generations(self._marks)

    def set_generations(self, generations: Generations) -> None:
        """Replace the generations."""
        self._update("generations = ?", json.dumps(generations))

    def add_events(self, texts: Sequence[str], heads: Sequence[str]) -> None:
        """Add events behind the last."""
        rows = [
            (self._name, number, text, head[:MARK])
            for number, (text, head) in enumerate(zip(texts, heads, strict=True), self.last + 1)
        ]
        self._database.append([(rows[-1][1], heads[-1], self._name)], rows)

    def replace_event(self, number: int, text: str) -> None:
        """Replace the text of an event."""
        for table in self._database.event_tables:
            sql = f"UPDATE {table} SET body = ? {ONE_SNAPSHOT}"
            if self._database.change(sql, text, self._name, number):
                return

    def read_events(self, upto: int) -> list[str]:
        """The events up to a number that are kept."""
        read = "SELECT body FROM events WHERE market = ? AND number <= ? ORDER BY number"
        return [body for (body,) in self._database.rows(read, self._name, upto)]

    def read_marks(self, after: int, upto: int) -> dict[int, str | None]:
        """How heads begin after events of a range."""
        read = "SELECT number, mark FROM events WHERE market = ? AND number > ? AND number <= ?"
        return dict(self._database.rows(read, self._name, after, upto))

    def drop_events(self, upto: int, cut: str) -> None:
        """Drop events up to a number."""
        self._database.drop_events("market = ? AND number <= ?", self._name, upto)
        self._update("compacted = ?, cut = ?", upto, cut)

    def snapshots(self) -> list[int]:
        """The numbers of the snapshots, the newest first."""
        found = self._database.rows("SELECT number FROM snapshots WHERE market = ?", self._name)
        return sorted((number for (number,) in found), reverse=True)

    def read_snapshot(self, number: int) -> tuple[bytes, str, str]:
        """Data, digest and checksum of a snapshot."""
        read, one = self._database.rows, (self._name, number)
        [(first, digest, own)] = read(
            f"SELECT data, digest, sum FROM snapshots {ONE_SNAPSHOT}", *one
        )
        more = read(f"SELECT data FROM parts {ONE_SNAPSHOT} ORDER BY part", *one)
        return b"".join([first, *(piece for (piece,) in more)]), digest, own

    def add_snapshot(self, number: int, parts: Sequence[bytes], digest: str, own: str) -> None:
        """Add a snapshot."""
        row = (self._name, number, parts[0], digest, own)
        self._database.insert("snapshots", COLUMNS["snapshots"], [row])
        for part, piece in enumerate(parts[1:], 1):
            self._database.insert("parts", COLUMNS["parts"], [(self._name, number, part, piece)])

    def drop_snapshot(self, number: int) -> None:
        """Drop a snapshot."""
        for table in LARGE:
            self._database.change(f"DELETE FROM {table} {ONE_SNAPSHOT}", self._name, number)


def check_strays(database: Database) -> None:
    """Look for events that are in no journal; Damaged if there is one."""
    left = "SELECT market FROM events WHERE market NOT IN (SELECT name FROM markets) LIMIT 1"
    for (market,) in database.rows(left):
        raise errors.Damaged(
            f"market {market!r} is not there, but events of it: its row was deleted, or its "
            "deletion broken off, which `copyproof market delete` completes"
        )
    behind = "SELECT market, number FROM events JOIN markets ON name = market WHERE number > last"
    for market, number in database.rows(f"{behind} LIMIT 1"):
        raise errors.Damaged(f"market {market!r}: event {number} lies behind the journal's end")


def ends_of_rest(database: Database, market: str) -> tuple[int, int]:
    """Return the first and the last event of a market whose deletion was broken off."""
    ends = "SELECT min(number), max(number) FROM events WHERE market = ?"
    first, last = database.rows(ends, market)[0] if is_name(market) else (None, None)
    if first is None:
        raise errors.UnknownMarket(f"market {market!r} is not in the store")
    return first, last


def is_name(value: str) -> bool:
    """Whether anything can be called so; what cannot, not every database can be asked for."""
    if value.isprintable():  # the short way for most
        return True
    try:
        name("name", value)
    except FieldError:
        return False
    return True
