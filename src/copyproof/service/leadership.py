"""The markets of a store, as requests see them: created, found, asked, deleted.

A request for a market that is just changing hands waits a moment for its new leader; for one that
another process leads it is answered where that is. Which markets this process leads is said by its
``leases``.
"""

import asyncio
import logging
import math
import time
from collections.abc import Awaitable, Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace

from starlette.concurrency import run_in_threadpool

from copyproof.live import MarketConfig, Principal
from copyproof.live.forgetting import forget
from copyproof.live.stores import StoreError, UnknownMarket
from copyproof.service.errors import Refusal, refusal_of, unknown
from copyproof.service.leases import LOOK, Leases
from copyproof.service.writer import Answer, ServedMarket
from copyproof.validation import shown

_log = logging.getLogger("copyproof.service")

_CREATE = 60.0  # seconds that a new market may take to be loaded
_FRESH = 0.05  # seconds for which what was seen is not looked at again for a request
_HANDOVER = 10.0  # seconds for which a request waits for a market that changes hands


class Leadership(Leases):
    """All markets of a store, with the leases of those that this process serves."""

    _looking: "asyncio.Future[None] | None" = None

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
                there = self.store.config(market)
                if there is None:  # the name itself was refused
                    raise
                stored = MarketConfig.from_dict(there)
                same = replace(stored, **{name: getattr(config, name) for name in unsaid})
                if not config.agrees_with(same):
                    message = f"market = {market!r} exists already, {_difference(config, same)}"
                    raise Refusal(409, "market", message) from None
                wanted = there
            served = self._known(market, wanted)
            self._take([served])
        served.wait(_CREATE)
        return served

    def submit(
        self, served: ServedMarket, call: Callable[[Principal], Answer], *, brief: bool = False
    ) -> Awaitable[Answer]:
        """Have something done by a market's writer; wait a moment if the market changes hands.

        Raises
        ------
        Refusal
            307 or 503 if another process serves it.
        """
        if not self.store.shared:  # then there are no others to wait for
            return served.submit(call, brief=brief)
        return self._submit_to_leader(served, call, brief)

    async def _submit_to_leader(
        self, served: ServedMarket, call: Callable[[Principal], Answer], brief: bool
    ) -> Answer:
        until = time.monotonic() + _HANDOVER
        while True:
            try:
                return await served.submit(call, brief=brief)
            except Refusal as refusal:
                if refusal.status not in (307, 503):
                    raise
                await self._look_again()
                if refusal.status == 503 and served.leader is not None and served.writer is None:
                    continue  # where it is was not known a moment ago
                is_changing = served.is_changing or served.writer is not None
                if not is_changing or self._stopping.is_set() or time.monotonic() > until:
                    raise
            await asyncio.sleep(LOOK / 2)

    async def _look_again(self) -> None:
        """Look who leads what, unless that was done just now; one look for all who wait for it."""
        if time.monotonic() - self._looked > _FRESH:
            if self._looking is None or self._looking.done():
                self._looking = asyncio.ensure_future(run_in_threadpool(self._look_now))
            await asyncio.shield(self._looking)

    def delete(self, market: str) -> None:
        """Delete a market and all that is stored of it; keys that have no other are revoked.

        Raises
        ------
        Refusal
            404 if there is none of this name.
        LeaseLost
            If another process serves it.
        """
        served = self.markets.get(market)
        if served is None:
            raise unknown("market")
        with self._unserved(served):
            self.store.drop_market(market)
            with self._renewing:
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
        with self._unserved(served):
            forget(self.store, market, agent)
        with self._renewing:
            self._take([served])
        self.keyring.refresh()
        served.wait(_CREATE)

    @contextmanager
    def _unserved(self, served: ServedMarket) -> Iterator[None]:
        """Stop serving a market, and do not begin again before the end."""
        while True:
            with self._renewing:
                if (writer := served.writer) is None:
                    served.not_before = math.inf
                    break
            writer.stop()
            writer.join()
        try:
            yield
        finally:
            served.not_before = 0.0

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
                config = self.store.config(market)
                if config is not None and market not in self.markets:
                    self.markets = {**self.markets, market: ServedMarket(market, config)}
        except UnknownMarket:
            pass
        except StoreError as error:
            raise refusal_of(error, "market") from None


def _difference(wanted: MarketConfig, stored: MarketConfig) -> str:
    """Say in what a market that is there differs from one that is asked for."""
    asked, there = wanted.meant_for(stored).to_dict(), stored.to_dict()
    name = next(name for name in there if asked.get(name) != there[name])
    return f"with {name} = {shown(there[name])} and not {shown(asked[name])}"
