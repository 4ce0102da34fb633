"""A store in memory: for tests, notebooks and simulations.

It keeps events as the texts that the other stores keep, so that the same comes back.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from copyproof.live.stores import contract
from copyproof.live.stores.base import BaseStore
from copyproof.live.stores.contract import Lease, TableRow, decode, encode
from copyproof.live.stores.sqlite import write_backup
from copyproof.validation import FieldError, name


@dataclass
class _Market:
    config: str
    events: list[str] = field(default_factory=list)
    compacted: int = 0
    snapshots: dict[int, tuple[list[bytes], str, str]] = field(default_factory=dict)
    lease: Lease = field(default_factory=Lease)

    @property
    def last(self) -> int:
        return self.compacted + len(self.events)


class MemoryStore(BaseStore):
    """All of a store's promises but the one to outlive the process.

    Parameters
    ----------
    clock : callable, optional
        The time in seconds, by which leases run.
    """

    durable = False

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._lock = threading.RLock()
        self._markets: dict[str, _Market] = {}
        self._keys: dict[str, str] = {}

    def _market(self, market: str) -> _Market:
        if market not in self._markets:
            raise contract.UnknownMarket(f"market {market!r} is not in the store")
        return self._markets[market]

    def create_market(self, market: str, config: dict[str, Any]) -> None:
        """Begin a market with an empty journal."""
        name("market", market)
        text = encode(config)
        with self._lock:
            if market in self._markets:
                raise contract.exists_already("market", market)
            self._markets[market] = _Market(text)

    def markets(self) -> dict[str, dict[str, Any]]:
        """All markets with their configurations."""
        with self._lock:
            return {name: decode(self._markets[name].config) for name in sorted(self._markets)}

    def append(
        self,
        market: str,
        first: int,
        events: Sequence[dict[str, Any]],
        *,
        token: int | None = None,
    ) -> None:
        """Add events to the journal."""
        if not events:
            return
        texts = [encode(event) for event in events]
        with self._lock:
            mine = self._market(market)
            mine.lease.check(market, token, self._clock())
            if first != mine.last + 1:
                raise contract.Conflict(
                    f"market {market!r}: event {first} is not the next, {mine.last + 1}"
                )
            mine.events.extend(texts)

    def events(self, market: str, after: int = 0) -> Iterator[tuple[int, dict[str, Any]]]:
        """Events after number ``after``."""
        with self._lock:
            mine = self._market(market)
            if after < mine.compacted:
                raise contract.was_compacted(after, mine.compacted)
            texts = mine.events[after - mine.compacted :]
        for number, text in enumerate(texts, after + 1):
            yield number, decode(text)

    def last(self, market: str) -> int:
        """The number of the last event."""
        with self._lock:
            return self._market(market).last

    def compacted(self, market: str) -> int:
        """The number up to which events were dropped."""
        with self._lock:
            return self._market(market).compacted

    def save_snapshot(
        self, market: str, number: int, data: bytes, digest: str | None = None
    ) -> None:
        """Keep a state."""
        with self._lock:
            mine = self._market(market)
            if not mine.compacted <= number <= mine.last:
                accepted = f"an event of {mine.compacted} to {mine.last}"
                raise FieldError("number", number, accepted)
            own = contract.fingerprint(data)
            parts = contract.parts_of(data)
            mine.snapshots[number] = (parts, own if digest is None else digest, own)
            for old in sorted(mine.snapshots)[: -contract.SNAPSHOTS]:
                del mine.snapshots[old]

    def snapshot(self, market: str, before: int | None = None) -> tuple[int, bytes, str] | None:
        """The newest undamaged state."""
        with self._lock:
            mine = self._market(market)
            for number in sorted(mine.snapshots, reverse=True):
                parts, digest, own = mine.snapshots[number]
                data = b"".join(parts)
                if (before is None or number < before) and contract.fingerprint(data) == own:
                    return number, data, digest
            return None

    def compact(self, market: str, upto: int) -> None:
        """Drop events behind a snapshot."""
        with self._lock:
            mine = self._market(market)
            newest = self.snapshot(market)
            if newest is None or newest[0] < upto:
                raise FieldError("upto", upto, "covered by a snapshot")
            if upto > mine.compacted:
                del mine.events[: upto - mine.compacted]
                mine.compacted = upto

    def _change_lease(
        self, market: str, change: Callable[[Lease, float], Lease | None]
    ) -> Lease | None:
        with self._lock:
            mine = self._market(market)
            new = change(mine.lease, self._clock())
            mine.lease = new or mine.lease
            return new

    def keys(self) -> list[dict[str, Any]]:
        """API keys."""
        with self._lock:
            return [decode(self._keys[key]) for key in sorted(self._keys)]

    def put_key(self, key: dict[str, Any], *, replacing: dict[str, Any] | None = None) -> None:
        """Store a key."""
        name("id", key.get("id", ""))
        text = encode(key)
        with self._lock:
            if replacing is not None and self._keys.get(key["id"]) != encode(replacing):
                raise contract.Conflict(f"key {key['id']!r} is not the one to be replaced")
            self._keys[key["id"]] = text

    def drop_key(self, key_id: str) -> None:
        """Forget a key."""
        with self._lock:
            if key_id not in self._keys:
                raise LookupError(f"key {key_id!r} is not in the store")
            del self._keys[key_id]

    def dump(self) -> Iterator[TableRow]:
        """Every row."""
        with self._lock:
            rows: list[TableRow] = [("keys", item) for item in sorted(self._keys.items())]
            for name, mine in sorted(self._markets.items()):
                rows.append(
                    ("markets", (name, mine.config, mine.last, mine.compacted, mine.lease.token))
                )
                rows += [
                    ("events", (name, number, text))
                    for number, text in enumerate(mine.events, mine.compacted + 1)
                ]
                for number, ((first, *more), digest, own) in sorted(mine.snapshots.items()):
                    rows.append(("snapshots", (name, number, first, digest, own)))
                    rows += [
                        ("parts", (name, number, part, piece)) for part, piece in enumerate(more, 1)
                    ]
        yield from rows

    def load(self, rows: Iterable[TableRow]) -> None:
        """Fill an empty store."""
        markets: dict[str, _Market] = {}
        keys: dict[str, str] = {}
        for table, row in rows:
            if table == "keys":
                keys[row[0]] = row[1]
            elif table == "markets":
                markets[row[0]] = _Market(row[1], [], row[3], {}, Lease("", row[4] + 1))
            elif table == "events":
                markets[row[0]].events.append(row[2])
            elif table == "parts":
                markets[row[0]].snapshots[row[1]][0].append(row[3])
            else:
                markets[row[0]].snapshots[row[1]] = ([row[2]], row[3], row[4])
        with self._lock:
            if self._markets or self._keys:
                raise contract.not_empty()
            self._markets, self._keys = markets, keys

    def backup(self, path: Path) -> None:
        """Write everything into a new SQLite file."""
        write_backup(self, path)

    def close(self) -> None:
        """Nothing to let go of."""
