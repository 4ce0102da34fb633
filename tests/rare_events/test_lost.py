"""``lost_probability``: what is asked, what is refused, and how long it goes on."""

import json
from dataclasses import replace
from typing import Any

import pytest

from copyproof import Agent, Gaussian, Market, lost_probability
from copyproof.validation import FieldError

MARKET = Market([
    Agent("B", [0.8, 0.85], copies=[1, 0]),
    Agent("A", [0.9, 0.2], copies=[2, 40]),
    Agent("C", [0.3]),
])  # fmt: skip


def found(**changes: Any) -> Any:
    how = {"horizon": 1000, "seed": 1, "runs": 4} | changes
    return lost_probability(how.pop("market", MARKET), how.pop("policy", "trial"), **how)


def test_the_best_agent_meets_the_best_registered_rival() -> None:
    one = found()
    assert (one.agent, one.best, one.rival, one.agents) == ("A", 0.9, 0.8, 3)
    named = found(agent="A", rival=0.8)
    assert replace(named, seconds=one.seconds) == one
    assert found(agent="B", rival=0.5).best == 0.8


def test_workers_do_not_matter() -> None:
    one, two = (found(precision=0.5, runs=None, workers=workers) for workers in (1, 2))
    assert replace(one, seconds=0.0) == replace(two, seconds=0.0)
    assert one.runs >= 32


def test_seeds_and_rivals_matter() -> None:
    assert found(seed=2).probability != found().probability
    assert found(rival=0.6, runs=20).probability < found(rival=0.89, runs=20).probability


def test_precision_and_budget() -> None:
    rough, fine = (found(runs=None, precision=precision) for precision in (0.5, 0.1))
    assert fine.runs > 2 * rough.runs
    assert fine.relative_error < 0.15
    assert found(runs=None, precision=0.0001, budget=1).runs == 32


def test_a_horizon_of_10_to_the_18() -> None:
    one = found(horizon=10**18, runs=2)
    assert one.probability < 0.5  # all 42 arms are tried
    assert one.undecided == 0.0


def test_runs_that_are_cut_are_undecided() -> None:
    one = found(horizon=10**9, most_plays=100)
    assert one.undecided > 0.5
    assert one.high == 1.0
    assert one.neglected >= one.undecided


def test_json() -> None:
    one = found()
    told = json.loads(json.dumps(one.to_dict(), allow_nan=False))
    assert told["probability"] == one.probability
    assert told["policy"] == "trial"


def test_the_market_fills_in_what_a_policy_leaves_out() -> None:
    assert found(policy="rh-ucb-t-free").policy.startswith("rh-ucb-t-free(L=")


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"policy": "h-ucb"}, "policy = 'h-ucb' has no index made of an agent's own rewards: "),
        ({"policy": "ucb1"}, "agent = None"),
        ({"policy": "trial-anytime"}, "policy = 'trial-anytime' starts anew by the round t"),
        ({"agent": "D"}, "agent = 'D' is not one of"),
        ({"agent": "B"}, "rival = 0.9 is not below 0.8, the best mean that agent 'B' registers"),
        ({"rival": 0.9}, "rival = 0.9 is not below 0.9"),
        ({"rival": 0.0}, "rival = 0.0 is not a number in (0, 1)"),
        ({"rival": "high"}, "rival = 'high' is not a number"),
        ({"market": Market([Agent("A", [0.5])])}, "rival is not given, and no other agent"),
        ({"market": 5}, "market = 5 is not a Market"),
        ({"horizon": 0}, "horizon = 0 is not a whole number from 1 to 1000000000000000000"),
        ({"horizon": 10**18 + 1}, "horizon = 1000000000000000001"),
        ({"seed": -1}, "seed = -1"),
        ({"runs": 1}, "runs = 1"),
        ({"precision": 0}, "precision = 0 is not a number in [1e-6, 1]"),
        ({"budget": 0}, "budget = 0"),
        ({"most_plays": 0}, "most_plays = 0"),
        ({"workers": 0}, "workers = 0"),
    ],
)
def test_bad_input(changes: dict[str, Any], line: str) -> None:
    with pytest.raises(FieldError) as error:
        found(**changes)
    assert line in str(error.value)
    assert "\n" not in str(error.value)


def test_rewards_outside_of_0_and_1_are_refused() -> None:
    market = Market([Agent("A", [Gaussian(0.9, 1)]), Agent("B", [0.5])])
    with pytest.raises(FieldError, match=r"^agents\[0\]\.arms\[0\] = 'gaussian' is not an arm"):
        found(market=market, policy="h-ucb-t-free")
