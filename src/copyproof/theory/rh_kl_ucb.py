"""Theorem B: bounds on the regret of ``rh-kl-ucb``, as functions of plain numbers.

The theorem is ours, and proven in ``docs/explanation/theorems.md``. The policy samples κ arms of
every agent, plays KL-UCB at level L = ln T inside an agent, and gives an agent with N plays and
reward sum S the index max{x : (N − κ) kl(S/(N − κ), x) ≤ κ L}, 1 while N ≤ κ or S ≥ N − κ.

Let 𝓔 be the event that the sample of a best agent holds an arm of mean μ* which is not
underestimated: P(not 𝓔) ≤ p₀ + e ⌈ln² T⌉ / T for T ≥ 2, where p₀ is the probability that the sample
holds none. On 𝓔 the agent's index is never below μ*. From that follow

- whatever the gaps: regret ≤ √(½ n κ T ln T) + n (κ + 1) + T P(not 𝓔);
- an agent j of best mean μ_j < μ*: E[N_j 1_𝓔] ≤ 1 + N₀ + e^{−N₀ x} / (1 − e^{−x}), where
  N₀ = max(κ + κ L / kl(ρ, μ*), κ ρ / (ρ − ρ′)) and x = kl(ρ′, μ_j), for any μ_j < ρ′ < ρ < μ*;
- inside a best agent, an arm of mean μ_a < μ*: the same with N₀ = L / kl(ρ, μ*) and
  x = kl(ρ, μ_a), for any μ_a < ρ < μ*.

Every ρ gives a valid bound, so that the search for the best one need not be exact.
"""

import math
from collections.abc import Callable, Iterable

from copyproof.theory.formulas import kl

_POINTS = 64  # of each grid in the search for ρ
_ZOOMS = 8  # each grid is about 30 times as fine as the one before


def theorem_b(n: int, kappa: int, T: int, missed: float) -> float:
    """√(½ n κ T ln T) + n (κ + 1) + T P(not 𝓔): the bound for all gaps.

    Parameters
    ----------
    n : int
        Agents that take part.
    kappa : int
        κ, the arms in a sample.
    T : int
        The horizon, at least 2.
    missed : float
        p₀ of a best agent: the probability that its sample holds no best arm.

    Examples
    --------
    Ten good arms among 210 against one rival, κ = 100: 0.13 % of the samples hold no good arm.

    >>> from copyproof.theory import miss_probability
    >>> round(theorem_b(2, 100, 100_000, missed=miss_probability(210, best=10, m=100)))
    11420
    """
    spread = math.sqrt(n * kappa / 2) * math.sqrt(T) * math.sqrt(math.log(T))
    return spread + n * (kappa + 1) + _rare(1, T, missed)


def theorem_b_with_gaps(
    worse: Iterable[tuple[float, float]],
    inside: Iterable[tuple[float, float]],
    best: float,
    kappa: int,
    T: int,
    missed: Iterable[float],
) -> float:
    """The bound for given gaps: O(Σ_j κ ln T / Δ_j + Σ_a ln T / δ_a + ln² T) + T Σ p₀.

    Parameters
    ----------
    worse : iterable of (float, float)
        The best and the lowest mean that each agent registers whose best one is below μ*.
    inside : iterable of (float, float)
        Means below μ* that the best agents register, and how many arms of that mean are in their
        samples in expectation.
    best : float
        μ*.
    kappa : int
        κ, the arms in a sample.
    T : int
        The horizon, at least 2.
    missed : iterable of float
        p₀ of every agent that registers an arm of mean μ*.

    Examples
    --------
    >>> from copyproof.theory import miss_probability
    >>> missed = [miss_probability(210, best=10, m=100)]
    >>> bad = [(0.2, 100 * 100 / 210), (0.1, 100 * 100 / 210)]
    >>> round(theorem_b_with_gaps([(0.8, 0.8)], bad, 0.9, 100, 100_000, missed))
    4705
    """
    misses = list(missed)
    agents = sum(_agent_cost(top, low, best, kappa, T) for top, low in worse)
    arms = sum(count * (best - mean) * arm_plays(mean, best, T) for mean, count in inside)
    return agents + arms + _rare(len(misses), T, sum(misses))


def agent_plays(mean: float, best: float, kappa: int, T: int) -> float:
    """A bound on E[N_j 1_𝓔], the plays of an agent whose best registered mean is μ_j < μ*.

    Of all ρ′ the one that makes the two terms of N₀ equal is best, ρ′ = ρ L / (L + kl(ρ, μ*)), as
    N₀ + e^{−N₀ x} / (1 − e^{−x}) falls with x, and rises with N₀ ≥ 1. If μ* = 1, ρ may be 1.

    Parameters
    ----------
    mean, best : float
        μ_j and μ*.
    kappa : int
        κ, the arms in a sample.
    T : int
        The horizon, at least 2.

    Examples
    --------
    >>> round(agent_plays(0.8, 0.9, kappa=3, T=100_000))
    1376
    """
    L = math.log(T)

    def plays(rho: float) -> float:
        if best == 1:
            return _with_tail(_ratio(kappa, 1 - rho), kl(rho, mean))
        gap = kl(rho, best)
        lower = rho * L / (L + gap)
        if lower <= mean:
            return math.inf
        return _with_tail(kappa + _ratio(kappa * L, gap), kl(lower, mean))

    return min(float(T), _least(plays, mean, best))


def arm_plays(mean: float, best: float, T: int) -> float:
    """A bound on E[n_a 1_𝓔], the plays of an arm of mean μ_a < μ* in the sample of a best agent.

    Parameters
    ----------
    mean, best : float
        μ_a and μ*.
    T : int
        The horizon, at least 2.

    Examples
    --------
    >>> round(arm_plays(0.2, 0.9, T=100_000), 1)
    18.3
    """
    L = math.log(T)
    return min(
        float(T),
        _least(lambda rho: _with_tail(_ratio(L, kl(rho, best)), kl(rho, mean)), mean, best),
    )


def _agent_cost(top: float, low: float, best: float, kappa: int, T: int) -> float:
    """A bound on what the plays of a worse agent cost on 𝓔, from its best and lowest mean."""
    plays = agent_plays(top, best, kappa, T)
    spread = kappa + 1 + math.sqrt(kappa * math.log(T) / 2) * math.sqrt(plays)
    return min(spread, (best - low) * plays)


def _rare(best_agents: int, T: int, missed: float) -> float:
    """T P(not 𝓔), where 𝓔 is asked of as many best agents, and never more than T."""
    return min(float(T), best_agents * math.e * math.ceil(math.log(T) ** 2) + T * missed)


def _with_tail(plays: float, rate: float) -> float:
    """1 + N₀ + Σ_{k ≥ 0} e^{−(N₀ + k) x}."""
    if rate <= 0 or plays == math.inf:
        return math.inf
    return 1 + plays - math.exp(-plays * rate if plays > 0 else 0.0) / math.expm1(-rate)


def _ratio(over: float, under: float) -> float:
    return over / under if under > 0 else math.inf


def _least(bound: Callable[[float], float], low: float, high: float) -> float:
    """The least value found between two means, on grids around the best point so far."""
    found = math.inf
    for _ in range(_ZOOMS):
        step = (high - low) / _POINTS
        points = [low + step * k for k in range(1, _POINTS)] + [high]
        value, place = min((bound(rho), rho) for rho in points)
        found = min(found, value)
        low, high = max(low, place - 2 * step), min(high, place + 2 * step)
    return found
