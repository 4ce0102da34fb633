"""Blocks of luck are the engine's own numbers, wherever a block begins."""

from typing import Any

import numpy as np
import pytest

from copyproof import Agent, Beta, Empirical, Exponential, Gaussian, Market, Poisson
from copyproof.engine.lower_rewards import lower_rewards
from copyproof.engine.luck import fill_rewards, fill_uniforms
from copyproof.engine.streams import REWARD
from tests import reference
from tests.markets import record_of

SEED = 2**64 - 5


@pytest.mark.parametrize("first", [0, 1, 255, 10**6])
def test_uniforms_are_those_of_the_streams(first: int) -> None:
    for agent, repetition in [(0, 0), (3, 7), (41, 2**32 - 1)]:
        block = np.zeros(20)
        fill_uniforms(np.uint64(SEED), agent, first, repetition, block)
        stream = reference.Stream(SEED, agent + 1, repetition)
        assert block.tolist() == [stream.one(k, REWARD, 0) for k in range(first, first + 20)]


@pytest.mark.parametrize(
    "arm",
    [0.3, Beta(2, 3), Gaussian(0.5, 0.1), Exponential(0.7), Poisson(2.5), Empirical([0, 0.2, 1])],
)
def test_rewards_add_up_to_a_game(arm: Any) -> None:
    # Agent 1 alone registers an arm, so it is played in every round.
    market = Market([Agent("a", [0.9], copies=[0]), Agent("b", [0.1, arm], copies=[0, 1])])
    record = record_of(market, "ucb1", horizon=300, repetitions=4, seed=9)
    block = np.zeros(300)
    fill_rewards(lower_rewards(market), np.uint64(9), 1, 2, 0, 3, block)
    total = 0.0
    for reward in block.tolist():
        total += reward
    assert record.revenue[3, 1] == total
    later = np.zeros(100)
    fill_rewards(lower_rewards(market), np.uint64(9), 1, 2, 200, 3, later)
    assert later.tolist() == block[200:].tolist()
