"""Portions that are put together: which share a launch, in which order, and what is cut."""

import numpy as np
import pytest

from copyproof import Agent, Market, paper_market, parse_policy
from copyproof.devices import together
from copyproof.devices.together import DeviceTime, Portion, batches_of
from copyproof.engine.lower import lower
from copyproof.game.rewards import Beta
from copyproof.simulation.threads import new_record


def portion(market: Market, policy: str = "h-ucb", horizon: int = 10, count: int = 3) -> Portion:
    lowered = lower(market, parse_policy(policy), horizon=horizon, seed=1)
    return Portion(lowered, np.array([horizon]), new_record(lowered, 1, count, trace=False))


SMALL = Market([Agent("a", [0.5]), Agent("b", [0.4], copies=[2])])
LARGER = Market([Agent("a", [0.5]), Agent("b", [0.4], copies=[9])])


def test_markets_share_a_launch_the_largest_first_and_repetitions_together() -> None:
    (batch,) = batches_of([portion(SMALL), portion(LARGER)])
    assert batch.arrays["market_of"].tolist() == [1, 1, 1, 0, 0, 0]
    assert batch.arrays["repetition_of"].tolist() == [0, 1, 2, 0, 1, 2]


def test_long_games_come_first() -> None:
    batches = batches_of([portion(SMALL, horizon=T) for T in (10, 1000, 100)])
    assert [int(one.arrays["checkpoints"][-1]) for one in batches] == [1000, 100, 10]


def test_what_only_others_need_is_not_carried() -> None:
    beta = Market([Agent("a", [Beta(1.0, 2.0)]), Agent("b", [0.5])])
    batches = batches_of([portion(SMALL), portion(beta), portion(SMALL, "ucb1")])
    assert sorted(batch.shape.is_bernoulli for batch in batches) == [0, 1, 1]


def test_few_small_games_go_along_with_large_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = [portion(SMALL), portion(paper_market("2a"))]
    assert [batch.shape.is_large for batch in batches_of(asked)] == [1]
    monkeypatch.setattr(together, "_MANY_GAMES", 3)
    assert sorted(batch.shape.is_large for batch in batches_of(asked)) == [0, 1]


def test_what_is_too_much_for_one_launch_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(together, "_LAUNCH_GAMES", 4)
    batches = batches_of([portion(SMALL, count=9), portion(LARGER, count=2)])
    assert [len(batch.arrays["market_of"]) for batch in batches] == [4, 4, 3]
    numbers = np.concatenate([batch.arrays["repetition_of"] for batch in batches])
    assert sorted(numbers.tolist()) == sorted([*range(9), *range(2)])


def test_times_add_up() -> None:
    taken = DeviceTime(1.0, 3.0, 2, 10) + DeviceTime(0.5, 0.5, 1, 5)
    assert taken.to_dict() == {"seconds": 1.5, "kernel_seconds": 3.5, "launches": 3, "games": 15}
