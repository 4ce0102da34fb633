"""What every store promises: one journal per market, numbered 1, 2, 3, ... without a hole.

The journal is the truth, and everything else can be made from it. An ``append`` that returned is on
the disk (``durable``); one that raised stored nothing, or raised ``Uncertain``. Several events of
one append are stored together or not at all. Snapshots are a shortcut, kept with a checksum, and a
damaged one is passed over. Compaction drops events only behind a snapshot that covers them.
Events form a hash chain (``chain``), so that ``check`` finds any that was changed.

A store may be used by several threads. Several processes may open the same one; who writes a market
is settled by a ``Lease`` with a fencing token.

Our own stores only say how a market is read and written within a transaction (``StoredMarket``);
what may be written, and what comes back, is decided here.

``copyproof.live.stores.conformance`` holds the same promises as tests, for stores of your own.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from copyproof.live.stores.chain import Chain, encode, heads_after
from copyproof.live.stores.checking import check_journal, check_snapshots, head_at_cut
from copyproof.live.stores.errors import Conflict, LeaseLost, StoreError
from copyproof.live.stores.texts import fingerprint, parts_of
from copyproof.validation import FieldError, name, require

if TYPE_CHECKING:
    from copyproof.live.stores.stored_market import StoredMarket

# How many snapshots of a market are kept: the newest, and one in case that it is damaged.
SNAPSHOTS = 2
_SLACK = 1.0  # seconds by which clocks may disagree about the beginning of a lease
DROPPED_AT_ONCE = 10_000  # events that are dropped in one transaction
_PAUSE = 0.005  # seconds between two transactions of a compaction, for writers that wait
# A table's name and one row of it, as ``dump`` gives and ``load`` takes them.
TableRow: TypeAlias = tuple[str, tuple[Any, ...]]
# From which round on the ids of decisions carry which mark (``live.ids``).
Generations: TypeAlias = list[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class Lease:
    """Who may write a market: the holder ("" if none), its token, and when it runs.

    A lease ends by itself. It is there so that a second process knows when to take over, and it
    rests on clocks, so it is not what keeps the journal right. That is the **fencing token**: every
    new holder gets a larger one, and an append that names an older one is refused in the very
    transaction that would have stored it. A process that slept through its lease can do no harm.

    A lease runs while ``since <= now < until``. A clock that was set back would stretch it, so a
    lease that seems to begin in the future has ended, too; a second of disagreement is let pass.

    Examples
    --------
    >>> lease = Lease().taken("a", now=100.0, seconds=10.0)
    >>> lease.runs(109.0), lease.runs(110.0), lease.runs(50.0)
    (True, False, False)
    >>> lease.taken("b", now=110.0, seconds=10.0).token
    2
    """

    owner: str = ""
    token: int = 0
    since: float = 0.0
    until: float = 0.0

    def runs(self, now: float) -> bool:
        """Whether somebody holds it at ``now``."""
        return self.owner != "" and self.since - _SLACK <= now < self.until

    def taken(self, owner: str, now: float, seconds: float) -> "Lease":
        """As taken by ``owner``, with the next token."""
        return Lease(owner, self.token + 1, now, now + seconds)

    def held(self, owner: str, token: int) -> bool:
        """Whether ``owner`` is still the last who took it, even if its time is over."""
        return self.owner == owner and self.token == token

    def extended(self, now: float, seconds: float) -> "Lease":
        """The same holder and token, from ``now`` on."""
        return Lease(self.owner, self.token, now, now + seconds)

    def given_back(self) -> "Lease":
        """Free, and the token that was in use writes no more."""
        return Lease("", self.token + 1)

    def check(self, market: str, token: int | None, now: float) -> None:
        """Refuse a writer without the lease.

        Raises
        ------
        LeaseLost
            If ``token`` is not the current one; without a token, if anybody holds the lease.
        """
        if token is None:
            if self.runs(now):
                raise LeaseLost(f"market {market!r} is being written by {self.owner!r}")
        elif token != self.token:
            raise LeaseLost(
                f"market {market!r}: the lease with token {token} is over, the current one is "
                f"{self.token}" + (f" of {self.owner!r}" if self.owner else "")
            )


class Store(ABC):
    """Journals, snapshots, leases and API keys of all markets of one service.

    Attributes
    ----------
    durable : bool
        Whether what ``append`` stored survives the loss of power.

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

    def _market(self, market: str, *, write: bool) -> "AbstractContextManager[StoredMarket]":
        """A market within a transaction of its own; UnknownMarket if there is none."""
        raise NotImplementedError

    @abstractmethod
    def create_market(self, market: str, config: dict[str, Any]) -> None:
        """Begin a market with an empty journal; ValueError if its name is taken."""

    @abstractmethod
    def markets(self) -> dict[str, dict[str, Any]]:
        """All markets, by name, with the configuration they were created with."""

    def drop_market(self, market: str) -> None:
        """Delete a market and all that is stored of it; LeaseLost if somebody holds its lease."""
        raise StoreError("this store cannot delete markets")

    def append(
        self,
        market: str,
        first: int,
        events: Sequence[dict[str, Any]],
        *,
        token: int | None = None,
        generation: tuple[int, str] | None = None,
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
        generation : (int, str), optional
            The mark of ids from a round on, which is stored with the events. What was stored for
            this round or later ones belongs to a past that is no more, and is dropped.

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
        if not events:
            return
        texts = [encode(event) for event in events]
        with self._market(market, write=True) as mine:
            mine.lease.check(market, token, mine.now())
            if first != mine.last + 1:
                raise Conflict(f"market {market!r}: event {first} is not the next, {mine.last + 1}")
            chain = mine.chain
            heads = [*heads_after(chain.head, first, events, chain.secret, texts)]
            mine.add_events(texts, heads)
            if generation is not None and mine.generations is not None:
                before = [each for each in mine.generations if each[0] < generation[0]]
                mine.set_generations([*before, generation])

    @abstractmethod
    def events(self, market: str, after: int = 0) -> Iterator[tuple[int, dict[str, Any]]]:
        """Events after number ``after``, in order, up to the last when the first was asked for.

        Writers are not kept waiting, and nothing is held for a reader that takes its time. Raises
        Damaged if an event that should be there is missing, and ValueError if ``after`` lies
        before what was compacted away, also if that is done while they are read.
        """

    def last(self, market: str) -> int:
        """The number of the last event, 0 if there was none; compaction does not change it."""
        with self._market(market, write=False) as mine:
            return mine.last

    def compacted(self, market: str) -> int:
        """The number up to which events were dropped, 0 if none were."""
        with self._market(market, write=False) as mine:
            return mine.compacted

    def chain(self, market: str) -> Chain:
        """Where the hash chain stands, with the market's secret: never to be shown."""
        with self._market(market, write=False) as mine:
            return mine.chain

    def standing(self, market: str) -> tuple[int, int, Chain]:
        """The last event, up to which one the journal was compacted, and the chain there."""
        with self._market(market, write=False) as mine:
            return mine.last, mine.compacted, mine.chain

    def head(self, market: str) -> tuple[int, str]:
        """The number of the last event, and the head of the chain after it."""
        with self._market(market, write=False) as mine:
            return mine.last, mine.chain.head

    def generations(self, market: str) -> Generations | None:
        """From which round on ids carry which mark; None in a market made before there were any."""
        with self._market(market, write=False) as mine:
            return mine.generations

    def rewrite(
        self,
        market: str,
        events: Mapping[int, dict[str, Any]],
        snapshots: Mapping[int, bytes],
        *,
        token: int | None = None,
    ) -> None:
        """Replace events by what is chained in the same way, and all snapshots; all or none."""
        with self._market(market, write=True) as mine:
            mine.lease.check(market, token, mine.now())
            for number, event in events.items():
                mine.replace_event(number, encode(event))
            for number in mine.snapshots():
                mine.drop_snapshot(number)
            for number, data in snapshots.items():
                mine.add_snapshot(number, parts_of(data), fingerprint(data), fingerprint(data))

    def scrub(self) -> None:
        """Leave no trace in the files of what was replaced or dropped, where that can be done.

        StoreError if others keep it from being done.
        """
        return None

    def save_snapshot(
        self, market: str, number: int, data: bytes, digest: str | None = None
    ) -> None:
        """Keep the state after event ``number``; of the older snapshots the newest stays, too.

        ``digest`` is given back with it; by default it is the store's own checksum.
        """
        with self._market(market, write=True) as mine:
            if not mine.compacted <= number <= mine.last:
                raise FieldError("number", number, f"an event of {mine.compacted} to {mine.last}")
            others = [old for old in mine.snapshots() if old != number]
            newer = sum(old > number for old in others)
            for old in (number, *others[max(SNAPSHOTS - 1, newer) :]):
                mine.drop_snapshot(old)
            own = fingerprint(data)
            mine.add_snapshot(number, parts_of(data), own if digest is None else digest, own)

    def snapshot(self, market: str, before: int | None = None) -> tuple[int, bytes, str] | None:
        """The newest snapshot that is undamaged, as (number, data, digest).

        ``before`` asks for one of a smaller number, if the newest cannot be read.
        """
        with self._market(market, write=False) as mine:
            for number in mine.snapshots():
                if before is None or number < before:
                    data, digest, own = mine.read_snapshot(number)
                    if fingerprint(data) == own:
                        return number, data, digest
            return None

    def compact(self, market: str, upto: int) -> None:
        """Drop events up to number ``upto``; ValueError without a snapshot that covers them."""
        newest, done = self.snapshot(market), self.compacted(market)
        if newest is None or newest[0] < upto:
            raise FieldError("upto", upto, "covered by a snapshot")
        while done < upto:
            with self._market(market, write=True) as mine:
                done = min(upto, mine.compacted + DROPPED_AT_ONCE)
                if done > mine.compacted:
                    mine.drop_events(done, head_at_cut(market, mine, done))
            time.sleep(_PAUSE)

    def acquire(self, market: str, owner: str, seconds: float) -> int | None:
        """Take the lease: a token larger than all before, or None while another owner holds it.

        An owner that takes its own lease again gets a new token, and the old one ends.
        """
        name("owner", owner)
        require(0 < seconds < 1e9, "seconds", seconds, "a positive number")
        with self._market(market, write=True) as mine:
            now = mine.now()
            if mine.lease.runs(now) and mine.lease.owner != owner:
                return None
            taken = mine.lease.taken(owner, now, seconds)
            mine.set_lease(taken)
        return taken.token

    def renew(self, market: str, owner: str, token: int, seconds: float) -> bool:
        """Let the lease run for ``seconds`` from now; False if it is somebody else's by now."""
        require(0 < seconds < 1e9, "seconds", seconds, "a positive number")
        with self._market(market, write=True) as mine:
            is_held = mine.lease.held(owner, token)
            if is_held:
                mine.set_lease(mine.lease.extended(mine.now(), seconds))
        return is_held

    def release(self, market: str, owner: str, token: int) -> None:
        """Give the lease back, if it is still held; its token writes no more."""
        with self._market(market, write=True) as mine:
            if mine.lease.held(owner, token):
                mine.set_lease(mine.lease.given_back())

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
    def dump(self) -> Iterator[TableRow]:
        """Every row of the store at one moment, while others write. Leases are left out."""

    @abstractmethod
    def load(self, rows: Iterable[TableRow]) -> None:
        """Fill an empty store with what ``dump`` gave, all or nothing; ValueError if not empty."""

    @abstractmethod
    def backup(self, path: Path) -> None:
        """Write everything, as of one moment, into a new SQLite file, while others write.

        The file is a store itself; ``restore`` copies it into any other. ValueError if it exists.
        """

    def check(self) -> None:
        """Read everything; Damaged, with the first thing that is wrong.

        Every event must be the one that was chained, and every snapshot be as it was written.
        """
        for market, config in self.markets().items():
            with self._market(market, write=False) as mine:
                check_snapshots(market, mine)
            last, compacted, chain = self.standing(market)
            events, marks = self.events(market, compacted), self._marks(market, compacted, last)
            check_journal(market, config, chain, compacted, last, events, marks)
        self.keys()

    def _marks(self, market: str, after: int, last: int) -> Iterator[str | None]:
        """How the heads begin that the chain had after each event; None where it is not stored."""
        while after < last:
            upto = min(last, after + DROPPED_AT_ONCE)
            with self._market(market, write=False) as mine:
                found = mine.read_marks(after, upto)
            yield from (found.get(number) for number in range(after + 1, upto + 1))
            after = upto

    @abstractmethod
    def close(self) -> None:
        """Let go of files and connections; leases run out by themselves."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
