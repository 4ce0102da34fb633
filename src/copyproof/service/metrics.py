"""What the service counts while it works.

Plain numbers, as cheap as they can be: a decision pays for them. The event loop counts requests,
the committer counts groups (once for all that share a sync) and notes once a second how large its
markets are. ``exposition`` reads them for Prometheus.
"""

import threading
import time
from bisect import bisect_left
from collections import Counter, defaultdict
from operator import itemgetter

from copyproof.live import Principal

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


class Histogram:
    """How often a value fell below each of some limits.

    Parameters
    ----------
    limits : sequence of float
        In rising order.

    Examples
    --------
    >>> times = Histogram((0.1, 1.0))
    >>> times.add(0.5)
    >>> times.buckets(), times.sum
    ([('0.1', 0), ('1.0', 1), ('+Inf', 1)], 0.5)
    """

    def __init__(self, limits: tuple[float, ...] = _SECONDS) -> None:
        self.sum = 0.0
        self._limits = limits
        self._counts = [0] * (len(limits) + 1)

    def add(self, value: float) -> None:
        """Count a value."""
        self._counts[bisect_left(self._limits, value)] += 1
        self.sum += value

    def join(self, other: "Histogram") -> None:
        """Count all values of another one with the same limits, too."""
        pairs = zip(self._counts, other._counts, strict=True)
        self._counts = [mine + theirs for mine, theirs in pairs]
        self.sum += other.sum

    @property
    def counts(self) -> tuple[int, ...]:
        """How many values fell between each limit and the one before, and beyond the last."""
        return tuple(self._counts)

    @property
    def limits(self) -> tuple[float, ...]:
        """The limits."""
        return self._limits

    def buckets(self) -> list[tuple[str, int]]:
        """Return how many values were at most each limit."""
        found, total = [], 0
        names = (*(str(float(limit)) for limit in self._limits), "+Inf")
        for name, count in zip(names, self._counts, strict=True):
            total += count
            found.append((name, total))
        return found


class RequestMetrics:
    """The requests of one process, counted on its event loop.

    Attributes
    ----------
    seconds : dict
        How long they took, by method, route and status.
    """

    def __init__(self) -> None:
        self.seconds: dict[tuple[str, str, int], Histogram] = defaultdict(Histogram)

    def add(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        self.seconds[method, route, status].add(seconds)

    def answered(self) -> list[tuple[tuple[str, str, int], int]]:
        """Return how many there were, by method, route and status."""
        return [
            (of, found.buckets()[-1][1])
            for of, found in sorted(self.seconds.items(), key=itemgetter(0))
        ]

    def by_route(self) -> dict[tuple[str, str], Histogram]:
        """Return how long they took, by method and route."""
        sums: dict[tuple[str, str], Histogram] = defaultdict(Histogram)
        for (method, route, _), found in sorted(self.seconds.items(), key=itemgetter(0)):
            sums[method, route].join(found)
        return sums


class GroupMetrics:
    """The groups of requests that were stored together, of whatever markets, and what went wrong.

    Attributes
    ----------
    requests, seconds, sync : Histogram
        Of each group its requests, the seconds that it took, and those of its commit alone.
    failures : Counter
        Groups that could not be stored, by market.
    lost : Counter
        Leases that were lost, by market.
    """

    def __init__(self) -> None:
        self.requests = Histogram(_SIZES)
        self.seconds = Histogram()
        self.sync = Histogram()
        self.failures: Counter[str] = Counter()
        self.lost: Counter[str] = Counter()
        self._lock = threading.Lock()

    def add(self, requests: int, seconds: float, sync: float) -> None:
        """Count a group that was stored."""
        with self._lock:
            self.requests.add(requests)
            self.seconds.add(seconds)
            self.sync.add(sync)

    def add_failure(self, market: str) -> None:
        """Count a group that could not be stored."""
        with self._lock:
            self.failures[market] += 1

    def add_lost(self, market: str) -> None:
        """Count a lease that was lost."""
        with self._lock:
            self.lost[market] += 1


class MarketSizes:
    """How large a market is and who decides in it, as the committer notes it once a second.

    Attributes
    ----------
    pending : int
        Plays that wait for their reward.
    unsaved : int
        Events that the last snapshot does not hold.
    saved : float
        When the last snapshot was taken, or the market was loaded, on the clock of
        ``time.monotonic``.
    is_paused : bool
        Whether it decides nothing until it is resumed.
    share : float or None
        Which share of the decisions a candidate makes, if there is one.
    """

    def __init__(self) -> None:
        self.pending = 0
        self.unsaved = 0
        self.saved = time.monotonic()
        self.is_paused = False
        self.share: float | None = None
        self._noted = (-1, -1)  # the last event then, and the one that was saved

    def note(self, principal: Principal) -> None:
        """Note how large it is now; on the thread that may read the principal."""
        now = principal.last, principal.saved
        if now == self._noted:  # nothing has happened since
            return
        self._noted = now
        self.pending = principal.pending
        self.unsaved = principal.last - principal.saved
        self.is_paused = principal.paused is not None
        candidate = principal.candidate
        self.share = None if candidate is None else candidate[1]
