"""What our stores do alike: leases are taken, renewed and given back, and a store is checked."""

from abc import abstractmethod
from collections.abc import Callable

from copyproof.live.stores.contract import Damaged, Lease, Store, check_seconds
from copyproof.validation import name


class BaseStore(Store):
    """A store that can replace a lease in a transaction."""

    @abstractmethod
    def _change_lease(
        self, market: str, change: Callable[[Lease, float], Lease | None]
    ) -> Lease | None:
        """Replace a lease by what ``change`` makes of it and of the time; None leaves it."""

    def acquire(self, market: str, owner: str, seconds: float) -> int | None:
        """Take the lease."""
        name("owner", owner)
        check_seconds(seconds)

        def take(lease: Lease, now: float) -> Lease | None:
            if lease.runs(now) and lease.owner != owner:
                return None
            return lease.taken(owner, now, seconds)

        taken = self._change_lease(market, take)
        return None if taken is None else taken.token

    def renew(self, market: str, owner: str, token: int, seconds: float) -> bool:
        """Keep the lease."""
        check_seconds(seconds)

        def extend(lease: Lease, now: float) -> Lease | None:
            return lease.extended(now, seconds) if lease.held(owner, token) else None

        return self._change_lease(market, extend) is not None

    def release(self, market: str, owner: str, token: int) -> None:
        """Give the lease back."""

        def give_back(lease: Lease, now: float) -> Lease | None:
            return lease.given_back() if lease.held(owner, token) else None

        self._change_lease(market, give_back)

    def check(self) -> None:
        """Read everything, each market's journal from end to end."""
        for market in self.markets():
            compacted = self.compacted(market)
            for _ in self.events(market, compacted):
                pass
            saved = self.snapshot(market)
            if compacted > 0 and (saved is None or saved[0] < compacted):
                raise Damaged(
                    f"market {market!r}: events up to {compacted} were compacted, and there is no "
                    "undamaged snapshot that covers them"
                )
        self.keys()
