"""``exact`` against an enumeration that shares no code with it, on random small markets."""

import random
from fractions import Fraction

import pytest

from copyproof import Agent, Explicit, Geometric, Market, exact
from tests.enumeration import Found, enumerate_game
from tests.reference import LEFT_TO_MARKET, POLICIES

SUPPORTED = [
    policy for policy in POLICIES if "thompson" not in policy and policy not in LEFT_TO_MARKET
]
MEANS = [0.0, 1.0, 0.5, 0.5, 0.25, 0.75, 0.9, 0.1, 0.37]


def small_market(rng: random.Random) -> Market:
    """One to three agents, one to four registered arms: copies, hidden arms, absent agents."""
    while True:
        agents = []
        for number in range(rng.randint(1, 3)):
            arms = rng.randint(1, 2)
            means = [rng.choice(MEANS) for _ in range(arms)]
            copies = [rng.choice([0, 1, 1, 2, 3]) for _ in range(arms)]
            agents.append(Agent(f"agent {number}", means, copies=copies))
        if 1 <= sum(agent.registered for agent in agents) <= 4:
            break
    discount = rng.choice([None, None, Geometric(0.9), Explicit([1.0] * 3 + [0.5, 0.25, 0.1])])
    return Market(agents) if discount is None else Market(agents, discount=discount)


def assert_equal(market: Market, policy: str, horizon: int, number: type) -> None:
    expected: Found = enumerate_game(market, policy, horizon, number)
    found = exact(market, policy, horizon=horizon, fractions=number is Fraction)
    case = f"{policy}, T = {horizon}, {market}"
    pairs = [(found.regret, expected.regret)]
    for i, agent in enumerate(found.agents):
        pairs += [(agent.revenue, expected.revenue[i]), (agent.plays, expected.plays[i])]
        if agent.distribution is not None:
            assert len(agent.distribution) == horizon + 1
            for value, chance in enumerate(agent.distribution):
                outcomes = expected.outcomes.items()
                pairs.append((chance, sum(q for outcome, q in outcomes if outcome[i] == value)))
    for mine, theirs in pairs:
        if number is Fraction:
            assert mine == theirs, case
        else:
            assert mine == pytest.approx(theirs, rel=1e-12, abs=1e-12), case


@pytest.mark.parametrize("policy", SUPPORTED)
def test_random_markets(policy: str) -> None:
    rng = random.Random(f"markets {policy}")
    for _ in range(40):
        assert_equal(small_market(rng), policy, rng.randint(1, 5), float)
    for _ in range(4):
        assert_equal(small_market(rng), policy, rng.randint(2, 5), Fraction)


@pytest.mark.slow
@pytest.mark.parametrize("policy", SUPPORTED)
def test_five_hundred_random_markets(policy: str) -> None:
    rng = random.Random(f"500 {policy}")
    for number in range(500):
        assert_equal(small_market(rng), policy, rng.randint(1, 6), float)
        if number % 25 == 0:
            assert_equal(small_market(rng), policy, rng.randint(2, 6), Fraction)


def test_a_sample_of_the_one_pool_leaves_arms_out() -> None:
    # ⌊2 ln 6⌋ = 3 of 6 arms
    market = Market([Agent("a", [0.5, 0.9], copies=[3, 1]), Agent("b", [0.25], copies=[2])])
    assert_equal(market, "s-ucb(l=2)", 6, Fraction)


def test_samples_of_agents_leave_arms_out() -> None:
    # ⌊ln 12⌋ = 2: B_a is {0.5, 0.5} or {0.5, 0.9}, equally likely; B_b is always {0.25, 0.25}.
    market = Market([Agent("a", [0.5, 0.9], copies=[3, 1]), Agent("b", [0.25], copies=[2])])
    games = [
        exact(market.with_profile([copies, [2]]), "rh-ucb-all", horizon=12, fractions=True)
        for copies in ([2, 0], [1, 1])
    ]
    found = exact(market, "rh-ucb(L=1)", horizon=12, fractions=True)
    assert found.size.games == 2
    for i in range(2):
        assert found.agents[i].revenue == sum(game.agents[i].revenue for game in games) / 2
