"""The formulas: one function each, of plain numbers, in the paper's symbols.

Theorem and lemma numbers are those of Shin, Lee, Ok: Multi-armed bandit algorithm against strategic
replication, AISTATS 2022. Terms that the paper hides in O(·) are taken from its proofs. None of
these functions checks whether its theorem applies; ``bounds`` does.

T is the horizon; Δ_i = μ* − μ*_i the gap of agent i, where μ*_i is its best mean; δ_{i,a} = μ*_i −
μ(a) the gap of arm a inside agent i. Terms of regret are added up as floats: what is too large for
them is infinite.
"""

import math
import sys
from collections.abc import Iterable
from decimal import Context, Decimal

# A sample has the size with which the engine plays, on every machine: the logarithm of a C library
# is off by a bit now and then.
_EXACT = Context(prec=50, traps=[])  # too large a power is infinite


def theorem_3(gaps: Iterable[float], T: int) -> float:
    """Σ_{Δ_i > 0} 8 ln T / Δ_i + (1 + π²/3) Σ Δ_i: H-UCB where agents register their best arm.

    Theorem 3 of Shin, Lee, Ok (2022): H-UCB is then UCB1 over agents, and this is theorem 1 of
    Auer, Cesa-Bianchi, Fischer: Finite-time analysis of the multiarmed bandit problem, 2002.

    Parameters
    ----------
    gaps : iterable of float
        Δ_i of every agent that takes part.
    T : int
        The horizon.

    Examples
    --------
    >>> round(theorem_3([0.4, 0.3, 0.2, 0.1, 0.0], T=100_000), 1)
    1923.1
    """
    positive = [gap for gap in gaps if gap > 0]
    explored = sum(8 * math.log(T) / gap for gap in positive)
    return explored + (1 + math.pi**2 / 3) * sum(positive)


def theorem_5(
    others: Iterable[tuple[float, Iterable[float]]], best: Iterable[float], L: float, T: int
) -> float:
    """RH-UCB(L) with one best agent i*: regret of order √T ln T, with every term.

    Σ_{i≠i*} [√T ln T (1 + 4/Δ_i² + Σ_{a∈O_{i*}} 50 L/δ_{i*,a} + Σ_{a∈O_i} 114 L/δ_{i,a}) + 2 +
    16 L⁵ ln⁵ T] + 1 + L ln T Σ_{a∈O_{i*}} (16 ln T/δ_{i*,a} + 9 δ_{i*,a}), over arms with δ > 0.

    Theorem 5 of Shin, Lee, Ok (2022) and its proof. The sum over agents leaves out i*, whose Δ is
    0; the last terms are the best agent's own. The constants are those printed, and unproven: the
    proof applies Hoeffding's and Markov's inequalities at a random number of plays as if it were
    fixed, which can be repaired for the order alone.

    Parameters
    ----------
    others : iterable of (float, iterable of float)
        Δ_i and all δ_{i,a} of every agent that takes part, but i*.
    best : iterable of float
        All δ_{i*,a}.
    L : float
        The factor of the sample.
    T : int
        The horizon.

    Examples
    --------
    >>> round(theorem_5([(0.4, [])], best=[], L=1, T=100_000))
    3330959
    """
    log, rate = math.log(T), math.sqrt(T) * math.log(T)
    inside = [gap for gap in best if gap > 0]
    sampled = L * log
    missed = 16 * sampled * sampled * sampled * sampled * sampled
    terms = [1.0]
    terms += [16 * sampled * log / gap + 9 * sampled * gap for gap in inside]
    for agent_gap, arms in others:
        terms += [rate, rate * 4 / agent_gap / agent_gap, 2.0, missed]
        terms += [rate * 50 * L / gap for gap in inside]
        terms += [rate * 114 * L / gap for gap in arms if gap > 0]
    return sum(terms)


def theorem_6(n: int, K: float, T: int) -> float:
    """RH-UCB whatever the means: regret of order n √K T^{3/4} ln T, with every term.

    T^{3/4} ln T (18 n √K + 19 n + 4 √n) + 9 n √K √T ln T + 16 n K⁵ ln⁵ T + 5 n K ln T + n, where
    K = 1/c and samples have K ln T arms.

    Theorem 6 of Shin, Lee, Ok (2022) and its proof, whose last line misprints 4 √n as 2 √n. As in
    theorem 5, the printed constants are unproven.

    Parameters
    ----------
    n : int
        Agents that take part.
    K : float
        1/c, for a share c of best arms that every agent keeps.
    T : int
        The horizon.

    Examples
    --------
    >>> round(theorem_6(5, K=1, T=100_000))
    28901940
    """
    log, root = math.log(T), math.sqrt(T)
    sampled = K * log
    fifth = sampled * sampled * sampled * sampled * sampled
    worst = T / math.sqrt(root) * log * (18 * n * math.sqrt(K) + 19 * n + 4 * math.sqrt(n))
    return worst + 9 * n * math.sqrt(K) * root * log + 16 * n * fifth + 5 * n * sampled + n


def theorem_7_holds(c: float, T: int) -> bool:
    """Whether T ln³ T ≥ e^{2/c}: the horizon is long enough for PRH-UCB's orders.

    Theorem 7 of Shin, Lee, Ok (2022): regret O(n c⁻² √(T ln³ T)) for given means, and
    O(n c^{−1/2} T^{3/4} ln^{3/2} T) whatever the means. The constants are not known.

    Parameters
    ----------
    c : float
        The share of best arms that every agent keeps, > 0.
    T : int
        The horizon.

    Examples
    --------
    >>> min(T for T in range(1, 100) if theorem_7_holds(0.5, T))
    8
    """
    log = math.log(T)
    return log > 0 and log + 3 * math.log(log) >= 2 / c


def sample_size(L: float, T: int, arms: int, power: float = 1.0) -> int:
    """|B_i| = min(|S_i|, max(1, ⌊L (ln T)^power⌋)), the size of a sample drawn once.

    Parameters
    ----------
    L : float
        The factor of the sample.
    T : int
        The horizon.
    arms : int
        |S_i|, the arms that the agent registers.
    power : float
        1 in RH-UCB.

    Examples
    --------
    >>> sample_size(3, 100_000, arms=210)
    34
    """
    clock = float(_EXACT.ln(int(T)))
    match power:  # rounded where the engine rounds
        case 0:
            most = L
        case 1:
            most = L * clock
        case 2:
            most = L * (clock * clock)
        case _:
            most = L * float(_EXACT.power(Decimal(clock), Decimal(power)))
    return int(min(float(arms), max(1.0, most)))


def miss_probability(arms: int, best: int, m: int) -> float:
    """P(B_i holds no best arm), exactly: hypergeometric, C(|S_i| − best, m) / C(|S_i|, m).

    What lemma 1 of Shin, Lee, Ok (2022) bounds.

    Parameters
    ----------
    arms : int
        |S_i|, the arms that the agent registers.
    best : int
        How many of them have the agent's best mean.
    m : int
        The size of the sample B_i, at most |S_i|.

    Examples
    --------
    >>> round(miss_probability(210, best=10, m=34), 4)
    0.1638
    """
    # Symmetric in m and best: as few factors as there can be, each of them at most 1.
    fewer, more = sorted((best, m))
    chance = 1.0
    for k in range(fewer):
        chance *= max(0, arms - more - k) / (arms - k)
        if chance == 0:
            break
    return chance


def lemma_1(c: float, m: int) -> float:
    """(1 − c)^m, which is at least P(B_i holds no best arm).

    Lemma 1 of Shin, Lee, Ok (2022) goes on to (1 − c)^{L ln T} ≤ 1/T for L ≥ 1/c; a sample has
    m = ⌊L ln T⌋ arms, and for T up to 20 that can be too few.

    Parameters
    ----------
    c : float
        The share of the agent's registered arms that have its best mean.
    m : int
        The size of the sample.

    Examples
    --------
    >>> round(lemma_1(10 / 210, m=34), 4)
    0.1904
    """
    return float((1 - c) ** m)


def kl(p: float, q: float) -> float:
    """kl(p, q) = p ln(p/q) + (1 − p) ln((1 − p)/(1 − q)), between Bernoulli means.

    Examples
    --------
    >>> round(kl(0.5, 0.9), 4)
    0.5108
    """
    if (p > 0 and q == 0) or (p < 1 and q == 1):
        return math.inf
    hit = p * (math.log(p) - math.log(q)) if p > 0 else 0.0
    miss = (1 - p) * (math.log1p(-p) - math.log1p(-q)) if p < 1 else 0.0
    # Close to each other the two cancel, and Pinsker's inequality is the better number.
    return max(2 * (p - q) ** 2, hit + miss)


def lai_robbins(arms: Iterable[tuple[float, int]], T: int) -> float:
    """Σ_{μ(a) < μ*} (μ* − μ(a)) / kl(μ(a), μ*) · ln T: the least cost of learning, as T → ∞.

    Lai, Robbins: Asymptotically efficient adaptive allocation rules, 1985: the regret of a policy
    that is consistent (o(T^p) for every p > 0, whatever the means) divided by ln T has at least
    this limit. It is asymptotic: at a given T the regret may be below it.

    Parameters
    ----------
    arms : iterable of (float, int)
        Bernoulli means and how many registered arms have them.
    T : int
        The horizon.

    Examples
    --------
    >>> round(lai_robbins([(0.5, 1000), (0.9, 1)], T=100_000))
    9015
    """
    registered = [(mean, copies) for mean, copies in arms if copies > 0]
    best = max((mean for mean, _ in registered), default=0.0)
    terms = [
        math.log(T) * copies * (best - mean) / max(kl(mean, best), sys.float_info.min)
        for mean, copies in registered
        if mean < best
    ]
    return sum(terms, start=0.0)
