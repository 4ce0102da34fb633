"""What an event can be worth at most: against the largest mean that any event can have."""

import numpy as np
import pytest

from copyproof.auditing.unseen_events import revenue_of_event, variance_limit
from copyproof.game import (
    Agent,
    Bernoulli,
    Beta,
    Constant,
    Empirical,
    Exponential,
    Gaussian,
    Geometric,
    Mixture,
    Poisson,
    Reward,
)

ARMS: list[Reward] = [
    Bernoulli(0.05),
    Bernoulli(0.5),
    Beta(0.5, 0.5),
    Empirical([0.0, 0.2, 1.0]),
    Gaussian(-0.2, sigma=0.5),
    Poisson(0.3),
    Exponential(2.0),
    Mixture([0.0, Exponential(2.0)], weights=[3, 1]),
    Mixture([Gaussian(-3, sigma=0.5), Gaussian(3, sigma=1.0)]),
    Mixture([Bernoulli(0.9), Beta(0.5, 0.5)]),
]


def _drawn(arm: Reward, shape: tuple[int, int]) -> np.ndarray:
    rng = np.random.default_rng(3)
    match arm:
        case Bernoulli():
            return (rng.random(shape) < arm.mean).astype(float)
        case Beta():
            return rng.beta(0.5, 0.5, shape)
        case Empirical():
            return rng.choice([0.0, 0.2, 1.0], shape)
        case Gaussian():
            return rng.normal(arm.mean, arm.sigma, shape)
        case Poisson():
            return rng.poisson(arm.mean, shape).astype(float)
        case Exponential():
            return rng.exponential(arm.mean, shape)
        case Mixture():
            which = np.random.default_rng(4).choice(len(arm.shares), shape, p=arm.shares)
            return np.choose(which, [_drawn(one, shape) for one in arm.components])


@pytest.mark.parametrize("arm", ARMS, ids=str)
@pytest.mark.parametrize("discount", [Constant(), Geometric(0.9)], ids=str)
def test_the_luckiest_games_earn_no_more_and_the_unluckiest_no_less(
    arm: Reward, discount: Constant | Geometric
) -> None:
    horizon, games = 20, 100_000
    weights = np.array([discount.at(t) for t in range(1, horizon + 1)])
    revenue = np.sort(_drawn(arm, (games, horizon)) @ weights)
    for chance in (0.3, 0.05, 0.001):
        count = int(chance * games)
        least, most = revenue_of_event(Agent("ann", [arm]), discount, horizon, chance)
        assert least <= revenue[:count].mean()
        assert revenue[-count:].mean() <= most


@pytest.mark.parametrize("arm", ARMS, ids=str)
def test_no_variance_is_above_its_limit(arm: Reward) -> None:
    found = _drawn(arm, (1, 200_000)).var()
    assert found <= variance_limit(arm) * 1.03


def test_the_most_is_next_to_what_all_rounds_pay() -> None:
    _, most = revenue_of_event(Agent("ann", [0.2, 0.5]), Constant(), 10**6, chance=1e-3)
    assert 500_000 < most < 502_000
