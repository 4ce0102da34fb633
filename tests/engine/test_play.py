"""The round loop: accounting, discounts, tapes, priority orders."""

import json
from pathlib import Path

import numpy as np
import pytest

from copyproof import Agent, Explicit, Geometric, Market, simulate
from tests.markets import record_of

TAPE = Path(__file__).parent / "nonmonotone_tape.json"
"""Three single-arm agents, by round 1324: one reward turned from 1 to 0 raises an agent's plays."""


@pytest.mark.parametrize("reward", ["1", "0"])
def test_one_reward_less_can_mean_one_play_more(reward: str) -> None:
    data = json.loads(TAPE.read_text())
    tape = [[float(r) for r in row.replace("?", reward)] for row in data["rewards"]]
    assert data["rewards"][0].index("?") + 1 == data["flip"]
    market = Market([Agent(name, [0.5]) for name in "abc"])
    result = simulate(
        market,
        "hierarchical(ucb, ucb(clock=plays), ties=priority)",
        horizon=data["horizon"],
        repetitions=1,
        seed=0,
        tape=tape,
        priority=[0, 1, 2],
    )
    assert result.plays[0, 0] == data["plays_of_agent_0"][f"reward_{reward}"]


def test_a_short_tape_is_refused() -> None:
    market = Market([Agent("a", [0.5]), Agent("b", [0.5])])
    with pytest.raises(
        ValueError, match=r"tape\[1\] has 2 rewards, and the game asks for one more"
    ):
        simulate(market, "h-ucb", horizon=9, repetitions=1, seed=0, tape=[[0] * 9, [1, 1]])


@pytest.mark.parametrize(
    ("tape", "message"),
    [
        ([[1.0]], r"tape = \[\[1.0\]\] is not a sequence of 2 rows, one per agent"),
        (5, "tape = 5 is not a sequence of 2 rows, one per agent"),
        ([[1.0], 5], r"tape\[1\] = 5 is not a sequence of rewards"),
        ([["a"], [1.0]], r"tape\[0\]\[0\] = 'a' is not a number in"),
        ([[1e308], [1.0]], r"tape\[0\]\[0\] = 1e\+308 is not a number in"),
        ([[1.0], [float("nan")]], r"tape\[1\]\[0\] = nan is not a number in"),
    ],
)
def test_bad_tapes_are_refused(tape: list[list[float]], message: str) -> None:
    market = Market([Agent("a", [0.5]), Agent("b", [0.5])])
    with pytest.raises(ValueError, match=message):
        simulate(market, "h-ucb", horizon=1, repetitions=1, seed=0, tape=tape)


def test_a_tape_obeys_the_rules_for_unit_rewards() -> None:
    market = Market([Agent("a", [0.5]), Agent("b", [0.5])])
    message = r"policy = 'thompson' takes rewards in \[0, 1\] only; tape\[1\]\[2\] = 5"
    with pytest.raises(ValueError, match=message):
        simulate(
            market, "thompson", horizon=2, repetitions=1, seed=0, tape=[[0, 1, 1], [0, 0.5, 5]]
        )


def test_a_given_priority_order_is_kept() -> None:
    market = Market([Agent(name, [0.0]) for name in "abcd"])
    result = simulate(
        market, "h-ucb-t-free", horizon=6, repetitions=5, seed=0, priority=[2, 0, 3, 1]
    )
    assert result.plays.tolist() == [[2, 1, 2, 1]] * 5


@pytest.mark.parametrize("priority", [[0], [0, 0], [1, 2], 3, ["a", 1], [0.0, 1.0], [False, True]])
def test_bad_priority_orders_are_refused(priority: list[int]) -> None:
    market = Market([Agent("a", [0.5]), Agent("b", [0.5])])
    with pytest.raises(ValueError, match=r"priority = .* is not an order of 0 ... 1"):
        simulate(market, "h-ucb-t-free", horizon=1, repetitions=1, seed=0, priority=priority)
    with pytest.raises(ValueError, match="does not break ties by priority"):
        simulate(market, "h-ucb", horizon=1, repetitions=1, seed=0, priority=[0, 1])


def test_accounting() -> None:
    market = Market(
        [
            Agent("a", [0.2, 0.9, 0.4], copies=[3, 0, 2]),
            Agent("absent", [1.0], copies=[0]),
            Agent("b", [0.6]),
        ]
    )
    record = record_of(market, "ucb1", horizon=700, repetitions=6, seed=2)
    owner = np.array([0, 0, 0, 0, 0, 2])
    original = np.array([0, 0, 0, 2, 2, 4])
    gaps = 1.0 - np.array([0.2, 0.9, 0.4, 1.0, 0.6])  # μ* is the hidden arm of the absent agent
    for row in range(6):
        made = record.choices[row]
        assert np.array_equal(record.agent_plays[row], np.bincount(owner[made], minlength=3))
        assert np.array_equal(record.original_plays[row], np.bincount(original[made], minlength=5))
        assert record.regret[row, 0] == pytest.approx(gaps[original[made]].sum(), rel=1e-12)
        assert record.revenue[row, 1] == 0
        assert np.all(record.revenue[row] <= record.agent_plays[row])


def test_discounts() -> None:
    # Always reward 1: revenue is the sum of the weights of the rounds in which the agent played.
    agents = [Agent("a", [1.0]), Agent("b", [1.0])]
    horizon = 50
    weights = [1 / (t + 1) for t in range(horizon)]
    for discount in (Geometric(0.9), Explicit(weights)):
        market = Market(agents, discount=discount)
        record = record_of(market, "h-ucb", horizon=horizon, seed=1)
        gamma = np.array([discount.at(t) for t in range(1, horizon + 1)])
        for agent in (0, 1):
            expected = gamma[record.choices[0] == agent].sum()
            assert record.revenue[0, agent] == pytest.approx(expected, rel=1e-12)


def test_checkpoints_hold_the_regret_so_far() -> None:
    market = Market([Agent("a", [0.5]), Agent("b", [1.0])])
    result = simulate(
        market, "ucb1", horizon=300, repetitions=3, seed=4, checkpoints=[1, 2, 250, 100]
    )
    assert result.rounds.tolist() == [1, 2, 100, 250, 300]
    record = record_of(market, "ucb1", horizon=300, repetitions=3, seed=4)
    path = np.cumsum(np.where(record.choices == 0, 0.5, 0.0), axis=1)
    assert np.allclose(result.regret_curves, path[:, result.rounds - 1])
