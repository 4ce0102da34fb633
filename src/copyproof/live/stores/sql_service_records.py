"""What operators did, and which processes serve a store, in an SQL database."""

from abc import abstractmethod
from contextlib import AbstractContextManager
from typing import Any

from copyproof.live.stores.chain import encode
from copyproof.live.stores.database import Database
from copyproof.live.stores.leases import Lease
from copyproof.live.stores.service_records import ServiceRecords
from copyproof.live.stores.texts import decode
from copyproof.validation import name

# Seconds after which a process that is heard of no more is forgotten.
_GONE = 3600.0


class SqlServiceRecords(ServiceRecords):
    """Three tables, and the column of leases."""

    @abstractmethod
    def _transaction(self, write: bool) -> AbstractContextManager[Database]:
        """A transaction; on leaving, a write is committed."""

    @abstractmethod
    def now(self, database: Database) -> float:
        """The time by which leases run."""

    def put_action(self, action: dict[str, Any]) -> None:
        """Store what an operator did."""
        name("id", action.get("id", ""))
        put = "INSERT INTO actions (id, body) VALUES (?, ?)"
        put += " ON CONFLICT (id) DO UPDATE SET body = excluded.body"
        with self._transaction(write=True) as database:
            database.change(put, action["id"], encode(action))

    def end_action(self, action_id: str, status: int | None) -> None:
        """Note the status of the answer."""
        with self._transaction(write=True) as database:
            found = database.rows("SELECT body FROM actions WHERE id = ?", action_id)
            for (body,) in found:
                text = encode({**decode(body), "status": status})
                database.change("UPDATE actions SET body = ? WHERE id = ?", text, action_id)

    def actions(self, after: str = "", limit: int = 1000) -> list[dict[str, Any]]:
        """What operators did."""
        query = f"SELECT body FROM actions WHERE id > ? ORDER BY id LIMIT {int(limit)}"
        with self._transaction(write=False) as database:
            found = database.rows(query, after)
        return [decode(body) for (body,) in found]

    def put_answer(self, answer_id: str, answer: dict[str, Any], now: float, until: float) -> None:
        """Remember an answer."""
        name("id", answer_id)
        put = "INSERT INTO answers (id, until, body) VALUES (?, ?, ?)"
        put += " ON CONFLICT (id) DO UPDATE SET until = excluded.until, body = excluded.body"
        with self._transaction(write=True) as database:
            database.change("DELETE FROM answers WHERE until < ?", now)
            database.change(put, answer_id, until, encode(answer))

    def answer(self, answer_id: str) -> dict[str, Any] | None:
        """Return an answer that is remembered."""
        with self._transaction(write=False) as database:
            found = database.rows("SELECT body FROM answers WHERE id = ?", answer_id)
        return None if not found else decode(found[0][0])

    def drop_answer(self, answer_id: str) -> None:
        """Forget an answer."""
        with self._transaction(write=True) as database:
            database.change("DELETE FROM answers WHERE id = ?", answer_id)

    def announce(self, owner: str, address: str, seconds: float) -> None:
        """Let others know of a process; what those that are gone have left is cleared away."""
        put = "INSERT INTO processes (owner, address, until) VALUES (?, ?, ?) ON CONFLICT (owner)"
        put += " DO UPDATE SET address = excluded.address, until = excluded.until"
        with self._transaction(write=True) as database:
            now = self.now(database)
            database.change(put, owner, address, now + seconds)
            database.change("DELETE FROM processes WHERE until < ?", now - _GONE)

    def withdraw(self, owner: str) -> None:
        """Let others know that a process has gone."""
        with self._transaction(write=True) as database:
            database.change("DELETE FROM processes WHERE owner = ?", owner)

    def processes(self) -> dict[str, str]:
        """The processes that have announced themselves."""
        query = "SELECT owner, address FROM processes WHERE until > ? ORDER BY owner"
        with self._transaction(write=False) as database:
            return dict(database.rows(query, self.now(database)))

    def leaders(self) -> dict[str, str]:
        """Who holds the leases of the markets."""
        query = "SELECT name, owner, token, since, until FROM markets WHERE owner <> ''"
        with self._transaction(write=False) as database:
            now = self.now(database)
            found = [(market, Lease(*lease)) for market, *lease in database.rows(query)]
        return {market: lease.owner for market, lease in found if lease.runs(now)}
