"""River and MABWiser, the real packages."""

import importlib
import re
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from copyproof import mabwiser_policy, paper_market, river_policy
from copyproof.external import ExternalError, ExternalPolicy
from copyproof.external.libraries import call_text
from copyproof.simulation import play

UCBS = [river_policy("UCB", delta=1), mabwiser_policy("UCB1", alpha=1)]
Make = Callable[..., ExternalPolicy]
HOW: dict[str, Any] = {"seed": 1, "first": 0, "workers": 1}


def choices_of(policy: ExternalPolicy, seed: int, arms: int, rounds: int) -> list[str]:
    """The first choices of a learner whose every play pays 1."""
    names = [f"a/{number}" for number in range(1, arms + 1)]
    owners = dict.fromkeys(names, "a")
    learner = policy.factory(names, owners=owners, horizon=rounds, seed=seed)
    choices = []
    for _ in range(rounds):
        choices.append(learner.choose())
        learner.learn(choices[-1], 1.0)
    return choices


@pytest.mark.parametrize("policy", UCBS, ids=str)
def test_copies_pay(policy: ExternalPolicy) -> None:
    how = HOW | {"horizon": 400, "count": 6}
    one = play(paper_market("1a", copies=1), policy, **how).revenue[:, 0]
    many = play(paper_market("1a", copies=30), policy, **how).revenue[:, 0]
    assert (many - one).min() > 40


@pytest.mark.parametrize("policy", UCBS, ids=str)
def test_every_arm_is_tried_first_in_an_order_of_the_seed(policy: ExternalPolicy) -> None:
    first = choices_of(policy, 5, 8, 8)
    assert Counter(first) == Counter(f"a/{number}" for number in range(1, 9))
    assert choices_of(policy, 5, 8, 8) == first
    assert choices_of(policy, 6, 8, 8) != first


def test_mabwiser_would_not_try_an_arm_that_was_not_fitted() -> None:
    mab = importlib.import_module("mabwiser.mab")
    bandit = mab.MAB(["seen", "new"], mab.LearningPolicy.UCB1(alpha=1))
    bandit.fit(["seen"], [0])
    assert bandit.predict_expectations()["new"] == 0
    for _ in range(50):
        arm = bandit.predict()
        bandit.partial_fit([arm], [0.5])
    assert arm == "seen"


@pytest.mark.parametrize("horizon", [1, 4])
def test_mabwiser_with_fewer_rounds_than_arms(horizon: int) -> None:
    games = play(paper_market("1a"), UCBS[1], horizon=horizon, count=3, **HOW)
    assert games.plays.sum(axis=1).tolist() == [horizon] * 3


@pytest.mark.parametrize(
    ("kind", "parameters"),
    [
        ("EpsilonGreedy", {"epsilon": 0.1, "burn_in": 2}),
        ("Exp3", {"gamma": 0.2}),
        ("BayesUCB", {}),
        ("RandomPolicy", {}),
    ],
)
def test_rivers_others(kind: str, parameters: dict[str, object]) -> None:
    policy = river_policy(kind, **parameters)
    games = play(paper_market("1a"), policy, horizon=60, count=2, **HOW)
    again = play(paper_market("1a"), policy, horizon=60, count=2, **HOW)
    assert games.plays.sum(axis=1).tolist() == [60, 60]
    assert np.array_equal(games.revenue, again.revenue)


def test_rivers_parameters_do_not_learn_across_games() -> None:
    preprocessing = importlib.import_module("river.preprocessing")
    scaler = preprocessing.TargetStandardScaler(None)
    policy = river_policy("UCB", delta=1, reward_scaler=scaler)
    assert choices_of(policy, 1, 3, 20) == choices_of(policy, 1, 3, 20)


@pytest.mark.parametrize(
    ("kind", "parameters"),
    [("EpsilonGreedy", {"epsilon": 0.1}), ("Softmax", {"tau": 1}), ("ThompsonSampling", {})],
)
def test_mabwisers_others(kind: str, parameters: dict[str, object]) -> None:
    policy = mabwiser_policy(kind, **parameters)
    games = play(paper_market("1a"), policy, horizon=60, count=2, **HOW)
    assert games.plays.sum(axis=1).tolist() == [60, 60]


def test_what_a_library_refuses_is_reported_with_its_round() -> None:
    from copyproof import Agent, Exponential, Market

    market = Market([Agent("a", [Exponential(1.0)]), Agent("b", [Exponential(2.0)])])
    message = "policy 'mabwiser:ThompsonSampling': round 2 of repetition 0: learn() raised ValueE"
    with pytest.raises(ExternalError, match=re.escape(message)):
        play(market, mabwiser_policy("ThompsonSampling"), horizon=9, count=1, **HOW)


@pytest.mark.parametrize(
    ("make", "kind", "parameters", "message"),
    [
        (river_policy, "UCV", {}, "policy = 'river:UCV': UCV is not one of the classes of river."),
        (river_policy, "LinUCBDisjoint", {}, "LinUCBDisjoint is not one of the classes of river."),
        (river_policy, "UCB", {}, "policy = 'river:UCB': TypeError: "),
        (river_policy, "UCB", {"delta": 1, "beta": 2}, "unexpected keyword argument 'beta'"),
        (river_policy, "UCB", {"delta": 1, "seed": 2}, "seed is not a parameter; it comes from"),
        (mabwiser_policy, "UCB", {}, "policy = 'mabwiser:UCB': UCB is not one of the learning pol"),
        (mabwiser_policy, "LinUCB", {}, "LinUCB is not one of the learning policies of MABWiser w"),
        (mabwiser_policy, "UCB1", {"alpha": -1}, "ValueError: The value of alpha cannot be neg"),
        (mabwiser_policy, "UCB1", {"beta": 1}, "unexpected keyword argument 'beta'"),
    ],
)
def test_bad_kinds_and_parameters_are_named(
    make: Make, kind: str, parameters: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        make(kind, **parameters)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("make", "module", "called"),
    [(river_policy, "river", "River"), (mabwiser_policy, "mabwiser", "MABWiser")],
)
def test_a_missing_package_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, make: Make, module: str, called: str
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == module]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.setattr(sys, "path_importer_cache", {})
    message = f"{called} is not installed; install it with: pip install 'copyproof[peers]'"
    with pytest.raises(ValueError, match=re.escape(message)):
        make("UCB")


def test_texts() -> None:
    assert call_text("river", "UCB", {}) == "river:UCB"
    assert call_text("river", "UCB", {"delta": 1, "x": "y"}) == "river:UCB(delta=1, x='y')"
