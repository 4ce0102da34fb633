"""The leases of a store's markets: which of them this process serves.

Each market has one writer at a time, in whichever process: the one that holds its **lease**. A
thread renews the leases of this process, all together, takes those that are free, and reads which
markets there are, and which keys have changed. It waits for no lock on a single market. If a
process dies, its leases run out and another takes over; if it only sleeps, its writes are refused
by the store, as the fencing token of its lease is old. What is answered without a write is fenced
by time: a writer knows until when its lease is held, by a clock that counts sleep, from before the
request to renew it (``Writer.is_held``).

Where several processes serve a store together, each takes the markets that are its own
(``neighbours``), and gives away those that are another's since it joined (``handover``).
"""

import asyncio
import logging
import math
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from copyproof.defaults import MOST_PENDING
from copyproof.live import Principal
from copyproof.live.clock import GuardedClock, counted_seconds
from copyproof.live.stores import Store, StoreError
from copyproof.service.committer import Committer
from copyproof.service.handover import Handover, most_at_once
from copyproof.service.keys import Keyring
from copyproof.service.metrics import GroupMetrics
from copyproof.service.neighbours import Neighbours
from copyproof.service.readers import Readers
from copyproof.service.warmup import warm_up
from copyproof.service.writer import ServedMarket, Writer

_log = logging.getLogger("copyproof.service")

LOOK = 0.2  # seconds between two looks for markets that others have given away
_PAUSES = 5  # a market that cannot be loaded is tried again after 2, 4, ... up to 2^5 seconds
_NOTE_EVERY = 1.0  # seconds after which it is noted where journals end
_KEYS_EVERY = 0.4  # seconds after which keys that have changed are read


class Leases:
    """All markets of a store, with the thread that keeps their leases.

    Parameters
    ----------
    store : Store
        Where everything is kept.
    neighbours : Neighbours
        The processes that serve it together.
    owner : str
        The name under which this process holds leases.
    lease : float
        Seconds that a lease lasts; renewed after a third of it, looked for after every sixth.
    most_pending : int
        Plays of one market that may wait for their reward.
    waiting : int
        The most requests of one market that wait for its writer.
    clock : callable
        Seconds since 1970, for events and keys.
    jump : float
        Seconds by which the clock may leap and still be followed by markets.

    Attributes
    ----------
    keyring : Keyring
        The keys; what has changed is read several times a second.
    markets : dict
        Each market by its name; replaced, never changed, so that it is read without a lock.
    trouble : str or None
        Why the store cannot be used now.
    readers : Readers
        The thread that reads statistics and journals.
    groups : GroupMetrics
        What the committer counts, and leases that were lost.
    """

    def __init__(
        self,
        store: Store,
        neighbours: Neighbours,
        *,
        owner: str,
        lease: float,
        most_pending: int = MOST_PENDING,
        waiting: int,
        clock: Callable[[], float],
        jump: float,
    ) -> None:
        self.store = store
        self.neighbours = neighbours
        self.keyring = Keyring(store, clock)
        self.markets: dict[str, ServedMarket] = {}
        self.trouble: str | None = None
        self.readers = Readers()
        self.groups = GroupMetrics()
        self.lease = lease
        self._committer = Committer(store, self.groups)
        self._owner = owner
        self._waiting = waiting
        self.most_pending = most_pending
        self._clock = clock
        self._jump = jump
        self._told: set[str] = set()  # markets of which it was said that another serves them
        self._renewing = threading.Lock()
        self._looked = -math.inf
        self._are_moving = False  # markets of those that leave, or that this process waits for
        self._handover = Handover(owner)
        self._begun = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="leases", daemon=True)

    def all(self) -> list[ServedMarket]:
        """Return all markets, in order of their names."""
        return sorted(self.markets.values(), key=lambda served: served.name)

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Look what markets there are, and begin to take leases; requests come from ``loop``."""
        self._loop = loop
        try:
            found = self.store.markets()
            self.markets = {market: ServedMarket(market, found[market]) for market in found}
        except StoreError as error:
            self._note_trouble(error)
        self._committer.start()
        self._thread.start()

    def leave(self) -> None:
        """Give all markets away, while requests are still answered: others take them over."""
        try:
            self.neighbours.leave()
        except StoreError as error:
            self._note_trouble(error)
        if self.neighbours.others:
            self._stopping.wait(1.5 * LOOK)  # by then they know, and let requests wait
            self._give_all_away()
        self._end_writers()

    def stop(self) -> None:
        """Serve what is waiting, then give all leases back."""
        self._stopping.set()
        self.readers.close()
        if self._begun.is_set():  # else it compiles, holds no lease, and cannot be broken off
            self._thread.join()
        self._end_writers()
        self._committer.stop()

    def _give_all_away(self) -> None:
        """Give all markets to others; those whose turn has not come are served meanwhile."""
        writers, handover = self._writers(), Handover(self._owner)
        most = most_at_once(len(writers))
        while writers := [each for each in writers if not each.over.is_set()]:
            try:
                handover.go_on(writers, self.store.leaders(), most)
            except StoreError as error:
                self._note_trouble(error)
                return
            self._stopping.wait(LOOK / 10)

    def _end_writers(self) -> None:
        """Serve what is waiting, and give the leases back, one by one."""
        for writer in self._writers():
            writer.stop()
            writer.join()

    def _writers(self) -> list[Writer]:
        with self._renewing:
            return [each.writer for each in self.markets.values() if each.writer is not None]

    def wait(self, seconds: float) -> bool:
        """Wait until all is loaded that this process has the lease of; False if it is stopped."""
        until = time.monotonic() + seconds
        while not (self._stopping.is_set() or self._begun.wait(0.05)):
            if time.monotonic() > until:
                break
        for served in self.all():
            served.wait(until - time.monotonic())
        return not self._stopping.is_set()

    @property
    def is_current(self) -> bool:
        """Whether what this process knows of its store may be answered.

        Not after a failed sync, and not if it has slept past a lease: others may have revoked keys.
        """
        if not self.store.is_settled:
            return False
        return not self.store.shared or counted_seconds() < self.keyring.read_at + self.lease

    @property
    def loading(self) -> bool:
        """Whether there is anything that this process has yet to load."""
        return not self._begun.is_set() or any(
            served.writer is not None and not served.is_led for served in self.all()
        )

    def _renew_all(self) -> None:
        """Renew or take every lease that can be had."""
        with self._renewing:
            self.neighbours.announce()
            self._look()  # at once: the others begin to give markets away
            takeable = self.store.takeable(self._owner)
            for market in self.markets.keys() - takeable.keys():  # another process has deleted it
                if (writer := self.markets[market].writer) is not None:
                    writer.lose()
                self._forget(market)
            for market in takeable.keys() - self.markets.keys():
                if (config := self.store.config(market)) is not None:
                    self._known(market, config)
            now = counted_seconds()
            led = {name: each for name, each in self.markets.items() if each.writer is not None}
            due = {
                name: each.token
                for name, each in led.items()
                if now - each.renewed >= self.lease / 3
            }
            for market, is_held in self.store.renew_all(due, self._owner, self.lease).items():
                if (writer := led[market].writer) is None:
                    continue
                if is_held:
                    led[market].renewed = now
                    writer.held_until = now + self.lease
                else:
                    writer.lose()
            there = {each: takeable.get(name) for name, each in self.markets.items()}
            for each, is_free in there.items():
                is_held_off = each.not_before == math.inf  # by a request: a name is forgotten, say
                each.elsewhere = each.writer is None and not is_free and not is_held_off
            self._take([each for each, is_free in there.items() if is_free])
        if not self.store.shared:
            self._tell_elsewhere()

    def _known(self, market: str, config: dict[str, Any]) -> ServedMarket:
        """Return a market that is in the store."""
        served = self.markets.get(market)
        if served is None:
            served = ServedMarket(market, config)
            self.markets = {**self.markets, market: served}
        return served

    def _take(self, markets: Sequence[ServedMarket]) -> None:
        """Take the leases of markets that are not served here, as far as they are free."""
        now, counted = time.monotonic(), counted_seconds()
        wanted = {
            each.name: each
            for each in markets
            if each.writer is None and self.neighbours.is_mine(each.name, each.config)
        }
        tried = [name for name, each in wanted.items() if now >= each.not_before]
        tokens = self.store.acquire_all(tried, self._owner, self.lease)
        for market in tried:
            wanted[market].elsewhere = market not in tokens
            if market in tokens:
                self._lead(wanted[market], tokens[market], counted)

    def _look(self) -> None:
        """Look who leads what, take what is free, and give away what is another's by now."""
        if not self.store.shared:
            return
        self.neighbours.look()
        leaders = self.store.leaders()
        self._looked = time.monotonic()
        self._are_moving = not all(map(self.neighbours.knows, set(leaders.values())))
        going: list[Writer] = []
        for market, served in self.markets.items():
            leader, writer = leaders.get(market), served.writer
            is_mine = writer is None and self.neighbours.is_mine(market, served.config)
            served.is_changing = is_mine or leader is None or not self.neighbours.knows(leader)
            served.leader = self.neighbours.address(leader)
            self._are_moving |= is_mine and leader is not None
            stays = self.neighbours.keeps(market, served.config)
            if writer is not None and served.is_led and not stays:
                going.append(writer)
        led = sum(each.is_led for each in self.markets.values())
        self._handover.go_on(going, leaders, most_at_once(led))
        self._are_moving |= self._handover.is_going_on
        self._take([each for name, each in self.markets.items() if name not in leaders])

    def _note_trouble(self, error: StoreError) -> None:
        if self.trouble is None:
            _log.warning("the store is away: %s", error)
        self.trouble = " ".join(str(error).split())

    def _run(self) -> None:
        warm_up()
        renewed, noted, is_serving = -math.inf, -math.inf, False
        while not self._stopping.is_set():
            try:
                if not is_serving:
                    self.store.begin_serving()
                    is_serving = True
                if time.monotonic() >= renewed + self.lease / 6:
                    renewed = time.monotonic()
                    self._renew_all()
                if time.monotonic() >= noted + _NOTE_EVERY:
                    noted = time.monotonic()
                    self.store.note_heads()
                self.keyring.refresh()
                self.trouble = None
            except StoreError as error:
                self._note_trouble(error)
            except Exception as error:  # whatever it is: without this thread all leases run out
                _log.exception("renewing leases failed, and is tried again")
                self.trouble = type(error).__name__
            self._begun.set()
            self._rest(min(_KEYS_EVERY, self.lease / 6))

    def _rest(self, seconds: float) -> None:
        """Wait for a while, and look at what others give away meanwhile."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0.001:
            pause = LOOK / 4 if self._are_moving else LOOK
            if self._stopping.wait(min(left, pause)):
                return
            if self.store.shared:
                self._look_now()

    def _tell_elsewhere(self) -> None:
        """Say what this process does not serve, as it may be the second on one store by mistake.

        Once for each market, when it is seen first: in a store without markets that is later.
        """
        others = [served.name for served in self.all() if served.elsewhere]
        new = [name for name in others if name not in self._told]
        self._told |= {*new}
        if new:
            shown = ", ".join(new[:5]) + (", ..." if len(new) > 5 else "")
            _log.warning(
                "another process serves %d of %d markets of this store (%s): here they are "
                "answered with 503 until it ends",
                *(len(others), len(self.markets), shown),
            )

    def _lead(self, served: ServedMarket, token: int, renewed: float) -> None:
        clock = GuardedClock(served.name, self._clock, jump=self._jump)

        def load() -> Principal:
            found = Principal(store=self.store, market=served.name, clock=clock, token=token)
            found.most_pending = self.most_pending
            clock.begin(found.now)
            return found

        named = {"market": served.name}

        def ended(lost: bool) -> None:
            if writer.failure is not None and writer.failure != served.failure:
                _log.error("market %s is not served: %s", served.name, writer.failure, extra=named)
            served.failure = writer.failure
            # Reading a journal in vain takes as long as any other: not every second, then.
            in_vain = writer.failure is not None and not writer.ready.is_set()
            served.failures = served.failures + 1 if in_vain else 0
            pause = 2.0 ** min(served.failures, _PAUSES) if in_vain else 0.0
            served.not_before = time.monotonic() + pause
            served.writer = None
            if not lost:
                try:
                    self.store.release(served.name, self._owner, token)
                except (StoreError, LookupError) as error:
                    _log.warning(
                        "market %s: its lease runs out: %s", served.name, error, extra=named
                    )
            else:
                self.groups.add_lost(served.name)
                _log.warning("market %s: another process serves it now", served.name, extra=named)
                self._told.add(served.name)

        writer = Writer(
            *(served.name, load, self._loop, self._committer), most=self._waiting, ended=ended
        )
        served.clock = clock
        served.token = token
        served.renewed = renewed
        writer.held_until = renewed + self.lease
        served.writer = writer
        writer.start()

    def _look_now(self) -> None:
        try:
            with self._renewing:
                self._look()
        except StoreError as error:
            self._note_trouble(error)

    def _forget(self, market: str) -> None:
        self.markets = {name: each for name, each in self.markets.items() if name != market}
