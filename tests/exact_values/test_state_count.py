"""How many states: the count is right, and what cannot be computed is said so."""

from itertools import combinations_with_replacement, product

import pytest

from copyproof import CATALOGUE, Agent, Gaussian, Geometric, Market, Poisson, RiskAverse, exact
from copyproof.exact_values import states, why_not_exact
from copyproof.policy import NamedPolicy


def counted(copies: list[int], sure: list[bool], horizon: int) -> int:
    """All states of all layers, listed one by one."""
    total = 0
    kinds = []
    for count, certain in zip(copies, sure, strict=True):
        arms = [(n, s) for n in range(horizon + 1) for s in range(1 if certain else n + 1)]
        kinds.append(list(combinations_with_replacement(arms, count)))
    for state in product(*kinds):
        total += sum(n for kind in state for n, _ in kind) <= horizon
    return total


@pytest.mark.parametrize(
    ("means", "copies"),
    [([0.5], [1]), ([0.5], [3]), ([1.0], [3]), ([0.5, 0.2], [2, 1]), ([0.5, 0.0], [2, 2])],
)
def test_the_count_is_that_of_all_multisets(means: list[float], copies: list[int]) -> None:
    market = Market([Agent("a", means, copies=copies)])
    sure = [mean in (0, 1) for mean in means]
    assert states(market, "ucb1", 5) == counted(copies, sure, 5)


NOT_EXACT = (
    *("h-thompson", "thompson", "trial", "trial-anytime"),
    *("sw-ucb", "h-sw-ucb", "d-ucb", "h-d-ucb", "exp3", "h-exp3"),
)


@pytest.mark.parametrize("row", [row.name for row in CATALOGUE if row.name not in NOT_EXACT])
def test_no_more_states_than_counted(row: str) -> None:
    market = Market([Agent("a", [0.5, 0.9], copies=[3, 1]), Agent("b", [1.0])])
    found = exact(market, row, horizon=9)
    assert found.states <= found.size.total == states(market, row, 9)


def test_samples_and_orders_are_games() -> None:
    market = Market([Agent(name, [0.5, 0.4], copies=[2, 2]) for name in "abc"])
    assert exact(market, "h-ucb-t-free", horizon=3).size.games == 6
    # ⌊ln 10⌋ = 2 of two and two arms: three samples of each agent
    assert exact(market, "rh-ucb(L=1)", horizon=10, limit=10**7).size.games == 27


def test_equal_originals_of_one_agent_are_copies() -> None:
    two = Market([Agent("a", [0.5, 0.5]), Agent("b", [0.5])])
    copies = Market([Agent("a", [0.5], copies=[2]), Agent("b", [0.5])])
    assert states(two, "h-ucb", 10) == states(copies, "h-ucb", 10)


@pytest.mark.parametrize("row", CATALOGUE, ids=lambda row: row.name)
def test_every_policy_but_a_few(row: NamedPolicy) -> None:
    reason = why_not_exact(Market([Agent("a", [0.5])]), row.name)
    assert (reason is not None) == (row.name in NOT_EXACT)


def test_reasons() -> None:
    gauss = Agent("g", [Gaussian(0.5, 1.0), 0.5, Poisson(1.0)], copies=[0, 1, 1])
    assert why_not_exact(Market([gauss]), "ucb1") == (
        "agents[0].arms[2] is poisson: exact takes Bernoulli arms only"
    )
    assert why_not_exact(Market([gauss.with_copies([0, 1, 0])]), "ucb1") is None
    averse = Agent("a", [0.5], utility=RiskAverse(0.5))
    assert why_not_exact(Market([averse]), "ucb1") is None
    reason = why_not_exact(Market([averse], discount=Geometric(0.5)), "ucb1")
    assert reason is not None
    assert reason.startswith("agents[0].utility is not linear")
    assert "posterior draws are continuous" in str(
        why_not_exact(Market([averse]), "fair(thompson)")
    )
