"""Baselines of the literature: what they take, and where they are refused in one line."""

import re

import numpy as np
import pytest

from copyproof import Agent, Market, Renew, Retire, Schedule, exact, parse_policy, simulate
from copyproof.live import MarketConfig, Principal
from copyproof.policy import BASELINES, MOSS, DiscountedUCB, Exp3, MOSSAnytime, SlidingWindowUCB
from copyproof.policy.defaults import with_market_defaults
from copyproof.simulation.decisions import decisions_of_games

MARKET = Market([Agent("ann", [0.5, 0.2, 0.1], copies=[30, 1, 0]), Agent("bob", [0.9])])
REMEMBERING = [row.name for row in BASELINES if row.policy.not_live]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: MOSS(arms=0), "arms = 0 is not a whole number from 1 to 1e9"),
        (lambda: SlidingWindowUCB(window=1.5), "window = 1.5 is not a whole number from 1 to 1e7"),  # type: ignore[arg-type]
        (lambda: SlidingWindowUCB(xi=-1), "xi = -1 is not a number in [0, 1e6]"),
        (lambda: DiscountedUCB(gamma=1), "gamma = 1 is not a number in (0, 0.9999999]"),
        (lambda: DiscountedUCB(gamma=0), "gamma = 0 is not a number in (0, 0.9999999]"),
        (lambda: Exp3(gamma=1.1), "gamma = 1.1 is not a number in (0, 1]"),
        (lambda: parse_policy("moss(K=0)"), "K = 0"),
        (lambda: MOSSAnytime(alpha=-1), "alpha = -1 is not a number in [0, 1e6]"),
        (
            lambda: parse_policy("flat(exp3, sample=growing)"),
            "sampling grows, but under exp3 all arms are in play from the start",
        ),
    ],
)
def test_bad_values_are_refused(make: object, message: str) -> None:
    assert callable(make)
    with pytest.raises(ValueError, match=re.escape(message)):
        make()


def test_k_of_moss_is_never_the_number_of_copies() -> None:
    assert str(with_market_defaults(parse_policy("moss"), MARKET)) == "moss(K=4)"
    assert str(with_market_defaults(parse_policy("h-moss"), MARKET)) == "h-moss(agents=2, K=3)"
    assert str(with_market_defaults(parse_policy("fair(moss)"), MARKET)) == "fair(moss(K=4))"
    anytime = with_market_defaults(parse_policy("moss-anytime(alpha=1)"), MARKET)
    assert str(anytime) == "moss-anytime(K=4, alpha=1)"
    both = with_market_defaults(parse_policy("h-moss-anytime"), MARKET)
    assert str(both) == "h-moss-anytime(agents=2, K=3)"


def test_moss_anytime_needs_no_horizon() -> None:
    """The first rounds of a longer game are those of a shorter one; MOSS reads T."""
    for policy, same in (("moss-anytime", True), ("h-moss-anytime", True), ("moss", False)):
        short, long = (decisions_of_games(MARKET, policy, horizon=T) for T in (300, 3000))
        assert np.array_equal(short, long[:, :300]) is same


@pytest.mark.parametrize("policy", REMEMBERING)
def test_rules_that_remember_all_plays_are_not_served_and_not_exact(policy: str) -> None:
    for horizon in (100, None):  # without T that is the reason, too: T would not help
        with pytest.raises(ValueError, match="cannot be served by a live market: it has to know"):
            Principal(config=MarketConfig(policy, horizon=horizon))
    with pytest.raises(ValueError, match="cannot be exact: it remembers the order of rewards"):
        exact(MARKET, policy, horizon=3)


@pytest.mark.parametrize("policy", REMEMBERING)
@pytest.mark.parametrize("change", [Retire(5, "ann", 0), Renew("ann", after=3)])
def test_arms_cannot_come_and_go_under_them(policy: str, change: Retire | Renew) -> None:
    changes = [change] if isinstance(change, Retire) else []
    schedule = Schedule(changes, [change] if isinstance(change, Renew) else [])
    with pytest.raises(ValueError, match="cannot be played while arms come and go"):
        simulate(MARKET, policy, horizon=10, repetitions=2, seed=1, schedule=schedule)


@pytest.mark.parametrize("policy", ["moss", "h-moss", "moss-anytime", "h-moss-anytime"])
def test_a_live_market_needs_k_of_moss(policy: str) -> None:
    with pytest.raises(ValueError, match=re.escape("give it, as in moss(K=50)")):
        Principal(config=MarketConfig(policy, horizon=100))


@pytest.mark.parametrize("row", BASELINES, ids=lambda row: row.name)
def test_they_learn(row: object) -> None:
    """All find the better of two agents; Exp3 is slower."""
    two = Market([Agent("ann", [0.3, 0.1]), Agent("bob", [0.8])])
    name = str(row.name)  # type: ignore[attr-defined]
    found = simulate(two, name, horizon=5000, repetitions=20, seed=3)
    most = 900 if "exp3" in name else 450
    assert found.regret.mean < most  # a uniform choice costs 1,250 and more


@pytest.mark.parametrize("rule", ["sw-ucb(window=50)", "d-ucb(gamma=0.9)", "exp3(gamma=0.2)"])
def test_epochs_begin_anew_under_them(rule: str) -> None:
    """A season is a game of its own: both are those of a game of its length, but for their luck."""
    once = decisions_of_games(MARKET, f"flat({rule})", horizon=200, seed=4)[0]
    seasons = f"flat({rule}, restart=season(rounds=200))"
    twice = decisions_of_games(MARKET, seasons, horizon=400, seed=4)[0]
    assert twice[:200].tolist() == once.tolist()
    if "exp3" not in rule:  # all arms are unplayed again
        assert len(set(twice[200:232].tolist())) == 32
    # The second game does not depend on what the first one has seen.
    other = Market([Agent("ann", [0.1, 0.1, 0.1], copies=[30, 1, 0]), Agent("bob", [0.1])])
    first = decisions_of_games(other, seasons, horizon=201, seed=4)[0]
    assert first[200] == twice[200]
