"""What our stores do alike: the rules of journals, snapshots and leases.

A store says how a market is read and written within a transaction (``StoredMarket``); what may be
written, and what comes back, is decided here.
"""

import time
from abc import abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from copyproof.live.stores import contract
from copyproof.live.stores.contract import Lease, Store, encode
from copyproof.validation import FieldError, name

# Seconds between two transactions of a compaction, for writers that wait.
_PAUSE = 0.005


class StoredMarket(Protocol):
    """A market within a transaction: up to which event it is compacted, and its lease."""

    compacted: int
    lease: Lease

    @property
    def last(self) -> int:
        """The number of the last event."""

    def now(self) -> float:
        """The time by which leases run."""

    def set_lease(self, lease: Lease) -> None:
        """Replace the lease."""

    def add_events(self, texts: Sequence[str]) -> None:
        """Add events behind the last."""

    def drop_events(self, upto: int) -> int:
        """Drop events up to a number, or as many as go at once; up to which they are dropped."""

    def snapshots(self) -> list[int]:
        """The numbers of the snapshots, the newest first."""

    def read_snapshot(self, number: int) -> tuple[bytes, str, str]:
        """Data, the caller's digest and our checksum of a snapshot."""

    def add_snapshot(self, number: int, parts: Sequence[bytes], digest: str, own: str) -> None:
        """Add a snapshot."""

    def drop_snapshot(self, number: int) -> None:
        """Drop a snapshot, if it is there."""


class BaseStore(Store):
    """A store that has markets within transactions."""

    @abstractmethod
    def _market(self, market: str, *, write: bool) -> AbstractContextManager[StoredMarket]:
        """A market within a transaction of its own; UnknownMarket if there is none."""

    def append(
        self, market: str, first: int, events: Sequence[dict[str, Any]], *, token: int | None = None
    ) -> None:
        """Add events to the journal, in one transaction."""
        if not events:
            return
        texts = [encode(event) for event in events]
        with self._market(market, write=True) as mine:
            mine.lease.check(market, token, mine.now())
            if first != mine.last + 1:
                raise contract.Conflict(
                    f"market {market!r}: event {first} is not the next, {mine.last + 1}"
                )
            mine.add_events(texts)

    def last(self, market: str) -> int:
        """The number of the last event."""
        with self._market(market, write=False) as mine:
            return mine.last

    def compacted(self, market: str) -> int:
        """The number up to which events were dropped."""
        with self._market(market, write=False) as mine:
            return mine.compacted

    def save_snapshot(
        self, market: str, number: int, data: bytes, digest: str | None = None
    ) -> None:
        """Keep a state, and one before it."""
        with self._market(market, write=True) as mine:
            if not mine.compacted <= number <= mine.last:
                accepted = f"an event of {mine.compacted} to {mine.last}"
                raise FieldError("number", number, accepted)
            others = [old for old in mine.snapshots() if old != number]
            newer = sum(old > number for old in others)
            for old in (number, *others[max(contract.SNAPSHOTS - 1, newer) :]):
                mine.drop_snapshot(old)
            own = contract.fingerprint(data)
            given = own if digest is None else digest
            mine.add_snapshot(number, contract.parts_of(data), given, own)

    def snapshot(self, market: str, before: int | None = None) -> tuple[int, bytes, str] | None:
        """The newest undamaged state."""
        with self._market(market, write=False) as mine:
            for number in mine.snapshots():
                if before is None or number < before:
                    data, digest, own = mine.read_snapshot(number)
                    if contract.fingerprint(data) == own:
                        return number, data, digest
            return None

    def compact(self, market: str, upto: int) -> None:
        """Drop events behind a snapshot, some at a time: writers may come in between."""
        newest, done = self.snapshot(market), self.compacted(market)
        if newest is None or newest[0] < upto:
            raise FieldError("upto", upto, "covered by a snapshot")
        while done < upto:
            with self._market(market, write=True) as mine:
                done = mine.drop_events(upto)
            time.sleep(_PAUSE)

    def acquire(self, market: str, owner: str, seconds: float) -> int | None:
        """Take the lease."""
        name("owner", owner)
        contract.check_seconds(seconds)
        with self._market(market, write=True) as mine:
            now = mine.now()
            if mine.lease.runs(now) and mine.lease.owner != owner:
                return None
            taken = mine.lease.taken(owner, now, seconds)
            mine.set_lease(taken)
        return taken.token

    def renew(self, market: str, owner: str, token: int, seconds: float) -> bool:
        """Keep the lease."""
        contract.check_seconds(seconds)
        with self._market(market, write=True) as mine:
            is_held = mine.lease.held(owner, token)
            if is_held:
                mine.set_lease(mine.lease.extended(mine.now(), seconds))
        return is_held

    def release(self, market: str, owner: str, token: int) -> None:
        """Give the lease back."""
        with self._market(market, write=True) as mine:
            if mine.lease.held(owner, token):
                mine.set_lease(mine.lease.given_back())

    def check(self) -> None:
        """Read everything, each market's journal from end to end."""
        for market in self.markets():
            compacted = self.compacted(market)
            for _ in self.events(market, compacted):
                pass
            saved = self.snapshot(market)
            if compacted > 0 and (saved is None or saved[0] < compacted):
                raise contract.Damaged(
                    f"market {market!r}: events up to {compacted} were compacted, and there is no "
                    "undamaged snapshot that covers them"
                )
        self.keys()
