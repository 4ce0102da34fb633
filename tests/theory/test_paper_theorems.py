"""The paper's theorems in place: conditions, values, and measured regret below every bound."""

import math
import random

import pytest

from copyproof import Agent, Beta, Gaussian, Market, paper_market, simulate
from copyproof.theory import bounds, lemma_1, theorem_5, theorem_6
from tests.theory.one_bound import of, value

PAPER_MEANS = (0.4, 0.3, 0.2, 0.1)


def two(*agents: Agent) -> Market:
    """The agents and a better one."""
    return Market([*agents, Agent("best", [0.9])])


# --- values ----------------------------------------------------------------------------------


@pytest.mark.parametrize("figure", ["1a", "1b", "2a", "2b"])
def test_theorem_3_is_the_same_with_copies(figure: str) -> None:
    bound = of(paper_market(figure), "h-ucb", "theorem 3")
    assert bound.applies
    assert not bound.vacuous
    assert bound.kind == "upper"
    assert round(value(bound), 1) == 1923.1


def test_theorem_3_counts_who_takes_part() -> None:
    absent = Agent("absent", [0.8], copies=[0])
    alone = of(two(Agent("a", [0.5, 0.1], copies=[2, 0])), "h-ucb", "theorem 3")
    assert of(two(Agent("a", [0.5]), absent), "h-ucb", "theorem 3").value == alone.value
    assert alone.value == pytest.approx(8 * math.log(10**5) / 0.4 + 0.4 * (1 + math.pi**2 / 3))


def test_theorem_3_takes_any_rewards_in_0_1() -> None:
    market = two(Agent("a", [Beta(1, 1), 0.5]))
    assert of(market, "h-ucb", "theorem 3").applies


def test_theorem_5_on_single_arms() -> None:
    bound = of(paper_market("2b"), "rh-ucb", "theorem 5")
    w, rate = math.log(10**5), math.sqrt(10**5) * math.log(10**5)
    by_hand = sum(rate * (1 + 4 / gap**2) + 2 + 16 * w**5 for gap in PAPER_MEANS) + 1
    assert bound.value == pytest.approx(by_hand)
    assert bound.vacuous
    assert "40000" in bound.why


def test_theorem_5_at_figure_2c() -> None:
    bound = of(paper_market("2c"), "rh-ucb(L=22)", "theorem 5")
    inside = [(gap, [0, 0.7 - gap, 0.8 - gap]) for gap in PAPER_MEANS]
    assert bound.value == pytest.approx(theorem_5(inside, [0, 0.7, 0.8], 22, 10**5))
    assert bound.applies
    assert bound.vacuous


def test_theorem_5_is_not_vacuous_in_the_long_run() -> None:
    assert not of(paper_market("1a"), "rh-ucb", "theorem 5", 10**10).vacuous


def test_theorem_6_takes_the_samples_l() -> None:
    assert of(paper_market("1a"), "rh-ucb", "theorem 6").value == theorem_6(5, 1, 10**5)
    assert of(paper_market("1a"), "rh-ucb(L=2)", "theorem 6").value == theorem_6(5, 2, 10**5)
    assert of(paper_market("2c"), "rh-ucb(L=21)", "theorem 6").value == theorem_6(5, 21, 10**5)


def test_theorem_6_takes_several_best_agents() -> None:
    market = two(Agent("as good", [0.9]))
    assert of(market, "rh-ucb", "theorem 6").applies
    assert not of(market, "rh-ucb", "theorem 5").applies


def test_theorem_7_is_an_order() -> None:
    bound = of(paper_market("1a"), "prh-ucb", "theorem 7")
    assert (bound.applies, bound.value, bound.kind) == (True, None, "asymptotic")
    assert "O(n c⁻² √(T ln³ T))" in bound.why


def test_lemma_1_at_figure_2c() -> None:
    market = paper_market("2c")
    assert not of(market, "rh-ucb(L=3)", "lemma 1").applies
    exact = of(market, "rh-ucb(L=3)", "lemma 1, exact")
    assert exact.applies
    assert round(value(exact), 4) == 0.1638
    assert "above 1/T" in exact.why
    bound = of(market, "rh-ucb(L=22)", "lemma 1")
    assert bound.value == pytest.approx(lemma_1(1 / 3, 253))
    assert value(of(market, "rh-ucb(L=22)", "lemma 1, exact")) < value(bound) < 1e-5


def test_lai_robbins_on_figure_2a() -> None:
    # 1000 copies at 0.5: 0.4/kl = 0.783; the other three by the same formula.
    gaps = [(0.5, 1000), (0.6, 1), (0.7, 1), (0.8, 1)]
    terms = [
        copies * (0.9 - p) / (p * math.log(p / 0.9) + (1 - p) * math.log(10 * (1 - p)))
        for p, copies in gaps
    ]
    for policy in ("ucb1", "kl-ucb", "thompson"):
        bound = of(paper_market("2a"), policy, "Lai-Robbins")
        assert bound.value == pytest.approx(sum(terms) * math.log(10**5))
        assert (bound.kind, bound.vacuous) == ("asymptotic", False)
        assert "asymptotic" in bound.why


def test_lai_robbins_says_when_it_is_empty() -> None:
    short = of(paper_market("2a"), "ucb1", "Lai-Robbins", horizon=1000)
    assert short.vacuous
    assert "no regret is above T times the largest gap, 400" in short.why
    sure = of(Market([Agent("a", [0.5]), Agent("b", [1.0])]), "ucb1", "Lai-Robbins")
    assert (sure.value, sure.vacuous) == (0, True)


# --- conditions ------------------------------------------------------------------------------

HIDING = two(Agent("a", [0.5, 0.2], copies=[0, 3]))
HONEST = two(Agent("a", [0.5, 0.2]))
ABSENT = Market([Agent("a", [0.5]), Agent("b", [0.9], copies=[0])])
GAUSS = two(Agent("a", [Gaussian(0.5, 0.1)]))
EQUAL = two(Agent("a", [0.9]), Agent("b", [0.9]))
SAMPLED = two(Agent("a", [0.8, 0.2], copies=[1000, 9000]))

REASONS = {
    "3, policy": (HONEST, "ucb1", "theorem 3", "it is about h-ucb, and the policy is ucb1"),
    "3, variant": (HONEST, "h-ucb-t-free", "theorem 3", "the policy is h-ucb-t-free"),
    "3, width": (HONEST, "h-ucb(a=1)", "theorem 3", "the policy is h-ucb(a=1)"),
    "3, rewards": (GAUSS, "h-ucb", "theorem 3", "arm 0 of agent 'a' is gaussian"),
    "3, absent": (ABSENT, "h-ucb", "theorem 3", "μ* = 0.9 belong to agents that take no part"),
    "3, honest": (HONEST, "h-ucb", "theorem 3", "1 of the 2 registered arms of agent 'a' is not"),
    "3, hidden": (HIDING, "h-ucb", "theorem 3", "3 of the 3 registered arms of agent 'a' are not"),
    "5, policy": (HONEST, "h-ucb", "theorem 5", "it is about rh-ucb, and the policy is h-ucb"),
    "5, online": (HONEST, "rh-ucb-online", "theorem 5", "the policy is rh-ucb-online(L=2)"),
    "5, ln2": (HONEST, "rh-ucb-ln2", "theorem 5", "the policy is rh-ucb-ln2"),
    "5, all": (HONEST, "rh-ucb-all", "theorem 5", "the policy is rh-ucb-all"),
    "5, t-free": (HONEST, "rh-ucb-t-free", "theorem 5", "the policy is rh-ucb-t-free(L=2)"),
    "5, width": (HONEST, "rh-ucb(L=2, b=0.6)", "theorem 5", "the policy is rh-ucb(L=2, b=0.6)"),
    "5, rewards": (GAUSS, "rh-ucb", "theorem 5", "it takes rewards in [0, 1]"),
    "5, absent": (ABSENT, "rh-ucb", "theorem 5", "belong to agents that take no part"),
    "5, hidden": (HIDING, "rh-ucb", "theorem 5", "agent 'a' hides its best arm, so that c = 0"),
    "5, L": (HONEST, "rh-ucb(L=1.9)", "theorem 5", "L = 1.9 is below 1/c = 2: 1 of the 2 arms"),
    "5, 2c": (paper_market("2c"), "rh-ucb", "theorem 5", "L = 3 is below 1/c = 21: 10 of the 210"),
    "5, several": (EQUAL, "rh-ucb", "theorem 5", "'a' and 'b' and 1 more are equally good"),
    "6, policy": (HONEST, "prh-ucb", "theorem 6", "it is about rh-ucb, and the policy is prh-ucb"),
    "6, L": (HONEST, "rh-ucb(L=1)", "theorem 6", "L = 1 is below 1/c = 2"),
    "7, policy": (HONEST, "rh-ucb", "theorem 7", "it is about prh-ucb, and the policy is rh-ucb"),
    "7, rewards": (GAUSS, "prh-ucb", "theorem 7", "it takes rewards in [0, 1]"),
    "7, absent": (ABSENT, "prh-ucb", "theorem 7", "belong to agents that take no part"),
    "7, hidden": (HIDING, "prh-ucb", "theorem 7", "agent 'a' hides its best arm"),
    "7, T": (paper_market("2c"), "prh-ucb", "theorem 7", "1.526e+08 is below e^(2/c) = e^42"),
    "L1, policy": (HONEST, "h-ucb", "lemma 1", "drawn once, and h-ucb has none"),
    "L1, flat": (HONEST, "s-ucb", "lemma 1", "drawn once, and s-ucb(l=3) has none"),
    "L1, growing": (HONEST, "prh-ucb", "lemma 1, exact", "drawn once, and prh-ucb has none"),
    "L1, ln2": (HONEST, "rh-ucb-ln2", "lemma 1", "here they have L (ln T)^2"),
    "L1, L": (SAMPLED, "rh-ucb", "lemma 1", "L = 2 is below 1/c = 10: 1000 of the 10000 arms"),
    "LR, hierarchical": (HONEST, "h-ucb", "Lai-Robbins", "h-ucb is hierarchical"),
    "LR, sampled": (HONEST, "s-ucb", "Lai-Robbins", "known of ucb1, kl-ucb and thompson, and not"),
    "LR, greedy": (HONEST, "epsilon-greedy", "Lai-Robbins", "and not of epsilon-greedy"),
    "LR, width": (HONEST, "ucb1(a=0.1)", "Lai-Robbins", "and not of ucb1(a=0.1)"),
    "LR, Beta": (two(Agent("a", [Beta(1, 1)])), "ucb1", "Lai-Robbins", "agent 'a' is beta"),
    "LR, absent": (ABSENT, "ucb1", "Lai-Robbins", "belong to agents that take no part"),
    "LR, hidden": (
        Market([Agent("a", [0.9, 0.5], copies=[0, 1])]),
        "ucb1",
        "Lai-Robbins",
        "the arms of the best mean μ* = 0.9 are hidden",
    ),
}


@pytest.mark.parametrize("case", REASONS)
def test_why_not(case: str) -> None:
    market, policy, theorem, reason = REASONS[case]
    bound = of(market, policy, theorem)
    assert (bound.applies, bound.value, bound.vacuous) == (False, None, False)
    assert reason in bound.why
    assert "\n" not in bound.why


def test_l_on_the_edge() -> None:
    market = paper_market("2c")
    assert of(market, "rh-ucb(L=21)", "theorem 5").applies
    assert not of(market, "rh-ucb(L=20.999)", "theorem 5").applies
    third = two(Agent("a", [0.5, 0.2, 0.1]))
    assert of(third, "rh-ucb", "theorem 5").applies  # 1/c = 3 exactly


def test_short_games_can_need_more_than_whole_arms() -> None:
    # c = 1/10, L = 10, T = 2: ⌊6.93⌋ = 6 of 10,000 arms miss with 0.9^6 = 0.53 > 1/2.
    for theorem in ("theorem 5", "theorem 6", "lemma 1"):
        short = of(SAMPLED, "rh-ucb(L=10)", theorem, horizon=2)
        assert not short.applies
        assert "⌊L ln T⌋ = 6 arms" in short.why
        assert "0.531" in short.why
        assert of(SAMPLED, "rh-ucb(L=10)", theorem, horizon=21).applies


# --- measured --------------------------------------------------------------------------------


def apart(rng: random.Random) -> Market:
    """Two to five agents with best means at least 0.2 apart from the best one's."""
    agents = [Agent("best", [0.9, 0.3], copies=[rng.randint(1, 9), rng.choice([0, 0, 1, 5])])]
    for number in range(rng.randint(1, 4)):
        best = rng.uniform(0.1, 0.7)
        copies = [rng.randint(1, 20), rng.choice([0, 0, 1, 10])]
        agents.append(Agent(f"agent {number}", [best, best / 2], copies=copies))
    rng.shuffle(agents)
    return Market(agents)


@pytest.mark.parametrize("seed", range(10))
def test_measured_regret_is_below_every_bound(seed: int) -> None:
    market = apart(random.Random(seed))
    profiles = [(market.truthful(), "h-ucb"), (market, "h-ucb"), (market, "rh-ucb(L=15)")]
    for horizon in (100, 5000):
        applied = []
        for game, policy in profiles:
            result = simulate(game, policy, horizon=horizon, repetitions=40, seed=seed)
            above = [
                bound
                for bound in bounds(game, policy, horizon)
                if bound.kind == "upper" and bound.of == "regret" and bound.applies
            ]
            for bound in above:
                assert result.regret.mean + 4 * result.regret.stderr < value(bound)
            applied += above
        assert {bound.theorem for bound in applied} >= {"theorem 3", "theorem 5", "theorem 6"}
        assert horizon == 100 or any(not bound.vacuous for bound in applied)


def test_exploration_costs_what_lai_and_robbins_say() -> None:
    # Thompson sampling attains the bound: at T = 20,000 its slope in ln T is near it already.
    market = Market([Agent("a", [0.5]), Agent("b", [0.9])])
    points = (2_000, 20_000)
    result = simulate(
        market, "thompson", horizon=points[1], repetitions=400, seed=2, checkpoints=points
    )
    grown = result.regret_curves[:, 1] - result.regret_curves[:, 0]
    least = [value(of(market, "thompson", "Lai-Robbins", T)) for T in points]
    error = grown.std(ddof=1) / math.sqrt(len(grown))
    assert abs(grown.mean() - (least[1] - least[0])) < 4 * error + 0.2 * (least[1] - least[0])
