"""One game: the engine's names, luck, revenue and regret; every breakdown named."""

import math
import random
import re
from typing import Any

import numpy as np
import pytest

from copyproof import (
    Agent,
    Beta,
    BetaPrior,
    Drift,
    Explicit,
    Exponential,
    ExternalPolicy,
    Gaussian,
    Geometric,
    Market,
    Mixture,
    Piecewise,
    Poisson,
    UniformPrior,
    function_policy,
)
from copyproof.engine.streams import REWARD
from copyproof.external import ExternalError, game_seed
from copyproof.external.game import game_setup
from copyproof.simulation import play
from tests import reference
from tests.external.learners import Scripted, UnpicklableError, ucb1
from tests.markets import random_market, record_of

MIXED = [Agent("a", [Beta(2, 3), Gaussian(0.5, 0.3)], copies=[2, 1]), Agent("b", [0.5], copies=[0])]
MIXED += [Agent("c", [Exponential(0.6), Poisson(0.7)], copies=[1, 3]), Agent("d", [0.9])]
MIXED += [Agent("e", [Mixture([0.5, Beta(2, 2), Exponential(1)])])]


class Replay:
    """Chooses what the engine has chosen."""

    def __init__(self, choices: Any, seed: int) -> None:
        self.by_seed = {game_seed(seed, r): row.tolist() for r, row in enumerate(choices)}

    def __call__(self, arms: Any, *, owners: Any, horizon: int, seed: int) -> Any:
        left = iter(self.by_seed[seed])
        learner = Scripted(arms, owners=owners, horizon=horizon, seed=seed)
        learner.choose = lambda: arms[next(left)]  # type: ignore[method-assign]
        return learner


def check_replay(market: Market, policy: str, horizon: int, seed: int) -> None:
    record = record_of(market, policy, horizon=horizon, repetitions=3, seed=seed)
    replay = ExternalPolicy("replay", Replay(record.choices, seed))
    how: dict[str, Any] = {"horizon": horizon, "seed": seed, "workers": 1}
    games = play(market, replay, first=0, count=3, **how)
    assert np.array_equal(games.revenue, record.revenue)
    assert np.array_equal(games.plays, record.agent_plays)
    assert np.array_equal(games.original_plays, record.original_plays)
    assert np.array_equal(games.regret_curves[:, -1], record.regret[:, -1])
    later = play(market, replay, first=2, count=1, **how)
    assert np.array_equal(later.revenue[0], record.revenue[2])


def test_the_engines_choices_give_the_engines_numbers() -> None:
    rng = random.Random(4)
    for number in range(20):
        check_replay(
            random_market(rng), ["ucb1", "h-ucb"][number % 2], 600, seed=2**64 - 1 - number
        )


@pytest.mark.parametrize(
    "market",
    [
        Market(MIXED),
        Market(MIXED, discount=Geometric(0.997)),
        Market(MIXED, discount=Explicit([1 / math.sqrt(t) for t in range(1, 1001)])),
    ],
)
def test_all_families_and_discounts(market: Market) -> None:
    check_replay(market, "h-ucb", 1000, seed=8)


def test_means_are_drawn_as_the_engine_draws_them() -> None:
    agents = [
        Agent("ann", [UniformPrior(0, 1), 0.4], copies=[2, 1]),
        Agent("bob", [BetaPrior(1, 1)]),
    ]
    check_replay(Market(agents), "h-ucb", 300, seed=8)


def test_means_change_as_they_do_in_the_engine() -> None:
    arm = Piecewise([(1, 0.9), (80, 0.2)])
    agents = [Agent("ann", [arm, 0.4], copies=[2, 1]), Agent("bob", [Drift(0.1, 0.9, 20, 200)])]
    check_replay(Market(agents), "h-ucb", 300, seed=8)


def test_ucb1_by_hand() -> None:
    means = {"a": 0.3, "b": 0.6}
    market = Market([Agent("a", [0.3], copies=[2]), Agent("b", [0.6])])
    games = play(market, function_policy(ucb1), horizon=400, seed=12, first=5, count=1, workers=1)
    luck = {agent: reference.Stream(12, place + 1, 5) for place, agent in enumerate(means)}
    owner = ["a", "a", "b"]
    n, s, k = [0, 0, 0], [0.0, 0.0, 0.0], {"a": 0, "b": 0}
    revenue = {"a": 0.0, "b": 0.0}
    for t in range(1, 401):
        index = [
            s[arm] / n[arm] + math.sqrt(2 * math.log(t) / n[arm]) if n[arm] else math.inf
            for arm in range(3)
        ]
        arm = index.index(max(index))
        agent = owner[arm]
        reward = float(luck[agent].one(k[agent], REWARD, 0) >= 1 - means[agent])
        n[arm], s[arm], k[agent] = n[arm] + 1, s[arm] + reward, k[agent] + 1
        revenue[agent] += reward
    assert games.revenue[0].tolist() == list(revenue.values())
    assert games.plays[0].tolist() == list(k.values())


def test_names_are_numbered_in_registration_order() -> None:
    market = Market([Agent("ann", [0.1, 0.2, 0.3], copies=[1, 0, 2]), Agent("ann/1", [0.5])])
    setup = game_setup(market, checkpoints=[5], seed=0)
    assert setup.arms == ("ann/1", "ann/2", "ann/3", "ann/1/1")
    assert list(setup.owners.values()) == ["ann", "ann", "ann", "ann/1"]
    assert setup.original_of == [0, 2, 2, 3]
    with pytest.raises(TypeError):
        setup.owners["ann/1"] = "bob"  # type: ignore[index]


def test_seeds() -> None:
    child = np.random.SeedSequence(7).spawn(4)[3]
    assert game_seed(7, 3) == child.generate_state(1)[0]
    assert len({game_seed(7, r) for r in range(1000)}) == 1000
    seen: list[int] = []

    def noted(arms: Any, **given: Any) -> Scripted:
        seen.append(given["seed"])
        return Scripted(arms, **given)

    for copies in (1, 9):
        market = Market([Agent("a", [0.5], copies=[copies]), Agent("b", [0.5])])
        policy = ExternalPolicy("x", noted)
        play(market, policy, horizon=2, seed=7, first=3, count=2, workers=1)
    assert seen == [game_seed(7, 3), game_seed(7, 4)] * 2


# --- breakdowns --------------------------------------------------------------------------------

MARKET = Market([Agent("a", [0.5], copies=[3]), Agent("b", [0.9], copies=[3])])


def broken(**odd: Any) -> ExternalPolicy:
    """A policy whose learner does something odd in round 17 of repetition 3."""
    bad_seed = game_seed(1, 3)

    class Odd(Scripted):
        def choose(self) -> Any:
            arm = super().choose()
            if self.round == 17 and self.seed == bad_seed:
                if "raises" in odd:
                    raise odd["raises"]
                return odd.get("returns", arm)
            return arm

        def learn(self, arm: str, reward: float) -> None:
            if self.round == 17 and self.seed == bad_seed and "learns" in odd:
                raise odd["learns"]

    return ExternalPolicy("x", Odd)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    ("odd", "message"),
    [
        ({"returns": "zzz"}, "choose() returned 'zzz', which is not one of the 6 arms"),
        ({"returns": 3}, "choose() returned 3 (int), which is not one of the 6 arms"),
        ({"returns": None}, "choose() returned None, which is not one of the 6 arms"),
        ({"returns": ["a/1"]}, "choose() returned ['a/1'] (list), which is not one of the 6 arms"),
        ({"raises": KeyError("no")}, "choose() raised KeyError: 'no'"),
        ({"raises": SystemExit(3)}, "choose() raised SystemExit: 3"),
        ({"raises": UnpicklableError(1, 2)}, "choose() raised UnpicklableError: 1 and 2"),
        ({"learns": ValueError("two\nlines")}, "learn() raised ValueError: two lines"),
    ],
)
def test_a_breakdown_is_named(odd: dict[str, Any], message: str, workers: int) -> None:
    with pytest.raises(ExternalError) as caught:
        play(MARKET, broken(**odd), horizon=40, seed=1, first=0, count=6, workers=workers)
    assert str(caught.value) == f"policy 'x': round 17 of repetition 3: {message}"
    raised = odd.get("raises", odd.get("learns"))
    cause = caught.value.__cause__
    if raised is None:
        assert cause is None
    elif workers == 1:
        assert cause is raised
    else:
        assert isinstance(cause, RuntimeError | type(raised))
        assert "test_game.py" in cause.__notes__[0]


def raising(arms: Any, **given: Any) -> Any:
    raise RuntimeError("not today")


def of_a_tally(tally: Any) -> str:
    return "ann/1"


@pytest.mark.parametrize(
    ("factory", "message"),
    [
        (raising, "the factory raised RuntimeError: not today"),
        (lambda arms, **given: 5, "the factory returned a int, which has no method choose()"),
        (lambda arms: 5, "the factory raised TypeError: "),
        (
            of_a_tally,
            "the factory raised TypeError: of_a_tally() got an unexpected keyword "
            "argument 'owners'; if it takes a tally, wrap it: mine = function_policy(of_a_tally)",
        ),
    ],
)
def test_a_broken_factory_is_named(factory: Any, message: str) -> None:
    policy = ExternalPolicy("x", factory)
    with pytest.raises(ExternalError, match=re.escape(f"policy 'x': repetition 2: {message}")):
        play(MARKET, policy, horizon=4, seed=1, first=2, count=1)
