"""Exact expectations met within four standard errors, and uniform choice among equals."""

from fractions import Fraction

import numpy as np
import pytest

from copyproof import Agent, Market, simulate
from copyproof.simulation.decisions import decisions_of_games

MANY = 50_000


def mean_revenue(market: Market, policy: str, horizon: int, seed: int) -> tuple[float, float]:
    result = simulate(market, policy, horizon=horizon, repetitions=MANY, seed=seed, checkpoints=1)
    return result.agents[0].revenue.mean, result.agents[0].revenue.stderr


def duel(copies: list[int], *others: float) -> Market:
    rivals = [Agent(f"rival {mean}", [mean]) for mean in others]
    return Market([Agent("first", [0.75, 0.25], copies=copies), *rivals])


@pytest.mark.parametrize(
    ("copies", "exact"),
    [(1, Fraction(27483, 16384)), (2, Fraction(4927, 2048)), (3, Fraction(5707, 2048))],
)
def test_ucb1_with_copies(copies: int, exact: Fraction) -> None:
    market = Market([Agent("half", [0.5], copies=[copies]), Agent("better", [0.75])])
    mean, stderr = mean_revenue(market, "ucb1", 8, seed=copies)
    assert abs(mean - float(exact)) < 4 * stderr


@pytest.mark.parametrize(
    ("copies", "exact"),
    [
        ([1, 0], Fraction(114159, 32768)),
        ([2, 0], Fraction(114159, 32768)),
        ([1, 1], Fraction(77209, 32768)),
        ([2, 1], Fraction(86619, 32768)),
        ([0, 1], Fraction(26783, 32768)),
    ],
)
def test_h_ucb_against_one(copies: list[int], exact: Fraction) -> None:
    mean, stderr = mean_revenue(duel(copies, 0.5), "h-ucb", 8, seed=11)
    assert abs(mean - float(exact)) < 4 * stderr


def test_h_ucb_against_two() -> None:
    mean, stderr = mean_revenue(duel([1, 0], 0.5, 0.9), "h-ucb", 7, seed=3)
    assert abs(mean - 4460983 / 2560000) < 4 * stderr


@pytest.mark.parametrize("policy", ["fair(ucb1)", "fair(thompson)", "fair(epsilon-greedy)"])
def test_fair_pays_its_share(policy: str) -> None:
    market = Market([Agent("a", [0.6], copies=[5]), Agent("b", [0.9]), Agent("c", [0.1, 0.2])])
    mean, stderr = mean_revenue(market, policy, 30, seed=8)
    assert abs(mean - 30 / 3 * 0.6) < 4 * stderr


def assert_uniform(counts: np.ndarray) -> None:
    """χ² within four standard deviations of its mean, for counts that should be equal."""
    expected = counts.sum() / len(counts)
    chi2 = float(((counts - expected) ** 2 / expected).sum())
    freedom = len(counts) - 1
    assert abs(chi2 - freedom) < 4 * np.sqrt(2 * freedom)


@pytest.mark.parametrize("policy", ["ucb1", "kl-ucb", "epsilon-greedy", "thompson"])
def test_unplayed_arms_of_a_flat_pool_are_picked_uniformly(policy: str) -> None:
    market = Market([Agent("a", [0.5], copies=[6]), Agent("b", [0.5, 0.5])])
    first = decisions_of_games(market, policy, horizon=1, repetitions=80_000, seed=2)[:, 0]
    assert_uniform(np.bincount(first, minlength=8))


def test_all_orders_of_unplayed_arms_are_equally_likely() -> None:
    market = Market([Agent("a", [0.5], copies=[2]), Agent("b", [0.5, 0.5])])
    made = decisions_of_games(market, "ucb1", horizon=4, repetitions=48_000, seed=4)
    codes = made @ np.array([64, 16, 4, 1])
    _, counts = np.unique(codes, return_counts=True)
    assert len(counts) == 24
    assert_uniform(counts)


@pytest.mark.parametrize("policy", ["h-ucb", "h-ucb-t-free", "rh-ucb", "prh-ucb", "h-kl-ucb"])
def test_unplayed_agents_and_their_arms_are_picked_uniformly(policy: str) -> None:
    market = Market([Agent("many", [0.5], copies=[6]), Agent("b", [0.5]), Agent("c", [0.5])])
    first = decisions_of_games(market, policy, horizon=1, repetitions=60_000, seed=6)[:, 0]
    assert_uniform(np.array([(first < 6).sum(), (first == 6).sum(), (first == 7).sum()]))
    assert_uniform(np.bincount(first[first < 6], minlength=6))


def test_exact_ties_are_broken_uniformly() -> None:
    # After four rounds of reward 0 all four arms stand equal; the fifth choice is a tie.
    market = Market([Agent("a", [0.0], copies=[3]), Agent("b", [0.0])])
    fifth = decisions_of_games(market, "ucb1", horizon=5, repetitions=40_000, seed=9)[:, 4]
    assert_uniform(np.bincount(fifth, minlength=4))


@pytest.mark.parametrize(("policy", "size"), [("s-ucb(l=1)", 6), ("rh-ucb(L=1)", 6)])
def test_samples_are_uniform(policy: str, size: int) -> None:
    # ⌊ln 1000⌋ = 6 of 12 arms; every arm is in half of the samples, every pair in 3/11 − … of them.
    market = Market([Agent("a", [0.0], copies=[12])])
    made = decisions_of_games(market, policy, horizon=1000, repetitions=6_000, seed=12)
    played = np.zeros((6_000, 12))
    np.put_along_axis(played, made.astype(np.int64), 1, axis=1)
    assert np.all(played.sum(axis=1) == size)
    share = played.mean(axis=0)
    assert np.all(np.abs(share - 0.5) < 4.5 * 0.5 / np.sqrt(6_000))
    pairs = (played.T @ played / 6_000)[np.triu_indices(12, 1)]
    chance = 6 / 12 * 5 / 11
    assert np.all(np.abs(pairs - chance) < 4.5 * np.sqrt(chance * (1 - chance) / 6_000))


def test_a_drawn_priority_order_is_uniform() -> None:
    market = Market([Agent(name, [0.5]) for name in "abc"])
    made = decisions_of_games(market, "h-ucb-t-free", horizon=3, repetitions=60_000, seed=5)
    _, counts = np.unique(made @ np.array([9, 3, 1]), return_counts=True)
    assert len(counts) == 6
    assert_uniform(counts)
