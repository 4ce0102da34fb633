"""What a market is told is checked where it comes in."""

import json
import pickle
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from copyproof.live import MarketConfig, Principal
from copyproof.live.records import unit_reward
from copyproof.live.stores import open_store
from copyproof.validation import name


def test_a_configuration_round_trips() -> None:
    config = MarketConfig("h-ucb", seed=2**64 - 1, horizon=5, late="correct", rewards="max")
    assert MarketConfig.from_dict(config.to_dict()) == config
    assert MarketConfig.from_dict({}) == MarketConfig(
        per_agent=None, seen="content", unanswered="omitted"
    )
    numbers = {"seed": np.int64(3), "horizon": np.uint8(5), "reward_window": np.float32(2)}
    config = MarketConfig.from_dict(numbers)
    assert json.loads(json.dumps(config.to_dict()))["horizon"] == 5


def test_a_market_keeps_its_policy_whatever_the_default_is_one_day() -> None:
    assert MarketConfig("default-anytime") == MarketConfig() == MarketConfig("trial-anytime")
    assert MarketConfig().to_dict()["policy"] == "trial-anytime"


def test_a_config_without_a_policy_opens_a_market_with_the_default_of_its_time() -> None:
    stored = MarketConfig("grace-anytime", seed=3)
    assert MarketConfig(seed=3).agrees_with(stored)
    assert not MarketConfig(seed=4).agrees_with(stored)
    assert MarketConfig("default-anytime", seed=3).agrees_with(stored)
    assert not MarketConfig("h-ucb", seed=3).agrees_with(stored)
    assert not MarketConfig("trial-anytime", seed=3).agrees_with(stored)
    assert not stored.agrees_with(MarketConfig(seed=3))


def test_a_market_from_before_a_setting_keeps_what_it_had() -> None:
    """Its slates have no limit, it writes nothing of one, and the default opens it."""
    stored = MarketConfig.from_dict({"policy": "h-ucb"})
    assert (stored.per_agent, stored.seen) == (None, "content")
    assert {"per_agent", "seen", "numerics"}.isdisjoint(stored.to_dict())
    assert MarketConfig("h-ucb").agrees_with(stored)
    assert not MarketConfig("h-ucb", per_agent=2).agrees_with(stored)
    assert not MarketConfig("h-ucb", per_agent=2).agrees_with(MarketConfig("h-ucb"))
    assert MarketConfig("h-ucb", per_agent=3).to_dict()["per_agent"] == 3


@pytest.mark.parametrize(
    "said", [{"per_agent": 1}, {"unanswered": "estimated"}, {"seen": "agent"}], ids=str
)
def test_a_default_that_is_said_is_not_left_unsaid(said: dict[str, Any]) -> None:
    """A market from before plays otherwise, and would go on to do so."""
    stored = MarketConfig.from_dict({"policy": "h-ucb", "seed": 3})
    silent, loud = MarketConfig("h-ucb"), MarketConfig("h-ucb", **said)
    assert silent == loud
    assert silent.to_dict() == loud.to_dict()
    for one, agrees in ((silent, True), (loud, False)):
        for same in (one, replace(one, seed=3), pickle.loads(pickle.dumps(one)), deepcopy(one)):
            assert same.agrees_with(stored) is agrees
            assert same.agrees_with(MarketConfig("h-ucb", seed=3))
    with open_store("memory:") as store:
        store.create_market("m", stored.to_dict())
        Principal(store=store, market="m", config=silent)
        with pytest.raises(ValueError, match=r"config = .* is not the one of market 'm'"):
            Principal(store=store, market="m", config=loud)
        Principal("h-ucb", store, market="m", config=silent)
        with pytest.raises(ValueError, match=r"config = .* is not the one of market 'm'"):
            Principal("h-ucb", store, market="m", config=loud)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"per_agent": 0}, "per_agent = 0 is not a whole number from 1"),
        ({"most_segments": -1}, "most_segments = -1 is not a whole number from 0"),
        ({"seen": "arm"}, "seen = 'arm' is not one of agent, content"),
        ({"seed": -1}, "seed = -1 is not a whole number"),
        ({"horizon": 0}, "horizon = 0"),
        ({"most_arms": 0}, "most_arms = 0"),
        ({"reward_window": float("inf")}, "reward_window = inf"),
        ({"reward_window": -1}, "reward_window = -1.0 is not a number of seconds"),
        ({"default_reward": 2}, r"default_reward = 2 is not in \[0, 1\]"),
        ({"late": "never"}, "late = 'never' is not one of refuse, correct"),
        ({"rewards": "mean"}, "rewards = 'mean' is not one of first, last, sum, max"),
        ({"policy": ""}, "policy = ''"),
        ({"policy": "h-ucbb"}, "h-ucbb"),
        ({"numerics": True}, "numerics = True is not a version that this one knows"),
        ({"is_default": True}, "config = 'is_default' is not one of"),
        ({"polcy": "h-ucb"}, "config = 'polcy' is not one of"),
    ],
)
def test_bad_settings_name_the_field(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MarketConfig.from_dict(settings)


def test_rewards_and_names() -> None:
    assert str(unit_reward("reward", -0.0)) == "0.0"
    for wrong in (float("nan"), float("inf"), -1e-9, 1.0000001, "0.5", None, True):
        with pytest.raises(ValueError, match="reward = "):
            unit_reward("reward", wrong)
    for wrong in ("", " ", "a\nb", "x" * 201, 5, None):
        with pytest.raises(ValueError, match="agent = "):
            name("agent", wrong)
