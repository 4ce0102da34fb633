"""A mean with the ends of its interval."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Standard errors on either side that make a 95 % interval.
Z = 1.96


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and the ends of its interval; of 95 % where ``of`` or ``of_share`` made it."""

    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> "Interval":
        """The interval for the mean of independent values."""
        mean = float(np.mean(values))
        half = Z * float(np.std(values, ddof=1)) / math.sqrt(len(values))
        return cls(mean, mean - half, mean + half)

    def __str__(self) -> str:
        digits = 0 if abs(self.mean) >= 100 else 3
        return f"{self.mean:,.{digits}f} [{self.low:,.{digits}f}, {self.high:,.{digits}f}]"

    @classmethod
    def of_share(cls, successes: int, trials: int) -> "Interval":
        """Wilson's interval for a probability.

        Examples
        --------
        >>> round(Interval.of_share(0, 100).high, 3)
        0.037
        """
        p = successes / trials
        shrink = 1 + Z * Z / trials
        middle = (p + Z * Z / (2 * trials)) / shrink
        half = Z / shrink * math.sqrt(p * (1 - p) / trials + (Z / (2 * trials)) ** 2)
        return cls(p, max(0.0, middle - half), min(1.0, middle + half))
