"""Confidence limits for a mean gain: for bounded values, and for large samples.

Both are for the mean of independent paired differences x_1, …, x_n, with the chance α of missing it
on either side together.

- **Bounded** (Maurer, Pontil: "Empirical Bernstein bounds and sample-variance penalization", COLT
  2009, theorem 4): if all values lie in an interval of length b, then with variance V

      |mean − E x| ≤ √(2 V ln(4/α) / n) + 7 b ln(4/α) / (3 (n − 1)).

  It holds for every n and every distribution. Its price is the second term: b is twice the largest
  possible revenue, so it is of use for short horizons only.
- **Large samples**: Student's t with n − 1 degrees of freedom, and an allowance for what has not
  been seen yet. Of an event that has not shown in n games one can only say that its chance is below
  p = ln(2/α)/n. Downwards it can take away no more than all that the deviation is worth, E y above
  the worst that can be; upwards it is taken to add no more than the range w of the utilities that
  either strategy has shown (and w is at least what one play can be worth; for an agent that is not
  risk-neutral, all of U's range):

      mean − t √(V/n) − p·E y   ≤   E x   ≤   mean + t √(V/n) + p·w.

  It is an approximation, fewer than 16 games give no limits at all, and "no gain" is only said once
  p ≤ 1 %: what happens less often than that, and is huge, is not ruled out.
  `benchmarks/calibration.py` measures how often the verdicts err.

The stages s = 1, 2, … of a sequential test and the k gains that are judged together share one error
rate: each gain at stage s is given α/(k s (s + 1)), which sums to α over all of them.
"""

import math
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from copyproof.simulation import Interval

Values: TypeAlias = NDArray[np.float64]

# Fewer give no limits.
LEAST_GAMES = 16


def share_at(stage: int, together: int, alpha: float) -> float:
    """What one of several gains is given of the error rate α at a stage (from 1).

    Examples
    --------
    >>> share_at(1, together=5, alpha=0.05)
    0.005
    """
    return alpha / (together * stage * (stage + 1))


def bounded_rest(width: float, n: int, alpha: float) -> float:
    """The part of the bounded limits that more equal values do not shrink: 7 b ln(4/α)/(3(n − 1)).

    Examples
    --------
    >>> round(bounded_rest(16, 100_001, 0.001), 4)
    0.0031
    """
    return 7 * width * math.log(4 / alpha) / (3 * (n - 1))


def bounded_limits(values: Values, width: float, alpha: float) -> Interval:
    """Limits for the mean of values that lie in an interval of a given width; n ≥ 2.

    Examples
    --------
    >>> values = np.tile([0.0, 1.0], 500)
    >>> round(bounded_limits(values, 1.0, 0.05).high, 3)
    0.557
    """
    n = len(values)
    mean = float(np.mean(values))
    variance = float(np.var(values, ddof=1))
    half = math.sqrt(2 * variance * math.log(4 / alpha) / n) + bounded_rest(width, n, alpha)
    return Interval(mean, mean - half, mean + half)


def unseen(n: int, alpha: float) -> float:
    """The chance ln(2/α)/n that an event may still have which did not show in n games.

    Examples
    --------
    >>> round(unseen(1000, 0.01), 4)
    0.0053
    """
    return math.log(2 / alpha) / n


def large_sample_limits(values: Values, alpha: float, *, below: float, above: float) -> Interval:
    """Limits for a mean by Student's t, widened for events that were not seen.

    Parameters
    ----------
    values : array
        The differences.
    alpha : float
        The error rate.
    below, above : float
        By how much such an event could lower the mean, or raise it, if it happened always.

    Examples
    --------
    >>> values = np.tile([0.0, 1.0], 500)
    >>> round(large_sample_limits(values, 0.05, below=0.5, above=1.0).high, 3)
    0.535
    """
    n = len(values)
    mean = float(np.mean(values))
    if n < LEAST_GAMES:
        return Interval(mean, -math.inf, math.inf)
    deviation = float(np.std(values, ddof=1))
    half = t_quantile(alpha, n - 1) * deviation / math.sqrt(n)
    rare = unseen(n, alpha)
    return Interval(mean, mean - half - rare * below, mean + half + rare * above)


def difference_limits(after: Values, before: Values, alpha: float) -> Interval:
    """Large-sample limits for E[after − before]; what was not seen changes no more than all seen.

    Examples
    --------
    >>> values = np.tile([0.0, 1.0], 500)
    >>> round(difference_limits(values, np.zeros(1000), 0.05).high, 3)
    0.535
    """
    seen = range_of(before, after)
    return large_sample_limits(after - before, alpha, below=seen, above=seen)


def range_of(one: Values, other: Values) -> float:
    """The length of the shortest interval that holds all values of both."""
    return float(max(one.max(), other.max()) - min(one.min(), other.min()))


def t_quantile(alpha: float, freedom: int) -> float:
    """What Student's t with ν ≥ 15 degrees of freedom exceeds, on either side, with chance α ≤ 1.

    Fisher's and Cornish's expansion in 1/ν (Abramowitz, Stegun 26.7.5): within 0.4 % for ν ≥ 15 and
    α ≥ 1e-8.

    Examples
    --------
    >>> round(t_quantile(0.05, 100), 3)
    1.984
    """
    z = -NormalDist().inv_cdf(alpha / 2)
    v = float(freedom)
    g1 = (z**3 + z) / 4
    g2 = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    g3 = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    g4 = (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160
    return z + g1 / v + g2 / v**2 + g3 / v**3 + g4 / v**4
