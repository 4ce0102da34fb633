"""Priors as records, and what an agent who knows no more cannot have."""

import re
from collections.abc import Callable

import pytest

from copyproof.game import (
    Agent,
    BetaPrior,
    ListPrior,
    Market,
    Prior,
    RiskAverse,
    UniformPrior,
    split,
)
from copyproof.validation import FieldError


@pytest.mark.parametrize(
    ("prior", "mean", "reach"),
    [
        (BetaPrior(1, 3), 0.25, (0, 1)),
        (UniformPrior(0.25, 0.5), 0.375, (0.25, 0.5)),
        (UniformPrior(0.5, 0.5), 0.5, (0.5, 0.5)),
        (ListPrior([0.75, 0.25, 0.5]), 0.5, (0.25, 0.75)),
    ],
)
def test_expected_mean_and_reach(prior: Prior, mean: float, reach: tuple[float, float]) -> None:
    assert prior.mean == mean
    assert prior.reach == reach
    assert prior.support == (0, 1)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: BetaPrior(0, 1), "alpha = 0.0 is not in (0, 1e6]"),
        (lambda: BetaPrior(1, 1e7), "beta = 10000000.0 is not in (0, 1e6]"),
        (lambda: UniformPrior(-0.1, 1), "low = -0.1 is not in [0, 1]"),
        (lambda: UniformPrior(0.6, 0.2), "low = 0.6 is not <= high = 0.2"),
        (lambda: ListPrior([]), "means is empty: at least one is needed"),
        (lambda: ListPrior([0.5, 2]), "means[1] = 2.0 is not in [0, 1]"),
    ],
)
def test_refusals(make: Callable[[], Prior], said: str) -> None:
    with pytest.raises(FieldError, match=rf"^{re.escape(said)}\Z"):
        make()


def test_who_knows_only_a_prior_has_no_best_arm() -> None:
    agent = Agent("ann", [0.5, BetaPrior(1, 1)], utility=RiskAverse(0.5))
    assert not agent.is_informed
    assert Agent("ann", [0.5, 0.2]).is_informed
    for what in ("best_mean", "best_arm"):
        with pytest.raises(FieldError, match=r"arms\[1\] has a prior, so that agent 'ann' knows"):
            getattr(agent, what)
    market = Market([Agent("bob", [0.9]), agent])
    assert market.has_priors
    assert market.honest().registered == 3
    for ask in (lambda: market.best_mean, market.truthful, lambda: split(market, "ann", 2)):
        with pytest.raises(FieldError, match="agent 'ann' knows no best"):
            ask()
    with pytest.raises(FieldError, match=r"^agents\[1\].arms\[1\] has a prior: bounds takes"):
        market.require_known_means("bounds")


def test_of_one_arm_it_is_known_which_is_the_best() -> None:
    alone = Agent("ann", [UniformPrior(0, 1)], copies=[7])
    assert alone.best_arm_only().copies == (1,)
    with pytest.raises(FieldError, match="knows no best mean"):
        _ = alone.best_mean
