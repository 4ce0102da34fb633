"""How busy a market is, and how long it takes: over the last seconds, not since the start.

A market's counters only grow. ``Rates`` keeps what they were at the last looks, and says how fast
they have grown since. Of the time that decisions took only the limits of a histogram are known, so
a quantile is the limit below which it surely lies.
"""

from collections import deque
from typing import Any

from copyproof.service.writer import ServedMarket


class Rates:
    """The counters of one market at the last looks.

    Parameters
    ----------
    seconds : float
        How far back it looks.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._looks: deque[tuple[float, int, int, tuple[int, ...]]] = deque()

    def look(self, served: ServedMarket, now: float) -> dict[str, Any]:
        """Return decisions and rewards a second, and quantiles of the seconds that decisions took.

        ``p50`` and ``p99`` are None if there were no decisions, or if they took longer than the
        last limit.
        """
        decisions, rewards = served.answered["decisions"], served.answered["rewards"]
        counts = served.seconds.counts
        looks = self._looks
        looks.append((now, decisions, rewards, counts))
        while len(looks) > 2 and looks[1][0] <= now - self._seconds:
            looks.popleft()
        then, decisions_then, rewards_then, counts_then = looks[0]
        past = now - then
        found: dict[str, Any] = {"rate": None, "reward_rate": None, "p50": None, "p99": None}
        if past > 0.0:
            found["rate"] = round((decisions - decisions_then) / past, 2)
            found["reward_rate"] = round((rewards - rewards_then) / past, 2)
            since = [one - other for one, other in zip(counts, counts_then, strict=True)]
            found["p50"], found["p99"] = (
                quantile(served.seconds.limits, since, q) for q in (0.5, 0.99)
            )
        return found


def quantile(limits: tuple[float, ...], counts: list[int], q: float) -> float | None:
    """Return the least limit that a share ``q`` of the values lies below; None if none does.

    Examples
    --------
    >>> quantile((0.001, 0.01), [98, 1, 1], 0.99), quantile((0.001, 0.01), [0, 0, 1], 0.5)
    (0.01, None)
    """
    wanted, total = q * sum(counts), 0
    for limit, count in zip(limits, counts, strict=False):
        total += count
        if total >= wanted and total:
            return limit
    return None
