"""The decisions of one game are those of the games that ``simulate`` sums up."""

import numpy as np
import pytest

from copyproof import Agent, BetaPrior, Market, Renew, Schedule, paper_market, simulate
from copyproof.simulation.decisions import decisions
from copyproof.validation import FieldError
from tests import reference


def test_they_are_those_of_the_plain_reference() -> None:
    market = Market([Agent("ann", [0.5, 0.2], copies=[3, 1]), Agent("bob", [0.8])])
    for repetition in (0, 2):
        found = decisions(market, "h-ucb", horizon=300, seed=5, repetition=repetition)
        assert found.tolist() == reference.choices(market, "h-ucb", 300, 5, repetition)


def test_their_counts_are_what_simulate_finds() -> None:
    market = paper_market("1a", copies=20)
    schedule = Schedule(renewals=[Renew("0.5-agent", below=0.5)])
    found = decisions(market, "ucb1", horizon=2000, seed=3, schedule=schedule)
    result = simulate(market, "ucb1", horizon=2000, repetitions=1, seed=3, schedule=schedule)
    plays = np.bincount(np.where(found < 20, 0, found - 19), minlength=5)
    assert plays.tolist() == result.plays[0].tolist()


def test_means_that_are_drawn_are_refused() -> None:
    market = Market([Agent("ann", [BetaPrior(1, 1)]), Agent("bob", [0.5])])
    with pytest.raises(FieldError, match="know only a prior"):
        decisions(market, "ucb1", horizon=10, seed=0)


@pytest.mark.parametrize("policy", ["ucb1", "h-ucb", "trial"])
def test_names_that_are_bound_are_decided_for_as_one(policy: str) -> None:
    """By name, the plays are those that ``simulate`` tells of the quotient."""
    agents = [Agent("ann", [0.5, 0.2], copies=[2, 1]), Agent("bob", [0.6]), Agent("cid", [0.7])]
    market = Market(agents).bind(["ann", "cid"], "x")
    made = decisions(market, policy, horizon=500, seed=3)
    owners = np.array([0, 0, 0, 1, 2])[made]
    found = simulate(market, policy, horizon=500, repetitions=1, seed=3)
    assert np.bincount(owners, minlength=3).tolist() == [
        found.agents[name].plays.mean for name in market.names
    ]
