"""Limits: how much one caller may ask for.

The rate is kept by a **token bucket** for each key: it holds up to ``burst`` tokens, gains ``rate``
of them a second, and every request takes one.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from copyproof.service.errors import Refusal

__all__ = ["Buckets", "Limits"]


@dataclass(frozen=True)
class Limits:
    """What one request, and one caller, may ask for.

    Attributes
    ----------
    body : int
        Bytes of a request's body.
    batch : int
        Decisions, rewards or arms in one request.
    rate : float
        Requests a second of one key, in the long run.
    burst : int
        Requests of one key at once.
    waiting : int
        Requests of one market that wait for its writer.
    """

    body: int = 1 << 20
    batch: int = 1000
    rate: float = 10_000.0
    burst: int = 20_000
    waiting: int = 10_000


class Buckets:
    """A token bucket for every key.

    Parameters
    ----------
    rate : float
        Tokens a second.
    burst : int
        The most a bucket holds.
    clock : callable
        Seconds; must never run backwards.

    Examples
    --------
    >>> buckets = Buckets(1.0, 2, lambda: 0.0)
    >>> buckets.take("k"), buckets.take("k")
    (None, None)
    >>> try:
    ...     buckets.take("k")
    ... except Refusal as refusal:
    ...     refusal.retry
    1
    """

    def __init__(self, rate: float, burst: int, clock: Callable[[], float]) -> None:
        self._rate = rate
        self._burst = float(burst)
        self._clock = clock
        self._kept: dict[str, tuple[float, float]] = {}

    def take(self, key: str) -> None:
        """Take a token of a key's bucket.

        Raises
        ------
        Refusal
            429 if the bucket is empty.
        """
        now = self._clock()
        tokens, then = self._kept.get(key, (self._burst, now))
        tokens = min(self._burst, tokens + (now - then) * self._rate)
        if tokens < 1.0:
            self._kept[key] = (tokens, now)
            wait = math.ceil((1.0 - tokens) / self._rate)
            message = f"more than {self._rate:g} requests a second with this key"
            raise Refusal(429, "Authorization", message, wait)
        self._kept[key] = (tokens - 1.0, now)
