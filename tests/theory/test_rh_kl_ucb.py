"""Theorem B: the bounds against a search over both means, and corner by corner."""

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from copyproof.theory import (
    agent_plays,
    arm_plays,
    kl,
    miss_probability,
    theorem_b,
    theorem_b_with_gaps,
)

Array = NDArray[np.float64]
MISSED = miss_probability(210, best=10, m=100)
SAMPLED = 100 * 100 / 210  # of either kind of 100 bad arms, in a sample of 100 of 210


def divergence(p: Array, q: float) -> Array:
    """kl of arrays, without the package's function."""
    other = np.log1p(-p) - math.log1p(-q)
    return p * (np.log(p) - math.log(q)) + (1 - p) * other


def search(mean: float, best: float, kappa: int, T: int) -> float:
    """The least of the bound on plays over a grid of both ρ and ρ′."""
    L, grid = math.log(T), np.linspace(0, 1, 1203)[1:-1]
    rho = mean + (best - mean) * grid[:, None]
    lower = mean + (rho - mean) * grid[None, :]
    least = np.maximum(kappa + kappa * L / divergence(rho, best), kappa * rho / (rho - lower))
    rate = divergence(lower, mean)
    return float((1 + least - np.exp(-least * rate) / np.expm1(-rate)).min())


@pytest.mark.parametrize(
    ("mean", "best", "kappa", "T"),
    [
        (0.8, 0.9, 100, 10**9),
        (0.8, 0.9, 3, 10**5),
        (0.5, 0.9, 1, 100),
        (0.01, 0.9, 35, 10**6),
        (0.5, 0.51, 2, 10**7),
        (0.3, 0.9999, 7, 10**4),
    ],
)
def test_plays_against_a_search_over_both_means(
    mean: float, best: float, kappa: int, T: int
) -> None:
    found, searched = agent_plays(mean, best, kappa, T), search(mean, best, kappa, T)
    assert searched * 0.999 <= found <= searched * (1 + 1e-9)


@given(st.floats(0.01, 0.9), st.floats(0.02, 0.98), st.integers(2, 10**9), st.floats(0.01, 0.99))
def test_plays_of_an_arm_are_the_least_over_rho(mean: float, way: float, T: int, at: float) -> None:
    best = mean + (1 - mean) * way
    rho = mean + (best - mean) * at
    plays, rate = math.log(T) / kl(rho, best), kl(rho, mean)
    other = 1 + plays - math.exp(-plays * rate) / math.expm1(-rate)
    assert arm_plays(mean, best, T) <= other * (1 + 1e-6)


def test_numbers_of_a_against_b() -> None:
    bad = [(0.2, SAMPLED), (0.1, SAMPLED)]
    assert round(theorem_b(2, 100, 10**5, MISSED)) == 11_420
    assert round(theorem_b_with_gaps([(0.8, 0.8)], bad, 0.9, 100, 10**5, [MISSED])) == 4_705


def test_whatever_the_gaps_by_hand() -> None:
    # T = 100, n = 4, κ = 2: √(½·8·100·ln 100) + 12 + e·22 + 1, of which Λ is at most T.
    by_hand = math.sqrt(400 * math.log(100)) + 12 + math.e * 22 + 1
    assert theorem_b(4, 2, 100, missed=0.01) == pytest.approx(by_hand)
    assert theorem_b(4, 2, 100, missed=0.5) == pytest.approx(by_hand - math.e * 22 - 1 + 100)


def test_several_best_agents() -> None:
    # Nothing to be learnt but who is underestimated: b e ⌈ln² T⌉ + T Σ p₀.
    rare = math.e * math.ceil(math.log(10**6) ** 2)
    assert theorem_b_with_gaps([], [], 0.9, 3, 10**6, [0.0]) == pytest.approx(rare)
    both = theorem_b_with_gaps([], [], 0.9, 3, 10**6, [0.0, 0.001])
    assert both == pytest.approx(2 * rare + 1000)


def test_a_rival_that_never_pays() -> None:
    # Its sum is 0 for ever: played again only while (N − κ) kl(0, μ*) ≤ κ ln T.
    exact = 1 + 3 + 3 * math.log(10**6) / -math.log(0.1)
    assert agent_plays(0.0, 0.9, 3, 10**6) == pytest.approx(exact)
    assert arm_plays(0.0, 0.9, 10**6) == pytest.approx(1 + math.log(10**6) / -math.log(0.1))


def test_a_best_arm_that_always_pays() -> None:
    # κ + 1 failures end it, so that the plays do not grow with T.
    found = agent_plays(0.5, 1.0, 3, 10**6)
    assert 8 < found == agent_plays(0.5, 1.0, 3, 10**12) < 16  # (κ + 1) / (1 − ½) = 8 really
    assert arm_plays(0.5, 1.0, 10**6) == pytest.approx(3)  # 2 plays really
    assert agent_plays(0.0, 1.0, 3, 10**6) == pytest.approx(4)


def test_near_1_is_nearly_1() -> None:
    assert agent_plays(0.5, 1 - 1e-15, 3, 10**6) < 1.5 * agent_plays(0.5, 1.0, 3, 10**6)


@pytest.mark.parametrize("T", [2, 3, 10, 10**100])
def test_short_and_long_games(T: int) -> None:
    for mean, best in ((0.0, 5e-324), (0.5, math.nextafter(0.5, 1)), (0.1, 0.9), (0.0, 1.0)):
        for kappa in (1, 100, 10**15):
            assert 1 <= agent_plays(mean, best, kappa, T) <= float(T)
            assert 1 <= arm_plays(mean, best, T) <= float(T)
            assert math.isfinite(theorem_b(50, kappa, T, missed=0.5))


def test_an_agent_costs_the_less_of_two() -> None:
    # κ = 1: one arm at 0.8, or arms from 0.8 down to 0; plays times the gap, or the spread.
    def cost(low: float) -> float:
        rare = math.e * math.ceil(math.log(10**7) ** 2)
        return theorem_b_with_gaps([(0.8, low)], [], 0.9, 1, 10**7, [0.0]) - rare

    plays = agent_plays(0.8, 0.9, 1, 10**7)
    assert cost(0.8) == pytest.approx(0.1 * plays)
    assert cost(0.0) == pytest.approx(2 + math.sqrt(math.log(10**7) * plays / 2))


# --- the policy itself -------------------------------------------------------------------------


def upper(mean: float, level: float) -> float:
    """max{q ≤ 1 : kl⁻(mean, q) ≤ level}, by halving."""
    low, high = mean, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if kl(mean, middle) <= level else (low, middle)
    return low


def index(N: int, S: float, kappa: int, L: float) -> float:
    if kappa >= N or N - kappa <= S:
        return 1.0
    return upper(S / (N - kappa), kappa * L / (N - kappa))


def test_search_inside_an_agent_is_paid_for() -> None:
    """Lemma 1 on random paths: while one best arm is not underestimated, nor is the agent."""
    rng, checked = random.Random(7), 0
    for _ in range(150):
        kappa, T = rng.choice([1, 2, 3, 5]), rng.choice([2, 10, 60])
        means = [rng.choice([0.0, 1.0, rng.random()]) for _ in range(rng.randint(1, kappa))]
        m, L = max(means), math.log(T)
        best, plays, sums = means.index(m), [0] * len(means), [0.0] * len(means)
        for N in range(1, T + 1):
            fresh = [a for a, n in enumerate(plays) if n == 0]
            widths = [upper(s / n, L / n) if n else 2.0 for s, n in zip(sums, plays, strict=True)]
            arm = rng.choice(fresh) if fresh else widths.index(max(widths))
            plays[arm] += 1
            sums[arm] += rng.random() < means[arm]
            mean = sums[best] / max(1, plays[best])
            if mean < m and plays[best] * kl(mean, m) > L:
                break  # the best arm is underestimated
            assert index(N, sum(sums), kappa, L) >= m - 1e-12
            checked += 1
    assert checked > 1000


@pytest.mark.parametrize(("m", "T"), [(0.05, 2), (0.5, 3), (0.9, 20), (0.3, 60)])
def test_underestimates_are_as_rare_as_lemma_2_says(m: float, T: int) -> None:
    """The probability that E fails, exactly, by counting successes round by round."""
    L = math.log(T)
    alive = {0: 1.0}
    for n in range(1, T + 1):
        after: dict[int, float] = {}
        for s, chance in alive.items():
            after[s] = after.get(s, 0.0) + chance * (1 - m)
            after[s + 1] = after.get(s + 1, 0.0) + chance * m
        alive = {s: p for s, p in after.items() if s >= n * m or n * kl(s / n, m) <= L}
    assert 1 - sum(alive.values()) <= math.e * math.ceil(L * math.log(T)) * math.exp(-L)
