"""Rules of our own: what their parameters mean, and what they go with."""

import math
import re

import pytest

from copyproof import CATALOGUE, parse_policy
from copyproof.policy import Trial
from copyproof.policy.own_rules import SPARE, TURNS


@pytest.mark.parametrize(
    ("c", "lost", "needed"),
    [(1 / 21, 0.01, 95), (1 / 200, 0.01, 919), (0.5, 0.25, 2), (0.9, 0.5, 1)],
)
def test_tries_are_those_of_the_theorem_and_some_to_spare(
    c: float, lost: float, needed: int
) -> None:
    assert (1 - c) ** needed <= lost * (1 + 1e-12) < (1 - c) ** (needed - 1)
    assert Trial(c, lost).tries == math.ceil(round(SPARE * needed, 9))
    assert Trial(c, lost).in_turn == math.ceil(round(TURNS * needed, 9))


def test_one_parameter_sets_both_rules() -> None:
    policy = parse_policy("trial(c=1/200, lost=0.001)")
    assert policy.agent == Trial(0.005, 0.001)
    assert policy.brings_fresh_arms
    assert str(policy) == "trial(c=0.005, lost=0.001)"


@pytest.mark.parametrize("ties", ["", ", ties=priority"])
def test_compositions_have_a_text_form(ties: str) -> None:
    for text in (
        f"hierarchical(trial(c=0.2), trial-arms{ties})",
        f"hierarchical(trial, ucb{ties})",
    ):
        assert parse_policy(str(parse_policy(text))) == parse_policy(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("trial(c=0)", "c = 0.0 is not a number in [1e-12, 1)"),
        ("trial(c=1/0)", "c = '1/0' is not a number in [1e-12, 1)"),
        ("trial(c=3/2)", "c = 1.5 is not a number in [1e-12, 1)"),
        ("trial(lost=1)", "lost = 1.0 is not a number in [1e-300, 1)"),
        ("trial(c=1e-308)", "c = 1e-308 is not a number in [1e-12, 1)"),
        ("fair(s-ucb(l=2, season=10))", "fair takes a flat policy without epochs or seasons"),
        ("trial(lost=nan)", "lost = nan is not a number in [1e-300, 1)"),
        ("flat(trial-arms)", "arm = trial-arms: its c and lost are those of agents chosen by tr"),
        ("hierarchical(ucb, trial-arms)", "arm = trial-arms: its c and lost are those of a"),
        ("hierarchical(trial, trial-arms, sample=fixed)", "trial-arms tries arms by its own rule"),
        ("hierarchical(sampled-kl-ucb, kl-ucb)", "it needs a sample of fixed size (sample=fixed)"),
        ("hierarchical(ucb, sampled-kl-ucb)", "arm = sampled-kl-ucb: it is a rule for agents"),
        ("etc(plays=0)", "plays = 0.0 is not a whole number from 1 to 1e9"),
        ("etc(plays=1.5)", "plays = 1.5 is not a whole number from 1 to 1e9"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        parse_policy(text)
    assert "\n" not in str(caught.value)


def test_the_defaults_are_rows_that_no_path_pays_copies() -> None:
    assert str(parse_policy("default")) == "trial"
    assert str(parse_policy("default-anytime")) == "trial-anytime"
    assert parse_policy("trial-anytime").restart == parse_policy("default-anytime").restart


def test_every_row_that_needs_a_horizon_takes_a_season_instead() -> None:
    for row in CATALOGUE:
        assert row.policy.needs_horizon == ("season" in row.parameters), row.name
        if row.policy.needs_horizon:
            policy = parse_policy(f"{row.name}(season=500)")
            assert not policy.needs_horizon
            assert parse_policy(str(policy)) == policy
