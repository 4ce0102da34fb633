"""The audit of our own policies: verdicts, references, budgets, fees, bad input."""

import math
import re
from typing import Any

import numpy as np
import pytest

from copyproof import (
    Agent,
    Beta,
    BetaPrior,
    Exponential,
    Gaussian,
    Geometric,
    ListPrior,
    Market,
    RiskAverse,
    RiskSeeking,
    UniformPrior,
    attacks,
    audit,
    bounds,
    equilibrium,
    exact,
    paper_market,
)
from copyproof.auditing.deviations import Deviation
from copyproof.auditing.trials import DeviationTrial, largest_regret
from copyproof.policy import parse_policy

SINGLE = paper_market("1a")
MIXED = Market([Agent("ann", [0.8, 0.3]), Agent("bob", [0.6]), Agent("cleo", [0.5, 0.4, 0.1])])


@pytest.mark.parametrize("policy", ["ucb1", "s-ucb(l=5)"])
def test_flat_policies_are_prone_from_two_copies_on(policy: str) -> None:
    found = audit(SINGLE, policy, horizon=5000, seed=1, most_copies=20)
    assert found.verdict == "prone"
    worst = found.agents[0]
    assert [gain.verdict for gain in worst.copying] == ["prone"] * 4
    gains = [gain.gain.mean for gain in worst.copying]
    assert gains == sorted(gains)
    assert worst.best_deviation.copies == (20,)
    assert worst.best_deviation.loss.low > 0  # the principal pays for it
    assert worst.best_deviation.advantage is not None
    assert worst.best_deviation.advantage.dominated is False


@pytest.mark.parametrize("policy", ["h-ucb", "rh-ucb", "prh-ucb", "fair(ucb1)", "h-thompson"])
def test_copies_of_a_single_arm_read_exactly_zero(policy: str) -> None:
    found = audit(
        SINGLE, policy, horizon=600, seed=1, most_copies=10, method="sampling", budget=2_000_000
    )
    assert found.verdict == "no-gain"
    for agent in found.agents:
        for gain in agent.copying:
            assert (gain.gain.low, gain.gain.mean, gain.gain.high) == (0.0, 0.0, 0.0)
            assert (gain.loss.low, gain.loss.high) == (0.0, 0.0)
        assert agent.fee is not None
        assert agent.fee.high == 0.0


def test_the_luck_is_shared_and_does_not_depend_on_the_workers() -> None:
    how: dict[str, Any] = {"horizon": 500, "most_copies": 5, "method": "sampling"}
    how["budget"] = 1_000_000
    one, two = (audit(MIXED, "ucb1", seed=3, workers=workers, **how) for workers in (1, 2))
    assert one.agents == two.agents
    other = audit(MIXED, "ucb1", seed=4, **how)
    assert one.agents != other.agents


def test_one_agent_can_be_audited_alone() -> None:
    found = audit(MIXED, "ucb1", agent="bob", horizon=500, seed=3, most_copies=5)
    assert [agent.name for agent in found.agents] == ["bob"]
    assert found.agents[0].reference == (1,)


@pytest.mark.parametrize(
    ("reference", "expected"),
    [("best", (1, 0)), ("honest", (1, 1)), ("market", (3, 2)), ([0, 1], (0, 1))],
)
def test_references(reference: Any, expected: tuple[int, ...]) -> None:
    market = MIXED.with_strategy("ann", [3, 2])
    found = audit(
        market, "h-ucb", agent="ann", reference=reference, horizon=50, seed=1, budget=200_000
    )
    agent = found.agents[0]
    assert agent.reference == expected
    strategies = [gain.copies for gain in (*agent.copying, *agent.showing)]
    assert expected not in strategies


def test_others_play_as_the_market_says() -> None:
    crowded = MIXED.with_strategy("cleo", [50, 50, 50])
    alone = audit(MIXED, "ucb1", agent="bob", horizon=1000, seed=1, method="sampling")
    found = audit(crowded, "ucb1", agent="bob", horizon=1000, seed=1, method="sampling")
    assert found.agents[0].revenue < alone.agents[0].revenue / 2


def test_hiding_and_showing_arms_is_reported_apart() -> None:
    found = audit(MIXED, "h-ucb", agent="cleo", horizon=300, seed=1, most_copies=2)
    agent = found.agents[0]
    assert all(max(gain.copies) == 1 for gain in agent.showing)
    assert all(max(gain.copies) > 1 for gain in agent.copying)
    assert {gain.copies for gain in agent.showing} >= {(1, 1, 1), (0, 1, 1), (0, 0, 1), (1, 1, 0)}


def test_a_worse_strategy_loses_and_is_no_gain() -> None:
    found = audit(MIXED, "h-ucb", agent="ann", horizon=1000, seed=1, deviations=[[0, 2], [2, 1]])
    assert [gain.gain.high < 0 for gain in found.agents[0].copying] == [True, True]
    assert found.verdict == "no-gain"


def test_a_budget_too_small_to_decide_says_undecided() -> None:
    found = audit(SINGLE, "ucb1", agent="0.5-agent", horizon=10_000, seed=1, budget=140_000)
    assert found.rounds <= 140_000
    agent = found.agents[0]
    assert [gain.repetitions for gain in agent.copying] == [2] * 6
    assert found.verdict == "undecided"
    nothing = audit(SINGLE, "ucb1", agent="0.5-agent", horizon=10_000, seed=1, budget=1)
    assert nothing.rounds == 0
    assert nothing.verdict == "undecided"
    best = nothing.to_dict()["agents"][0]["best_deviation"]
    assert (best["gain"], best["low"], best["high"]) == (None, None, None)


def test_the_budget_is_kept() -> None:
    for budget in (10**5, 10**6, 3 * 10**6):
        found = audit(
            MIXED,
            "h-ucb",
            horizon=100,
            seed=1,
            budget=budget,
            method="sampling",
            tolerance=1e-9,
        )
        assert 0.5 * budget < found.rounds <= budget


def test_fees_turn_a_gain_into_a_loss() -> None:
    free = audit(SINGLE, "ucb1", agent="0.5-agent", horizon=2000, seed=1, most_copies=5)
    fee = free.agents[0].fee
    assert fee is not None
    assert 0 < fee.low <= fee.mean <= fee.high
    dear = Market(SINGLE.agents, fee=1.01 * fee.high)
    found = audit(dear, "ucb1", agent="0.5-agent", horizon=2000, seed=1, most_copies=5)
    assert found.verdict == "no-gain"
    first, second = free.agents[0].copying[0], found.agents[0].copying[0]
    assert second.gain.low < first.gain.mean - dear.fee < second.gain.high
    cheap = Market(SINGLE.agents, fee=0.5 * fee.low)
    found = audit(cheap, "ucb1", agent="0.5-agent", horizon=2000, seed=1, most_copies=5)
    assert found.verdict == "prone"


def test_a_better_arm_is_no_gain_by_copies() -> None:
    # The reference registers three bad arms; two copies of the good one are better, as one is.
    found = audit(
        MIXED, "h-ucb", agent="ann", reference=[0, 3], deviations=[[2, 0]], horizon=300, seed=1
    )
    assert found.verdict == "no-gain"
    shown = found.agents[0].without_copies
    assert shown is not None
    assert (shown.copies, shown.verdict) == ((1, 0), "prone")


def test_utility_and_discount_count() -> None:
    averse = [Agent("ann", [0.5], utility=RiskAverse(0.5)), Agent("bob", [0.9])]
    market = Market(averse, discount=Geometric(0.99))
    found = audit(market, "ucb1", agent="ann", horizon=500, seed=1, most_copies=5)
    plain = audit(
        Market([Agent("ann", [0.5]), Agent("bob", [0.9])]),
        "ucb1",
        agent="ann",
        horizon=500,
        seed=1,
        most_copies=5,
    )
    assert found.verdict == plain.verdict == "prone"
    assert found.agents[0].best_deviation.gain.mean < plain.agents[0].best_deviation.gain.mean


@pytest.mark.parametrize("arm", [Beta(2, 2), Gaussian(0.5, 1.0), Exponential(0.5)])
def test_rewards_of_all_kinds_are_sampled(arm: Any) -> None:
    market = Market([Agent("ann", [arm]), Agent("bob", [0.9])])
    found = audit(market, "ucb1", agent="ann", horizon=8, seed=1, most_copies=3, budget=5_000_000)
    assert (found.method, found.verdict) == ("sampling", "prone")


def test_the_verdict_of_the_policy_is_that_of_its_worst_agent() -> None:
    found = audit(MIXED, "ucb1", horizon=500, seed=3, most_copies=5)
    assert found.verdict == "prone"
    assert (
        found.loss.mean
        == max(
            (gain for agent in found.agents for gain in agent.copying if gain.verdict == "prone"),
            key=lambda gain: gain.gain.mean,
        ).loss.mean
    )


def test_the_frame_has_a_row_for_each_deviation() -> None:
    found = audit(MIXED, "h-ucb", horizon=100, seed=1, most_copies=2, budget=10**6)
    frame = found.to_frame()
    assert len(frame) == sum(len(one.copying) + len(one.showing) for one in found.agents)
    row = frame.iloc[0]
    assert row["gain"] == found.agents[0].copying[0].gain.mean
    assert np.all(frame["low"] <= frame["high"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"agent": "zoe"}, "agent = 'zoe' is not one of 'ann', 'bob', 'cleo'"),
        ({"tolerance": 0}, "tolerance = 0.0 is not a number > 0"),
        ({"tolerance": math.nan}, "tolerance = nan is not a finite number"),
        ({"confidence": 1}, "confidence = 1.0 is not in (0, 1)"),
        ({"budget": 0}, "budget = 0 is not a whole number from 1"),
        ({"most_copies": 1}, "most_copies = 1 is not a whole number from 2"),
        ({"method": "guess"}, "method = 'guess' is not one of auto, exact, sampling"),
        ({"reference": "worst"}, "reference = 'worst' is not one of best, honest, market"),
        ({"reference": [0, 0], "agent": "ann"}, "reference = [0, 0] is not a strategy that reg"),
        ({"reference": [1], "agent": "ann"}, "reference: copies has 1 entries for 2 arms"),
        ({"deviations": [[1, 1]], "agent": "ann"}, "deviations: none registers an arm more than"),
        ({"horizon": 0}, "horizon = 0 is not a whole number from 1"),
        ({"seed": -1}, "seed = -1 is not a whole number from 0"),
        ({"policy": "nope"}, "'nope'"),
        ({"market": 3}, "market = 3 is not a Market"),
    ],
)
def test_bad_input_is_named(change: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"market": MIXED, "policy": "h-ucb", "horizon": 100, "seed": 1} | change
    with pytest.raises(ValueError, match=re.escape(message)):
        audit(given.pop("market"), given.pop("policy"), **given)


@pytest.mark.parametrize("seed", range(1, 7))
def test_a_rare_and_huge_event_is_not_called_no_gain(seed: int) -> None:
    # Greedy locks in on the wrong arm in 0.6 % of games, which a copy makes less likely.
    market = Market([Agent("ann", [0.99]), Agent("bob", [0.5])])
    found = audit(
        market,
        "epsilon-greedy(epsilon=0)",
        agent="ann",
        horizon=10_000,
        seed=seed,
        deviations=[[2]],
        budget=4_000_000,
    )
    assert found.verdict != "no-gain"


def test_leaving_copies_out_is_not_copying() -> None:
    market = Market([Agent("ann", [0.5], copies=[10]), Agent("bob", [0.9])], fee=1.0)
    found = audit(market, "h-ucb", agent="ann", horizon=1000, seed=1, reference="market")
    assert found.verdict == "no-gain"
    saved = {gain.copies: gain.gain.mean for gain in found.agents[0].showing}
    assert saved[(2,)] == 8.0


def test_no_fee_is_named_that_would_make_fewer_arms_pay() -> None:
    market = Market([Agent("ann", [0.73, 0.53, 0.76]), Agent("bob", [0.94])])
    how: dict[str, Any] = {"agent": "ann", "reference": "honest", "horizon": 4, "most_copies": 2}
    found = audit(market, "epsilon-greedy", seed=1, **how).agents[0]
    if found.fee is not None:
        dear = Market(market.agents, fee=found.fee.high + 1e-9)
        assert audit(dear, "epsilon-greedy", seed=1, **how).verdict != "prone"
    fewer = [gain for gain in found.copying if sum(gain.copies) < 3]
    assert fewer


def test_the_pathwise_theorem_is_an_upper_limit_that_every_game_checks() -> None:
    found = audit(MIXED, "default", horizon=500, seed=1, most_copies=5)
    assert found.verdict == "no-gain"
    for agent in found.agents:
        for gain in (*agent.copying, *agent.showing):
            assert gain.gain.high <= 0
            assert gain.advantage is not None
            assert gain.advantage.paths_better == 0


def test_confidence_next_to_one_is_taken() -> None:
    found = audit(
        MIXED, "ucb1", agent="bob", horizon=50, seed=1, confidence=1 - 1e-15, budget=10**6
    )
    assert found.verdict in ("prone", "undecided")


def test_an_undecided_audit_says_what_would_decide_it_and_that_does() -> None:
    market = Market([Agent("ann", [0.5, 0.4]), Agent("bob", [0.8])])
    how: dict[str, Any] = {"agent": "ann", "horizon": 1000, "seed": 1, "most_copies": 2}
    for policy, verdict in (("h-ucb", "no-gain"), ("ucb1", "prone")):
        few = audit(market, policy, budget=100_000, **how)
        assert few.verdict == "undecided"
        assert few.why_undecided is not None
        assert few.why_undecided == few.to_dict()["why_undecided"]
        assert few.budget_needed is not None
        enough = audit(market, policy, budget=few.budget_needed, **how)
        assert enough.verdict == verdict
        assert enough.why_undecided is None


def test_a_budget_too_small_for_any_game_says_one_that_decides() -> None:
    market = Market([Agent("ann", [BetaPrior(2, 5), UniformPrior(0.2, 0.6)]), Agent("bob", [0.5])])
    how: dict[str, Any] = {"horizon": 50, "seed": 1, "most_copies": 2, "method": "sampling"}
    budget = 200
    for _ in range(3):
        found = audit(market, "h-ucb", budget=budget, **how)
        if found.verdict != "undecided":
            break
        assert found.budget_needed is not None
        assert found.budget_needed >= 2 * budget
        budget = found.budget_needed
    assert found.verdict != "undecided"


def test_what_the_theorem_decides_takes_two_games() -> None:
    market = Market([Agent("ann", [0.5, 0.4]), Agent("bob", [0.8])])
    how: dict[str, Any] = {"agent": "ann", "horizon": 1000, "seed": 1, "most_copies": 2}
    none = audit(market, "trial", budget=1000, **how)
    assert none.why_undecided is not None
    assert none.budget_needed is not None
    assert none.budget_needed < 100_000
    assert audit(market, "trial", budget=none.budget_needed, **how).verdict == "no-gain"


def test_no_budget_is_advised_where_none_can_decide() -> None:
    eager = Agent("ann", [Exponential(0.5), Exponential(0.4)], utility=RiskSeeking(2.0))
    market = Market([eager, Agent("bob", [0.8])])
    for budget in (100, 100_000):
        found = audit(market, "h-ucb", agent="ann", horizon=100, seed=1, budget=budget)
        assert (found.verdict, found.budget_needed) == ("undecided", None)


def test_what_the_games_have_not_shown_is_open_in_both_directions() -> None:
    # Greedy gives either agent all the rounds in half a per cent of games, with any strategy.
    market = Market([Agent("ann", [0.05]), Agent("bob", [0.95])])
    how: dict[str, Any] = {"horizon": 1000, "seed": 1, "deviations": [[2]], "budget": 100_000}
    for name, mean in (("ann", 0.05), ("bob", 0.95)):
        found = audit(market, "epsilon-greedy(epsilon=0)", agent=name, **how)
        gain = found.agents[0].copying[0].gain
        assert gain.low < -0.05 * mean * 1000
        assert gain.high > 0.05 * mean * 1000


def test_what_is_left_of_the_budget_goes_to_the_gain_that_it_can_decide() -> None:
    # Shared out evenly it would pay for 16 games of each strategy, which decide nothing.
    found = audit(SINGLE, "ucb1", horizon=300, seed=1, budget=160_000)
    assert found.verdict == "prone"
    assert found.rounds <= 160_000
    games = {gain.verdict: gain.repetitions for agent in found.agents for gain in agent.copying}
    assert games["undecided"] < 16 < games["prone"]


UNKNOWN_ORDER = Market([Agent("ann", [ListPrior([0, 1]), ListPrior([0, 1])])])
DRAWN = Market([Agent("ann", [BetaPrior(1, 1)] * 2), Agent("bob", [0.6, 0.3])])


def test_h_ucb_pays_an_uninformed_agent_for_a_copy() -> None:
    """Alone with {1, 0} in unknown order, T = 7, one random copy earns 11/2 instead of 5.

    Half of the draws are of that kind; in the others both arms are equal, and copies do nothing.
    """
    found = audit(UNKNOWN_ORDER, "h-ucb", horizon=7, seed=1, deviations=[[2, 1]])
    (agent,) = found.agents
    assert found.verdict == "prone"
    assert agent.reference == (1, 1)
    assert found.method != "exact"
    assert agent.best_deviation.gain.low < 0.25 < agent.best_deviation.gain.high
    assert agent.revenue == pytest.approx(4.25, abs=0.2)


def test_the_pathwise_theorem_is_for_agents_who_know_their_means() -> None:
    found = audit(DRAWN, "h-ucb-t-free", horizon=300, seed=1, most_copies=2)
    ann, bob = found.agents
    assert (ann.reference, bob.reference) == ((1, 1), (1, 0))
    # For bob it holds whatever ann's means are; for ann nothing is proven.
    assert all(gain.gain.high <= 0 for gain in (*bob.copying, *bob.showing))
    assert ann.best_deviation.advantage is not None
    assert ann.best_deviation.advantage.paths_better is not None
    assert ann.best_deviation.advantage.paths_better > 0


@pytest.mark.parametrize(
    ("reference", "deviation", "same"), [((1, 0), (3, 0), True), ((1, 1), (2, 2), False)]
)
def test_two_arms_of_one_prior_are_not_the_same(
    reference: tuple[int, ...], deviation: tuple[int, ...], same: bool
) -> None:
    before, after = (DRAWN.with_strategy("ann", copies) for copies in (reference, deviation))
    trial = DeviationTrial(0, before, after, Deviation(deviation, "copies"), None)
    assert trial.is_same_on_every_path(parse_policy("h-ucb"), before) is same
    assert not trial.is_never_ahead(parse_policy("h-ucb-t-free"), before)
    assert largest_regret(before, 10) == 10.0
    found = audit(
        DRAWN,
        "h-ucb",
        agent="ann",
        reference=reference,
        deviations=[deviation],
        horizon=100,
        seed=1,
    )
    gain = found.agents[0].copying[0].gain
    assert (gain.low == gain.high == 0) is same


def test_what_takes_known_means_refuses_priors_in_one_line() -> None:
    game: dict[str, Any] = {"horizon": 10}
    said = r"^agents\[0\]\.arms\[0\] has a prior: {} takes known means only\Z"
    with pytest.raises(ValueError, match=said.format("exact")):
        exact(DRAWN, "h-ucb", **game)
    with pytest.raises(ValueError, match=said.format("exact")):
        audit(DRAWN, "h-ucb", seed=1, method="exact", **game)
    with pytest.raises(ValueError, match=said.format("bounds")):
        bounds(DRAWN, "h-ucb", **game)
    with pytest.raises(ValueError, match=said.format("equilibrium")):
        equilibrium(DRAWN, "h-ucb", seed=1, **game)
    said = "^agent = 'ann' knows only a prior: attacks takes agents who know their fixed means$"
    with pytest.raises(ValueError, match=said):
        attacks(DRAWN, "h-ucb", agent="ann", seed=1, **game)


def test_an_informed_agent_may_attack_among_others_who_are_not() -> None:
    found = attacks(DRAWN, "ucb1", agent="bob", horizon=200, seed=1, identities=[2], budget=10**6)
    assert found.reference == (1, 0)
    assert found.identities[0].gain.repetitions > 0
