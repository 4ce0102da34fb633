"""Keyed luck: copies of an only arm change no reward path; nothing else changes any result."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copyproof import Agent, Exponential, Market
from tests.markets import record_of

COUPLED = ["h-ucb", "rh-ucb(L=1)", "h-ucb-t-free", "rh-ucb-t-free(L=2)", "rh-ucb-all", "h-ucb-kl"]


def owners_and_revenue(market: Market, policy: str, horizon: int, seed: int) -> np.ndarray:
    """Who was played in every round, and what every agent earned in all."""
    record = record_of(market, policy, horizon=horizon, seed=seed)
    owner = np.repeat(np.arange(len(market.agents)), [a.registered for a in market.agents])
    return np.concatenate([owner[record.choices[0]], record.revenue[0]])


@pytest.mark.parametrize("policy", COUPLED)
@pytest.mark.parametrize("copies", [2, 3, 17, 400])
def test_copies_of_an_only_arm_change_nothing(policy: str, copies: int) -> None:
    means = [0.5, 0.6, 0.7, 0.8, 0.9]
    honest = Market([Agent(f"{mean}", [mean]) for mean in means])
    for place in (0, 4):
        copied = honest.replicate(honest.names[place], copies)
        for seed in range(3):
            first = owners_and_revenue(honest, policy, 3000, seed)
            assert np.array_equal(first, owners_and_revenue(copied, policy, 3000, seed))


def test_copies_do_change_the_paths_of_ucb1() -> None:
    honest = Market([Agent(f"{mean}", [mean]) for mean in (0.5, 0.6, 0.9)])
    copied = honest.replicate("0.5", 10)
    assert not np.array_equal(
        record_of(honest, "ucb1", horizon=3000).revenue,
        record_of(copied, "ucb1", horizon=3000).revenue,
    )


@given(
    seed=st.integers(0, 2**64 - 1),
    workers=st.integers(1, 3),
    batch=st.integers(1, 9),
    policy=st.sampled_from(["ucb1", "s-ucb", "h-ucb", "prh-ucb", "thompson", "rh-ucb-t-free"]),
)
@settings(max_examples=40)
def test_threads_and_batches_do_not_matter(
    seed: int, workers: int, batch: int, policy: str
) -> None:
    market = Market([Agent("a", [0.3, 0.8], copies=[4, 2]), Agent("b", [0.5]), Agent("c", [0.7])])
    how: dict[str, Any] = {"horizon": 200, "repetitions": 9, "seed": seed}
    one = record_of(market, policy, **how)
    other = record_of(market, policy, workers=workers, batch=batch, **how)
    for mine, theirs in zip(one, other, strict=True):
        assert np.array_equal(mine, theirs)


@pytest.mark.parametrize("policy", ["h-ucb-t-free", "rh-ucb-t-free", "prh-ucb", "s-ucb"])
def test_workers_do_not_disturb_each_other(policy: str) -> None:
    # Many short games, so that the workers often begin one at the same time.
    market = Market([Agent(f"{i}", [0.5, 0.4], copies=[3, 1]) for i in range(5)])
    how: dict[str, Any] = {"horizon": 12, "repetitions": 20_000, "seed": 1}
    alone = record_of(market, policy, **how)
    together = record_of(market, policy, workers=4, batch=50, **how)
    for mine, theirs in zip(alone, together, strict=True):
        assert np.array_equal(mine, theirs)


@pytest.mark.parametrize("policy", ["rh-ucb-online(L=5)", "prh-ucb", "h-ucb", "ucb1"])
def test_a_repetition_does_not_depend_on_the_one_before(policy: str) -> None:
    # Tiny rewards: what is left of an earlier game would decide between almost equal means.
    arms = [Exponential(1e-15), Exponential(2e-15)]
    market = Market([Agent(f"{i}", arms, copies=[30, 30]) for i in range(4)])
    how: dict[str, Any] = {"horizon": 3000, "repetitions": 4, "seed": 11}
    one_state = record_of(market, policy, **how)
    fresh_states = record_of(market, policy, workers=4, batch=1, **how)
    assert np.array_equal(one_state.choices, fresh_states.choices)


def test_the_first_repetitions_of_many_are_those_of_few() -> None:
    market = Market([Agent("a", [0.3, 0.8], copies=[4, 2]), Agent("b", [0.5])])
    many = record_of(market, "rh-ucb", horizon=100, repetitions=1000, seed=3, workers=2)
    few = record_of(market, "rh-ucb", horizon=100, repetitions=10, seed=3)
    for mine, theirs in zip(many, few, strict=True):
        assert np.array_equal(mine[:10], theirs)


def test_policies_share_their_luck() -> None:
    # Means 0.5 and 0: under every policy the revenue of "a" is a prefix sum of the same rewards.
    market = Market([Agent("a", [0.5], copies=[3]), Agent("b", [0.0])])
    revenue_of: dict[int, float] = {}
    for policy in ("ucb1", "h-ucb", "prh-ucb", "thompson", "fair(ucb1)", "epsilon-greedy"):
        record = record_of(market, policy, horizon=500, repetitions=20, seed=1)
        for repetition in range(20):
            plays = int(record.agent_plays[repetition, 0])
            key = repetition * 1000 + plays
            revenue = float(record.revenue[repetition, 0])
            assert revenue_of.setdefault(key, revenue) == revenue
    assert len(revenue_of) > 20
