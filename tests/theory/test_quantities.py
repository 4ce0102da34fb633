"""Gaps, best agents, shares and samples of a market and its profile."""

from fractions import Fraction

import pytest

from copyproof import Agent, Market, paper_market, parse_policy, simulate
from copyproof.engine.plan import sample_bound
from copyproof.theory import (
    agent_gap,
    arm_gaps,
    best_agents,
    best_share,
    largest_gap,
    participants,
    sample_misses_best,
    sample_size,
    samples,
    share_of_best,
    smallest_share,
)

MARKET = Market(
    [
        Agent("ann", [0.5, 0.25, 0.5], copies=[3, 4, 1]),  # two originals at its best mean
        Agent("bob", [0.75, 0.125], copies=[0, 2]),  # hides its best arm
        Agent("eve", [1.0], copies=[0]),  # takes no part
        Agent("joe", [0.75]),
    ]
)


def test_gaps() -> None:
    assert [agent_gap(MARKET, agent) for agent in MARKET.agents] == [0.5, 0.25, 0.0, 0.25]
    assert arm_gaps(MARKET.agent("ann")) == (0.0, 0.25, 0.0)
    assert largest_gap(MARKET) == 0.875
    assert largest_gap(Market([Agent("a", [0.5, 0.0], copies=[1, 0])])) == 0


def test_best_agents_take_part() -> None:
    assert [agent.name for agent in participants(MARKET)] == ["ann", "bob", "joe"]
    assert best_agents(MARKET) == ()
    both = Market([Agent("a", [0.9, 0.1]), Agent("b", [0.9]), Agent("c", [0.9], copies=[0])])
    assert [agent.name for agent in best_agents(both)] == ["a", "b"]


def test_shares() -> None:
    assert share_of_best(MARKET.agent("ann")) == Fraction(1, 2)
    assert share_of_best(MARKET.agent("bob")) == 0
    assert share_of_best(MARKET.agent("joe")) == 1
    c, agent = smallest_share(MARKET)
    assert (c, agent.name) == (Fraction(0), "bob")
    assert best_share(MARKET) == 0


@pytest.mark.parametrize("figure", ["1a", "1b", "2a", "2b"])
def test_share_of_the_papers_single_arm_markets(figure: str) -> None:
    assert best_share(paper_market(figure)) == 1


def test_share_of_figure_2c() -> None:
    c, agent = smallest_share(paper_market("2c"))
    assert (1 / c, agent.name) == (Fraction(21), "0.8-agent")
    assert best_share(paper_market("2c")) == pytest.approx(10 / 210)


def test_samples_of_figure_2c() -> None:
    low, *_, high = samples(paper_market("2c"), parse_policy("rh-ucb"), horizon=10**5)
    assert (low.agent, low.arms, low.best, low.size) == ("0.5-agent", 3000, 1000, 34)
    assert (high.agent, high.arms, high.best, high.size) == ("0.9-agent", 210, 10, 34)
    assert high.miss == sample_misses_best(paper_market("2c"), 4, 3, 10**5)
    assert high.bound == pytest.approx((20 / 21) ** 34)


def test_bounds_of_samples() -> None:
    ann, bob, joe = samples(MARKET, parse_policy("rh-ucb(L=100)"), horizon=100)
    assert (ann.size, ann.miss, ann.bound) == (8, 0, 0)  # all arms are in play
    assert (bob.size, bob.miss, bob.bound) == (2, 1, 1)  # none of them the best
    assert (joe.size, joe.miss, joe.bound) == (1, 0, 0)


@pytest.mark.parametrize("policy", ["h-ucb", "s-ucb", "prh-ucb", "rh-ucb-online", "ucb1"])
def test_no_samples(policy: str) -> None:
    assert samples(MARKET, parse_policy(policy), horizon=100) == ()


@pytest.mark.parametrize("policy", ["rh-ucb", "rh-ucb-ln2", "rh-ucb-t-free", "fair(s-ucb(l=1))"])
def test_samples_of_other_policies(policy: str) -> None:
    assert len(samples(MARKET, parse_policy(policy), horizon=100)) == 3


@pytest.mark.parametrize("power", [1.0, 2.0, 1.5])
@pytest.mark.parametrize("horizon", [1, 2, 3, 50, 12345])
def test_sizes_are_the_engines(power: float, horizon: int) -> None:
    for L in (0.1, 1.0, 3.0, 7.3):
        drawn = int(min(40.0, sample_bound(L, power, float(horizon))))
        assert sample_size(L, horizon, 40, power) == drawn


def test_the_engine_misses_as_often() -> None:
    # 3 of 20 arms, 2 of them the best: C(18, 3)/C(20, 3) = 68/95. Within 4 standard errors.
    market = Market([Agent("a", [0.9, 0.1], copies=[2, 18])])
    exact = sample_misses_best(market, 0, L=1, T=50)
    assert exact == pytest.approx(68 / 95)
    result = simulate(market, "rh-ucb(L=1)", horizon=50, repetitions=2000, seed=5)
    missed = (result.original_plays[:, 0] == 0).mean()
    assert abs(missed - exact) < 4 * (exact * (1 - exact) / 2000) ** 0.5
