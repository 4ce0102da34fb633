"""Ranks and signed ranks: against SciPy, against all signs, and how often they err."""

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from copyproof.comparison import average_ranks, holm, ranking, signed_rank_p
from copyproof.comparison.ranks import midranks
from copyproof.validation import FieldError

small = st.lists(st.integers(-4, 4).map(float), min_size=1, max_size=9)


@given(small)
def test_the_p_value_is_the_share_of_all_signs_as_far_out(values: list[float]) -> None:
    x = np.array(values)
    ranks = midranks(np.abs(x)) * (x != 0)
    middle = ranks.sum() / 2
    seen = abs(ranks[x > 0].sum() - middle)
    nonzero = ranks[x != 0]
    sums = [nonzero @ np.array(signs) for signs in itertools.product((0, 1), repeat=len(nonzero))]
    share = np.mean([abs(one - middle) >= seen - 1e-9 for one in sums])
    assert signed_rank_p(values) == pytest.approx(float(share))


@pytest.mark.parametrize("n", [5, 12, 40, 150])
def test_without_ties_it_is_scipys(n: int) -> None:
    x = np.random.default_rng(n).normal(0.3, 1, n)
    assert signed_rank_p(x) == pytest.approx(stats.wilcoxon(x, method="exact").pvalue)


def test_many_markets_with_ties_are_scipys_approximation() -> None:
    x = np.random.default_rng(2).integers(-5, 7, 400).astype(float)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = stats.wilcoxon(x, zero_method="pratt", correction=True, method="approx").pvalue
    assert signed_rank_p(x) == pytest.approx(theirs, rel=1e-3)


def test_nothing_but_zeros_says_nothing() -> None:
    assert signed_rank_p([0.0, 0.0]) == 1.0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_rejects_what_its_steps_reject(p_values: list[float]) -> None:
    alpha = 0.05
    rejected = set()
    for step, place in enumerate(sorted(range(len(p_values)), key=lambda k: p_values[k])):
        if p_values[place] * (len(p_values) - step) > alpha:
            break
        rejected.add(place)
    assert {k for k, p in enumerate(holm(p_values)) if p <= alpha} == rejected


@given(st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=5))
def test_average_ranks_are_scipys(rows: list[list[int]]) -> None:
    theirs = np.mean([stats.rankdata(row) for row in rows], axis=0)
    np.testing.assert_allclose(average_ranks(rows), theirs)


def test_a_ranking() -> None:
    rng = np.random.default_rng(8)
    size = rng.uniform(1, 100, (16, 1))
    table = size * np.array([1.0, 5.0, 1.0, 2.0]) * rng.uniform(0.95, 1.05, (16, 4))
    found = ranking(table, ["a", "worst", "c", "middle"])
    assert found.policies[2:] == ("middle", "worst")
    assert found.ranks[2:] == (3.0, 4.0)
    assert {*found.groups} == {found.policies[:2]}
    assert [(pair.ahead, pair.behind) for pair in found.pairs[1:]] == [(16, 0)] * 5
    assert all(pair.told_apart for pair in found.pairs[1:])
    assert not found.pairs[0].told_apart
    assert found.to_dict()["groups"] == [[*found.policies[:2]]]


def test_too_few_markets_tell_nothing_apart() -> None:
    table = np.arange(1.0, 7.0)[:, np.newaxis] * [1, 2, 3]
    for markets in range(1, 7):
        found = ranking(table[:markets], ["a", "b", "c"])
        assert found.markets_needed == 7
        assert not any(pair.told_apart for pair in found.pairs)
        assert found.groups == (("a", "b", "c"),)
    one_more = np.vstack([table, [7, 14, 21]])
    assert all(pair.told_apart for pair in ranking(one_more, ["a", "b", "c"]).pairs)


def test_overlapping_groups_are_runs_without_a_decided_pair() -> None:
    table = np.arange(1.0, 13.0)[:, np.newaxis] + np.array([0.0, 0.5, 1.0])
    table[:4, 1] -= 1.0  # the middle one is told from neither
    table[8:, 1] += 1.0
    found = ranking(table, ["a", "b", "c"])
    assert [(pair.policy, pair.against) for pair in found.pairs if pair.told_apart] == [("a", "c")]
    assert found.groups == (("a", "b"), ("b", "c"))


def test_equal_policies_are_told_apart_no_more_often_than_said() -> None:
    # Five policies, equal but for noise, on markets of very different size and shape.
    rng = np.random.default_rng(4)
    trials, wrong = 1000, 0
    for _ in range(trials):
        size = rng.pareto(1.0, (15, 1)) + 1
        found = ranking(size * rng.exponential(1.0, (15, 5)), list("abcde"))
        wrong += any(pair.told_apart for pair in found.pairs)
    # Four standard errors of a share of 5 % in 1,000 trials are 2.8 %.
    assert wrong / trials <= 0.05 + 0.028


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(FieldError, match="values has 2 columns for 3 policies"):
        ranking([[1.0, 2.0]], ["a", "b", "c"])
    with pytest.raises(FieldError, match="two or more are needed"):
        ranking([[1.0]], ["a"])
