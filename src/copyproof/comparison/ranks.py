"""Policies across markets: average ranks, and which of them are told apart.

A table has a row for each of N markets and a column for each of m policies, one number each (a mean
over games; less is better). Markets differ in size, so numbers are not averaged over them: policies
are ranked on each market, equal ones sharing their ranks, and the *average rank* over markets says
who tends to be ahead (Demšar: "Statistical comparisons of classifiers over multiple data sets",
JMLR 2006).

Whether two policies are told apart is asked of the pair alone: **Wilcoxon's signed-rank test** of
their N differences, and **Holm's** step-down correction for all m(m − 1)/2 pairs together. Demšar's
critical difference (Nemenyi's test) compares average ranks instead, and its answer for two policies
depends on which others happen to be in the table (Benavoli, Corani, Mangili: "Should we really use
post-hoc tests based on mean-ranks?", JMLR 2016).

What is assumed: the markets are a sample, drawn independently, of those that one wants to speak of
(a handful of chosen markets is none, and then the answer is about these alone); and where two
policies are equally good, a difference of either sign is equally likely, given its size. The sizes
count across markets, so that large markets weigh more than small ones, by their rank.

The p-value is exact, by the distribution of the sum of signed ranks over all 2^N signs, up to 200
markets, ties or not; beyond by the normal approximation with its continuity correction. Differences
of 0 keep their ranks and are left out of the sum (Pratt 1959).
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from copyproof.comparison.paired_limits import finite_table
from copyproof.validation import FieldError

# Beyond, the normal approximation takes over.
_MOST_EXACT = 200


@dataclass(frozen=True, slots=True)
class RankPair:
    """Two policies over all markets.

    Attributes
    ----------
    policy, against : str
        The one of the smaller average rank first.
    ahead, behind : int
        The markets on which the first has the better mean, and the worse one.
    p_value : float
        Of the signed-rank test, corrected by Holm for all pairs.
    told_apart : bool
        Whether it is at most α.
    """

    policy: str
    against: str
    ahead: int
    behind: int
    p_value: float
    told_apart: bool


@dataclass(frozen=True, slots=True)
class Ranking:
    """Policies in the order of their average ranks, and which of them are told apart.

    Attributes
    ----------
    policies : tuple of str
        The best average rank first.
    ranks : tuple of float
        Their average ranks, from 1 to m.
    markets : int
        How many markets they are averaged over.
    pairs : tuple of RankPair
        All pairs, in the order of the policies.
    alpha : float
        The error rate of all pairs together.
    """

    policies: tuple[str, ...]
    ranks: tuple[float, ...]
    markets: int
    pairs: tuple[RankPair, ...]
    alpha: float

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Runs of policies, as long as can be, of which no two are told apart.

        They are what a critical-difference plot joins by bars.
        """
        apart = {frozenset((pair.policy, pair.against)) for pair in self.pairs if pair.told_apart}
        runs: list[tuple[int, int]] = []
        for first in range(len(self.policies)):
            last = first
            while last + 1 < len(self.policies) and not any(
                frozenset((self.policies[k], self.policies[last + 1])) in apart
                for k in range(first, last + 1)
            ):
                last += 1
            if last > first and not (runs and runs[-1][1] == last):
                runs.append((first, last))
        return tuple(self.policies[first : last + 1] for first, last in runs)

    @property
    def markets_needed(self) -> int:
        """The fewest markets that can tell any pair apart: 2^(1−N) ≤ α divided by the pairs."""
        return math.ceil(1 + math.log2(len(self.pairs) / self.alpha))

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "average_ranks": dict(zip(self.policies, self.ranks, strict=True)),
            "markets": self.markets,
            "pairs": [asdict(pair) for pair in self.pairs],
            "groups": [list(group) for group in self.groups],
        }


def ranking(values: ArrayLike, policies: Sequence[str], *, alpha: float = 0.05) -> Ranking:
    """Rank policies on every market, and tell pairs of them apart.

    Parameters
    ----------
    values : array, N × m
        A row for each market, a column for each policy; less is better.
    policies : sequence of str
        The columns' names, all different.
    alpha : float
        The error rate of all pairs together.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> size = rng.uniform(10, 1000, (20, 1))
    >>> table = size * [1.0, 1.3, 1.3] * rng.uniform(0.9, 1.1, (20, 3))
    >>> found = ranking(table, ["a", "b", "c"])
    >>> found.ranks, found.groups
    ((1.0, 2.5, 2.5), (('b', 'c'),))
    """
    table = finite_table(values)
    if table.shape[1] != len(policies) or len(policies) < 2:
        said = f"has {table.shape[1]} columns for {len(policies)} policies: two or more are needed"
        raise FieldError("values", values, "a column for each policy", said)
    averages = average_ranks(table)
    order = sorted(range(len(policies)), key=lambda place: averages[place])
    pairs = list(combinations(order, 2))
    differences = [table[:, one] - table[:, other] for one, other in pairs]
    corrected = holm([signed_rank_p(one) for one in differences])
    return Ranking(
        policies=tuple(policies[place] for place in order),
        ranks=tuple(float(averages[place]) for place in order),
        markets=len(table),
        pairs=tuple(
            RankPair(
                policy=policies[one],
                against=policies[other],
                ahead=int((x < 0).sum()),
                behind=int((x > 0).sum()),
                p_value=p,
                told_apart=p <= alpha,
            )
            for (one, other), x, p in zip(pairs, differences, corrected, strict=True)
        ),
        alpha=alpha,
    )


def average_ranks(values: ArrayLike) -> NDArray[np.float64]:
    """The average over rows of each column's rank; 1 is the smallest, and equals share theirs.

    Examples
    --------
    >>> average_ranks([[1.0, 2.0, 2.0], [5.0, 9.0, 7.0]]).tolist()
    [1.0, 2.75, 2.25]
    """
    return np.asarray(np.mean([midranks(row) for row in np.asarray(values, float)], axis=0))


def midranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The ranks of values, from 1; equal ones share the mean of theirs.

    Examples
    --------
    >>> midranks(np.array([3.0, 1.0, 3.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[place])


def signed_rank_p(differences: ArrayLike) -> float:
    """The two-sided p-value of Wilcoxon's signed-rank test.

    Examples
    --------
    Five markets cannot tell two policies apart at 5 %, even if all speak for one of them:

    >>> signed_rank_p([1, 2, 3, 4, 5]), signed_rank_p([1, 2, 3, 4, 5, 6])
    (0.0625, 0.03125)
    """
    x = np.asarray(differences, float)
    ranks = midranks(np.abs(x))[x != 0]
    signs = x[x != 0] > 0
    if not len(ranks):
        return 1.0
    doubled = np.rint(2 * ranks).astype(np.int64)  # midranks are whole or half
    total, positive = int(doubled.sum()), int(doubled[signs].sum())
    tail = min(positive, total - positive)
    if len(x) <= _MOST_EXACT:
        return min(1.0, 2 * float(_chances(doubled)[: tail + 1].sum()))
    sd = math.sqrt(float((ranks**2).sum()) / 4)
    z = max(0.0, (total / 4 - tail / 2 - 0.5) / sd)
    return 2 * NormalDist().cdf(-z)


def _chances(sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """The chance of every sum of sizes, each of which is in it or not by a fair coin."""
    chances = np.zeros(int(sizes.sum()) + 1)
    chances[0] = 1.0
    for size in sizes:
        chances[size:], chances[:size] = (chances[size:] + chances[:-size]) / 2, chances[:size] / 2
    return chances


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values corrected for being looked at together (Holm 1979), in the order they came in.

    Examples
    --------
    >>> holm([0.01, 0.5, 0.02])
    [0.03, 0.5, 0.04]
    """
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    corrected = [0.0] * len(p_values)
    least = 0.0
    for step, place in enumerate(order):
        least = max(least, min(1.0, (len(order) - step) * p_values[place]))
        corrected[place] = least
    return corrected
