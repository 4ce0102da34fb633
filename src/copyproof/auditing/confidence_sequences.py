"""Confidence sequences: limits for a mean that hold at all numbers of games at once.

A bettor bets against the claim E x ≥ m, where no x is above ``most``. The capital

    W(m) = Σ_j w_j Π_i (1 + c_j (m − x_i) / (most − m)),      0 < c_j < 1, Σ_j w_j = 1,

starts at 1, is never negative, and does not grow on average if the claim is true. So it ever
reaches 1/α with a chance of at most α (Ville's inequality), and the upper limit is the least m
with W(m) ≥ 1/α. The lower limit is the upper one of −x, with its sign turned.

The limits need no assumption but the range, and hold for every distribution and every number of
games, also for one that depends on what the games have shown (Waudby-Smith, Ramdas: "Estimating
means of bounded random variables by betting", JRSS B 86, 2024). So a test may look at its games as
often as it likes, and the limits include what a rare event that no game has shown can do: n equal
values still leave about (most − x) ln(1/α)/n.

The stakes c_j are a fixed grid. The largest decides where rare events matter most, which is the
case for long games, and has half of the weight; the others decide where chance does.
"""

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

Values: TypeAlias = NDArray[np.float64]

_STAKES = np.array([0.95, *(2.0**-k for k in range(1, 11))])
_WEIGHTS = np.array([0.5, *(0.05 for _ in range(10))])
# How exactly limits are computed, as a part of the range; they are rounded outwards.
_EXACT = 1e-8


def upper_limit(values: Values, most: float, alpha: float) -> float:
    """The upper limit of a mean, which misses with chance α at most, whenever one looks.

    Parameters
    ----------
    values : array
        Independent, of one distribution, none above ``most``.
    most : float
        What no value is above.
    alpha : float
        The error rate of this limit alone.

    Examples
    --------
    >>> values = np.tile([0.0, 1.0], 500)
    >>> round(upper_limit(values, 1.0, 0.025), 3)
    0.557
    """
    if len(values) == 0 or not math.isfinite(most) or alpha <= 0:
        return math.inf
    found, counts = np.unique(values, return_counts=True)
    mean = float(values.mean())
    exact = _EXACT * (most - float(found[0]))
    low, high = mean, most - exact
    if high <= low or _capital(found, counts, high, most) < -math.log(alpha):
        return most

    def above(m: float) -> float:
        return _capital(found, counts, m, most) + math.log(alpha)

    return min(most, float(brentq(above, low, high, xtol=exact)) + exact)


def lower_limit(values: Values, least: float, alpha: float) -> float:
    """The lower limit of a mean of values that are not below ``least``.

    Examples
    --------
    >>> values = np.tile([0.0, 1.0], 500)
    >>> round(lower_limit(values, 0.0, 0.025), 3)
    0.443
    """
    return -upper_limit(-values, -least, alpha)


def games_below(values: Values, level: float, most: float, alpha: float) -> int | None:
    """About how many games would bring the upper limit below a level, if they go on as they did.

    None if the mean is not below it, or no number of games is enough.

    Examples
    --------
    >>> games_below(np.full(10, -1.0), 0.0, 1000.0, 0.05)
    3885
    """
    if len(values) == 0 or not math.isfinite(most) or not values.mean() < level < most:
        return None
    found, counts = np.unique(values, return_counts=True)
    growth = _log_factors(found, level, most) @ counts / len(values)
    with np.errstate(divide="ignore"):
        games = np.where(growth > 0, (-math.log(alpha) - np.log(_WEIGHTS)) / growth, np.inf)
    least = float(games.min())
    return math.ceil(least) if math.isfinite(least) else None


def games_above(values: Values, level: float, least: float, alpha: float) -> int | None:
    """About how many games would bring the lower limit above a level.

    Examples
    --------
    >>> games_above(np.full(10, 1.0), 0.0, -1000.0, 0.05)
    3885
    """
    return games_below(-values, -level, -least, alpha)


def _capital(values: Values, counts: NDArray[np.int64], m: float, most: float) -> float:
    """Ln W(m)."""
    logs = _log_factors(values, m, most) @ counts + np.log(_WEIGHTS)
    top = float(logs.max())
    return top + math.log(float(np.exp(logs - top).sum()))


def _log_factors(values: Values, m: float, most: float) -> Values:
    """ln(1 + c (m − x) / (most − m)), a row for each stake."""
    odds = np.maximum((m - values) / (most - m), -1.0)
    return np.asarray(np.log1p(_STAKES[:, None] * odds[None, :]))
