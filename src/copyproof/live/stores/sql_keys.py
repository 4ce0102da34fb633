"""API keys in a database, which are read by change: triggers note what has changed (``schema``)."""

from abc import abstractmethod
from contextlib import AbstractContextManager
from typing import Any

from copyproof.live.stores import errors
from copyproof.live.stores.chain import encode
from copyproof.live.stores.contract import KeyChanges, Store
from copyproof.live.stores.database import Database
from copyproof.live.stores.market_rows import is_name
from copyproof.live.stores.texts import decode_many
from copyproof.validation import name


class SqlKeys(Store):
    """The keys of a store in an SQL database."""

    @abstractmethod
    def _transaction(self, write: bool) -> AbstractContextManager[Database]:
        """A transaction; on leaving, a write is committed."""

    def keys(self) -> list[dict[str, Any]]:
        """API keys."""
        with self._transaction(write=False) as database:
            found = database.rows("SELECT id, body FROM keys")
        return decode_many([body for _, body in sorted(found)])

    def changed_keys(self, since: int | None) -> KeyChanges:
        """API keys that have changed."""
        with self._transaction(write=False) as database:
            read = "SELECT number FROM changes WHERE name IN ('dropped keys', 'keys') ORDER BY name"
            [(dropped,), (moment,)] = database.rows(read)
            if since is None or moment < since:  # which only another store can have given
                since, dropped = -1, moment
                found = database.rows("SELECT id, body FROM keys")
            elif moment == since:
                return KeyChanges(moment, [])
            else:
                join = "key_changes JOIN keys ON keys.id = key_changes.id"
                read = f"SELECT keys.id, body FROM {join} WHERE number > ?"
                found = database.rows(read, since)
            ids = database.rows("SELECT id FROM keys") if dropped > since else None
        stored = decode_many([body for _, body in sorted(found)])
        return KeyChanges(moment, stored, None if ids is None else {key for (key,) in ids})

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
            if not is_name(key_id) or not database.change("DELETE FROM keys WHERE id = ?", key_id):
                raise LookupError(f"key {key_id!r} is not in the store")
