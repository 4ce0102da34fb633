"""The pathwise theorem: which policies it covers, and no path on which a deviation earns more."""

import random

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

from copyproof import CATALOGUE, parse_policy, why_not_covered
from copyproof.policy import UCB, NamedPolicy, row
from tests.pathwise import (
    ALL,
    COVERED,
    INDEX_SEES_T,
    SEES_T_INSIDE,
    random_case,
    shortfall,
    violations,
)

RANDOMS = st.randoms(use_true_random=False)


def test_the_catalogue_claims_what_is_covered() -> None:
    claimed = {
        row.name
        for row in CATALOGUE
        if any(claim.text.startswith("pathwise") for claim in row.claims)
    }
    assert claimed == {row.name for row in CATALOGUE if why_not_covered(row.policy) is None}


@pytest.mark.parametrize(
    "condition",
    [
        "rewards ≥ 0",
        "reported at once",
        "do not depend on the round",
        "all agents eligible in every round",
        "rivals whose arms stay",
        "one name for one person",
        "an arm of the agent as every epoch begins",
        "that the agent knows",
        "first-order dominates",
    ],
)
def test_the_claim_names_every_condition(condition: str) -> None:
    claims = [
        claim.text for row in CATALOGUE for claim in row.claims if claim.text.startswith("pathwise")
    ]
    assert claims
    assert all(condition in claim for claim in claims)


def test_the_catalogue_refuses_the_claim_for_a_policy_that_is_not_covered() -> None:
    claims = row("trial").claims
    with pytest.raises(ValueError, match=r"h-ucb is claimed to be pathwise .* see the round t"):
        NamedPolicy("h-ucb", row("h-ucb").policy, "", "", claims=claims)


@pytest.mark.parametrize(
    ("policy", "reason"),
    [
        ("ucb1", "agent = None: a flat policy"),
        ("h-ucb", "agent.clock = 'round': "),
        ("h-kl-ucb", "agent.clock = 'round': "),
        ("fair", "agent = Uniform: "),
        ("h-thompson", "agent = Thompson: "),
        ("h-epsilon-greedy", "agent = ε-greedy: "),
        ("h-epsilon-decreasing", "agent = ε-greedy: "),
        ("hierarchical(ucb(clock=horizon), thompson)", "ties = 'random': "),
        (
            "hierarchical(ucb(clock=horizon), ucb, sample=growing(factor=1), ties=priority)",
            "sampling.clock = 'game': ",
        ),
    ],
)
def test_what_is_not_covered_has_a_reason(policy: str, reason: str) -> None:
    found = why_not_covered(parse_policy(policy))
    assert found is not None
    assert found.startswith(reason)
    assert "\n" not in found


def test_any_arm_rule_is_covered() -> None:
    rules = {(type(policy.arm), getattr(policy.arm, "clock", None)) for policy in COVERED}
    assert rules == {(type(policy.arm), getattr(policy.arm, "clock", None)) for policy in ALL}
    assert {policy.agent.clock for policy in COVERED if isinstance(policy.agent, UCB)} == {
        "horizon"
    }


def test_the_default_is_covered() -> None:
    for name in ("default", "default-anytime", "trial(c=0.9, lost=0.5)"):
        assert why_not_covered(parse_policy(name)) is None


def no_deviation_is_ahead(rng: random.Random, taped: bool) -> None:
    assert shortfall(random_case(rng, COVERED, taped=taped)) is None


@given(rng=RANDOMS, taped=st.booleans())
@settings(max_examples=400, suppress_health_check=[HealthCheck.too_slow])
def test_no_deviation_is_ahead_on_any_path(rng: random.Random, taped: bool) -> None:
    no_deviation_is_ahead(rng, taped)


@pytest.mark.slow
@given(rng=RANDOMS, taped=st.booleans())
@settings(max_examples=20_000, suppress_health_check=[HealthCheck.too_slow])
def test_no_deviation_is_ahead_on_twenty_thousand_paths(rng: random.Random, taped: bool) -> None:
    no_deviation_is_ahead(rng, taped)


def test_no_deviation_is_ahead_in_compiled_games() -> None:
    assert violations(random.Random(1), COVERED, cases=100, repetitions=200) == []


@pytest.mark.slow
def test_no_deviation_is_ahead_in_a_million_compiled_games() -> None:
    assert violations(random.Random(2), COVERED, cases=4000, repetitions=250) == []


def test_no_deviation_is_ahead_of_one_rival_where_indices_see_the_round() -> None:
    """`Pathwise.pathwise_two_agents` in the folder ``proofs``."""
    rng = random.Random(8)
    cases = (random_case(rng, INDEX_SEES_T, taped=rng.random() < 0.5) for _ in range(2000))
    of_two = [case for case in cases if len(case.market.agents) == 2]
    assert len(of_two) > 300
    assert [case for case in of_two if shortfall(case) is not None] == []


DEFAULTS = [parse_policy("default"), parse_policy("default-anytime(first=5, factor=2, power=1)")]


@pytest.mark.slow
@given(rng=RANDOMS, taped=st.booleans())
@settings(max_examples=20_000, suppress_health_check=[HealthCheck.too_slow])
def test_no_deviation_is_ahead_under_the_default(rng: random.Random, taped: bool) -> None:
    assert shortfall(random_case(rng, DEFAULTS, taped=taped)) is None


def test_no_deviation_is_ahead_in_compiled_games_of_the_default() -> None:
    assert violations(random.Random(6), DEFAULTS, cases=100, repetitions=200) == []


@pytest.mark.slow
def test_no_deviation_is_ahead_in_a_million_compiled_games_of_the_default() -> None:
    assert violations(random.Random(7), DEFAULTS, cases=4000, repetitions=250) == []


@pytest.mark.slow
def test_a_path_is_found_where_samples_grow_with_the_round() -> None:
    def fails(rng: random.Random) -> bool:
        return shortfall(random_case(rng, SEES_T_INSIDE)) is not None

    how = settings(
        max_examples=20_000,
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow],
    )
    find(RANDOMS, fails, settings=how)  # raises if there is none


def test_compiled_games_find_one_where_samples_grow_with_the_round() -> None:
    assert violations(random.Random(4), SEES_T_INSIDE, cases=100, repetitions=500) != []


def test_compiled_games_find_one_under_thompson_sampling_of_agents() -> None:
    policies = [
        policy for policy in ALL if str(why_not_covered(policy)).startswith("agent = Thompson")
    ]
    assert violations(random.Random(5), policies, cases=30, repetitions=200) != []
