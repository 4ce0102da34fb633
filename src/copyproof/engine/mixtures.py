"""The inverse distribution function of a mixture, from one uniform u.

A mixture pays what component j pays, with probability w_j: F(x) = Σ_j w_j F_j(x). Its quantile
F⁻¹(u) = min {x : F(x) ≥ u} has no closed form. With D(x) the part of F that comes from components
that pay single values (*atoms*), and C(x) the part of those that have a density:

1. the atom v is found, by halving, which is the first with D(v) + C(v) ≥ u. If what lies before it
   falls short, D(v−) + C(v) < u, then F jumps over u at v, and F⁻¹(u) = v, exactly;
2. else F⁻¹(u) is the x with C(x) = u − D(v−), and lies between the least and the largest of the
   components' own quantiles at that level: a component is at the level or above it at the largest,
   and so is their mean. The interval is halved until it is no wider than two neighbouring numbers.
   With one component that has a density there is nothing to halve.

So a mixture keeps the coupling that the theorems want: one uniform for a play, and whatever
dominates the mixture pays no less for it (up to the rounding of step 2).
"""

from typing import Any

import numpy as np

from copyproof.engine.cache import part
from copyproof.engine.distributions import probability, quantile

COMPONENT = np.dtype(
    [
        ("family", "i8"),
        ("first", "f8"),  # as of an original arm; of TABLE, the atoms: the first row
        ("second", "f8"),  # the number of rows
        ("weight", "f8"),  # w_j; of the atoms: of all of them
    ]
)

_HALVINGS = 200


@part
def mixture_quantile(mixed: Any, value: Any, upper: Any, u: float) -> float:
    """F⁻¹(u): row 0 of ``mixed`` is the atoms, the others have densities.

    ``upper`` holds D(v) at the atoms, which ends in their weight.
    """
    start = np.int64(mixed[0].first)
    stop = start + np.int64(mixed[0].second)
    low = start
    high = stop
    while low < high:
        middle = (low + high) // 2
        if upper[middle] + _with_density(mixed, value[middle]) >= u:
            high = middle
        else:
            low = middle + 1
    before = upper[low - 1] if low > start else 0.0
    if low < stop and before + _with_density(mixed, value[low]) < u:
        return float(value[low])
    x = _between_atoms(mixed, u - before)
    if low > start:
        x = max(x, value[low - 1])
    if low < stop:
        x = min(x, value[low])
    return x


@part
def _with_density(mixed: Any, x: float) -> float:
    """C(x): the probability of at most x from the components that have a density."""
    total = 0.0
    for j in range(1, mixed.shape[0]):
        row = mixed[j]
        total += row.weight * probability(row.family, row.first, row.second, x)
    return total


@part
def _between_atoms(mixed: Any, target: float) -> float:
    """The x with C(x) = ``target``."""
    weight = 0.0
    for j in range(1, mixed.shape[0]):
        weight += mixed[j].weight
    level = min(max(target / weight, 2.0**-60), 1.0 - 2.0**-53)
    low = np.inf
    high = -np.inf
    for j in range(1, mixed.shape[0]):
        row = mixed[j]
        own = quantile(row.family, row.first, row.second, level)
        low = min(low, own)
        high = max(high, own)
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        if _with_density(mixed, middle) >= target:
            high = middle
        else:
            low = middle
    return high
