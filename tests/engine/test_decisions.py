"""The engine makes the very decisions of the slow reference, and scans decide like tournaments."""

import random
import zlib
from typing import Any

import numpy as np
import pytest

from copyproof import (
    CATALOGUE,
    Agent,
    Beta,
    Empirical,
    Exponential,
    Gaussian,
    Market,
    Poisson,
    paper_market,
    parse_policy,
)
from copyproof.game import Reward
from copyproof.simulation.decisions import decisions_of_games
from tests.markets import random_market, random_schedule, record_of
from tests.own_reference import OWN_POLICIES, own_choices
from tests.reference import POLICIES, REMEMBERING, choices

EVERY = [*POLICIES, *REMEMBERING, *OWN_POLICIES]


def test_the_reference_has_every_catalogue_row() -> None:
    covered = {parse_policy(text) for text in EVERY}
    assert [row.name for row in CATALOGUE if row.policy not in covered] == []


def compare(policy: str, games: int, horizon: int, salt: int) -> None:
    for game in range(games):
        rng = random.Random(zlib.crc32(policy.encode()) + 1000 * salt + game)
        market = random_market(rng)
        seed = rng.getrandbits(64)
        if policy in OWN_POLICIES:
            expected = own_choices(market, OWN_POLICIES[policy], horizon, seed, repetition=2)
        else:
            expected = choices(market, policy, horizon, seed, repetition=2)
        made = decisions_of_games(market, policy, horizon=horizon, repetitions=3, seed=seed)[2]
        differing = np.flatnonzero(made != np.array(expected))
        assert len(differing) == 0, f"round {differing[0] + 1} of {market} under {policy}"


@pytest.mark.parametrize("policy", EVERY)
def test_same_decisions_as_the_pseudocode(policy: str) -> None:
    compare(policy, games=1, horizon=1_000, salt=0)
    compare(policy, games=2, horizon=300, salt=1)


@pytest.mark.slow
@pytest.mark.parametrize("policy", EVERY)
def test_same_decisions_as_the_pseudocode_on_many_markets(policy: str) -> None:
    compare(policy, games=9, horizon=10_000, salt=2)
    compare(policy, games=110, horizon=500, salt=3)


KEPT = [
    "ucb1",
    "h-ucb",
    "rh-ucb",
    "prh-ucb",
    "h-ucb-t-free",
    "epsilon-greedy",
    "fair(ucb1)",
    "trial",
    "trial-anytime",
    "rh-kl-ucb(L=1)",
    "h-etc(plays=3)",
    "etc(plays=2)",
    "kl-ucb",
    "kl-ucb(scale=0)",
    "kl-ucb(scale=30)",
    "h-kl-ucb",
    "h-ucb-kl",
    "thompson",
    "h-thompson",
    "flat(kl-ucb, restart=epochs)",
    "flat(thompson, restart=epochs)",
    "moss",
    "h-moss",
]


@pytest.mark.parametrize("policy", KEPT)
@pytest.mark.parametrize(
    "arms",
    [pytest.param(1, marks=pytest.mark.slow), 7, 300, pytest.param(5000, marks=pytest.mark.slow)],
)
def test_tournament_and_scan_agree(policy: str, arms: int) -> None:
    market = Market(
        [
            Agent("many", [0.5, 0.4], copies=[arms, 0]),
            Agent("few", [0.7, 0.2, 0.7], copies=[1, 1, 2]),
            Agent("some", [0.6], copies=[max(1, arms // 10)]),
        ]
    )
    slow = arms > 300 and ("kl" in policy or "thompson" in policy)  # by scans
    how: dict[str, Any] = {"horizon": 3000 if slow else 20_000, "seed": arms}
    kinetic = decisions_of_games(market, policy, **how)
    scanned = decisions_of_games(market, policy, scan=True, **how)
    assert np.array_equal(kinetic, scanned)
    assert len(np.unique(kinetic)) > 1


@pytest.mark.parametrize("policy", ["ucb1", "h-ucb", "prh-ucb"])
def test_tournament_and_scan_agree_on_real_valued_rewards(policy: str) -> None:
    market = Market(
        [
            Agent("gaussian", [Gaussian(-0.2, 1.0), Gaussian(0.3, 2.0)], copies=[300, 30]),
            Agent("beta", [Beta(2, 3)], copies=[100]),
            Agent("counts", [Poisson(0.4), Exponential(0.3)], copies=[50, 50]),
        ]
    )
    how: dict[str, Any] = {"horizon": 20_000, "seed": 5}
    kinetic = decisions_of_games(market, policy, **how)
    assert np.array_equal(kinetic, decisions_of_games(market, policy, scan=True, **how))


@pytest.mark.parametrize("policy", ["kl-ucb", "kl-ucb(scale=9)", "h-kl-ucb", "thompson"])
def test_curves_and_posteriors_agree_with_scans_on_rewards_between_0_and_1(policy: str) -> None:
    thirds = Empirical([0.0, 1 / 3, 2 / 3, 1.0])
    rounding = Empirical([0.1, 0.2, 0.3])  # sums that differ by rounding
    market = Market(
        [
            Agent("beta", [Beta(2, 3), Beta(0.01, 1)], copies=[100, 40]),
            Agent("list", [thirds, rounding], copies=[60, 60]),
            Agent("sure", [0.0, 1.0], copies=[3, 2]),
        ]
    )
    how: dict[str, Any] = {"horizon": 20_000, "seed": 6}
    kept = decisions_of_games(market, policy, **how)
    assert np.array_equal(kept, decisions_of_games(market, policy, scan=True, **how))


@pytest.mark.parametrize("policy", ["kl-ucb", "h-kl-ucb", "thompson", "h-thompson"])
def test_curves_and_posteriors_agree_with_scans_where_arms_come_and_go(policy: str) -> None:
    for salt in range(5):
        rng = random.Random(salt)
        market = random_market(rng)
        schedule = random_schedule(rng, market, 2000)
        how: dict[str, Any] = {"horizon": 2000, "seed": salt, "schedule": schedule}
        kept = decisions_of_games(market, policy, **how)
        assert np.array_equal(kept, decisions_of_games(market, policy, scan=True, **how))


@pytest.mark.parametrize("policy", ["ucb1", "h-ucb", "rh-ucb-online(L=5)", "h-ucb-t-free"])
@pytest.mark.parametrize(
    "arm",
    [
        Empirical([0.1, 0.2, 0.3]),  # 0.1 + 0.2 + 0.3 and 0.3 + 0.2 + 0.1 differ by rounding
        Empirical([k / 10 for k in range(11)]),
        Gaussian(1e12, 1e-3),
        Gaussian(-1e9, 1.0),
        Beta(0.01, 1),
        Exponential(1e-15),
    ],
)
def test_means_that_differ_by_rounding_are_decided_alike(policy: str, arm: Reward) -> None:
    market = Market([Agent("a", [arm], copies=[40]), Agent("b", [arm], copies=[5])])
    how: dict[str, Any] = {"horizon": 5000, "seed": 1, "repetitions": 2}
    kinetic = decisions_of_games(market, policy, **how)
    assert np.array_equal(kinetic, decisions_of_games(market, policy, scan=True, **how))


@pytest.mark.parametrize(
    "policy",
    [*(pytest.param(one, marks=pytest.mark.slow) for one in ("ucb1", "prh-ucb")), "h-ucb"],
)
def test_figure_2c_market_is_scanned_alike(policy: str) -> None:
    market = paper_market("2c")
    kinetic = record_of(market, policy, horizon=20_000, seed=3)
    scanned = record_of(market, policy, horizon=20_000, seed=3, scan=True)
    assert np.array_equal(kinetic.choices, scanned.choices)
    assert np.array_equal(kinetic.regret, scanned.regret)
