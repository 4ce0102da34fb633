"""Theorems A and A′: by hand, in fractions, and against what policies really do."""

import math
from fractions import Fraction
from math import comb, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copyproof import Agent, Market, exact, simulate
from copyproof.theory import (
    lai_robbins,
    miss_probability,
    plays_needed,
    plays_needed_at_share,
    share_lost,
    share_lost_at_share,
    theorem_a,
)

ARMS = st.integers(1, 300).flatmap(lambda K: st.tuples(st.just(K), st.integers(1, K)))


def test_theorem_a_is_k_times_lai_and_robbins() -> None:
    means = [0.5, 0.7, 0.9, 0.9]
    once = lai_robbins([(mean, 1) for mean in means], T=1000) / log(1000)
    assert theorem_a(means, K=1) == pytest.approx(once)
    assert theorem_a(means, K=210) == pytest.approx(210 * once)


def test_theorem_a_by_hand() -> None:
    assert theorem_a([0.5, 0.9], K=3) == pytest.approx(3 * 0.4 / (0.5 * log(25 / 9)))


def test_theorem_a_leaves_out_who_earns_nothing() -> None:
    assert theorem_a([0.0, 0.5, 0.9], K=3) == theorem_a([0.5, 0.9], K=3)
    assert theorem_a([0.0, 0.0], K=3) == 0
    assert theorem_a([0.5, 1.0], K=3) == 0  # one failure tells


@given(ARMS, st.integers(0, 300))
def test_share_lost_of_whole_plays_is_hypergeometric(arms: tuple[int, int], plays: int) -> None:
    K, g = arms
    most = Fraction(comb(max(0, K - plays), g), comb(K, g))
    assert share_lost(plays, K, g) == pytest.approx(float(most), rel=1e-9)
    assert share_lost(plays, K, g) == pytest.approx(miss_probability(K, g, min(K, plays)), rel=1e-9)


@given(ARMS, st.floats(0, 300), st.floats(0, 300), st.floats(0, 1))
def test_share_lost_is_convex_and_falls(
    arms: tuple[int, int], x: float, y: float, w: float
) -> None:
    between, ends = w * x + (1 - w) * y, [share_lost(one, *arms) for one in (x, y)]
    assert share_lost(between, *arms) <= w * ends[0] + (1 - w) * ends[1] + 1e-12
    assert (x - y) * (ends[0] - ends[1]) <= 0


@given(ARMS, st.floats(0, 300))
def test_many_arms_are_no_lower_bound(arms: tuple[int, int], plays: float) -> None:
    # ln q is concave, and linear with the same ends at 0 and 1: above between them, else below.
    q, limit = share_lost(plays, *arms), share_lost_at_share(plays, arms[1] / arms[0])
    if plays >= 1:
        assert q <= limit + 1e-12
    else:
        assert q >= limit - 1e-12


def test_between_none_and_one_play_few_arms_are_lost_more_often() -> None:
    assert share_lost(0.5, K=2, g=1) == 0.75 > share_lost_at_share(0.5, c=0.5)


@given(ARMS, st.floats(1e-9, 1))
def test_plays_needed_is_the_inverse(arms: tuple[int, int], lost: float) -> None:
    plays = plays_needed(lost, *arms)
    assert share_lost(plays, *arms) == pytest.approx(lost, rel=1e-6, abs=1e-12)
    assert plays_needed(share_lost(plays, *arms), *arms) == pytest.approx(plays, rel=1e-6, abs=1e-9)


@given(st.floats(1e-6, 0.99), st.floats(1e-9, 1))
def test_plays_needed_at_a_share_is_the_inverse(c: float, lost: float) -> None:
    assert share_lost_at_share(plays_needed_at_share(lost, c), c) == pytest.approx(lost)


def test_ends() -> None:
    assert plays_needed(1, K=210, g=10) == 0
    assert plays_needed(0, K=210, g=10) == pytest.approx(201)
    assert share_lost(1e9, K=210, g=10) == 0
    assert share_lost(0, K=1, g=1) == 1


def test_numbers_of_the_page() -> None:
    assert f"{share_lost(95, K=210, g=10):.4%}" == "0.2016%"
    assert [math.ceil(plays_needed(0.01, 210, 10)), share_lost(75, 210, 10) > 0.01] == [76, True]
    assert round(plays_needed_at_share(0.01, 1 / 21), 1) == 94.4
    assert round(plays_needed_at_share(0.01, 1 / 200), 1) == 918.7


def test_many_arms_in_the_limit() -> None:
    for plays in (0.5, 7.3, 95.0):
        limit = share_lost_at_share(plays, 1 / 21)
        assert share_lost(plays, K=21 * 10**5, g=10**5) == pytest.approx(limit, rel=1e-3)


# --- what policies do --------------------------------------------------------------------------


@pytest.mark.parametrize("policy", ["h-ucb", "h-ucb-t-free", "rh-ucb(L=9)", "prh-ucb", "h-ucb-kl"])
@pytest.mark.parametrize(("T", "K", "g"), [(6, 4, 1), (5, 6, 2), (4, 3, 3)])
def test_how_often_good_arms_are_overlooked_exactly(policy: str, T: int, K: int, g: int) -> None:
    """Good arms always pay and bad ones never: nothing earned is nothing good ever played."""
    rivals = [Agent("rival", [0.5]), Agent("other", [0.25])][: 2 if T < 6 else 1]
    alone = exact(Market([Agent("i", [0.0]), *rivals]), policy, horizon=T).agents[0]
    few = Agent("i", [1.0, 0.0], copies=[g, K - g])
    lost = exact(Market([few, *rivals]), policy, horizon=T).agents[0].distribution
    assert lost is not None
    assert share_lost(float(alone.plays), K, g) <= float(lost[0]) + 1e-12


@pytest.mark.parametrize("policy", ["h-ucb", "h-ucb-t-free", "rh-ucb(L=1)", "prh-ucb"])
def test_regret_is_not_below_it(policy: str) -> None:
    T, K, g, rival = 7, 4, 1, Agent("rival", [0.5])
    for good, bad in ((0.75, 0.25), (1.0, 0.125), (0.875, 0.5)):
        plays = exact(Market([Agent("i", [bad]), rival]), policy, horizon=T).agents[0].plays
        few = Agent("i", [good, bad], copies=[g, K - g])
        regret = exact(Market([few, rival]), policy, horizon=T).regret
        assert (good - 0.5) * T * share_lost(float(plays), K, g) <= float(regret)


def test_it_is_attained_where_plays_are_certain() -> None:
    # One agent, all of whose arms are tried first: T plays, and T different arms.
    for T in range(1, 7):
        market = Market([Agent("i", [1.0, 0.0], copies=[2, 5])])
        lost = exact(market, "h-ucb", horizon=T, fractions=True).agents[0].distribution
        assert lost is not None
        assert lost[0] == Fraction(comb(7 - T, 2), comb(7, 2))
        assert share_lost(T, K=7, g=2) == pytest.approx(float(lost[0]))


def test_bad_arms_of_several_kinds() -> None:
    """With the pathwise theorem the bad arms may differ, and the best bad one counts."""
    T, rest, repetitions = 300, [Agent("rival", [0.6]), Agent("other", [0.3, 0.5])], 2000
    policy, one = "h-ucb-t-free", Market([Agent("i", [0.3]), *rest])
    plays = simulate(one, policy, horizon=T, repetitions=repetitions, seed=3).plays[:, 0].mean()
    market = Market([Agent("i", [0.9, 0.3, 0.1, 0.0], copies=[1, 20, 20, 20]), *rest])
    played = simulate(market, policy, horizon=T, repetitions=repetitions, seed=4)
    overlooked = (played.original_plays[:, 0] == 0).mean()
    least = share_lost(plays, K=61, g=1)
    assert 0.2 < least <= overlooked + 4 * math.sqrt(0.25 / repetitions)


@pytest.mark.parametrize("K", [10**8, 10**12, 10**15])
def test_many_good_arms_are_as_good_as_independent_draws(K: int) -> None:
    c, lost = 1 / 20, 0.01
    plays = plays_needed(lost, K, K // 20)
    assert math.isclose(plays, math.log(lost) / math.log(1 - c), rel_tol=1e4 / K)
    assert math.isclose(share_lost(plays, K, K // 20), lost, rel_tol=1e-12)
    assert share_lost(K, K, K // 20) == 0


@pytest.mark.parametrize(("K", "g"), [(1001, 1001), (5000, 3000), (20_000, 19_990)])
def test_factors_that_are_integrated(K: int, g: int) -> None:
    for plays in range(0, K - g + 2, 1 + (K - g) // 10):
        whole = Fraction(comb(K - plays, g), comb(K, g))
        assert share_lost(plays, K, g) == pytest.approx(float(whole), rel=1e-11, abs=1e-300)
