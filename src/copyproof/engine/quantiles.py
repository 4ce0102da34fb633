"""Inverse distribution functions: a reward from one uniform u in (0, 1).

The quantile function F⁻¹(u) = min {x : F(x) ≥ u} is non-decreasing in u, and if one distribution
first-order dominates another, its F⁻¹ is the larger one at every u. Giving the k-th play of an
agent the same u for whatever arm it plays therefore couples strategies the way the theorems want
it: the better arm pays at least as much on every path.

Each original arm is one row: a family code and two parameters, or a table. Discrete families
(Poisson, empirical lists, and mixtures of them) are tables of values and of upper ends of
cumulated probability. Other mixtures are rows of ``components`` (``mixtures``); an arm whose mean
changes during the game is rows of ``knots``, and what it pays depends on the round
(``changing_means``).
"""

from typing import Any, NamedTuple

import numpy as np

from copyproof.engine.cache import inlined, part
from copyproof.engine.changing_means import mean_at
from copyproof.engine.distributions import (
    BERNOULLI,
    BETA,
    CHANGING,
    EXPONENTIAL,
    GAUSSIAN,
    TABLE,
    beta_quantile,
    normal_quantile,
)
from copyproof.engine.mixtures import mixture_quantile
from copyproof.engine.numerics import log1p

ORIGINAL = np.dtype(
    [
        ("family", "i8"),
        ("first", "f8"),  # Bernoulli: 1 − μ; Beta: α; Gaussian: μ; exponential: mean; or first row
        ("second", "f8"),  # Beta: β; Gaussian: σ; table, mixture, knots: the number of rows
        ("gap", "f8"),  # μ* − μ, the regret of playing it; NaN if it depends on the round
    ]
)


class Rewards(NamedTuple):
    """What the original arms pay, one row each."""

    originals: Any
    table_value: Any
    table_upper: Any
    components: Any  # of mixtures (``mixtures``)
    # Where means change (``changing_means``): the arms whose means do, and what they are when; and
    # the means of all arms whose means do not, −∞ for the others, with the best of them.
    changing: Any
    knots: Any
    unchanging: Any
    best_unchanging: float


@inlined
def reward(rewards: Rewards, original: int, u: float, t: int) -> float:
    """F⁻¹(u) of one original arm in round t, which only matters where means change."""
    row = rewards.originals[original]
    family = row.family
    first: float = row.first
    if family == BERNOULLI:
        return 1.0 if u >= first else 0.0
    second: float = row.second
    if family == BETA:
        return beta_quantile(u, first, second)
    if family == GAUSSIAN:
        return first + second * normal_quantile(u)
    if family == EXPONENTIAL:
        return -first * log1p(-u)
    if family != TABLE:
        return _rarer_reward(rewards, original, u, t)
    start = np.int64(first)
    stop = start + np.int64(second)
    place = start + np.searchsorted(rewards.table_upper[start:stop], u)
    return float(rewards.table_value[min(place, stop - 1)])


@part
def _rarer_reward(rewards: Rewards, original: int, u: float, t: int) -> float:
    """F⁻¹(u) of a mixture, or of an arm whose mean changes: few markets have any."""
    row = rewards.originals[original]
    if row.family == CHANGING:
        return 1.0 if u >= 1.0 - mean_at(rewards, original, t) else 0.0
    first = np.int64(row.first)
    mixed = rewards.components[first : first + np.int64(row.second)]
    return mixture_quantile(mixed, rewards.table_value, rewards.table_upper, u)
