"""Theorem A′ with rates: how many plays it takes to tell good arms from bad ones.

Theorem A′ counts a good arm as found when it is played once. A good arm and a bad one that have
paid the same are not told apart yet, and this is what it costs. Agent i has N = E[N_i] plays in
expectation where it registers one arm of mean μ, and registers instead many, a share c of them
good, of mean μ′, and the others as bad as that one. What is seen of the second market then differs
from the first by an information (a Kullback–Leibler divergence) of at most ρN, where for Bernoulli
arms, with δ = μ′ − μ,

    ρ = c kl(μ, μ′)                        for any K arms, g = cK of them good, and
    ρ = (1 − μ) ln(1 / (1 − c δ/(1 − μ)))  in the limit of many arms; at most δ ln(1/(1 − c)).

So whatever has the probability x on the first market has at least z on the second, where z is the
least number with kl(x, z) ≤ ρN; that is exp(−ρN) for x = 1. Proofs: ``docs/explanation/theorems``.
"""

import math
from collections.abc import Iterable

from copyproof.theory.formulas import kl

_HALVINGS = 200  # of an interval of floats: more than there are bits between any two of them


def information_rate(good: float, bad: Iterable[tuple[float, int]], g: int) -> float:
    """ρ for g good arms of mean μ′ among bad ones: at most so much is learned from a play.

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
    """ρ in the limit of many arms, of which a share c is good.

    The smaller of c kl(μ, μ′) and (1 − μ) ln(1 / (1 − c δ/(1 − μ))), δ = μ′ − μ. The second is at
    most δ ln(1/(1 − c)): the plays of theorem A′ in the limit, divided by δ, are always needed.

    Parameters
    ----------
    good, bad : float
        μ′ and μ, 0 ≤ μ < μ′ ≤ 1.
    c : float
        The share of good arms, 0 < c < 1.

    Examples
    --------
    Where good arms pay once in twenty plays and bad ones never, one in 21 takes 1,932 plays.

    >>> round(plays_needed_to_tell(0.01, information_rate_at_share(0.05, 0.0, c=1 / 21)))
    1932
    """
    from_failures = -(1 - bad) * math.log1p(-c * (good - bad) / (1 - bad))
    return min(c * kl(bad, good), from_failures)


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
    [210, 271, 379, 692]
    >>> round(sum((0.9 - mean) * plays_needed_to_tell(0.01, rate) for mean, rate in rates.items()))
    310
    """
    return kl(usual, lost) / rate
