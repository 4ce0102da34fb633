"""A market: what it counts, how strategies change, and what it refuses."""

import pickle
import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copyproof.game import MOST_ARMS, Agent, Explicit, Geometric, Market

ANN = Agent("ann", [0.5, 0.2, 0.1], copies=[1000, 1, 0])
BOB = Agent("bob", [0.3, 0.9], copies=[1, 0])
MARKET = Market([ANN, BOB], fee=0.01, discount=Geometric(0.9))


def test_counts() -> None:
    assert MARKET.names == ("ann", "bob")
    assert MARKET.profile == ((1000, 1, 0), (1, 0))
    assert MARKET.registered == 1002
    assert MARKET.originals == 5
    assert MARKET.best_mean == 0.9  # although bob hides it
    assert MARKET.agent("bob") is BOB


@pytest.mark.parametrize(
    ("changed", "profile"),
    [
        (MARKET.with_profile([[0, 0, 1], [2, 2]]), ((0, 0, 1), (2, 2))),
        (MARKET.with_strategy("bob", [5, 6]), ((1000, 1, 0), (5, 6))),
        (MARKET.with_strategy("ann", [0, 0, 0]), ((0, 0, 0), (1, 0))),
        (MARKET.honest(), ((1, 1, 1), (1, 1))),
        (MARKET.truthful(), ((1, 0, 0), (0, 1))),
        (MARKET.best_arm_only("bob"), ((1000, 1, 0), (0, 1))),
        (MARKET.replicate("ann", 7), ((7, 7, 0), (1, 0))),
        (MARKET.replicate("ann", [7, 0, 8]), ((7, 0, 8), (1, 0))),
    ],
)
def test_new_strategies_change_nothing_else(changed: Market, profile: object) -> None:
    assert changed.profile == profile
    assert changed.names == MARKET.names
    assert [agent.arms for agent in changed.agents] == [ANN.arms, BOB.arms]
    assert (changed.fee, changed.discount) == (0.01, Geometric(0.9))
    assert Market([ANN, BOB], 0.01, Geometric(0.9)) == MARKET


def test_markets_compare_hash_and_pickle() -> None:
    again = pickle.loads(pickle.dumps(MARKET))
    assert again == MARKET
    assert hash(again) == hash(MARKET)
    assert MARKET.honest() != MARKET
    with pytest.raises(AttributeError):
        MARKET.fee = 1.0  # type: ignore[misc]


def test_as_many_arms_as_the_limit() -> None:
    assert Market([Agent("ann", [0.5], [MOST_ARMS])]).registered == 50_000_000


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (lambda: Market([]), "agents is empty: at least one is needed"),
        (lambda: Market(3), "agents = 3 is not a list of agents"),  # type: ignore[arg-type]
        (lambda: Market(["ann"]), "agents[0] = 'ann' is not an Agent"),  # type: ignore[list-item]
        (
            lambda: Market([ANN, BOB, ANN]),
            "agents[2].name = 'ann' is taken by agents[0]",
        ),
        (
            lambda: Market([Agent("ann", [0.5], [0])]),
            "nobody registered an arm: every copies is 0, at least one must be >= 1",
        ),
        (
            lambda: Market([Agent("ann", [0.5], [MOST_ARMS]), BOB]),
            "copies add up to 50000001 registered arms: at most 50000000 are accepted",
        ),
        (lambda: Market([ANN], fee=-1), "fee = -1.0 is not in [0, 1e12]"),
        (lambda: Market([ANN], fee=float("nan")), "fee = nan is not a finite number"),
        (lambda: Market([ANN], discount=0.9), "discount = 0.9 is not a discount record"),  # type: ignore[arg-type]
        (
            lambda: Market([ANN, BOB], discount=Explicit([1.0, 0.0])),
            "discount.weights has 1 non-zero of 2 entries: 2 agents need 2 non-zero weights",
        ),
        (lambda: MARKET.agent("zoe"), "agent = 'zoe' is not one of 'ann', 'bob'"),
        (
            lambda: Market(Agent(f"{k}", [0.5]) for k in range(12)).agent("zoe"),
            "agent = 'zoe' is not one of '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' "
            "and 2 more",
        ),
        (
            lambda: MARKET.with_profile([[1, 1, 1]]),
            "profile has 1 strategies for 2 agents: one per agent is needed",
        ),
        (
            lambda: MARKET.with_profile([[1, 1, 1], [1, -1]]),
            "copies[1] = -1 is not a whole number >= 0 (agent 'bob')",
        ),
        (lambda: MARKET.replicate("ann", 2.5), "copies = 2.5 is not a whole number >= 1"),  # type: ignore[arg-type]
        (lambda: MARKET.replicate("ann", 0), "copies = 0 is not a whole number >= 1"),
        (
            lambda: MARKET.with_strategy("bob", [0, 0]).replicate("bob", 3),
            "agent 'bob' registers no arm that could be replicated",
        ),
    ],
)
def test_refusals(build: Callable[[], object], said: str) -> None:
    with pytest.raises(ValueError, match=rf"^{re.escape(said)}\Z"):
        build()


@given(st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=4), min_size=1, max_size=5))
def test_a_profile_is_read_back_as_it_was_set(profile: list[list[int]]) -> None:
    honest = Market(Agent(f"{i}", [0.5] * len(s)) for i, s in enumerate(profile))
    total = sum(map(sum, profile))
    if total:
        market = honest.with_profile(profile)
        assert market.profile == tuple(map(tuple, profile))
        assert market.registered == total
        assert market.honest() == honest
    else:
        with pytest.raises(ValueError, match="nobody registered"):
            honest.with_profile(profile)
