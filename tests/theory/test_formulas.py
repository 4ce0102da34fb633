"""The formulas against values worked out by hand, and against scipy."""

import math
from decimal import Context
from fractions import Fraction
from math import comb, log, pi, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom

from copyproof import Policy
from copyproof.engine.lower import lower_policy
from copyproof.engine.plan import sample_size as played_size
from copyproof.policy import UCB, FixedSample
from copyproof.theory import (
    kl,
    lai_robbins,
    lemma_1,
    miss_probability,
    sample_size,
    theorem_3,
    theorem_5,
    theorem_6,
    theorem_7_holds,
)

SHARES = st.integers(1, 400).flatmap(
    lambda arms: st.tuples(st.just(arms), st.integers(0, arms), st.integers(1, arms))
)


def test_theorem_3_on_the_papers_single_arm_market() -> None:
    # 8 ln 10^5 (1/0.1 + 1/0.2 + 1/0.3 + 1/0.4) + (1 + π²/3)(0.1 + 0.2 + 0.3 + 0.4)
    value = theorem_3([0.4, 0.3, 0.2, 0.1, 0.0], T=10**5)
    assert value == pytest.approx(40 * log(10) * 125 / 6 + 1 + pi * pi / 3)
    assert round(value, 1) == 1923.1


def test_theorem_3_without_gaps_or_rounds() -> None:
    assert theorem_3([0.0, 0.0], T=1000) == 0
    assert theorem_3([0.5], T=1) == pytest.approx(0.5 + pi**2 / 6)


def test_theorem_5_by_hand() -> None:
    # T = e^4 to the nearest round; i* has δ = 0.5 and a twin of its best arm; L = 2; two others.
    T, L = 55, 2.0
    w = log(T)
    first = 1 + 4 / 0.25 + 100 / 0.5 + 0  # Δ = 0.5, no arm below its best
    second = 1 + 4 / 0.0625 + 100 / 0.5 + 228 / 0.25 + 228 / 0.125  # Δ = 0.25, δ = 0.25 and 0.125
    tails = 2 * (2 + 16 * 32 * w**5)
    own = 1 + 2 * w * (16 * w / 0.5 + 9 * 0.5)
    expected = sqrt(T) * w * (first + second) + tails + own
    found = theorem_5([(0.5, [0.0]), (0.25, [0.0, 0.25, 0.125])], [0.0, 0.5, 0.0], L, T)
    assert found == pytest.approx(expected)


def test_theorem_5_of_a_single_agent_is_its_own_part() -> None:
    assert theorem_5([], [0.0], L=1, T=10**5) == 1
    w = log(1000)
    assert theorem_5([], [0.0, 0.2], L=2, T=1000) == pytest.approx(1 + 160 * w * w + 3.6 * w)


def test_theorem_6_by_hand() -> None:
    # n = 4, K = 9, T = 10^4: √K = 3, √n = 2, T^(3/4) = 1000, √T = 100.
    w = 4 * log(10)
    expected = 1000 * w * (216 + 76 + 8) + 108 * 100 * w + 64 * 59049 * w**5 + 180 * w + 4
    assert theorem_6(4, K=9, T=10**4) == pytest.approx(expected)


def test_theorem_6_has_four_roots_of_n() -> None:
    # Of the terms with T^(3/4) only √n is not a multiple of n: 4 f(n = 4) − f(n = 16) = 4 √n·(…).
    T = 10**8
    rest = 4 * theorem_6(4, K=1, T=T) - theorem_6(16, K=1, T=T)
    assert rest == pytest.approx(10**6 * log(T) * 4 * (4 * 2 - 4), rel=1e-6)


@pytest.mark.parametrize("c", [1.0, 0.5, 0.25, 0.1])
def test_theorem_7_condition_on_both_sides(c: float) -> None:
    def holds(T: int) -> bool:
        return T * log(T) ** 3 >= math.exp(2 / c)

    first = next(T for T in range(1, 10**6) if holds(T))
    assert [theorem_7_holds(c, T) for T in (first - 1, first)] == [False, True]


def test_theorem_7_condition_where_exponentials_overflow() -> None:
    assert not theorem_7_holds(1e-4, T=10**15)
    assert not theorem_7_holds(1.0, T=1)


@pytest.mark.parametrize(
    ("L", "T", "arms", "size"),
    [
        (3, 10**5, 210, 34),  # 34.5
        (22, 10**5, 210, 210),  # 253.3
        (22, 10**5, 3000, 253),
        (0.01, 100, 7, 1),
        (1, 1, 7, 1),
        (1e308, 10**9, 50_000_000, 50_000_000),
        (1.0960474532084836, 9170, 100, 9),  # 10 with the logarithm of glibc
    ],
)
def test_sample_size(L: float, T: int, arms: int, size: int) -> None:
    assert sample_size(L, T, arms) == size


def test_sample_size_of_a_power() -> None:
    assert sample_size(1, 10**5, 3000, power=2) == 132  # 11.51² = 132.5
    assert sample_size(1, 10**5, 3000, power=1e9) == 3000


@pytest.mark.parametrize("power", [1.0, 2.0, 1.5, 0.0])
def test_sample_size_is_that_of_the_engine(power: float) -> None:
    sizes = []
    for T in (1, 2, 9170, 136_837, 141_614, 147_674, 10**6):
        clock = max(float(Context(prec=50).ln(T)), 0.1) ** power
        for L in (k / clock for k in range(1, 200)):
            policy = Policy(UCB(), UCB(), FixedSample(L, power))
            plan = lower_policy(policy, horizon=T, seed=0)
            sizes.append((sample_size(L, T, 10**6, power), played_size(plan, T, 10**6)))
    assert [one for one, _ in sizes] == [other for _, other in sizes]


def test_miss_probability_at_figure_2c() -> None:
    # L = 3: 34 of the best agent's 210 arms; L = 22: all of them, and 253 of the others' 3000.
    assert miss_probability(210, 10, 34) == pytest.approx(comb(200, 34) / comb(210, 34), rel=1e-12)
    assert round(miss_probability(210, 10, 34), 4) == 0.1638
    assert miss_probability(210, 10, 210) == 0
    exact = Fraction(comb(2000, 253), comb(3000, 253))
    assert miss_probability(3000, 1000, 253) == pytest.approx(float(exact), rel=1e-12)


def test_miss_probability_at_its_ends() -> None:
    assert miss_probability(5, 0, 5) == 1
    assert miss_probability(5, 5, 1) == 0
    assert miss_probability(5, 1, 4) == pytest.approx(1 / 5)


def test_miss_probability_of_many_arms() -> None:
    # One best arm in 50 million: 1 − m/N. Ten thousand: as good as independent draws.
    assert miss_probability(50_000_000, 1, 20_000_000) == pytest.approx(0.6)
    found = miss_probability(50_000_000, 10_000, 10_000)
    assert found == pytest.approx(math.exp(10_000 * math.log1p(-1e4 / 5e7)), rel=1e-3)
    assert miss_probability(50_000_000, 25_000_000, 25_000_000) == 0


@given(SHARES)
def test_miss_probability_is_scipys(share: tuple[int, int, int]) -> None:
    arms, best, m = share
    expected = float(hypergeom.pmf(0, arms, best, m))
    assert miss_probability(arms, best, m) == pytest.approx(expected, rel=1e-8, abs=1e-300)


@given(SHARES)
def test_lemma_1_bounds_the_exact_probability(share: tuple[int, int, int]) -> None:
    arms, best, m = share
    assert miss_probability(arms, best, m) <= lemma_1(best / arms, m) * (1 + 1e-12)


@given(st.integers(1, 1000), st.integers(1, 1000), st.integers(21, 10**12))
def test_floored_samples_are_large_enough_from_21_rounds_on(best: int, more: int, T: int) -> None:
    # With L = 1/c: ⌊L ln T⌋ ln(1/(1 − c)) ≥ (ln T / c − 1)(c + c²/2) ≥ ln T if ln T ≥ 2 + c.
    arms = best + more
    m = sample_size(arms / best, T, 10**9)
    assert lemma_1(best / arms, m) <= 1 / T * (1 + 1e-9)


def test_floored_samples_of_few_rounds_can_be_too_small() -> None:
    m = sample_size(2, 4, 10**6)  # ⌊2.77⌋
    assert lemma_1(0.5, m) == pytest.approx(1 / 4)
    assert lemma_1(1 / 20, sample_size(20, 3, 10**6)) == pytest.approx(0.95**21)
    assert 0.9 ** sample_size(10, 2, 10**6) > 1 / 2  # ⌊6.93⌋ = 6


@pytest.mark.parametrize(
    ("p", "q", "expected"),
    [
        (0.5, 0.9, 0.5 * log(25 / 9)),
        (0.0, 0.5, log(2)),
        (1.0, 0.5, log(2)),
        (0.3, 0.3, 0.0),
        (0.0, 0.0, 0.0),
        (1.0, 1.0, 0.0),
        (0.5, 1.0, math.inf),
        (0.5, 0.0, math.inf),
        (1e-200, 2e-200, 1e-200 * (1 - log(2))),
    ],
)
def test_kl(p: float, q: float, expected: float) -> None:
    assert kl(p, q) == pytest.approx(expected)


@given(st.floats(0, 1), st.floats(0, 1))
def test_kl_obeys_pinsker(p: float, q: float) -> None:
    assert kl(p, q) >= 2 * (p - q) ** 2


def test_lai_robbins_by_hand() -> None:
    # Two copies at 1/2 and one arm at 0 against 9/10: 2·0.4/(ln(25/9)/2) + 0.9/ln 10.
    found = lai_robbins([(0.5, 2), (0.9, 3), (0.0, 1), (0.1, 0)], T=1000)
    assert found == pytest.approx((1.6 / log(25 / 9) + 0.9 / log(10)) * 3 * log(10))


def test_lai_robbins_where_nothing_is_to_be_learnt() -> None:
    assert lai_robbins([(0.9, 5)], T=1000) == 0
    assert lai_robbins([(0.5, 5), (1.0, 1)], T=1000) == 0  # kl(·, 1) is infinite
