"""A mean with the ends of its interval, and the quantiles of Student's t for few values."""

import math
from dataclasses import dataclass
from statistics import NormalDist

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


def t_quantile(alpha: float, freedom: int) -> float:
    """What Student's t with ν degrees of freedom exceeds, on either side, with the chance α ≤ 1.

    For ν ≤ 2 in closed form; else Fisher's and Cornish's expansion in 1/ν (Abramowitz, Stegun
    26.7.5): within 0.4 % for ν ≥ 15 and α ≥ 1e-8, and within 0.2 % for α = 0.05 and every ν.

    Examples
    --------
    >>> round(t_quantile(0.05, 100), 3), round(t_quantile(0.05, 1), 3)
    (1.984, 12.706)
    """
    if freedom == 1:
        return 1 / math.tan(math.pi * alpha / 2)
    if freedom == 2:
        return (1 - alpha) / math.sqrt(alpha * (1 - alpha / 2))
    z = -NormalDist().inv_cdf(alpha / 2)
    v = float(freedom)
    g1 = (z**3 + z) / 4
    g2 = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    g3 = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    g4 = (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160
    return z + g1 / v + g2 / v**2 + g3 / v**3 + g4 / v**4
