"""External policies in play and simulate: the engine's curves, refusals, progress."""

import random
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copyproof import (
    Agent,
    BetaPrior,
    Explicit,
    ExternalPolicy,
    Market,
    Renew,
    Schedule,
    function_policy,
    paper_market,
    simulate,
)
from copyproof.external import ExternalError, game_seed
from copyproof.simulation import play
from copyproof.validation import FieldError
from tests import reference
from tests.external.learners import Scripted
from tests.markets import random_market

GOOD: dict[str, Any] = {
    "policy": ExternalPolicy("x", Scripted),
    "market": paper_market("1a"),
    "horizon": 10,
    "seed": 1,
    "first": 0,
    "count": 2,
    "workers": 1,
}
ARRAYS = ("rounds", "regret_curves", "revenue", "plays", "original_plays")


class PlainUcb1:
    """UCB1 in plain Python, a scan over all arms, with the engine's ties."""

    def __init__(self, seed: int, repetitions: int) -> None:
        self.seed = seed
        self.repetition_of = {game_seed(seed, r): r for r in range(repetitions)}

    def __call__(self, arms: Any, *, owners: Any, horizon: int, seed: int) -> Any:
        rule = reference.POLICIES["ucb1"]
        assert isinstance(rule, reference.Flat)
        principal = reference.Stream(self.seed, 0, self.repetition_of[seed])
        candidates = [reference.Candidate(number) for number in range(len(arms))]
        learner = Scripted(arms, owners=owners, horizon=horizon, seed=seed)

        def choose() -> str:
            t = 1 + sum(one.n for one in candidates)
            chosen = rule.rule(candidates, float(t), reference.Draws(principal, t))
            return str(arms[chosen.number])

        def learn(arm: str, reward: float) -> None:
            one = candidates[arms.index(arm)]
            one.n, one.s = one.n + 1, one.s + reward

        learner.choose, learner.learn = choose, learn  # type: ignore[method-assign]
        return learner


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 2**64 - 1), st.integers(1, 200))
def test_ucb1_in_plain_python_has_the_engines_curves(shape: int, seed: int, horizon: int) -> None:
    market = random_market(random.Random(shape))
    game: dict[str, Any] = {"horizon": horizon, "repetitions": 2, "seed": seed, "checkpoints": 7}
    ours = simulate(market, "ucb1", **game)
    theirs = simulate(market, ExternalPolicy("plain", PlainUcb1(seed, 2)), workers=1, **game)
    for name in ARRAYS:
        assert np.array_equal(getattr(theirs, name), getattr(ours, name)), name
    assert theirs.lost == ours.lost
    assert theirs.to_frame().equals(ours.to_frame())


def test_a_tape_is_played_as_the_engine_plays_it() -> None:
    market = Market([Agent("a", [0.5], copies=[2]), Agent("b", [0.5])])
    game: dict[str, Any] = {"horizon": 6, "repetitions": 2, "seed": 3}
    tape = [[0.25, 1.0, -3.0, 0.5, 0.0, 2.0], [0.5] * 6]
    ours = simulate(market, "ucb1", tape=tape, **game)
    theirs = simulate(
        market, ExternalPolicy("plain", PlainUcb1(3, 2)), tape=tape, workers=1, **game
    )
    assert np.array_equal(theirs.revenue, ours.revenue)
    last = function_policy(lambda tally: tally.arms[tally.round % 2 + 1], name="last two")
    message = "round 6 of repetition 0: tape[0] has 2 rewards, and the game asks for one more"
    for workers in (1, 2):
        with pytest.raises(ExternalError, match=re.escape(message)):
            simulate(market, last, tape=[[1.0] * 2, [1.0] * 3], workers=workers, **game)


def test_priors() -> None:
    market = Market([Agent("ann", [BetaPrior(1, 1), 0.4]), Agent("bob", [BetaPrior(2, 1)])])
    game: dict[str, Any] = {"horizon": 40, "repetitions": 3, "seed": 3}
    ours = simulate(market, "ucb1", **game)
    theirs = simulate(market, ExternalPolicy("plain", PlainUcb1(3, 3)), workers=2, **game)
    assert ours.means is not None
    assert np.array_equal(theirs.means, ours.means)  # type: ignore[arg-type]
    assert theirs.best_mean == ours.best_mean
    assert np.array_equal(theirs.regret_curves, ours.regret_curves)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"schedule": Schedule(renewals=[Renew("0.5-agent", after=1)])},
            "schedule is given, and policy 'x' is not ours and takes no arms during the game",
        ),
        (
            {"priority": [0, 1, 2, 3, 4]},
            "priority is given, and policy 'x' is not ours and breaks ties by itself: give ",
        ),
        ({"tape": [[1.0]]}, "tape = [[1.0]] is not a sequence of 5 rows, one per agent"),
        ({"horizon": 0}, "horizon = 0 is not a whole number from 1 to 140737488355328"),
        ({"seed": 2**64}, "seed = 18446744073709551616 is not a whole number from 0 to "),
        ({"workers": 0}, "workers = 0 is not a whole number from 1 to 1024"),
        (
            {"count": 2**31, "checkpoints": 1},
            "repetitions = 2147483648 with 1 checkpoints, 5 agents",
        ),
        (
            {"market": Market([Agent("a", [0.5])], discount=Explicit([1.0, 0.5]))},
            "discount.weights has 2 entries: too few for 10 rounds",
        ),
    ],
)
def test_bad_input_is_named(change: dict[str, object], message: str) -> None:
    with pytest.raises(FieldError, match=re.escape(message)):
        play(**(GOOD | change))


def test_an_empty_schedule_is_none() -> None:
    assert play(**GOOD, schedule=Schedule()).new_arms is None


def test_results_cannot_be_written_to() -> None:
    games = play(**GOOD)
    assert games.revenue.shape == games.plays.shape == (2, 5)
    for name in ARRAYS:
        with pytest.raises(ValueError, match="read-only"):
            getattr(games, name)[...] = 5


def test_progress_in_this_process() -> None:
    told: list[int] = []
    play(**(GOOD | {"horizon": 200_000, "count": 1}), progress=told.append)
    assert len(told) > 1
    assert told == sorted(told)
    assert told[-1] == 200_000


def test_the_most_repetitions() -> None:
    games = play(**(GOOD | {"first": 2**32 - 1, "count": 1, "seed": 2**64 - 1}))
    assert games.plays.sum() == 10
