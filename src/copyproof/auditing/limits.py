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
  p = ln(2/α)/n. It may lower a difference as well as raise it, as it may be luck of either
  strategy, and what the games have shown does not bound it. So its games are given all that they
  could be on average, from the least to the most:

      mean − t √(V/n) − p·(mean − least)   ≤   E x   ≤   mean + t √(V/n) + p·(most − mean).

  Of a difference of two worths, most = −least is what all T plays can be worth to the agent
  (``trials``). The part with t is an approximation, and fewer than 16 games give no limits at all;
  the part with p is not, and it is wide where few games are played: then the audit is undecided.
  `benchmarks/calibration.py` measures how often the limits miss.

The stages s = 1, 2, … of a sequential test and k values that are judged together share one error
rate: each value at stage s has α/(k s (s + 1)), which sums to α over all of them. The gains of an
audit need no stages (``auditing.confidence_sequences``); its advantages do.
"""

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from copyproof.simulation import Interval, t_quantile

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


def large_sample_limits(values: Values, alpha: float, *, least: float, most: float) -> Interval:
    """Limits for a mean by Student's t, widened for events that were not seen.

    Parameters
    ----------
    values : array
        The differences.
    alpha : float
        The error rate.
    least, most : float
        What the values can be, on average, over the games of an event that was not seen.

    Examples
    --------
    >>> values = np.tile([0.0, 1.0], 500)
    >>> round(large_sample_limits(values, 0.05, least=0.0, most=1.0).high, 3)
    0.533
    """
    n = len(values)
    mean = float(np.mean(values))
    if n < LEAST_GAMES:
        return Interval(mean, -math.inf, math.inf)
    half = t_quantile(alpha, n - 1) * float(np.std(values, ddof=1)) / math.sqrt(n)
    rare = unseen(n, alpha)
    down, up = rare * max(0.0, mean - least), rare * max(0.0, most - mean)
    return Interval(mean, mean - half - down, mean + half + up)


def games_needed(margin: float, spread: float, rest: float) -> int | None:
    """The fewest games n with spread/√n + rest/n ≤ margin; None if no number is enough.

    So many would bring limits whose parts shrink like that within the margin.

    Examples
    --------
    >>> games_needed(0.1, spread=2.0, rest=30.0)
    900
    """
    if margin <= 0 or not math.isfinite(spread + rest):
        return None
    root = (spread + math.sqrt(spread * spread + 4 * margin * rest)) / (2 * margin)
    return math.ceil(root * root)
