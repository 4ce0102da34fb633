"""Reward records hold checked parameters and know their mean and support."""

import math
import pickle
import re
from collections.abc import Callable
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copyproof.game import (
    Bernoulli,
    Beta,
    Empirical,
    Exponential,
    Gaussian,
    Mixture,
    Poisson,
    Reward,
    as_reward,
)

EVERY = [
    (Bernoulli(0.3), 0.3, (0.0, 1.0)),
    (Beta(2, 6), 0.25, (0.0, 1.0)),
    (Gaussian(-1.5, 2), -1.5, (-math.inf, math.inf)),
    (Poisson(3), 3.0, (0.0, math.inf)),
    (Exponential(0.5), 0.5, (0.0, math.inf)),
    (Empirical([0.1] * 10), 0.1, (0.0, 1.0)),
    (Mixture([0, Exponential(20)], [9, 1]), 2.0, (0.0, math.inf)),
    (Mixture([Gaussian(-1, 1), Beta(1, 1)]), -0.25, (-math.inf, math.inf)),
]


@pytest.mark.parametrize(("reward", "mean", "support"), EVERY)
def test_mean_and_support(reward: Reward, mean: float, support: tuple[float, float]) -> None:
    assert reward.mean == mean
    assert reward.support == support
    assert isinstance(reward, Reward)


@pytest.mark.parametrize("reward", [reward for reward, _, _ in EVERY])
def test_records_are_frozen_hash_and_pickle(reward: Reward) -> None:
    with pytest.raises(AttributeError):
        setattr(reward, fields(reward)[0].name, 0.5)
    again = pickle.loads(pickle.dumps(reward))
    assert again == reward
    assert hash(again) == hash(reward)


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (lambda: Bernoulli(1.3), "mean = 1.3 is not in [0, 1]"),
        (lambda: Bernoulli(-0.1), "mean = -0.1 is not in [0, 1]"),
        (lambda: Bernoulli(math.nan), "mean = nan is not a finite number"),
        (lambda: Bernoulli(True), "mean = True is not a number"),
        (lambda: Bernoulli("0.5"), "mean = '0.5' is not a number"),  # type: ignore[arg-type]
        (lambda: Beta(0, 1), "alpha = 0.0 is not in (0, 1e6]"),
        (lambda: Beta(1, 2e6), "beta = 2000000.0 is not in (0, 1e6]"),
        (lambda: Gaussian(math.inf, 1), "mean = inf is not a finite number"),
        (lambda: Gaussian(0, 0), "sigma = 0.0 is not in (0, 1e12]"),
        (lambda: Poisson(-1), "mean = -1.0 is not in [0, 1e6]"),
        (lambda: Poisson(1e7), "mean = 10000000.0 is not in [0, 1e6]"),
        (lambda: Exponential(0), "mean = 0.0 is not in (0, 1e12]"),
        (lambda: Empirical([]), "rewards is empty: at least one is needed"),
        (lambda: Empirical([0.5, 1.5]), "rewards[1] = 1.5 is not in [0, 1]"),
        (lambda: Empirical([0.5, None]), "rewards[1] = None is not a number"),  # type: ignore[list-item]
        (lambda: Empirical(0.5), "rewards = 0.5 is not a list of numbers in [0, 1]"),  # type: ignore[arg-type]
        (lambda: Mixture([]), "components is empty: at least one is needed"),
        (lambda: Mixture([0.5, 1.5]), "components[1].mean = 1.5 is not in [0, 1]"),
        (lambda: Mixture([0.5], [0]), "weights[0] = 0.0 is not in (0, 1e6]"),
        (
            lambda: Mixture([0.5], [1, 2]),
            "weights has 2 entries for 1 components: one each is needed",
        ),
        (lambda: as_reward(2), "mean = 2.0 is not in [0, 1]"),
    ],
)
def test_refusals(build: Callable[[], object], said: str) -> None:
    with pytest.raises(ValueError, match=rf"^{re.escape(said)}\Z"):
        build()


def test_a_number_is_a_bernoulli_mean() -> None:
    assert as_reward(np.float32(0.5)) == Bernoulli(0.5)  # type: ignore[arg-type]
    assert as_reward(Beta(1, 1)) == Beta(1, 1)


def test_the_given_rewards_stay_the_callers() -> None:
    given_rewards = np.array([0.0, 1.0])
    reward = Empirical(given_rewards)
    given_rewards[0] = 1.0
    assert reward.rewards == (0.0, 1.0)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=50))
def test_an_empirical_mean_does_not_depend_on_the_order(rewards: list[float]) -> None:
    assert Empirical(rewards).mean == Empirical(sorted(rewards)).mean


@given(st.floats(0, 1e6, exclude_min=True), st.floats(0, 1e6, exclude_min=True))
def test_a_beta_mean_is_in_the_unit_interval(alpha: float, beta: float) -> None:
    assert 0 <= Beta(alpha, beta).mean <= 1


def test_weights_are_proportions_and_equal_by_default() -> None:
    assert Mixture([0.2, 0.4]).shares == (0.5, 0.5)
    assert Mixture([0.2, 0.4], [3, 1]).shares == (0.75, 0.25)
    assert Mixture([0.2, 0.4], [3, 1]).mean == pytest.approx(0.25)


def test_a_mixture_of_mixtures_is_refused() -> None:
    inner = Mixture([0.2, 0.4])
    with pytest.raises(ValueError, match=r"^components\[0\] = .* is not a family of its own"):
        Mixture([inner])  # type: ignore[list-item]
