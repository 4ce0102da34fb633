"""What it costs that copies never pay: theorems A and A′, as functions of plain numbers.

Both are ours, and proven in ``docs/explanation/theorems.md``. They say what every policy pays with
truthful agents, each with one arm, if copies of an agent's only arm earn it nothing.

Theorem A: if the policy is also consistent, with regret o(T^α) for every α > 0, on all markets
whose agents register at most K arms each, then as T → ∞ its regret divided by ln T is at least
K Σ_i Δ_i / kl(μ_i, μ*).

Theorem A′: let agent i have N = E[N_i] plays in expectation where it registers one arm, and
register instead K arms in random order, g of them better than everything else and the others as
bad as that one. Then the probability that none of the g good arms is ever played is at least

    q(N) = (1 − N/K) (1 − N/(K − 1)) … (1 − N/(K − g + 1))   for N ≤ K − g + 1, and 0 beyond,

which is C(K − N, g) / C(K, g) for whole N. It tends to (1 − c)^N as K → ∞ with g = cK.
"""

import math
import sys
from collections.abc import Iterable

from copyproof.theory.formulas import kl

_FACTORS = 1000  # of q(N) that are multiplied; more of them are integrated


def theorem_a(means: Iterable[float], K: int) -> float:
    """K Σ_i Δ_i / kl(μ_i, μ*): the least factor of ln T, K times that of Lai and Robbins.

    Agents of mean 0 are left out: one that earns nothing does not mind how often it is played.

    Parameters
    ----------
    means : iterable of float
        μ_i of every agent, each with one Bernoulli arm.
    K : int
        Up to how many arms an agent may register without being overlooked.

    Examples
    --------
    >>> round(theorem_a([0.5, 0.6, 0.7, 0.8, 0.9], K=1), 2)
    5.3
    >>> round(theorem_a([0.5, 0.6, 0.7, 0.8, 0.9], K=100))
    530
    """
    earning = [mean for mean in means if mean > 0]
    best = max(earning, default=0.0)
    terms = [(best - mean) / max(kl(mean, best), sys.float_info.min) for mean in earning]
    return K * sum(terms, start=0.0)


def share_lost(plays: float, K: int, g: int) -> float:
    """q(N): the least probability that none of g good arms among K is ever played.

    Parameters
    ----------
    plays : float
        N = E[N_i]: the plays of the agent in expectation where it registers one bad arm.
    K, g : int
        The arms that it registers instead, and how many of them are good; 1 ≤ g ≤ K.

    Examples
    --------
    With 95 plays, ten good arms among 210 are overlooked in 0.2 % of games at least; in the limit
    of many arms with the same share of good ones, in 1 %.

    >>> f"{share_lost(95, K=210, g=10):.4f} {share_lost_at_share(95, c=1 / 21):.4f}"
    '0.0020 0.0097'
    """
    few = min(g, _FACTORS)
    chance = 1.0
    for k in range(g - few, g):  # the smallest factors
        chance *= max(0.0, 1 - plays / (K - k))
        if chance == 0:
            return 0.0
    return chance * math.exp(_log_of_factors(plays, K - g + few, K)) if g > few else chance


def _log_of_factors(plays: float, first: int, last: int) -> float:
    """Σ ln(1 − N/x) over x = first + 1, …, last, by Euler's and Maclaurin's formula.

    With f(x) = ln(1 − N/x) it is ∫ f from a to b, less (f′(b) − f′(a))/24, for a = first + 1/2 and
    b = last + 1/2. What is left out is below 1e-11 where a − N ≥ 999.
    """
    N, a, b = plays, first + 0.5, last + 0.5
    # The area in terms as small as itself: in differences of x ln x no digit would be left.
    area = (b - a) * math.log1p(-N / b) - N * math.log1p((b - a) / (a - N))
    area += a * math.log1p((b - a) * N / (b * (a - N)))
    return area - (N / (b * (b - N)) - N / (a * (a - N))) / 24


def plays_needed(lost: float, K: int, g: int) -> float:
    """The least N with q(N) ≤ lost: what it takes to overlook g good arms among K no more often.

    Parameters
    ----------
    lost : float
        The share of games that may be lost, from 0 to 1.
    K, g : int
        The arms that an agent may register, and how many of them are good; 1 ≤ g ≤ K.

    Examples
    --------
    >>> math.ceil(plays_needed(0.01, K=210, g=10))
    76
    """
    low, high = 0.0, float(K - g + 1)  # q is 1 and 0 there, and falls in between
    if lost >= 1:
        return low
    while low < (middle := (low + high) / 2) < high:
        if share_lost(middle, K, g) > lost:
            low = middle
        else:
            high = middle
    return high


def share_lost_at_share(plays: float, c: float) -> float:
    """(1 − c)^N, the limit of q(N) for many arms, of which a share c is good.

    For given K it is no lower bound: from one play on, q(N) is at most that.

    Parameters
    ----------
    plays : float
        N = E[N_i], as in ``share_lost``.
    c : float
        The share of good arms, 0 < c ≤ 1.

    Examples
    --------
    >>> round(share_lost_at_share(1, c=0.25), 4)
    0.75
    """
    return float((1 - c) ** plays)


def plays_needed_at_share(lost: float, c: float) -> float:
    """ln(1/lost) / ln(1/(1 − c)): the plays of every truthful agent that a promise costs.

    The promise: with a share c of good arms, among however many, at most the share ``lost`` of
    games is lost, that is, no good arm is ever played in them.

    Parameters
    ----------
    lost : float
        The share of games that may be lost, 0 < lost ≤ 1.
    c : float
        The share of good arms, 0 < c < 1.

    Examples
    --------
    >>> [math.ceil(plays_needed_at_share(0.01, c)) for c in (1 / 21, 1 / 200)]
    [95, 919]
    """
    return math.log(lost) / math.log1p(-c)
