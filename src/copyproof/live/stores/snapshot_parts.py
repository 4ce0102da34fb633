"""Large snapshots, which are stored part by part.

A part is stored in a transaction of its own, so that nobody waits long for it, and belongs to
nothing until the last transaction adds the snapshot's own row. What an attempt that was broken off
has left behind is dropped by the next one.
"""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, TypeAlias

from copyproof.live.stores.contract import PAUSE, superseded
from copyproof.live.stores.database import Database
from copyproof.live.stores.errors import StoreError
from copyproof.live.stores.market_rows import ONE_SNAPSHOT, MarketRows
from copyproof.live.stores.schema import COLUMNS
from copyproof.live.stores.texts import fingerprint, parts_of
from copyproof.validation import FieldError

if TYPE_CHECKING:
    from copyproof.live.stores.sql import SqlStore

# Whether a part belongs to a snapshot that is there.
OF_A_SNAPSHOT = (
    "EXISTS (SELECT 1 FROM snapshots WHERE snapshots.market = parts.market"
    " AND snapshots.number = parts.number)"
)
# Makes the transaction of a part.
Transaction: TypeAlias = Callable[[], AbstractContextManager[Database]]


class Parts:
    """The parts of a market's snapshots."""

    def __init__(self, store: "SqlStore", market: str, transaction: Transaction) -> None:
        self._store = store
        self._market = market
        self._transaction = transaction

    def save(self, number: int, data: bytes, digest: str | None) -> None:
        """Keep the state after event ``number``, of which there is no snapshot yet."""
        first, *more = parts_of(data)
        own = fingerprint(data)
        self._drop()
        for part, piece in enumerate(more, 1):
            with self._transaction() as database:
                row = (self._market, number, part, piece)
                database.insert("parts", COLUMNS["parts"], [row])
            time.sleep(PAUSE)
        try:
            with self._transaction() as database:
                mine = MarketRows.read(self._store, database, self._market, write=True)
                if not mine.compacted <= number <= mine.last:
                    accepted = f"an event of {mine.compacted} to {mine.last}"
                    raise FieldError("number", number, accepted)
                count = f"SELECT count(*) FROM parts {ONE_SNAPSHOT}"
                if database.rows(count, self._market, number) != [(len(more),)]:
                    raise StoreError(f"market {self._market!r}: another process saves snapshots")
                for old in superseded(mine, number):
                    database.change(f"DELETE FROM snapshots {ONE_SNAPSHOT}", self._market, old)
                mine.add_snapshot(number, [first], own if digest is None else digest, own)
        finally:
            self._drop()

    def _drop(self) -> None:
        """Drop the parts of snapshots that are no more, or were never finished, one by one."""
        left = f"SELECT number, part FROM parts WHERE market = ? AND NOT {OF_A_SNAPSHOT}"
        with self._transaction() as database:
            found = database.rows(left, self._market)
        for number, part in found:
            with self._transaction() as database:
                one = f"{ONE_SNAPSHOT} AND part = ? AND NOT {OF_A_SNAPSHOT}"
                database.change(f"DELETE FROM parts {one}", self._market, number, part)
            time.sleep(PAUSE)
