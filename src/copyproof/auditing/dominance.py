"""Stochastic dominance: whether a deviation's revenue is better for some attitude to risk.

X first-order dominates Y if P(X ≤ x) ≤ P(Y ≤ x) for all x, which is the same as E U(X) ≥ E U(Y) for
every non-decreasing U. So the reference strategy is at least as good as a deviation for *every*
risk attitude exactly if its revenue V_0 dominates the deviation's V_d, that is, if the

    advantage = sup_x P(V_0 ≤ x) − P(V_d ≤ x)

is 0. An advantage above 0 names a threshold x that the deviation passes more often: someone who
only cares for passing it gains.

From n paired games, the advantage is known within 2 ε, ε = √(ln(8/α)/(2 n)) (the inequality of
Dvoretzky, Kiefer and Wolfowitz with Massart's constant, once for each distribution). Pairing gives
a second upper limit: the advantage is at most the chance that the deviation earns more on a path,

    P(V_0 ≤ x) − P(V_d ≤ x) ≤ P(V_0 ≤ x < V_d) ≤ P(V_d > V_0),

and if that happened in none of n games it is below ln(2/α)/n; in k of them, below its exact
binomial limit, for which Chernoff's bound n·kl(k/n, p) = ln(2/α) is used here.
"""

import math
from dataclasses import dataclass

import numpy as np

from copyproof.auditing.limits import Values

_ROUNDING = 1e-11


@dataclass(frozen=True, slots=True)
class Advantage:
    """How much more often a deviation passes some threshold, and how often it earns more.

    Attributes
    ----------
    value, low, high : float
        sup_x P(V_0 ≤ x) − P(V_d ≤ x), and its limits.
    paths_better : float or None
        Share of the games in which the deviation earned more, with the same luck; None if the
        distributions are known exactly and no game was played.
    """

    value: float
    low: float
    high: float
    paths_better: float | None

    @property
    def dominated(self) -> bool | None:
        """Whether no attitude to risk gains: True, False, or None where it is open.

        True is only said of distributions that are known exactly.
        """
        if self.low > 0:
            return False
        return True if self.high <= 0 else None

    def to_dict(self) -> dict[str, float | bool | None]:
        """For JSON."""
        return {
            "advantage": self.value,
            "low": self.low,
            "high": self.high,
            "dominated": self.dominated,
            "paths_better": self.paths_better,
        }


# Of two strategies that earn the same on every path.
NONE = Advantage(0.0, 0.0, 0.0, 0.0)


def exact_advantage(reference: Values, deviation: Values) -> Advantage:
    """The advantage of one distribution over another, as chances of revenue 0, 1, 2 and so on.

    Examples
    --------
    >>> exact_advantage(np.array([0.5, 0.5]), np.array([0.25, 0.75])).value
    0.25
    """
    lead = float(np.max(np.cumsum(reference) - np.cumsum(deviation)))
    value = lead if lead > _ROUNDING else 0.0
    return Advantage(value, value, value, None)


def sampled_advantage(reference: Values, deviation: Values, alpha: float) -> Advantage:
    """The advantage as n paired games show it, with limits that hold with chance 1 − α.

    Examples
    --------
    >>> games = np.arange(1000.0)
    >>> sampled_advantage(games, games + 500, 0.05).value
    0.5
    """
    n = len(reference)
    at = np.concatenate([reference, deviation])
    below_reference = np.searchsorted(np.sort(reference), at, side="right")
    below_deviation = np.searchsorted(np.sort(deviation), at, side="right")
    value = max(0.0, float(np.max(below_reference - below_deviation)) / n)
    reach = 2 * math.sqrt(math.log(8 / alpha) / (2 * n))
    better = int(np.count_nonzero(deviation > reference))
    high = min(value + reach, chernoff_limit(better, n, alpha / 2))
    return Advantage(value, max(0.0, value - reach), max(value, high), better / n)


def chernoff_limit(successes: int, trials: int, alpha: float) -> float:
    """The p above which so few successes have a chance below α: n·kl(k/n, p) = ln(1/α).

    Examples
    --------
    >>> round(chernoff_limit(0, 1000, 0.05), 4)
    0.003
    """
    share = successes / trials
    level = math.log(1 / alpha) / trials
    low, high = share, 1.0
    for _ in range(100):
        p = (low + high) / 2
        if p >= 1.0 or _kl(share, p) > level:
            high = p
        else:
            low = p
    return high


def _kl(p: float, q: float) -> float:
    """kl(p, q) of two Bernoulli distributions, p ≤ q < 1."""
    some = p * math.log(p / q) if p > 0 else 0.0
    rest = (1 - p) * math.log((1 - p) / (1 - q)) if p < 1 else 0.0
    return some + rest
