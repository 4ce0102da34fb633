"""simulate: bad input is named, interrupts are prompt, memory does not grow with the horizon."""

import json
import re
import threading
import time

import numpy as np
import pytest

from copyproof import Agent, Explicit, Gaussian, Market, paper_market, simulate

MARKET = Market([Agent("a", [0.5]), Agent("b", [0.9])])
GOOD = {"horizon": 10, "repetitions": 2, "seed": 1}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"horizon": 0}, "horizon = 0 is not a whole number from 1 to "),
        ({"horizon": 1.5}, "horizon = 1.5 is not a whole number from 1 to "),
        ({"horizon": "10"}, "horizon = '10' is not a whole number from 1 to "),
        ({"horizon": True}, "horizon = True is not a whole number from 1 to "),
        ({"repetitions": 0}, "repetitions = 0 is not a whole number from 1 to 4294967296"),
        ({"seed": -1}, "seed = -1 is not a whole number from 0 to 18446744073709551615"),
        ({"seed": 2**64}, "seed = 18446744073709551616 is not a whole number from 0 to"),
        ({"seed": 10**5000}, "seed = 2**16609 or more is not a whole number from 0"),
        ({"checkpoints": None}, "checkpoints = None is not a whole number from 1 to "),
        ({"checkpoints": 5.0}, "checkpoints = 5.0 is not a whole number from 1 to "),
        ({"policy": 5}, "policy = 5 is not a text such as"),
        ({"market": "paper:2a"}, "market = 'paper:2a' is not a Market"),
        ({"workers": 0}, "workers = 0 is not a whole number from 1 to 1024"),
        ({"checkpoints": 0}, "checkpoints = 0 is not a whole number from 1 to "),
        ({"checkpoints": [3, 11]}, "checkpoints[1] = 11 is not a whole number from 1 to 10"),
        ({"repetitions": 2**32, "checkpoints": 10}, "repetitions = 4294967296 with 10 checkpoints"),
    ],
)
def test_bad_numbers_are_named(change: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        simulate(**({"market": MARKET, "policy": "ucb1"} | GOOD | change))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("policy", ["kl-ucb", "thompson", "h-thompson"])
def test_rules_for_unit_rewards_refuse_others(policy: str) -> None:
    market = Market([Agent("a", [0.5]), Agent("b", [0.9, Gaussian(0.1, 1.0)])])
    with pytest.raises(
        ValueError, match=r"takes rewards in \[0, 1\] only; agents\[1\].arms\[1\] is"
    ):
        simulate(market, policy, **GOOD)


def test_a_discount_that_is_too_short_is_refused() -> None:
    market = Market(MARKET.agents, discount=Explicit([1.0, 0.5, 0.2]))
    with pytest.raises(ValueError, match=r"discount\.weights has 3 entries: too few for 10"):
        simulate(market, "ucb1", **GOOD)


def test_the_largest_seed_and_one_round_are_fine() -> None:
    result = simulate(MARKET, "prh-ucb", horizon=1, repetitions=1, seed=2**64 - 1)
    assert result.plays.sum() == 1


def test_numpy_numbers_are_numbers() -> None:
    plain = simulate(MARKET, "h-ucb", horizon=70_000, repetitions=2, seed=3)
    given = simulate(
        MARKET, "h-ucb", horizon=np.int32(70_000), repetitions=np.int8(2), seed=np.uint64(3)
    )
    assert given.rounds.tolist() == plain.rounds.tolist()
    assert given.regret == plain.regret
    assert json.loads(json.dumps(given.to_dict()))["seed"] == 3


def test_progress_reaches_every_round() -> None:
    told: list[int] = []
    simulate(MARKET, "h-ucb", horizon=1500, repetitions=7, seed=1, progress=told.append)
    assert told[-1] == 1500 * 7
    assert told == sorted(told)


def test_an_interrupt_stops_within_a_second() -> None:
    simulate(MARKET, "thompson", horizon=10, repetitions=1, seed=1)  # compiles, or loads
    raised: list[float] = []

    def interrupt(_: int) -> None:  # where Ctrl-C would be raised
        raised.append(time.perf_counter())
        raise KeyboardInterrupt

    market = paper_market("2c")
    with pytest.raises(KeyboardInterrupt):
        simulate(market, "thompson", horizon=10**7, repetitions=2, seed=1, progress=interrupt)
    assert time.perf_counter() - raised[0] < 1
    assert threading.active_count() < 5


def test_many_agents_and_few_rounds() -> None:
    market = Market([Agent(f"{i}", [0.5]) for i in range(1000)])
    result = simulate(market, "h-ucb-t-free", horizon=10, repetitions=3, seed=1)
    assert result.plays.sum(axis=1).tolist() == [10, 10, 10]
    assert result.plays.max() == 1


def test_what_is_not_a_schedule_is_refused() -> None:
    market = Market([Agent("a", [0.5])])
    with pytest.raises(ValueError, match=r"schedule = \[\] is not a Schedule"):
        simulate(market, "ucb1", horizon=9, repetitions=1, seed=0, schedule=[])
