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

from copyproof.engine.cache import inlined
from copyproof.engine.distributions import (
    BERNOULLI,
    BETA,
    EXPONENTIAL,
    GAUSSIAN,
    MIXTURE,
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
        # μ* − μ, the regret of playing it. Where means change, of the arms whose means do not: to
        # the best of them; and 0 of an arm whose mean does.
        ("gap", "f8"),
    ]
)


class Rewards(NamedTuple):
    """What the original arms pay, one row each."""

    originals: Any
    table_value: Any
    table_upper: Any
    components: Any  # of mixtures (``mixtures``)
    # Of arms whose means change (``changing_means``): the arms, what their means are when, and the
    # best mean of all other arms.
    changing: Any
    knots: Any
    best_unchanging: float


@inlined
def reward(rewards: Rewards, original: int, u: float) -> float:
    """F⁻¹(u) of one original arm whose mean does not change."""
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
    if family == MIXTURE:
        mixed = rewards.components[np.int64(first) : np.int64(first) + np.int64(second)]
        return mixture_quantile(mixed, rewards.table_value, rewards.table_upper, u)
    start = np.int64(first)
    stop = start + np.int64(second)
    place = start + np.searchsorted(rewards.table_upper[start:stop], u)
    return float(rewards.table_value[min(place, stop - 1)])
