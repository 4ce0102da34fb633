"""Exact values of markets with groups: the principal's game, told by name."""

from fractions import Fraction

import pytest

from copyproof import Agent, Market, exact, simulate
from copyproof.game import RiskAverse

AGENTS = [Agent("ann", [0.75]), Agent("bob", [0.5]), Agent("anna", [0.75, 0.25])]


def test_a_group_expects_what_one_name_with_all_arms_does() -> None:
    """The values of the specification: 3/4 with a copy and 1/4 against 1/2, T = 8."""
    market = Market(AGENTS).bind(["ann", "anna"], "x")
    found = exact(market, "h-ucb", horizon=8, fractions=True)
    assert found.groups["x"].revenue == Fraction(86619, 32768)
    assert found.agents["ann"].revenue + found.agents["anna"].revenue == Fraction(86619, 32768)
    assert sum(one.plays for one in found.agents) == 8
    assert found.agents["ann"].distribution is None
    assert found.groups["x"].distribution is not None
    assert (
        found.agents["bob"] == exact(market.quotient, "h-ucb", horizon=8, fractions=True).agents[1]
    )


def test_names_of_equal_arms_share_alike_and_sampling_agrees() -> None:
    market = Market(AGENTS).bind(["ann", "anna"], "x")
    found = exact(market, "h-ucb", horizon=8)
    games = simulate(market, "h-ucb", horizon=8, repetitions=20_000, seed=1)
    for one, sampled in zip(found.agents, games.agents, strict=True):
        assert abs(one.revenue - sampled.revenue.mean) < 5 * sampled.revenue.stderr
        assert abs(one.plays - sampled.plays.mean) < 5 * sampled.plays.stderr


def test_the_utility_that_is_not_linear_is_the_groups() -> None:
    agents = [Agent(name, [0.5], utility=RiskAverse(0.5)) for name in ("ann", "anna")]
    market = Market([*agents, Agent("bob", [0.75])]).bind(["ann", "anna"], "x")
    found = exact(market, "h-ucb", horizon=6)
    assert found.to_dict()["agents"][0]["utility"] is None
    alone = exact(market.quotient, "h-ucb", horizon=6).agents["x"].utility
    assert found.to_dict()["groups"][0]["utility"] == pytest.approx(alone)
