"""What a market is told is checked where it comes in."""

import json

import numpy as np
import pytest

from copyproof.live import MarketConfig
from copyproof.live.records import unit_reward
from copyproof.validation import name


def test_a_configuration_round_trips() -> None:
    config = MarketConfig("h-ucb", seed=2**64 - 1, horizon=5, late="correct", rewards="max")
    assert MarketConfig.from_dict(config.to_dict()) == config
    assert MarketConfig.from_dict({}) == MarketConfig()
    numbers = {"seed": np.int64(3), "horizon": np.uint8(5), "reward_window": np.float32(2)}
    config = MarketConfig.from_dict(numbers)
    assert json.loads(json.dumps(config.to_dict()))["horizon"] == 5


def test_a_market_keeps_its_policy_whatever_the_default_is_one_day() -> None:
    assert MarketConfig("default-anytime") == MarketConfig() == MarketConfig("trial-anytime")
    assert MarketConfig().to_dict()["policy"] == "trial-anytime"


def test_a_config_opens_an_equal_market_of_any_seed_unless_it_has_one() -> None:
    stored = MarketConfig("h-ucb", seed=3)
    assert MarketConfig("h-ucb").agrees_with(stored)
    assert MarketConfig("h-ucb", seed=3).agrees_with(stored)
    assert not MarketConfig("h-ucb", seed=4).agrees_with(stored)
    assert not MarketConfig("h-ucb", per_agent=2).agrees_with(stored)
    assert not MarketConfig(seed=3).agrees_with(stored)
    assert not stored.agrees_with(MarketConfig("h-ucb"))


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
        ({"numerics": True}, "numerics = True is not 1, the only version that this program opens"),
        ({"numerics": 4}, "numerics = 4 is not 1, the only version that this program opens"),
        ({"rules": 2}, "rules = 2 is not 1, the only version that this program opens"),
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
