"""A connection to a database, the same for all of them."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import chain
from typing import Any

from copyproof.live.stores.appends import EventRow, Standing

# The most rows of one statement.
_LOT = 64
_ADVANCE = (
    "UPDATE markets SET last = column1, head = column2 FROM ({})"
    " WHERE name = column3 AND last = column4 AND token = column5 AND head = column6"
)


@lru_cache
def _for_many(sql: str, rows: int, columns: int) -> str:
    """Return a statement with as many rows of parameters in place of its blank."""
    row = f"({', '.join('?' * columns)})"
    return sql.format(f"VALUES {', '.join([row] * rows)}")


@contextmanager
def closed_on_failure(raw: Any) -> Iterator[None]:
    """Close a connection if what is done with it first fails."""
    try:
        yield
    except BaseException:
        raw.close()
        raise


class Database:
    """A connection within a transaction, as SQLite has it. Parameters are marked by ``?``."""

    _mark = "?"  # which the driver may spell otherwise
    # Where events are: those that settled, and maybe the newest ones.
    event_tables: tuple[str, ...] = ("settled_events", "newest_events")

    def __init__(self, raw: Any) -> None:
        self.raw = raw

    def _run(self, sql: str, parameters: Sequence[object]) -> Any:
        return self.raw.execute(sql.replace("?", self._mark), parameters)

    def rows(self, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        return list(self._run(sql, parameters).fetchall())

    def change(self, sql: str, *parameters: object) -> int:
        """Run a change, and tell how many rows it touched."""
        return int(self._run(sql, parameters).rowcount)

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
        """Insert many rows."""
        marks = ", ".join("?" * len(columns))
        self.raw.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", rows)

    def append(self, standings: Sequence[tuple[int, str, str]], rows: Sequence[EventRow]) -> None:
        """Add rows of events, after which markets are at (last, head, market)."""
        self.raw.executemany("UPDATE markets SET last = ?, head = ? WHERE name = ?", standings)
        self.add_events(rows)

    def advance(self, before: Sequence[Standing], after: Sequence[Standing]) -> int:
        """Let markets stand elsewhere, if they stand where it is said; how many did."""
        changes = [
            (new.last, new.head, old.market, old.last, old.token, old.head)
            for old, new in zip(before, after, strict=True)
        ]
        return self._in_lots(_ADVANCE, changes)

    def add_events(self, rows: Sequence[EventRow], *, newest: bool = False) -> None:
        """Add rows of events; to the newest if they are to settle later."""
        table = self.event_tables[newest]
        self._in_lots(f"INSERT INTO {table} (market, number, body, mark) {{}}", rows)

    def _in_lots(self, sql: str, rows: Sequence[tuple[Any, ...]]) -> int:
        """Run a change for many rows, which stand where its blank is; how many it touched.

        Each statement lets other threads go first, so that they are few. Lots are of few sizes, so
        that most statements are compiled already.
        """
        touched = start = 0
        while left := len(rows) - start:
            lot = min(_LOT, 1 << left.bit_length() - 1)
            values = [*chain.from_iterable(rows[start : start + lot])]
            touched += self.raw.execute(_for_many(sql, lot, len(rows[0])), values).rowcount
            start += lot
        return touched

    def settle_events(self) -> None:
        """Put the newest events where those of their markets are."""
        settled, newest = self.event_tables
        move = f"INSERT INTO {settled} SELECT market, number, body, mark FROM {newest}"
        self.raw.execute(f"{move} ORDER BY market, number")
        self.raw.execute(f"DELETE FROM {newest}")

    def drop_events(self, which: str, *parameters: object) -> None:
        """Delete events, those that settled and the newest ones."""
        for table in self.event_tables:
            self.change(f"DELETE FROM {table} WHERE {which}", *parameters)

    def renew(self, tokens: Mapping[str, int], owner: str, since: float, until: float) -> set[str]:
        """Let leases of an owner, given their tokens, run anew; the markets whose lease does."""
        renew = "since = ?, until = ? WHERE name = ? AND owner = ? AND token = ?"
        return {
            market
            for market, token in tokens.items()
            if self.change(f"UPDATE markets SET {renew}", since, until, market, owner, token)
        }

    def stream(self, sql: str, size: int) -> Iterator[list[tuple[Any, ...]]]:
        """The rows of a large query, in chunks."""
        cursor = self.raw.execute(sql)
        while chunk := cursor.fetchmany(size):
            yield chunk

    def pause(self) -> None:
        """End the transaction of a reader; the next query begins another, and sees what is new."""
        self.commit()
        self.begin(write=False)  # which holds nothing before its first query

    def begin(self, write: bool) -> None:
        """Begin a transaction."""
        self.raw.execute("BEGIN IMMEDIATE" if write else "BEGIN")

    def commit(self) -> None:
        """Commit it."""
        self.raw.execute("COMMIT")

    def rollback(self) -> None:
        """Undo it."""
        self.raw.execute("ROLLBACK")
