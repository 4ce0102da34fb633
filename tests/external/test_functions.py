"""A policy of plain functions, and the books that are kept for it."""

import re
from typing import Any

import pytest

from copyproof import Agent, Market, function_policy
from copyproof.external import Tally
from copyproof.simulation import play

MARKET = Market([Agent("a", [0.5]), Agent("b", [1.0, 0.0])])
HOW: dict[str, Any] = {"horizon": 30, "seed": 3, "first": 0, "count": 2, "workers": 1}


def test_the_books_hold_every_round() -> None:
    seen: list[tuple[int, int, float]] = []

    def choose(tally: Tally) -> str:
        assert tally.round == 1 + sum(tally.plays.values())
        return tally.rng.choice(tally.arms)

    def learn(tally: Tally, arm: str, reward: float) -> None:
        tally.memory["rewards"] = tally.memory.get("rewards", 0.0) + reward
        assert tally.memory["rewards"] == sum(tally.total.values())
        seen.append((tally.round, tally.plays[arm], reward))

    games = play(MARKET, function_policy(choose, learn), **HOW)
    assert [t for t, _, _ in seen] == [*range(1, 31), *range(1, 31)]
    assert games.revenue[0].sum() == sum(reward for _, _, reward in seen[:30])
    assert games.plays.sum(axis=1).tolist() == [30, 30]


def test_owners_and_horizon_are_told() -> None:
    def choose(tally: Tally) -> str:
        assert dict(tally.owners) == {"a/1": "a", "b/1": "b", "b/2": "b"}
        assert tally.horizon == 30
        return "b/1"

    assert play(MARKET, function_policy(choose), **HOW).revenue[:, 1].tolist() == [30, 30]


def test_names() -> None:
    def first(tally: Tally) -> str:
        return tally.arms[0]

    assert function_policy(first).name == "first"
    assert function_policy(lambda tally: "", name="mine").name == "mine"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"choose": 1}, "choose = 1 is not a function choose(tally)"),
        ({"choose": max, "learn": 1}, "learn = 1 is not a function learn(tally, arm, reward)"),
    ],
)
def test_what_is_not_a_function_is_named(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        function_policy(**given)
