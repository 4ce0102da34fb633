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
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias

from copyproof.live.stores.appends import Append, Generations, generations_of, heads_of
from copyproof.live.stores.chain import Chain, encode
from copyproof.live.stores.checking import check_journal, check_rows, head_at_cut, naming
from copyproof.live.stores.errors import StoreError
from copyproof.live.stores.service_records import ServiceRecords
from copyproof.live.stores.texts import fingerprint, parts_of
from copyproof.validation import FieldError, name, require

if TYPE_CHECKING:
    from copyproof.live.stores.stored_market import StoredMarket

# How many snapshots of a market are kept: the newest, and one in case that it is damaged.
SNAPSHOTS = 2
DROPPED_AT_ONCE = 10_000  # events that are dropped in one transaction
PAUSE = 0.005  # seconds between two transactions of something long, for writers that wait
# A table's name and one row of it, as ``dump`` gives and ``load`` takes them.
TableRow: TypeAlias = tuple[str, tuple[Any, ...]]


class KeyChanges(NamedTuple):
    """Which API keys have changed since a moment.

    Attributes
    ----------
    moment : int
        To ask from next time.
    stored : list of dict
        The keys that were stored since.
    ids : collection of str or None
        All ids that there are, if any was dropped since.
    """

    moment: int
    stored: list[dict[str, Any]]
    ids: Collection[str] | None = None


class Store(ServiceRecords):
    """Journals, snapshots, leases and API keys of all markets of one service.

    Attributes
    ----------
    durable : bool
        Whether what ``append`` stored survives the loss of power.
    shared : bool
        Whether several processes are meant to serve its markets together.

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

    @property
    def is_settled(self) -> bool:
        """Whether all that is read from it is known to be on the disk; not so after a failed sync.

        Nothing is answered until it is. The next use of the store tries to bring it there.
        """
        return True

    def begin_serving(self) -> None:
        """Note that a process serves the markets of the store from now on, where that is of use."""
        return None

    def note_heads(self) -> None:
        """Note where all journals end, so that the next start misses what is lost, where it can."""
        return None

    def _market(self, market: str, *, write: bool) -> "AbstractContextManager[StoredMarket]":
        """A market within a transaction of its own; UnknownMarket if there is none."""
        raise NotImplementedError

    @abstractmethod
    def create_market(self, market: str, config: dict[str, Any]) -> None:
        """Begin a market with an empty journal; ValueError if its name is taken."""

    @abstractmethod
    def markets(self) -> dict[str, dict[str, Any]]:
        """All markets, by name, with the configuration they were created with."""

    def config(self, market: str) -> dict[str, Any] | None:
        """The configuration of one market; None if there is none of this name."""
        return self.markets().get(market)

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
            append = Append(market, first, events, token, generation)
            mine.add_events(texts, heads_of(append, mine, texts))
            if (generations := generations_of(append, mine)) is not None:
                mine.set_generations(generations)

    def append_all(self, appends: Sequence[Append]) -> list[Exception | None]:
        """Store events of several markets, each once, with one sync where the store can.

        Each append succeeds or fails by itself: what is returned is, for each of them, None or what
        ``append`` would have raised. None of them waits for a lock that somebody else holds on one
        market: ``Locked`` then, and ``append`` would wait.
        """
        found: list[Exception | None] = []
        for one in appends:
            try:
                self.append(*one[:3], token=one.token, generation=one.generation)
            except (StoreError, LookupError) as error:
                found.append(error)
            else:
                found.append(None)
        return found

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

    def generations(self, market: str) -> Generations:
        """From which round on ids carry which mark."""
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

    def scrub(self, tables: Collection[str] | None = None) -> None:
        """Leave no trace in the files of what was replaced or dropped, where that can be done.

        All who use the store wait meanwhile. If it is known in which tables that was, as ``dump``
        names them, the others may be left alone. StoreError if others keep it from being done.
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
            for old in (number, *superseded(mine, number)):
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
            time.sleep(PAUSE)

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

    def takeable(self, owner: str) -> dict[str, bool]:
        """All markets by name, and whether ``owner`` might get their lease now if it asked."""
        return dict.fromkeys(self.markets(), True)

    def acquire_all(self, markets: Sequence[str], owner: str, seconds: float) -> dict[str, int]:
        """Take leases as ``acquire`` does, waiting for no lock: the tokens of those that were got.

        With one sync where the store can.
        """
        found = {market: self.acquire(market, owner, seconds) for market in markets}
        return {market: token for market, token in found.items() if token is not None}

    def renew_all(self, tokens: Mapping[str, int], owner: str, seconds: float) -> dict[str, bool]:
        """Renew leases as ``renew`` does, given their tokens, waiting for no lock.

        Markets that are locked by somebody else are not among the answers: ask again.
        """
        return {market: self.renew(market, owner, tokens[market], seconds) for market in tokens}

    def release(self, market: str, owner: str, token: int) -> None:
        """Give the lease back, if it is still held; its token writes no more."""
        with self._market(market, write=True) as mine:
            if mine.lease.held(owner, token):
                mine.set_lease(mine.lease.given_back())

    @abstractmethod
    def keys(self) -> list[dict[str, Any]]:
        """API keys (hashed already), in order of their "id"."""

    def changed_keys(self, since: int | None) -> KeyChanges:
        """API keys that have changed since a moment that this gave before; None for all."""
        found = self.keys()
        return KeyChanges(0, found, [key["id"] for key in found])

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
    def backup(self, path: Path, also: "Callable[[Store], None] | None" = None) -> None:
        """Write everything, as of one moment, into a new SQLite file, while others write.

        The file is a store itself; ``restore`` copies it into any other. ValueError if it exists.
        It gets its name when it has passed ``check``, and what ``also`` checks of it.
        """

    def check(self) -> None:
        """Read everything; Damaged, with the first thing that is wrong.

        Every event must be the one that was chained, and every snapshot be as it was written.
        """
        for market, config in self.markets().items():
            with naming(market):
                with self._market(market, write=False) as mine:
                    check_rows(market, mine)
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


def superseded(mine: "StoredMarket", number: int) -> list[int]:
    """Return the snapshots that are not kept once there is one after event ``number``."""
    others = [old for old in mine.snapshots() if old != number]
    newer = sum(old > number for old in others)
    return others[max(SNAPSHOTS - 1, newer) :]
