"""A store in memory: for tests, notebooks and simulations.

It keeps events as the texts that the other stores keep, so that the same comes back.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from copyproof.live.stores import errors
from copyproof.live.stores.appends import Generations
from copyproof.live.stores.chain import MARK, Chain, encode
from copyproof.live.stores.chain_columns import chain_from_row, chain_row
from copyproof.live.stores.contract import KeyChanges, Store, TableRow
from copyproof.live.stores.leases import Lease
from copyproof.live.stores.sqlite import write_backup
from copyproof.live.stores.texts import decode, decode_events
from copyproof.validation import name

_CHUNK = 1000  # events that are decoded in one go


@dataclass
class _Market:
    """A market, and a transaction of its own: the store's lock."""

    lock: threading.RLock
    now: Callable[[], float]
    config: str
    chain: Chain
    generations: Generations = field(default_factory=list)
    events: list[str] = field(default_factory=list)
    marks: list[str | None] = field(default_factory=list)
    compacted: int = 0
    saved: dict[int, tuple[list[bytes], str, str]] = field(default_factory=dict)
    lease: Lease = field(default_factory=Lease)

    def __enter__(self) -> Self:
        self.lock.acquire()
        return self

    def __exit__(self, *exception: object) -> None:
        self.lock.release()

    @property
    def last(self) -> int:
        return self.compacted + len(self.events)

    def set_lease(self, lease: Lease) -> None:
        self.lease = lease

    def set_generations(self, generations: Generations) -> None:
        self.generations = generations

    def add_events(self, texts: Sequence[str], heads: Sequence[str]) -> None:
        self.events.extend(texts)
        self.marks.extend(head[:MARK] for head in heads)
        self.chain = replace(self.chain, head=heads[-1])

    def replace_event(self, number: int, text: str) -> None:
        self.events[number - self.compacted - 1] = text

    def read_events(self, upto: int) -> list[str]:
        return self.events[: upto - self.compacted]

    def read_marks(self, after: int, upto: int) -> dict[int, str | None]:
        found = self.marks[after - self.compacted : upto - self.compacted]
        return dict(enumerate(found, after + 1))

    def drop_events(self, upto: int, cut: str) -> None:
        del self.events[: upto - self.compacted], self.marks[: upto - self.compacted]
        self.compacted = upto
        self.chain = replace(self.chain, cut=cut)

    def snapshots(self) -> list[int]:
        return sorted(self.saved, reverse=True)

    def read_snapshot(self, number: int) -> tuple[bytes, str, str]:
        parts, digest, own = self.saved[number]
        return b"".join(parts), digest, own

    def add_snapshot(self, number: int, parts: Sequence[bytes], digest: str, own: str) -> None:
        self.saved[number] = (list(parts), digest, own)

    def drop_snapshot(self, number: int) -> None:
        self.saved.pop(number, None)


class MemoryStore(Store):
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
        self._actions: dict[str, str] = {}
        self._answers: dict[str, tuple[float, str]] = {}
        self._key_changes = 0

    def _market(self, market: str, *, write: bool) -> _Market:
        found = self._markets.get(market)
        if found is None:
            raise errors.UnknownMarket(f"market {market!r} is not in the store")
        return found

    def create_market(self, market: str, config: dict[str, Any]) -> None:
        """Begin a market with an empty journal."""
        name("market", market)
        text = encode(config)
        with self._lock:
            if market in self._markets:
                raise errors.exists_already("market", market)
            chain = Chain.begin(market, decode(text))
            self._markets[market] = _Market(self._lock, self._clock, text, chain)

    def drop_market(self, market: str) -> None:
        """Delete a market."""
        with self._market(market, write=True) as mine:
            mine.lease.check(market, None, mine.now())
            del self._markets[market]

    def markets(self) -> dict[str, dict[str, Any]]:
        """All markets with their configurations."""
        with self._lock:
            return {name: decode(self._markets[name].config) for name in sorted(self._markets)}

    def events(self, market: str, after: int = 0) -> Iterator[tuple[int, dict[str, Any]]]:
        """Events after number ``after``."""
        with self._market(market, write=False) as mine:
            if after < mine.compacted:
                raise errors.was_compacted(after, mine.compacted)
            texts = mine.events[after - mine.compacted :]
        for done in range(0, len(texts), _CHUNK):
            first = after + done + 1
            chunk = decode_events(market, first, texts[done : done + _CHUNK])
            yield from enumerate(chunk, first)

    def keys(self) -> list[dict[str, Any]]:
        """API keys."""
        with self._lock:
            return [decode(self._keys[key]) for key in sorted(self._keys)]

    def changed_keys(self, since: int | None) -> KeyChanges:
        """All API keys, if there was any change."""
        with self._lock:
            if since == self._key_changes:
                return KeyChanges(since, [])
            return KeyChanges(self._key_changes, self.keys(), {*self._keys})

    def put_key(self, key: dict[str, Any], *, replacing: dict[str, Any] | None = None) -> None:
        """Store a key."""
        name("id", key.get("id", ""))
        text = encode(key)
        with self._lock:
            if replacing is not None and self._keys.get(key["id"]) != encode(replacing):
                raise errors.Conflict(f"key {key['id']!r} is not the one to be replaced")
            self._keys[key["id"]] = text
            self._key_changes += 1

    def drop_key(self, key_id: str) -> None:
        """Forget a key."""
        with self._lock:
            if key_id not in self._keys:
                raise LookupError(f"key {key_id!r} is not in the store")
            del self._keys[key_id]
            self._key_changes += 1

    def put_action(self, action: dict[str, Any]) -> None:
        """Store what an operator did."""
        name("id", action.get("id", ""))
        with self._lock:
            self._actions[action["id"]] = encode(action)

    def end_action(self, action_id: str, status: int | None) -> None:
        """Note the status of the answer."""
        with self._lock:
            if action_id in self._actions:
                self.put_action({**decode(self._actions[action_id]), "status": status})

    def actions(self, after: str = "", limit: int = 1000) -> list[dict[str, Any]]:
        """What operators did."""
        with self._lock:
            found = sorted(each for each in self._actions if each > after)
            return [decode(self._actions[each]) for each in found[:limit]]

    def put_answer(self, answer_id: str, answer: dict[str, Any], now: float, until: float) -> None:
        """Remember an answer."""
        name("id", answer_id)
        with self._lock:
            kept = {each: one for each, one in self._answers.items() if one[0] >= now}
            self._answers = {**kept, answer_id: (until, encode(answer))}

    def answer(self, answer_id: str) -> dict[str, Any] | None:
        """Return an answer that is remembered."""
        found = self._answers.get(answer_id)
        return None if found is None else decode(found[1])

    def drop_answer(self, answer_id: str) -> None:
        """Forget an answer."""
        with self._lock:
            self._answers.pop(answer_id, None)

    def dump(self) -> Iterator[TableRow]:
        """Every row."""
        with self._lock:
            rows: list[TableRow] = [("keys", item) for item in sorted(self._keys.items())]
            rows += [("actions", item) for item in sorted(self._actions.items())]
            rows += [("answers", (each, *one)) for each, one in sorted(self._answers.items())]
            for name, mine in sorted(self._markets.items()):
                standing = (mine.last, mine.compacted, mine.lease.token)
                chain = chain_row(mine.chain, mine.generations)
                rows.append(("markets", (name, mine.config, *standing, *chain)))
                marked = zip(mine.events, mine.marks, strict=True)
                rows += [
                    ("events", (name, number, text, mark))
                    for number, (text, mark) in enumerate(marked, mine.compacted + 1)
                ]
                for number, ((first, *more), digest, own) in sorted(mine.saved.items()):
                    rows.append(("snapshots", (name, number, first, digest, own)))
                    rows += [
                        ("parts", (name, number, part, piece)) for part, piece in enumerate(more, 1)
                    ]
        yield from rows

    def load(self, rows: Iterable[TableRow]) -> None:
        """Fill an empty store."""
        markets: dict[str, _Market] = {}
        keys: dict[str, str] = {}
        actions: dict[str, str] = {}
        answers: dict[str, tuple[float, str]] = {}
        for table, row in rows:
            if table == "keys":
                keys[row[0]] = row[1]
            elif table == "actions":
                actions[row[0]] = row[1]
            elif table == "answers":
                answers[row[0]] = row[1], row[2]
            elif table == "markets":
                lease = Lease("", row[4] + 1)
                chain = chain_from_row(row[5:])
                mine = _Market(self._lock, self._clock, row[1], *chain, [], [], row[3], {}, lease)
                markets[row[0]] = mine
            elif table == "events":
                markets[row[0]].events.append(row[2])
                markets[row[0]].marks.append(row[3])
            elif table == "parts":
                markets[row[0]].saved[row[1]][0].append(row[3])
            else:
                markets[row[0]].saved[row[1]] = ([row[2]], row[3], row[4])
        with self._lock:
            if self._markets or self._keys:
                raise errors.not_empty()
            self._markets, self._keys = markets, keys
            self._actions, self._answers = actions, answers
            self._key_changes += 1

    def backup(self, path: Path, also: Callable[[Store], None] | None = None) -> None:
        """Write everything into a new SQLite file."""
        write_backup(self, path, also)

    def close(self) -> None:
        """Nothing to let go of."""
