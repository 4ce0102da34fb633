"""Theorem A′ with rates: how many plays it takes to tell good arms from bad ones.

Theorem A′ counts a good arm as found when it is played once. A good arm and a bad one that have
paid the same are not told apart yet, and this is what it costs. Agent i has N = E[N_i] plays in
expectation where it registers one arm of mean μ, and registers instead many, a share c of them
good, of mean μ′, and the others as bad as that one. What is seen of the second market then differs
from the first by an information (a Kullback–Leibler divergence) of at most ρN, where for Bernoulli
arms, with δ = μ′ − μ,

    ρ = c kl(μ, μ′)                                for any K arms, g = cK of them good, and
    ρ = sup_τ E[−ln(1 − c + c L_τ)] / E[τ]         in the limit of many arms,

L_n the likelihood ratio of one bad arm's first n rewards, the supremum over all stopping times
τ ≥ 1 of that arm. It is at most c kl(μ, μ′), at most (1 − μ) ln(1 / (1 − c δ/(1 − μ))) with
δ = μ′ − μ, and so at most δ ln(1/(1 − c)).

So whatever has the probability x on the first market has at least z on the second, where z is the
least number with kl(x, z) ≤ ρN; that is exp(−ρN) for x = 1. Proofs: ``docs/explanation/theorems``.

The second ρ is also that of K arms that are good independently of each other, with probability c
each. None is good with probability (1 − c)^K. So regret and lost games are held against μ′ then,
and not against the market's own best mean.
"""

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from copyproof.theory.formulas import kl

_MOST_PLAYS, _RATE_HALVINGS = 1200, 30
_HALVINGS = 200  # of an interval of floats: more than there are bits between any two of them


def information_rate(good: float, bad: Iterable[tuple[float, int]], g: int) -> float:
    """ρ for g Bernoulli arms of mean μ′ among bad ones: at most so much is learned from a play.

    With bad arms of one kind, K − g of them, it is c kl(μ, μ′), c = g/K. With k_j arms of kind j it
    is the least λ for which there are whole g_j, g in all, with g_j/(g_j + k_j) kl(μ_j, μ′) ≤ λ.

    Parameters
    ----------
    good : float
        μ′, the mean of the good arms.
    bad : iterable of (float, int)
        Mean and number of the bad arms of each kind; means below μ′.
    g : int
        How many arms are good.

    Examples
    --------
    With ten good arms of 0.95 among 210, an agent of mean 0.8 has to be played 692 times if at
    least 99 % of games are to show a difference; theorem A′ itself asks for 76 plays.

    >>> rate = information_rate(0.95, [(0.8, 200)], g=10)
    >>> round(plays_needed_to_tell(0.01, rate), 1)
    691.9
    """
    kinds = [(kl(mean, good), count) for mean, count in bad]
    low, high = 0.0, min(g / (g + count) * told for told, count in kinds)
    if len(kinds) == 1 or math.isinf(high):
        return high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if sum(_places(middle, told, count, g) for told, count in kinds) < g:
            low = middle
        else:
            high = middle
    return high


def _places(rate: float, told: float, count: int, g: int) -> int:
    """The largest g_j ≤ g with g_j/(g_j + k_j) kl(μ_j, μ′) ≤ rate."""
    return g if rate * (g + count) >= told * g else int(rate * count / (told - rate))


def information_rate_at_share(good: float, bad: float, c: float) -> float:
    """ρ in the limit of many Bernoulli arms, of which a share c is good; rounded up.

    It is also the ρ of arms that are good independently of each other, with probability c each, if
    regret and lost games are held against μ′: of K arms none is good with probability (1 − c)^K.

    The least rate at which no way of playing an arm is worth it: E[−ln(1 − c + c L_τ)] ≤ ρ E[τ] for
    every stopping time τ. It is found by backward induction over successes and failures, cut off
    after some plays, from where on all that could be learned counts as learned for nothing.

    Parameters
    ----------
    good, bad : float
        μ′ and μ, 0 ≤ μ < μ′ ≤ 1.
    c : float
        The share of good arms, 0 < c < 1.

    Examples
    --------
    Where good arms pay once in twenty plays and bad ones never, one in 21 takes 1,932 plays. No
    mean of Bernoulli bad arms takes fewer.

    >>> round(plays_needed_to_tell(0.01, information_rate_at_share(0.05, 0.0, c=1 / 21)))
    1932
    """
    told = kl(bad, good)
    low, high = 0.0, min(c * told, -(1 - bad) * math.log1p(-c * (good - bad) / (1 - bad)))
    if bad <= 0 or good >= 1:
        return high  # attained: by one play of every arm, and by playing each until it fails
    learned = _learned(good, bad, c, min(_MOST_PLAYS, math.ceil(40 / told)))
    for _ in range(_RATE_HALVINGS):
        middle = (low + high) / 2
        if _worth(learned, bad, c, middle) > 0:
            low = middle
        else:
            high = middle
    return high


def _learned(good: float, bad: float, c: float, plays: int) -> list[NDArray[np.float64]]:
    """−ln(1 − c + c L) after 0, 1, … plays of an arm, by the number of successes."""
    success, failure = math.log(good / bad), math.log1p(-good) - math.log1p(-bad)
    ratios = (np.arange(n + 1) * success + np.arange(n, -1, -1) * failure for n in range(plays))
    return [-np.logaddexp(math.log1p(-c), math.log(c) + ratio) for ratio in ratios]


def _worth(learned: list[NDArray[np.float64]], bad: float, c: float, rate: float) -> float:
    """What one play or more of a bad arm can teach at most, less ``rate`` a play."""
    value = np.full(len(learned) + 1, -math.log1p(-c))
    for stopped in reversed(learned[1:]):
        value = np.maximum(stopped, bad * value[1:] + (1 - bad) * value[:-1] - rate)
    return float(bad * value[1] + (1 - bad) * value[0] - rate)


def least_probability(usual: float, information: float) -> float:
    """z: the least probability of what has the probability x where agents are truthful.

    The least z with kl(x, z) ≤ information. The same holds for means of numbers from 0 to 1.

    Parameters
    ----------
    usual : float
        x, from 0 to 1: the probability (or mean) where the agent registers one bad arm.
    information : float
        ρN, at least 0.

    Examples
    --------
    >>> print(f"{least_probability(1.0, 2.0):.4f} {math.exp(-2):.4f}")
    0.1353 0.1353
    >>> print(f"{least_probability(0.9, 2.0):.4f}")
    0.0762
    """
    low, high = 0.0, usual  # kl(x, z) falls in z between them, to 0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if kl(usual, middle) > information:
            low = middle
        else:
            high = middle
    return low  # rounded down: what is below the least z is a lower bound still


def plays_needed_to_tell(lost: float, rate: float, usual: float = 1.0) -> float:
    """kl(x, lost)/ρ: the least N for which no more than a share ``lost`` of games must be lost.

    Parameters
    ----------
    lost : float
        The share of games that may be lost, 0 < lost ≤ x.
    rate : float
        ρ, as ``information_rate`` or ``information_rate_at_share`` gives it.
    usual : float
        x: the probability that the agent is given up where it registers one bad arm; 1 unless
        told.

    Examples
    --------
    Five truthful agents, any of which may have a share 1/21 of arms of mean 0.95 instead. If at
    most 1 % of games is to be lost, the four worse ones cost at least

    >>> rates = {
    ...     mean: information_rate_at_share(0.95, mean, 1 / 21) for mean in (0.5, 0.6, 0.7, 0.8)
    ... }
    >>> [round(plays_needed_to_tell(0.01, rate)) for rate in rates.values()]
    [259, 355, 549, 1103]
    >>> round(sum((0.9 - mean) * plays_needed_to_tell(0.01, rate) for mean, rate in rates.items()))
    430
    """
    return kl(usual, lost) / rate
