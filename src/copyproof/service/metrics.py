"""What the service counts, as Prometheus reads it (text format 0.0.4).

Counters and histograms are plain numbers that one thread each writes: the event loop counts
requests, a market's writer counts its groups. Reading needs no lock.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
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
    >>> times.lines("t", 'market="m"')[1]
    't_bucket{market="m",le="1.0"} 1'
    """

    def __init__(self, limits: tuple[float, ...]) -> None:
        self._limits = limits
        self._counts = [0] * (len(limits) + 1)
        self._sum = 0.0

    def add(self, value: float) -> None:
        """Count a value."""
        self._counts[bisect_left(self._limits, value)] += 1
        self._sum += value

    def lines(self, name: str, labels: str) -> list[str]:
        """Return the lines of the text format."""
        comma = "," if labels else ""
        braced = f"{{{labels}}}" if labels else ""
        found, total = [], 0
        for limit, count in zip((*self._limits, "+Inf"), self._counts, strict=True):
            total += count
            found.append(f'{name}_bucket{{{labels}{comma}le="{limit}"}} {total}')
        return [*found, f"{name}_sum{braced} {self._sum}", f"{name}_count{braced} {total}"]


class Metrics:
    """The counts of one process, and of one market within it."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, int]] = Counter()
        self.seconds = Histogram(_SECONDS)

    def request(self, method: str, status: int, seconds: float) -> None:
        """Count a request."""
        self.requests[method, status] += 1
        self.seconds.add(seconds)

    def lines(self) -> list[str]:
        """Return the lines of the text format."""
        counts = (
            (f'method="{method}",status="{status}"', count)
            for (method, status), count in sorted(self.requests.items())
        )
        about = "Time from the request to its answer."
        return [
            *numbers("copyproof_requests_total", "Requests by method and status.", counts),
            *histograms("copyproof_request_seconds", about, [("", self.seconds)]),
        ]


class MarketMetrics:
    """The counts of one market, written by its writer."""

    def __init__(self) -> None:
        self.failures = 0
        self.group = Histogram(_SIZES)
        self.commit = Histogram(_SECONDS)


def numbers(name: str, about: str, values: Iterable[tuple[str, float]]) -> list[str]:
    """Return the lines of a counter, whose name ends in ``_total``, or of a gauge.

    Examples
    --------
    >>> numbers("x_total", "Things.", [('market="m"', 3)])[1:]
    ['# TYPE x_total counter', 'x_total{market="m"} 3']
    """
    kind = "counter" if name.endswith("_total") else "gauge"
    found = [f"{name}{{{labels}}} {value}" for labels, value in values]
    return [f"# HELP {name} {about}", f"# TYPE {name} {kind}", *found]


def histograms(name: str, about: str, values: Iterable[tuple[str, Histogram]]) -> list[str]:
    """Return the lines of a histogram for each of some labels."""
    found = [line for labels, each in values for line in each.lines(name, labels)]
    return [f"# HELP {name} {about}", f"# TYPE {name} histogram", *found]
