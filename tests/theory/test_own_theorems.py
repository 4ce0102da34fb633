"""Theorems A, A′ and B in place: conditions, corners, and what is measured on the right side."""

import json
import math
import random
from dataclasses import replace
from typing import Any

import pytest

from copyproof import Agent, Beta, Gaussian, Market, paper_market, simulate
from copyproof.theory import (
    bounds,
    kl,
    least_probability,
    miss_probability,
    plays_needed,
    share_lost,
    theorem_a,
    theorem_b,
    theorem_b_with_gaps,
)
from copyproof.validation import FieldError
from tests.theory.one_bound import of, value

MEANS = (0.5, 0.6, 0.7, 0.8, 0.9)
A_AGAINST_B = Market(
    [Agent("A", [0.9, 0.2, 0.1], copies=[10, 100, 100]), Agent("B", [0.8])],
)
ONE_KIND = Market([Agent("A", [0.9, 0.2], copies=[10, 200]), Agent("B", [0.8])])
KAPPA_100 = "rh-kl-ucb(L=100, power=0)"
PROMISE: dict[str, Any] = {"c": 1 / 21, "lost": 0.01}


# --- theorem A ---------------------------------------------------------------------------------


def test_theorem_a_asks_as_many_times_as_the_policy_is_consistent_for() -> None:
    found = of(paper_market("1a"), "rh-kl-ucb(L=3, power=0)", "theorem A")
    assert value(found) == pytest.approx(theorem_a(MEANS, K=3) * math.log(10**5))
    assert found.parameters == {"K": 3, "constant": theorem_a(MEANS, K=3)}
    assert (found.kind, found.of, found.proven) == ("asymptotic", "regret", True)
    assert value(of(paper_market("1a"), "rh-kl-ucb(L=3, power=0)", "theorem A", K=2)) < value(found)


def test_theorem_a_counts_copies_as_one_arm() -> None:
    one, many = (
        of(paper_market("1a", copies=copies), KAPPA_100, "theorem A", horizon=10**9)
        for copies in (1, 500)
    )
    assert one == many


# --- theorem A′ --------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", ["h-ucb", "prh-ucb", "fair(ucb1)", "h-ucb-t-free", KAPPA_100])
def test_the_price_of_a_promise(policy: str) -> None:
    many = of(paper_market("1a"), policy, "theorem A′, truthful", **PROMISE)
    assert value(many) == pytest.approx(math.log(100) / math.log(21 / 20))  # the gaps add up to 1
    assert (many.kind, many.parameters) == ("lower", PROMISE)
    few = of(paper_market("1a"), policy, "theorem A′, truthful", K=210, g=10, lost=0.01)
    assert value(few) == pytest.approx(plays_needed(0.01, 210, 10))
    assert value(few) < value(many)
    assert few.parameters == {"K": 210, "g": 10, "lost": 0.01}


def test_a_promise_that_no_game_so_short_allows() -> None:
    found = of(paper_market("1a"), "h-ucb", "theorem A′, truthful", horizon=100, **PROMISE)
    assert found.vacuous
    assert "at this T no regret is above T times the largest gap, 40" in found.why


@pytest.mark.parametrize("policy", ["h-ucb", "h-ucb-t-free", KAPPA_100])
def test_the_cost_of_few_plays(policy: str) -> None:
    found = of(ONE_KIND, policy, "theorem A′, few good", plays=95)
    assert value(found) == pytest.approx(0.1 * 10**5 * share_lost(95, 210, 10))
    assert found.parameters == {"K": 210, "g": 10, "plays": 95}
    assert of(ONE_KIND, policy, "theorem A′, few good", plays=201).vacuous


@pytest.mark.parametrize("policy", ["h-ucb", "h-ucb-t-free", KAPPA_100])
def test_the_cost_of_few_plays_with_rates(policy: str) -> None:
    market = Market([Agent("A", [0.9, 0.7], copies=[10, 200]), Agent("B", [0.8])])
    found = of(market, policy, "theorem A′, with rates", plays=95)
    rate = kl(0.7, 0.9) / 21
    assert value(found) == pytest.approx(0.1 * 10**5 * least_probability(1 - 95e-5, 95 * rate))
    assert value(found) > 100 * value(of(market, policy, "theorem A′, few good", plays=95))
    assert found.parameters == {"K": 210, "g": 10, "plays": 95, "rate": pytest.approx(rate)}
    # The same bad arm twice is one kind.
    twice = Market([Agent("A", [0.9, 0.7, 0.7], copies=[10, 150, 50]), Agent("B", [0.8])])
    assert of(twice, policy, "theorem A′, with rates", plays=95) == found


def test_the_second_best_arm_may_be_the_agents_own() -> None:
    market = Market([Agent("A", [0.9, 0.85], copies=[1, 9]), Agent("B", [0.8])])
    found = of(market, "h-ucb", "theorem A′, few good", plays=5)
    assert value(found) == pytest.approx(0.05 * 10**5 * 0.5)


def test_measured_regret_is_not_below_it() -> None:
    T, market = 400, Market([Agent("A", [0.9, 0.2], copies=[1, 60]), Agent("B", [0.7])])
    alone = Market([Agent("A", [0.2]), Agent("B", [0.7])])
    for policy in ("h-ucb", "h-ucb-t-free"):
        plays = simulate(alone, policy, horizon=T, repetitions=400, seed=1).plays[:, 0].mean()
        least = value(of(market, policy, "theorem A′, few good", T, plays=float(plays)))
        regret = simulate(market, policy, horizon=T, repetitions=400, seed=2).regret
        assert 10 < least <= regret.mean + 4 * regret.stderr


# --- theorem B ---------------------------------------------------------------------------------


def test_theorem_b_on_a_against_b() -> None:
    free, gaps = (
        of(A_AGAINST_B, KAPPA_100, name) for name in ("theorem B", "theorem B, with gaps")
    )
    assert [round(value(free)), round(value(gaps))] == [11_420, 4_705]
    missed = miss_probability(210, 10, 100)
    assert free.parameters == gaps.parameters == {"kappa": 100, "c": 1 / 21, "p0": missed}
    assert {(one.kind, one.of, one.proven, one.vacuous) for one in (free, gaps)} == {
        ("upper", "regret", True, False)
    }


def test_kappa_is_the_samples_bound_and_not_the_number_of_arms() -> None:
    # L = 21: ⌊21 ln 10⁵⌋ = 241 of 210 arms, so that no sample misses; the index has 241 still.
    found = of(A_AGAINST_B, "rh-kl-ucb", "theorem B")
    assert found.parameters == {"kappa": 241, "c": 1 / 21, "p0": 0}
    assert value(found) == theorem_b(2, 241, 10**5, 0)


def test_several_best_agents_are_all_asked() -> None:
    twin = replace(A_AGAINST_B.agents[0], name="C", copies=(10, 100, 0))
    market = Market([*A_AGAINST_B.agents, twin])
    missed = [miss_probability(210, 10, 100), miss_probability(110, 10, 100)]
    inside = [(0.2, 100 * 100 / 210), (0.1, 100 * 100 / 210), (0.2, 100 * 100 / 110)]
    expected = theorem_b_with_gaps([(0.8, 0.8)], inside, 0.9, 100, 10**5, missed)
    found = of(market, KAPPA_100, "theorem B, with gaps")
    assert value(found) == pytest.approx(expected)
    assert "1 more, which are equally good" in found.why
    # For all gaps one of them is enough: the one whose sample misses least.
    assert value(of(market, KAPPA_100, "theorem B")) == theorem_b(3, 100, 10**5, missed[1])


CORNERS = {
    "rival of mean 0": Market([Agent("a", [0.0]), Agent("b", [0.5])]),
    "best mean 1": Market([Agent("a", [0.5, 0.0]), Agent("b", [1.0, 0.3])]),
    "0 and 1": Market([Agent("a", [0.0]), Agent("b", [1.0])]),
    "all equal": Market([Agent("a", [0.5]), Agent("b", [0.5])]),
    "all 0": Market([Agent("a", [0.0]), Agent("b", [0.0, 0.0])]),
    "one agent": Market([Agent("a", [0.5, 0.25], copies=[1, 50])]),
    "one arm": Market([Agent("a", [0.5])]),
    "who owns the best mean as well hides it": Market(
        [Agent("a", [0.9, 0.5], copies=[0, 1]), Agent("b", [0.9])]
    ),
    "nearly equal": Market([Agent("a", [0.5]), Agent("b", [math.nextafter(0.5, 1)])]),
}


@pytest.mark.parametrize("corner", CORNERS)
@pytest.mark.parametrize("T", [2, 3, 10**5, 10**100])
def test_corners(corner: str, T: int) -> None:
    for policy in ("rh-kl-ucb", "rh-kl-ucb(L=1, power=0)"):
        found = bounds(CORNERS[corner], policy, T, plays=3, **PROMISE)
        json.dumps([bound.to_dict() for bound in found], allow_nan=False)
        named = {bound.theorem: bound for bound in found}
        assert value(named["theorem B"]) > 0
        assert value(named["theorem B, with gaps"]) > 0


def apart(rng: random.Random) -> Market:
    """Two to four agents with several arms, and at times several best ones."""
    agents = [Agent("best", [0.9, rng.uniform(0, 0.8)], copies=[rng.randint(1, 9), 5])]
    for number in range(rng.randint(1, 3)):
        best = rng.choice([0.9, 0.0, rng.uniform(0.1, 0.8)])
        copies = [rng.randint(1, 20), rng.choice([0, 1, 10])]
        agents.append(Agent(f"agent {number}", [best, best / 2], copies=copies))
    return Market(agents)


@pytest.mark.parametrize("seed", range(6))
def test_measured_regret_is_below_theorem_b(seed: int) -> None:
    rng = random.Random(seed)
    market, kappa = apart(rng), rng.choice([1, 3, 10])
    for horizon in (50, 5000):
        policy = f"rh-kl-ucb(L={kappa}, power=0)"
        regret = simulate(market, policy, horizon=horizon, repetitions=60, seed=seed).regret
        for theorem in ("theorem B", "theorem B, with gaps"):
            least = regret.mean - 4 * regret.stderr
            assert least < value(of(market, policy, theorem, horizon))


def test_measured_regret_is_far_below_theorem_b_on_honest_arms() -> None:
    market = Market([Agent(f"{mean}", [mean, 0.2, 0.1]) for mean in MEANS])
    policy, T = "rh-kl-ucb(L=3, power=0)", 20_000
    regret = simulate(market, policy, horizon=T, repetitions=40, seed=1).regret
    found = of(market, policy, "theorem B, with gaps", T)
    assert not found.vacuous
    assert regret.mean + 4 * regret.stderr < value(found) / 2


# --- conditions --------------------------------------------------------------------------------

HONEST = Market([Agent("a", [0.5, 0.2]), Agent("best", [0.9])])
TRUTHFUL = paper_market("1a")
SURE = Market([Agent("a", [0.5]), Agent("best", [1.0])])
EQUAL = Market([Agent("a", [0.9, 0.1]), Agent("b", [0.9, 0.1])])
HIDDEN = Market([Agent("a", [0.5, 0.2]), Agent("b", [0.9, 0.3], copies=[0, 1])])
GAUSS = Market([Agent("a", [Gaussian(0.5, 0.1)]), Agent("best", [0.9])])
MIXED = Market([Agent("a", [0.9, Beta(1, 2), 0.2], copies=[1, 2, 2]), Agent("b", [0.5])])

ONE_BETA = Market([Agent("a", [0.9, Beta(1, 2)]), Agent("b", [0.5])])
SURE_FEW = Market([Agent("a", [1.0, 0.2]), Agent("b", [0.5])])

A, TRUE, FEW, RATES, B, GAPS, D = (
    "theorem A",
    "theorem A′, truthful",
    "theorem A′, few good",
    "theorem A′, with rates",
    "theorem B",
    "theorem B, with gaps",
    "theorem D, lost games",
)
REASONS: dict[str, tuple[Market, str, str, str, dict[str, Any]]] = {
    "A, policy": (TRUTHFUL, "h-ucb", A, "it is about rh-kl-ucb, and the policy is h-ucb", {}),
    "A, honest": (HONEST, KAPPA_100, A, "1 of the 2 registered arms of agent 'a' is not", {}),
    "A, κ": (TRUTHFUL, KAPPA_100, A, "known of rh-kl-ucb for κ ≥ K, and κ = 100", {"K": 101}),
    "A, rewards": (GAUSS, KAPPA_100, A, "it takes Bernoulli arms", {}),
    "A′, flat": (TRUTHFUL, "ucb1", TRUE, "ucb1 chooses among arms, whoever owns them", PROMISE),
    "A′, no promise": (TRUTHFUL, "h-ucb", TRUE, "it takes a promise", {}),
    "A′, half": (TRUTHFUL, "h-ucb", TRUE, "it takes a promise", {"lost": 0.01, "K": 3}),
    "A′, μ*": (SURE, "h-ucb", TRUE, "it takes μ* < 1", PROMISE),
    "A′, honest": (HONEST, "h-ucb", TRUE, "agents that register their best arm only", PROMISE),
    "A′, hidden": (HIDDEN, "h-ucb", TRUE, "the best mean μ* = 0.9 are hidden", PROMISE),
    "few, flat": (ONE_KIND, "ucb1", FEW, "ucb1 chooses among arms", {"plays": 9}),
    "few, plays": (ONE_KIND, "h-ucb", FEW, "fewer than 75.82, more than 1 % of games", {}),
    "few, bad": (TRUTHFUL, "h-ucb", FEW, "'0.9-agent' registers its best only", {"plays": 9}),
    "few, equal": (EQUAL, "h-ucb", FEW, "'a' and 'b' are equally good", {"plays": 9}),
    "few, hidden": (HIDDEN, "h-ucb", FEW, "the best mean μ* = 0.9 are hidden", {"plays": 9}),
    "few, kinds": (A_AGAINST_B, "h-ucb", FEW, "does not cover h-ucb: agent.clock", {"plays": 9}),
    "few, order": (MIXED, "h-ucb-t-free", FEW, "are not all Bernoulli", {"plays": 9}),
    "rates, flat": (ONE_KIND, "ucb1", RATES, "ucb1 chooses among arms", {"plays": 9}),
    "rates, plays": (ONE_KIND, "h-ucb", RATES, "fewer than about 70.97, more than 1 %", {}),
    "rates, kinds": (A_AGAINST_B, "h-ucb", RATES, "does not cover h-ucb", {"plays": 9}),
    "rates, rewards": (ONE_BETA, "h-ucb", RATES, "those of 'a' are not all", {"plays": 9}),
    "rates, sure": (SURE_FEW, "h-ucb", RATES, "good arms that may fail", {"plays": 9}),
    "B, policy": (A_AGAINST_B, "rh-ucb(L=22)", B, "it is about rh-kl-ucb, and the policy is", {}),
    "B, gaps, policy": (A_AGAINST_B, "trial", GAPS, "it is about rh-kl-ucb, and the policy is", {}),
    "B, rewards": (GAUSS, KAPPA_100, B, "it takes rewards in [0, 1]", {}),
    "D, policy": (TRUTHFUL, "h-ucb", D, "it is about trial without memory or seasons", {}),
    "D, memory": (TRUTHFUL, "trial(memory=1000)", D, "it is about trial without memory", {}),
    "D, season": (TRUTHFUL, "trial(season=1000)", D, "it is about trial without memory", {}),
    "D, epochs": (TRUTHFUL, "trial-anytime", D, "it is about trial without memory", {}),
    "D, rewards": (GAUSS, "trial", D, "it takes rewards in [0, 1]", {}),
    "D, bad arm": (A_AGAINST_B, "trial", D, "above 0.85 only, the middle of μ* and the best", {}),
    "D, absent": (TRUTHFUL.with_profile([[1]] * 4 + [[0]]), "trial", D, "take no part", {}),
    "B, hidden": (HIDDEN, KAPPA_100, GAPS, "the best mean μ* = 0.9 are hidden", {}),
}


@pytest.mark.parametrize("case", REASONS)
def test_why_not(case: str) -> None:
    market, policy, theorem, reason, assumed = REASONS[case]
    bound = of(market, policy, theorem, **assumed)
    assert (bound.applies, bound.value, bound.vacuous) == (False, None, False)
    assert reason in bound.why
    assert bound.parameters == {}


def test_one_round_is_too_short_for_theorem_b() -> None:
    for theorem in (B, GAPS):
        assert of(A_AGAINST_B, KAPPA_100, theorem, horizon=1).why == "it takes T ≥ 2, and T = 1"


def test_bad_arms_of_several_kinds_take_the_pathwise_theorem() -> None:
    for policy in ("trial", KAPPA_100, "h-ucb-t-free"):
        assert value(of(A_AGAINST_B, policy, FEW, plays=95)) == pytest.approx(20.16, abs=0.01)


@pytest.mark.parametrize(
    ("assumed", "message"),
    [
        ({"K": 0}, "K = 0 is not a whole number from 1 to"),
        ({"g": 1}, "g = 1 is not from 1 to the number of arms, which is not given"),
        ({"K": 3, "g": 4}, "g = 4 is not from 1 to the number of arms, 3"),
        ({"K": 3, "g": 1, "c": 0.5}, "c is given besides the number of good arms"),
        ({"c": 0}, "c = 0 is not a number between 0 and 1"),
        ({"c": 1.0}, "c = 1.0 is not a number between 0 and 1"),
        ({"lost": "1 %"}, "lost = '1 %' is not a number"),
        ({"plays": -1}, "plays = -1.0 is not a number >= 0"),
        ({"plays": math.inf}, "plays = inf is not a finite number"),
    ],
)
def test_what_is_refused(assumed: dict[str, Any], message: str) -> None:
    with pytest.raises(FieldError) as caught:
        bounds(TRUTHFUL, "h-ucb", 100, **assumed)
    assert str(caught.value).startswith(message)
