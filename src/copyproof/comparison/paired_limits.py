"""Limits for all paired differences of several policies together, on one market.

Policies that are played with one seed share their luck, so the differences x_1, …, x_R of two of
them, game by game, vary less than the two themselves. For k pairs (all pairs of m policies,
k = m(m − 1)/2, and more if several markets are looked at together) each difference has the limits
of ``auditing.limits.large_sample_limits`` at the error rate α/k:

    mean ± t √(V/R), and an allowance of p·(reach ± mean) for what no game has shown,

with p = ln(2k/α)/R and *reach*, the most by which two policies can differ in a game. By
Bonferroni's inequality all k limits hold together with 1 − α, whatever the dependence between the
pairs; and pairs of the same policies depend on each other very much.

Why not something sharper? Tukey's range and resampling of the largest |t| are for values like
normal ones. Regret is not: a policy that gives up its best agent in one game of a hundred pays for
it in every round that is left, so that the mean is decided by games that a small sample may not
hold. Student's t alone then misses the truth far too often, and resampling shows only what was
seen. The allowance costs width where games are few, and falls like 1/R, faster than the part with
t; ``reach=None`` leaves it out.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from copyproof.auditing.limits import LEAST_GAMES, games_needed, large_sample_limits
from copyproof.simulation import Interval, t_quantile
from copyproof.validation import FieldError

# Differences that are smaller, as a share of what is compared, are none.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class PairLimits:
    """The difference of two rows, the first less the second, with its limits.

    Attributes
    ----------
    first, second : int
        Which rows.
    difference : Interval
        The mean of the first less that of the second.
    equal : bool
        Whether the two are equal in every game, but for rounding.
    needed : int or None
        Games that would tell its sign, about, if they go on as they did; None where it is known, or
        where no number would.
    """

    first: int
    second: int
    difference: Interval
    equal: bool
    needed: int | None

    @property
    def is_open(self) -> bool:
        """Whether the limits hold 0."""
        return self.difference.low <= 0 <= self.difference.high


def pair_limits(
    values: ArrayLike, *, alpha: float, reach: float | None, together: int | None = None
) -> tuple[PairLimits, ...]:
    """Limits for the differences of all pairs of rows.

    Parameters
    ----------
    values : array, m × R
        A row for each policy, a column for each game that they share the luck of.
    alpha : float
        The chance that any of the limits misses.
    reach : float or None
        The most by which two policies can differ, on average over the games of an event that was
        not seen; None to take for granted that all there is has been seen.
    together : int, optional
        How many differences share α: the pairs of these rows by default.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> luck = rng.normal(0, 10, 200)
    >>> rows = [luck + 3, luck + rng.normal(0, 1, 200)]
    >>> (pair,) = pair_limits(rows, alpha=0.05, reach=20.0)
    >>> print(pair.difference)
    3.090 [2.539, 3.528]
    """
    rows = finite_table(values)
    if len(rows) < 2:
        raise FieldError("values", values, "two rows or more", "has one row: two are needed")
    pairs = list(combinations(range(len(rows)), 2))
    share = alpha / (len(pairs) if together is None else together)
    return tuple(_pair(rows, pair, share, reach) for pair in pairs)


def finite_table(values: ArrayLike) -> NDArray[np.float64]:
    """The values as a table of numbers; refuse what is none, or has one that is not finite.

    Examples
    --------
    >>> finite_table([[1.0, float("nan")]])
    Traceback (most recent call last):
    copyproof.validation.FieldError: values[0][1] = nan is not a finite number
    """
    table = np.asarray(values, float)
    if table.ndim != 2 or 0 in table.shape:
        said = f"is of shape {table.shape}: rows and columns are needed"
        raise FieldError("values", values, "a table", said)
    for row, column in np.argwhere(~np.isfinite(table)).tolist():
        raise FieldError(f"values[{row}][{column}]", table[row, column], "a finite number")
    return table


def _pair(
    rows: NDArray[np.float64], pair: Sequence[int], alpha: float, reach: float | None
) -> PairLimits:
    first, second = pair
    x = rows[first] - rows[second]
    # The same rewards, summed up in another order, differ in their last bits.
    x[np.abs(x) <= _ROUNDING * np.abs(rows[first])] = 0.0
    mean = float(x.mean())
    least, most = (mean, mean) if reach is None else (-reach, reach)
    found = large_sample_limits(x, alpha, least=least, most=most)
    decided = found.low > 0 or found.high < 0
    needed = None if decided else _needed(x, alpha, reach)
    return PairLimits(first, second, found, bool((x == 0).all()), needed)


def _needed(x: NDArray[np.float64], alpha: float, reach: float | None) -> int | None:
    """The games with which the limits would leave 0 out, about."""
    games = len(x)
    if games < 2:
        return None
    mean = abs(float(x.mean()))
    spread = t_quantile(alpha, max(games, LEAST_GAMES) - 1) * float(x.std(ddof=1))
    rest = 0.0 if reach is None else math.log(2 / alpha) * (reach + mean)
    found = games_needed(mean, spread, rest)
    return None if found is None else max(found, LEAST_GAMES)
