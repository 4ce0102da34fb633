"""A clock for markets that does not follow a leap of the machine's.

A market's time never goes back: decisions wait for their rewards in the order in which they were
made. So one request while the machine's clock is ten years ahead would put the market there for
ten years. ``GuardedClock`` holds the wall clock against one that only counts seconds: a reading
that is more than ``jump`` seconds ahead of what has passed is not followed, and time goes on by
the counted seconds until the wall clock is back, or an operator sets the market's clock
(``Principal.set_clock``).

When a process opens a market nobody has counted the seconds since the last event: it may have been
idle for weeks. The first reading is followed up to ``gap`` seconds after that event.
"""

import logging
import math
import time
from collections.abc import Callable
from datetime import UTC, datetime

from copyproof.defaults import CLOCK_GAP_SECONDS, CLOCK_JUMP_SECONDS
from copyproof.validation import FieldError

_log = logging.getLogger("copyproof.live")


def counted_seconds() -> float:
    """Return seconds that only grow, those in which the machine was asleep included if it knows."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


class GuardedClock:
    """Seconds since 1970, as long as they can be believed.

    Parameters
    ----------
    market : str
        Whose clock it is, for the log.
    wall : callable
        The machine's clock: seconds since 1970.
    counted : callable
        Seconds that only grow.
    jump : float
        By how many seconds the wall clock may run ahead of the counted ones between two readings.
    gap : float
        The same for the first reading, since the market's last event.

    Attributes
    ----------
    lag : float
        By how many seconds the market is behind the wall clock; below 0 if it is ahead, and waits.

    Examples
    --------
    >>> wall, counted = [1000.0], [0.0]
    >>> clock = GuardedClock("m", lambda: wall[0], counted=lambda: counted[0])
    >>> clock()
    1000.0
    >>> wall[0], counted[0] = 1e9, 5.0
    >>> clock(), clock.lag
    (1005.0, 999998995.0)
    """

    def __init__(
        self,
        market: str,
        wall: Callable[[], float] = time.time,
        *,
        counted: Callable[[], float] = counted_seconds,
        jump: float = CLOCK_JUMP_SECONDS,
        gap: float = CLOCK_GAP_SECONDS,
    ) -> None:
        self.lag = 0.0
        self._market = market
        self._wall = wall
        self._counted = counted
        self._jump = jump
        self._gap = gap
        self._high = 0.0  # the latest time that was believed, and the count then
        self._then = counted()
        self._most = math.inf  # how far the next reading may be ahead of it
        self._follows = True

    def begin(self, last: float) -> None:
        """Say when the market's last event was; 0 if there was none."""
        if last > 0.0:
            self._high, self._then, self._most = last, self._counted(), self._gap

    def set(self, at: float) -> None:
        """Go on from a time that an operator has given."""
        self._high, self._then, self._most = at, self._counted(), self._jump

    def wall(self) -> float:
        """Return what the machine says."""
        found = float(self._wall())
        if not math.isfinite(found):
            raise FieldError("now", found, "a finite number")
        return found

    def __call__(self) -> float:
        """Return the time."""
        wall, counted = self.wall(), self._counted()
        expected = self._high + (counted - self._then)
        follows = wall <= expected + self._most
        at = wall if follows else expected
        self.lag = wall - max(at, self._high)
        if follows != self._follows:
            self._follows = follows
            self._tell(wall, expected)
        if at > self._high:
            self._high, self._then = at, counted
            if follows:
                self._most = self._jump
        return at

    def _tell(self, wall: float, expected: float) -> None:
        named = {"market": self._market}  # as a field, where logs have fields
        if self._follows:
            _log.warning("market %s follows the machine's clock again", self._market, extra=named)
        else:
            _log.error(
                "market %s: the machine's clock says %s, but it should be %s: it is not followed; "
                "if it is right, set the market's clock (PUT /v1/markets/%s/clock, or copyproof "
                "market clock)",
                *(self._market, _date(wall), _date(expected), self._market),
                extra=named,
            )


def _date(seconds: float) -> str:
    """Return a time as people write it, if it has a date."""
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(" ", "seconds")
    except (ValueError, OverflowError, OSError):
        return f"{seconds:g} s after 1970"
