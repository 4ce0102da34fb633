"""The markets of a store, and which of them this process serves.

Each market has one writer at a time, in whichever process: the one that holds its **lease**. A
thread renews the leases of this process, takes those that are free, and reads the list of markets
and the keys anew. If a process dies, its leases run out and another takes over; if it
only sleeps, its writes are refused by the store, as the fencing token of its lease is old.

The owner of a lease is the address that the process is bound to, on this boot of this machine. Two
living processes cannot be bound to one address, so a process that is started again after a crash
takes its own leases back without waiting.
"""

import asyncio
import hashlib
import logging
import math
import os
import secrets
import threading
import time
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool

from copyproof.live import MarketConfig, Principal
from copyproof.live.clock import GuardedClock
from copyproof.live.forgetting import forget
from copyproof.live.stores import Store, StoreError, UnknownMarket
from copyproof.service.errors import Refusal, refusal_of, unknown
from copyproof.service.keys import Keyring
from copyproof.service.metrics import GroupMetrics
from copyproof.service.readers import Readers
from copyproof.service.warmup import warm_up
from copyproof.service.writer import ServedMarket, Writer

_log = logging.getLogger("copyproof.service")

_PAUSES = 5  # a market that cannot be loaded is tried again after 2, 4, ... up to 2^5 seconds
_CREATE = 60.0  # seconds that a new market may take to be loaded


def owner_of(address: str) -> str:
    """Return the name under which a process bound to ``address`` holds leases.

    Where the system tells neither its boot nor its network apart, the name is a random one.
    """
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        network = os.readlink("/proc/self/ns/net")
    except OSError:
        return secrets.token_hex(8)
    return hashlib.sha256(f"{boot} {network} {address}".encode()).hexdigest()[:16]


class Leadership:
    """All markets of a store, with the thread that keeps their leases.

    Parameters
    ----------
    store : Store
        Where everything is kept.
    owner : str
        The name under which this process holds leases.
    lease : float
        Seconds that a lease lasts; renewed after a third of it, looked for after every sixth.
    waiting : int
        The most requests of one market that wait for its writer.
    clock : callable
        Seconds since 1970, for events and keys.
    jump : float
        Seconds by which the clock may leap and still be followed by markets.

    Attributes
    ----------
    keyring : Keyring
        The keys; read anew whenever leases are renewed.
    markets : dict
        Each market by its name; replaced, never changed, so that it is read without a lock.
    trouble : str or None
        Why the store cannot be used now.
    readers : Readers
        The thread that reads statistics and journals.
    groups : GroupMetrics
        What the writers count.
    """

    def __init__(
        self,
        store: Store,
        *,
        owner: str,
        lease: float,
        waiting: int,
        clock: Callable[[], float],
        jump: float,
    ) -> None:
        self.store = store
        self.keyring = Keyring(store, clock)
        self.markets: dict[str, ServedMarket] = {}
        self.trouble: str | None = None
        self.readers = Readers()
        self.groups = GroupMetrics()
        self.lease = lease
        self._owner = owner
        self._waiting = waiting
        self._clock = clock
        self._jump = jump
        self._told: set[str] = set()  # markets of which it was said that another serves them
        self._renewing = threading.Lock()
        self._begun = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="leases", daemon=True)

    # --- for requests -----------------------------------------------------------------------------

    def all(self) -> list[ServedMarket]:
        """Return all markets, in order of their names."""
        return sorted(self.markets.values(), key=lambda served: served.name)

    def create(
        self, market: str, config: MarketConfig, unsaid: Collection[str] = ()
    ) -> ServedMarket:
        """Create a market and begin to serve it; once more with the same config changes nothing.

        Parameters
        ----------
        market : str
            Its name.
        config : MarketConfig
            Its config.
        unsaid : collection of str
            Fields that were left to their default: a market that is there may have others.

        Raises
        ------
        Refusal
            409 if a market of this name has another config; 503 while the service starts.
        """
        if not self._begun.is_set():
            raise Refusal(503, "market", "the service is starting, try again", 1)
        wanted = config.seeded().to_dict()
        with self._renewing:
            try:
                self.store.create_market(market, wanted)
            except ValueError:
                there = self.store.markets().get(market)
                if there is None:  # the name itself was refused
                    raise
                stored = MarketConfig.from_dict(there)
                same = replace(stored, **{name: getattr(config, name) for name in unsaid})
                if not config.agrees_with(same):
                    message = f"market = {market!r} exists already, with another config"
                    raise Refusal(409, "market", message) from None
                wanted = there
            self._renew_or_acquire(market, wanted)
            served = self.markets[market]
        served.wait(_CREATE)
        return served

    def delete(self, market: str) -> None:
        """Delete a market and all that is stored of it; keys that have no other are revoked.

        Raises
        ------
        Refusal
            404 if there is none of this name.
        LeaseLost
            If another process serves it.
        """
        with self._renewing:
            served = self.markets.get(market)
            if served is None:
                raise unknown("market")
            writer = served.writer
            if writer is not None:
                writer.stop()
                writer.join()
            self.store.drop_market(market)
            self._forget(market)
        self.keyring.revoke_market(market)
        _log.warning("market %s was deleted", market, extra={"market": market})

    def forget(self, market: str, agent: str) -> None:
        """Forget the name of an agent; the market is not served meanwhile (503).

        Raises
        ------
        Refusal
            404 if there is no such market.
        Unknown
            If there is no such agent.
        LeaseLost
            If another process serves the market.
        """
        served = self.markets.get(market)
        if served is None:
            raise unknown("market")
        with self._renewing:
            writer = served.writer
            if writer is not None:
                writer.stop()
                writer.join()
            served.not_before = math.inf  # the lease is another's for a while
        try:
            forget(self.store, market, agent)
        finally:
            served.not_before = 0.0
            with self._renewing:
                self._renew_or_acquire(market, served.config)
        self.keyring.refresh()
        served.wait(_CREATE)

    async def find(self, market: str) -> ServedMarket:
        """Return a market; one that another process has just made is looked up in the store.

        Raises
        ------
        Refusal
            404 if there is none of this name.
        """
        found = self.markets.get(market)
        if found is None:
            await run_in_threadpool(self._look_up, market)
            found = self.markets.get(market)
        if found is None:
            raise unknown("market")
        return found

    def _look_up(self, market: str) -> None:
        try:
            self.store.last(market)  # which is quick, as most are not there
            with self._renewing:
                config = self.store.markets().get(market)
                if config is not None and market not in self.markets:
                    self.markets = {**self.markets, market: ServedMarket(market, config)}
        except UnknownMarket:
            pass
        except StoreError as error:
            raise refusal_of(error, "market") from None

    def _forget(self, market: str) -> None:
        self.markets = {name: each for name, each in self.markets.items() if name != market}

    # --- leases -----------------------------------------------------------------------------------

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Look what markets there are, and begin to take leases; requests come from ``loop``."""
        self._loop = loop
        try:
            found = self.store.markets()
            self.markets = {market: ServedMarket(market, found[market]) for market in found}
        except StoreError as error:
            self._note_trouble(error)
        self._thread.start()

    def stop(self) -> None:
        """Serve what is waiting, then give all leases back."""
        self._stopping.set()
        self.readers.close()
        if self._begun.is_set():  # else it compiles, holds no lease, and cannot be broken off
            self._thread.join()
        writers = [served.writer for served in self.markets.values() if served.writer is not None]
        for writer in writers:
            writer.stop()
        for writer in writers:
            writer.join()

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
    def loading(self) -> bool:
        """Whether there is anything that this process has yet to load."""
        return not self._begun.is_set() or any(
            served.writer is not None and not served.is_led for served in self.all()
        )

    def _renew_all(self) -> None:
        """Renew or take every lease that can be had, and read the keys anew."""
        with self._renewing:
            there = self.store.markets()
            for market in self.markets.keys() - there.keys():  # another process has deleted it
                if (writer := self.markets[market].writer) is not None:
                    writer.lose()
                self._forget(market)
            for market, config in there.items():
                self._renew_or_acquire(market, config)
        self.keyring.refresh()
        self.trouble = None

    def _note_trouble(self, error: StoreError) -> None:
        if self.trouble is None:
            _log.warning("the store is away: %s", error)
        self.trouble = " ".join(str(error).split())

    def _run(self) -> None:
        warm_up()
        while not self._stopping.is_set():
            try:
                self._renew_all()
            except StoreError as error:
                self._note_trouble(error)
            except Exception as error:  # whatever it is: without this thread all leases run out
                _log.exception("renewing leases failed, and is tried again")
                self.trouble = type(error).__name__
            self._tell_elsewhere()
            self._begun.set()
            self._stopping.wait(self.lease / 6)

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

    def _renew_or_acquire(self, market: str, config: dict[str, Any]) -> None:
        served = self.markets.get(market)
        if served is None:
            served = ServedMarket(market, config)
            self.markets = {**self.markets, market: served}
        writer = served.writer
        now = time.monotonic()
        if writer is None:
            if now >= served.not_before:
                token = self.store.acquire(market, self._owner, self.lease)
                served.elsewhere = token is None
                if token is not None:
                    self._lead(served, token)
        elif now - served.renewed >= self.lease / 3:
            if self.store.renew(market, self._owner, served.token, self.lease):
                served.renewed = now
            else:
                writer.lose()

    def _lead(self, served: ServedMarket, token: int) -> None:
        clock = GuardedClock(served.name, self._clock, jump=self._jump)

        def load() -> Principal:
            found = Principal(store=self.store, market=served.name, clock=clock, token=token)
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
            *(served.name, load, self._loop),
            waiting=self._waiting,
            groups=self.groups,
            ended=ended,
        )
        served.clock = clock
        served.token = token
        served.renewed = time.monotonic()
        served.writer = writer
        writer.start()
