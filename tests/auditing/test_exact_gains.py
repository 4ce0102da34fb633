"""Exact audits: what is known of the theorems' claims, found by the auditor itself."""

from typing import Any

import pytest

from copyproof import Agent, Beta, Market, RiskSeeking, audit, paper_market
from copyproof.auditing import Gain


def dominated(gain: Gain) -> bool | None:
    assert gain.advantage is not None
    return gain.advantage.dominated


def gains(
    market: Market, policy: str, agent: str, horizon: int, **options: Any
) -> dict[tuple[int, ...], Gain]:
    found = audit(market, policy, agent=agent, horizon=horizon, seed=1, **options)
    assert found.method == "exact"
    one = found.agents[0]
    return {gain.copies: gain for gain in (*one.copying, *one.showing)}


def test_one_more_copy_need_not_be_strictly_better() -> None:
    market = Market([Agent("ann", [1.0]), Agent("bob", [0.0])])
    for horizon in (3, 4, 5, 6):
        found = gains(market, "ucb1", "ann", horizon, deviations=[[2], [3]])
        assert found[(2,)].gain.mean == 0.0
        assert found[(2,)].verdict == "no-gain"
    assert gains(market, "ucb1", "ann", 3, deviations=[[3]])[(3,)].gain.mean == 0.25


def test_copying_the_whole_set_can_hurt() -> None:
    market = Market([Agent("ann", [1.0, 0.0]), Agent("bob", [0.0])])
    found = gains(market, "ucb1", "ann", 5, reference="honest", deviations=[[2, 2]])
    # Over every arm once; over the best arm alone, which is worth 4, it loses 2.
    assert found[(2, 2)].over[0].gain.mean == pytest.approx(-1.0)
    assert found[(2, 2)].gain.mean == pytest.approx(-2.0)


def test_an_agent_that_does_not_know_its_best_arm_gains_by_a_random_copy() -> None:
    # Alone, means 1 and 0 in an order it does not know, T = 7: honest 5, one random copy 11/2.
    market = Market([Agent("ann", [1.0, 0.0])])
    found = gains(market, "h-ucb", "ann", 7, reference="honest", deviations=[[2, 1], [1, 2]])
    over_honest = [found[copies].over[0] for copies in ((2, 1), (1, 2))]
    assert [one.copies for one in over_honest] == [(1, 1), (1, 1)]
    average = sum(one.gain.mean for one in over_honest) / 2
    assert average == pytest.approx(0.5)


def test_ucb1_pays_for_copies_and_h_ucb_does_not() -> None:
    market = Market([Agent("ann", [0.5]), Agent("bob", [0.75])])
    found = gains(market, "ucb1", "ann", 8, deviations=[[2], [3]])
    assert found[(2,)].gain.mean == pytest.approx(4927 / 2048 - 27483 / 16384)
    assert found[(3,)].gain.mean == pytest.approx(5707 / 2048 - 27483 / 16384)
    assert {gain.verdict for gain in found.values()} == {"prone"}
    assert [dominated(gain) for gain in found.values()] == [False, False]
    hierarchical = gains(market, "h-ucb", "ann", 8, deviations=[[2], [3]])
    assert all(gain.gain.mean == 0 for gain in hierarchical.values())
    assert [dominated(gain) for gain in hierarchical.values()] == [True, True]


def test_hiding_the_worse_arm_pays_under_h_ucb() -> None:
    market = Market([Agent("ann", [0.75, 0.25]), Agent("bob", [0.5])])
    found = gains(market, "h-ucb", "ann", 8, reference="honest", deviations=[[1, 0], [2, 1]])
    assert found[(1, 0)].gain.mean == pytest.approx((114159 - 77209) / 32768)
    assert found[(1, 0)].verdict == "prone"
    # Over the honest reference copies gain; over the best arm alone they do not.
    assert found[(2, 1)].over[0].gain.mean == pytest.approx((86619 - 77209) / 32768)
    assert found[(2, 1)].gain.mean == pytest.approx((86619 - 114159) / 32768)
    assert found[(2, 1)].verdict == "no-gain"


def test_sampling_agrees_with_exact_values() -> None:
    market = Market([Agent("ann", [0.6, 0.2]), Agent("bob", [0.5])], fee=0.01)
    for policy in ("ucb1", "rh-ucb(L=1)", "prh-ucb"):
        exact = audit(market, policy, agent="ann", horizon=6, seed=1, most_copies=3)
        assert exact.method == "exact"
        sampled = audit(
            market,
            policy,
            agent="ann",
            horizon=6,
            seed=1,
            most_copies=3,
            method="sampling",
            budget=3_000_000,
        )
        pairs = zip(exact.agents[0].copying, sampled.agents[0].copying, strict=True)
        for truth, found in pairs:
            rounding = 1e-12
            assert found.gain.low - rounding <= truth.gain.mean <= found.gain.high + rounding
            assert found.loss.low - rounding <= truth.loss.mean <= found.loss.high + rounding


def test_a_risk_seeking_agent_is_computed_from_the_distribution() -> None:
    plain = Market([Agent("ann", [0.5]), Agent("bob", [0.75])])
    seeking = Market([Agent("ann", [0.5], utility=RiskSeeking(2)), Agent("bob", [0.75])])
    one = gains(plain, "ucb1", "ann", 8, deviations=[[2]])[(2,)]
    other = gains(seeking, "ucb1", "ann", 8, deviations=[[2]])[(2,)]
    assert other.gain.mean > one.gain.mean > 0


def test_what_is_not_small_is_sampled_unless_exact_is_asked_for() -> None:
    large = audit(paper_market("1a"), "ucb1", agent="0.5-agent", horizon=200, seed=1, budget=10**6)
    assert large.method != "exact"
    beta = Market([Agent("ann", [Beta(2, 2)]), Agent("bob", [0.5])])
    assert audit(beta, "ucb1", agent="ann", horizon=5, seed=1, budget=10**6).method != "exact"
    with pytest.raises(ValueError, match="beta"):
        audit(beta, "ucb1", agent="ann", horizon=5, seed=1, method="exact")
