"""``exact``: the known values, what follows from theory, and agreement with simulations."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from copyproof import Agent, Custom, Explicit, Geometric, Market, RiskAverse, exact, simulate
from copyproof.exact_values import Exact


def duel(copies: list[int], *others: float) -> Market:
    rivals = [Agent(f"rival {mean}", [mean]) for mean in others]
    return Market([Agent("first", [0.75, 0.25], copies=copies), *rivals])


def first_revenue(market: Market, policy: str, horizon: int) -> Fraction:
    """The exact revenue of the first agent; floating point must agree."""
    found: Any = exact(market, policy, horizon=horizon, fractions=True).agents[0].revenue
    assert isinstance(found, Fraction)
    close = exact(market, policy, horizon=horizon).agents[0].revenue
    assert isinstance(close, float)
    assert abs(close - found) < 1e-12
    return found


@pytest.mark.parametrize(
    ("copies", "value"),
    [(1, Fraction(27483, 16384)), (2, Fraction(4927, 2048)), (3, Fraction(5707, 2048))],
)
def test_ucb1_with_copies(copies: int, value: Fraction) -> None:
    market = Market([Agent("half", [0.5], copies=[copies]), Agent("better", [0.75])])
    assert first_revenue(market, "ucb1", 8) == value


@pytest.mark.parametrize(
    ("copies", "value"),
    [
        ([1, 0], Fraction(114159, 32768)),
        ([2, 0], Fraction(114159, 32768)),
        ([1, 1], Fraction(77209, 32768)),
        ([2, 1], Fraction(86619, 32768)),
        ([0, 1], Fraction(26783, 32768)),
    ],
)
def test_h_ucb_against_one(copies: list[int], value: Fraction) -> None:
    assert first_revenue(duel(copies, 0.5), "h-ucb", 8) == value


def test_h_ucb_against_two() -> None:
    assert first_revenue(duel([1, 0], 0.5, 0.9), "h-ucb", 7) == Fraction(4460983, 2560000)


@pytest.mark.parametrize("policy", ["fair(ucb1)", "fair(kl-ucb)", "fair(s-ucb(l=1))"])
def test_fair_pays_its_share(policy: str) -> None:
    market = Market([Agent("a", [0.6], copies=[5]), Agent("b", [0.9]), Agent("c", [0.1, 0.2])])
    assert first_revenue(market, policy, 7) == Fraction(7, 3) * Fraction(6, 10)


def test_one_more_copy_need_not_help() -> None:
    def earned(copies: int, horizon: int) -> Fraction:
        market = Market([Agent("one", [1], copies=[copies]), Agent("none", [0])])
        return first_revenue(market, "ucb1", horizon)

    for horizon, revenue in zip(range(3, 7), range(2, 6), strict=True):
        assert earned(1, horizon) == earned(2, horizon) == revenue
    assert earned(3, 3) == Fraction(9, 4)


def test_copying_the_whole_set_may_hurt() -> None:
    market = Market([Agent("both", [1, 0]), Agent("none", [0])])
    assert first_revenue(market, "ucb1", 5) == 3
    assert first_revenue(market.replicate("both", 2), "ucb1", 5) == 2


def test_who_does_not_know_its_best_arm_gains_by_a_random_copy() -> None:
    market = Market([Agent("alone", [1, 0])])
    honest = first_revenue(market, "h-ucb", 7)
    copied = [first_revenue(market.with_profile([c]), "h-ucb", 7) for c in ([2, 1], [1, 2])]
    assert honest == 5
    assert sum(copied) / 2 == Fraction(11, 2)


def test_many_more_copies_than_rounds() -> None:
    market = Market([Agent("one", [1], copies=[1_000_000]), Agent("none", [0])])
    assert first_revenue(market, "ucb1", 3) == 3 * Fraction(1_000_000, 1_000_001)


def test_parts_add_up() -> None:
    market = Market([Agent("a", [0.3, 0.8], copies=[2, 1]), Agent("hidden", [1.0], copies=[0])])
    market = Market([*market.agents, Agent("c", [0.6])])
    found: Any = exact(market, "h-epsilon-greedy", horizon=9, fractions=True)
    assert sum(agent.plays for agent in found.agents) == 9
    assert found.regret == 9 - sum(agent.revenue for agent in found.agents)  # μ* = 1, hidden
    hidden = found.agents[1]
    assert (hidden.revenue, hidden.plays, hidden.utility) == (0, 0, 0)
    assert hidden.distribution == (1,) + (0,) * 9
    for agent in found.agents:
        assert sum(agent.distribution) == 1
        assert sum(v * chance for v, chance in enumerate(agent.distribution)) == agent.revenue


def test_floats_stay_close_over_many_rounds_and_states() -> None:
    market = Market([Agent("a", [0.7, 0.4]), Agent("b", [0.55])])
    for policy in ("h-epsilon-greedy", "fair(ucb1)"):
        rough: Any = exact(market, policy, horizon=12)
        whole: Any = exact(market, policy, horizon=12, fractions=True)
        assert rough.states == whole.states
        for mine, theirs in zip(rough.agents, whole.agents, strict=True):
            assert abs(mine.revenue - theirs.revenue) < 1e-13
            pairs = zip(mine.distribution, theirs.distribution, strict=True)
            assert max(abs(a - b) for a, b in pairs) < 1e-15
    long: Any = exact(market, "h-epsilon-greedy", horizon=30)
    assert abs(math.fsum(long.agents[0].distribution) - 1) < 1e-14
    assert abs(sum(agent.plays for agent in long.agents) - 30) < 1e-13


def test_a_table_grows_without_losing_states() -> None:
    # 7 copies of one arm and others: thousands of states, from tables of 1,024 places on.
    market = Market([Agent("a", [0.5], copies=[4]), Agent("b", [0.9, 0.2])])
    found: Any = exact(market, "epsilon-greedy(epsilon=1)", horizon=14)
    assert found.states > 10_000
    # Without a first play to come, every arm is as likely as any other.
    assert abs(found.agents[0].plays - 14 * 4 / 6) < 1e-12


def test_utility_and_fee() -> None:
    agents = [
        Agent("neutral", [0.5], copies=[2]),
        Agent("averse", [0.6], utility=RiskAverse(0.5)),
        Agent("own", [0.7], utility=Custom("log", np.log1p)),
    ]
    found: Any = exact(Market(agents, fee=0.1), "h-ucb", horizon=6, fractions=True)
    neutral, averse, own = found.agents
    assert neutral.utility == neutral.revenue - Fraction(2, 10)
    expected = sum(float(p) * v**0.5 for v, p in enumerate(averse.distribution))
    assert averse.utility == pytest.approx(expected - 0.1, rel=1e-14)
    expected = sum(float(p) * math.log1p(v) for v, p in enumerate(own.distribution))
    assert own.utility == pytest.approx(expected - 0.1, rel=1e-14)


def test_discount() -> None:
    market = Market([Agent("a", [0.5])], discount=Geometric(0.9))
    (agent,) = exact(market, "ucb1", horizon=3, fractions=True).agents
    assert agent.revenue == Fraction(1, 2) * (1 + Fraction(9, 10) + Fraction(81, 100))
    assert agent.distribution is None
    market = Market([Agent("a", [0.5])], discount=Explicit([1, 1, 1]))
    assert exact(market, "ucb1", horizon=3).agents[0].distribution is not None


@pytest.mark.parametrize(
    "policy", ["ucb1", "h-ucb", "rh-ucb(L=1)", "prh-ucb", "h-ucb-t-free", "h-epsilon-greedy"]
)
def test_simulations_agree(policy: str) -> None:
    agents = [Agent("a", [0.6, 0.2], copies=[2, 1]), Agent("b", [0.7]), Agent("c", [0.5])]
    market = Market(agents, discount=Geometric(0.98))
    found: Any = exact(market, policy, horizon=12)
    result = simulate(market, policy, horizon=12, repetitions=100_000, seed=3, checkpoints=1)
    assert abs(result.regret.mean - found.regret) < 4 * result.regret.stderr
    for mine, theirs in zip(found.agents, result.agents, strict=True):
        assert abs(theirs.revenue.mean - mine.revenue) < 4 * theirs.revenue.stderr
        assert abs(theirs.plays.mean - mine.plays) < 4 * theirs.plays.stderr
        assert abs(theirs.utility.mean - mine.utility) < 4 * theirs.utility.stderr


def test_progress_counts_the_rounds_of_all_games() -> None:
    told: list[int] = []
    market = Market([Agent(name, [0.5]) for name in "abc"])
    found: Any = exact(market, "h-ucb-t-free", horizon=5, progress=told.append)
    assert isinstance(found, Exact)
    assert found.size.games == 6
    assert told == list(range(1, 31))


@pytest.mark.slow
def test_registering_only_the_best_arm_is_dominant_under_h_ucb_on_a_grid() -> None:
    grid = [0.0, 0.2, 0.5, 0.8, 1.0]
    cases = 0
    for horizon in (4, 7, 10, 14):
        for rivals in [[a] for a in grid] + [[a, b] for a in grid for b in grid if a <= b]:
            for best in grid[1:]:
                for worse in [mean for mean in grid if mean <= best]:
                    others = [Agent(str(k), [mean]) for k, mean in enumerate(rivals)]
                    market = Market([Agent("first", [best, worse], copies=[1, 0]), *others])
                    truth = exact(market, "h-ucb", horizon=horizon).agents[0].revenue
                    for copies in ([2, 0], [0, 1], [1, 1], [2, 1], [1, 2]):
                        other = market.with_strategy("first", copies)
                        found = exact(other, "h-ucb", horizon=horizon).agents[0].revenue
                        assert found <= truth + 1e-12, (horizon, rivals, best, worse, copies)
                        cases += 1
    print(f"no violation in {cases:,} cases")
