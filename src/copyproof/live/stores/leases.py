"""Leases: who may write a market, until when, and with which fencing token."""

from dataclasses import dataclass

from copyproof.live.stores.errors import LeaseLost

_SLACK = 1.0  # seconds by which clocks may disagree about the beginning of a lease


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
