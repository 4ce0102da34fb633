"""Means that change with the round t of the game: what such an arm pays, and what a play costs.

An arm whose mean changes is Bernoulli, with the mean μ_t(a) in round t. Its rows of ``knots`` say
from which round on the mean is which straight line: μ_t(a) = mean + slope (t − round), so that
steps (slope 0) and drifts are the same. Its k-th play meets the uniform u_{i,k} of any other arm's
and pays 1 where u ≥ 1 − μ_t(a).

The regret is the *dynamic* one, Σ_t (μ*_t − μ_t(A_t)): each round is held against the best mean of
that very round, over all originals. It takes time in proportion to the number of arms whose means
change, every round; a market that has none pays nothing for it.
"""

from typing import TYPE_CHECKING

import numpy as np

from copyproof.engine.cache import kernel, part
from copyproof.engine.distributions import CHANGING

if TYPE_CHECKING:
    from copyproof.engine.quantiles import Rewards

KNOT = np.dtype([("round", "i8"), ("mean", "f8"), ("slope", "f8")])


@part
def mean_at(rewards: "Rewards", original: int, t: int) -> float:
    """μ_t(a) of an original whose mean changes."""
    row = rewards.originals[original]
    low = np.int64(row.first)
    high = low + np.int64(row.second) - 1
    while low < high:  # the last knot that is not after t
        middle = (low + high + 1) // 2
        if rewards.knots[middle].round <= t:
            low = middle
        else:
            high = middle - 1
    knot = rewards.knots[low]
    mean: float = knot.mean + knot.slope * (t - knot.round)
    return min(max(mean, 0.0), 1.0)


@part
def gap_at(rewards: "Rewards", original: int, t: int) -> float:
    """μ*_t − μ_t(a), the regret of playing an original in round t."""
    best = rewards.best_unchanging
    for place in range(rewards.changing.shape[0]):
        best = max(best, mean_at(rewards, rewards.changing[place], t))
    if rewards.originals[original].family == CHANGING:
        return best - mean_at(rewards, original, t)
    mean: float = rewards.unchanging[original]
    return best - mean


@kernel
def mean_and_gap(rewards: "Rewards", original: int, t: int) -> tuple[float, float]:
    """μ_t(a) of an original whose mean changes (else 0), and the regret of playing it in round t.

    For round loops that are not compiled.
    """
    mean = 0.0
    if rewards.originals[original].family == CHANGING:
        mean = mean_at(rewards, original, t)
    return mean, gap_at(rewards, original, t)
