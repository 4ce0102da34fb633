"""What every store promises: one journal per market, numbered 1, 2, 3, ... without a hole.

The journal is the truth, and everything else can be made from it. An ``append`` that returned is on
the disk (``durable``); one that raised stored nothing, or raised ``Uncertain``. Several events of
one append are stored together or not at all. Snapshots are a shortcut, kept with a checksum, and a
damaged one is passed over. Compaction drops events only behind a snapshot that covers them.

A store may be used by several threads. Several processes may open the same one; who writes a market
is settled by a lease with a fencing token (``leases``).

``copyproof.live.stores.conformance`` holds the same promises as tests, for stores of your own.
"""

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from copyproof.live.stores.errors import (
    Conflict,
    Damaged,
    LeaseLost,
    StoreError,
    Uncertain,
    UnknownMarket,
)

__all__ = [
    "Conflict",
    "Damaged",
    "LeaseLost",
    "Store",
    "StoreError",
    "Uncertain",
    "UnknownMarket",
    "check_market",
    "check_name",
    "decode",
    "decode_many",
    "encode",
    "fingerprint",
    "parts_of",
]

SNAPSHOTS = 2
"""How many snapshots of a market are kept: the newest, and one in case that it is damaged."""

PART = 2**26
"""A snapshot is stored in parts of so many bytes."""

Row = tuple[str, tuple[Any, ...]]
"""A table's name and one row of it, as ``dump`` gives and ``load`` takes them."""


class Store(ABC):
    """Journals, snapshots, leases and API keys of all markets of one service.

    Examples
    --------
    >>> from copyproof.live.stores import open_store
    >>> store = open_store("memory:")
    >>> store.create_market("m", {"policy": "prh-ucb"})
    >>> store.append("m", 1, [{"kind": "agent", "name": "ann"}, {"kind": "arm", "arm": "a"}])
    >>> [number for number, event in store.events("m", after=1)], store.last("m")
    ([2], 2)
    """

    durable: bool = True
    """Whether what ``append`` stored survives the loss of power."""

    @abstractmethod
    def create_market(self, market: str, config: dict[str, Any]) -> None:
        """Begin a market with an empty journal; ValueError if its name is taken."""

    @abstractmethod
    def markets(self) -> dict[str, dict[str, Any]]:
        """All markets, by name, with the configuration they were created with."""

    @abstractmethod
    def append(
        self,
        market: str,
        first: int,
        events: Sequence[dict[str, Any]],
        *,
        token: int | None = None,
    ) -> None:
        """Store events as numbers ``first``, ``first + 1``, ..., all or none, and sync.

        Parameters
        ----------
        market : str
            The market's name.
        first : int
            The number of the first event; it must be ``last(market) + 1``.
        events : sequence of dict
            JSON objects (no NaN, no infinity). Without any nothing is done.
        token : int, optional
            The fencing token of the lease. Without one the market must not be leased.

        Raises
        ------
        Conflict
            If ``first`` is not the next number.
        LeaseLost
            If ``token`` is not the current one, or somebody holds the lease and none was given.
        Uncertain
            If it is unknown whether the events are stored: rebuild from the store.
        StoreError
            If it cannot be done now; nothing is stored.
        UnknownMarket
            If there is no such market.
        """

    @abstractmethod
    def events(self, market: str, after: int = 0) -> Iterator[tuple[int, dict[str, Any]]]:
        """Events after number ``after``, in order, up to the last when the first was asked for.

        Writers are not kept waiting, and nothing is held for a reader that takes its time. Raises
        Damaged if an event that should be there is missing, and ValueError if ``after`` lies
        before what was compacted away, also if that is done while they are read.
        """

    @abstractmethod
    def last(self, market: str) -> int:
        """The number of the last event, 0 if there was none; compaction does not change it."""

    @abstractmethod
    def compacted(self, market: str) -> int:
        """The number up to which events were dropped, 0 if none were."""

    @abstractmethod
    def save_snapshot(self, market: str, number: int, data: bytes, digest: str) -> None:
        """Keep the state after event ``number``; of the older snapshots the newest stays, too."""

    @abstractmethod
    def snapshot(self, market: str, before: int | None = None) -> tuple[int, bytes, str] | None:
        """The newest snapshot that is undamaged, as (number, data, digest).

        ``before`` asks for one of a smaller number, if the reader did not like the newest.
        """

    @abstractmethod
    def compact(self, market: str, upto: int) -> None:
        """Drop events up to number ``upto``; ValueError without a snapshot that covers them."""

    @abstractmethod
    def acquire(self, market: str, owner: str, seconds: float) -> int | None:
        """Take the lease: a token larger than all before, or None while another owner holds it.

        An owner that takes its own lease again gets a new token, and the old one ends.
        """

    @abstractmethod
    def renew(self, market: str, owner: str, token: int, seconds: float) -> bool:
        """Let the lease run for ``seconds`` from now; False if it is somebody else's by now."""

    @abstractmethod
    def release(self, market: str, owner: str, token: int) -> None:
        """Give the lease back, if it is still held; its token writes no more."""

    @abstractmethod
    def keys(self) -> list[dict[str, Any]]:
        """API keys (hashed already), in order of their "id"."""

    @abstractmethod
    def put_key(self, key: dict[str, Any], *, replacing: dict[str, Any] | None = None) -> None:
        """Store a key under ``key["id"]``, in place of the one that was there.

        With ``replacing`` only in place of that one, as ``keys`` gave it: Conflict if another
        process has changed it since.
        """

    @abstractmethod
    def drop_key(self, key_id: str) -> None:
        """Forget a key; LookupError if there is none of this id."""

    @abstractmethod
    def dump(self) -> Iterator[Row]:
        """Every row of the store at one moment, while others write. Leases are left out."""

    @abstractmethod
    def load(self, rows: Iterable[Row]) -> None:
        """Fill an empty store with what ``dump`` gave, all or nothing; ValueError if not empty."""

    @abstractmethod
    def backup(self, path: Path) -> None:
        """Write everything, as of one moment, into a new SQLite file, while others write.

        The file is a store itself; ``restore`` copies it into any other. ValueError if it exists.
        """

    @abstractmethod
    def check(self) -> None:
        """Read everything; Damaged, with the first thing that is wrong.

        A damaged snapshot is wrong only if what it stands for was compacted away.
        """

    @abstractmethod
    def close(self) -> None:
        """Let go of files and connections; leases run out by themselves."""

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def encode(value: dict[str, Any]) -> str:
    """A JSON object as compact ASCII text; ValueError for what JSON cannot hold.

    >>> len(encode({"kind": "told", "reward": 0.1}))
    28
    """
    try:
        return json.dumps(value, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{value!r:.200} is not a JSON object: {error}") from error


def decode(text: str) -> dict[str, Any]:
    """What ``encode`` made a text of; Damaged if it is not one.

    >>> decode('{"count":3}')["count"]
    3
    """
    return decode_many([text])[0]


def decode_many(texts: Sequence[str]) -> list[dict[str, Any]]:
    """``decode`` for many at once, which is faster.

    >>> sum(each["n"] for each in decode_many(['{"n":1}', '{"n":2}']))
    3
    """
    try:
        values = json.loads("[" + ",".join(texts) + "]")
    except ValueError as error:
        raise Damaged(f"stored text is not JSON: {error}") from error
    if len(values) != len(texts) or not all(isinstance(value, dict) for value in values):
        raise Damaged("stored text is not a JSON object")
    return list(values)


def fingerprint(data: bytes) -> str:
    """The checksum that a store keeps beside a snapshot.

    >>> len(fingerprint(b""))
    64
    """
    return hashlib.sha256(data).hexdigest()


def parts_of(data: bytes) -> list[bytes]:
    """A snapshot in parts, at least one.

    >>> len(parts_of(b""))
    1
    """
    return [bytes(data[start : start + PART]) for start in range(0, max(len(data), 1), PART)]


def check_name(what: str, value: str) -> None:
    """Refuse names that not every store can hold.

    >>> check_name("market", "")
    Traceback (most recent call last):
    ValueError: market = '' is not a text of 1 to 200 printable characters
    """
    if not 1 <= len(value) <= 200 or not value.isprintable():
        raise ValueError(f"{what} = {value!r:.300} is not a text of 1 to 200 printable characters")


def check_market(store: Store, market: str) -> None:
    """Read a market's journal from end to end; there must be a way to the state before it."""
    compacted = store.compacted(market)
    for _ in store.events(market, compacted):
        pass
    saved = store.snapshot(market)
    if compacted > 0 and (saved is None or saved[0] < compacted):
        raise Damaged(
            f"market {market!r}: events up to {compacted} were compacted, and there is no "
            "undamaged snapshot that covers them"
        )


def check_seconds(seconds: float) -> None:
    """Refuse leases that do not last."""
    if not 0 < seconds < 1e9:
        raise ValueError(f"seconds = {seconds!r} is not a positive number")
