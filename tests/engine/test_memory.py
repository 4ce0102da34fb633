"""Windows of an agent's last plays: a reputation ends, and no deviation pays on any path."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from copyproof import parse_policy, simulate
from copyproof.game import Admit, Agent, Bernoulli, Market, Retire, Schedule
from copyproof.validation import FieldError
from tests.pathwise import random_case, shortfall, violations

COVERED = [
    parse_policy(text)
    for text in (
        "trial(c=0.5, lost=0.5, memory=200)",
        "trial(c=0.9, lost=0.5, memory=30)",
        "trial-anytime(c=0.5, lost=0.5, first=40, factor=2, power=1, memory=50)",
        "hierarchical(trial(c=0.5, lost=0.5, memory=60), ucb(clock=plays), ties=priority)",
    )
]


@given(rng=st.randoms(use_true_random=False), taped=st.booleans())
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_deviation_is_ahead_on_any_path(rng: random.Random, taped: bool) -> None:
    assert shortfall(random_case(rng, COVERED, taped=taped, longest=600)) is None


def test_no_deviation_is_ahead_in_compiled_games() -> None:
    found = violations(random.Random(8), COVERED, cases=20, repetitions=60, longest=600)
    assert found == []


GAMES = 15


def spam(policy: str, *, fresh: bool) -> list[float]:
    """Plays up to 9,000 of an arm of 0.05 that replaces one of 0.9 in round 3,001, or comes."""
    arms = [Bernoulli(0.9), Bernoulli(0.05)]
    spammer = Agent("spam", arms, [0, 0] if fresh else [1, 0])
    market = Market([spammer, Agent("one", [Bernoulli(0.5)]), Agent("two", [Bernoulli(0.5)])])
    bait = [] if fresh else [Retire(3001, "spam", 0)]
    schedule = Schedule([*bait, Admit(3001, "spam", 1)])
    found = simulate(market, policy, horizon=9000, repetitions=GAMES, seed=1, schedule=schedule)
    return [float(plays) for plays in found.original_plays[:, 1]]


def test_a_bait_gains_little_by_its_reputation() -> None:
    memory = 1000
    remembering = f"trial-anytime(memory={memory})"
    most = sum(spam(remembering, fresh=True)) / GAMES + 0.15 * memory
    assert max(spam(remembering, fresh=False)) <= most
    assert min(spam("trial-anytime", fresh=False)) > 1.5 * most


@pytest.mark.parametrize("memory", ["1", "2.5", "1000001", "many"])
def test_a_memory_is_a_number_of_plays(memory: str) -> None:
    with pytest.raises(FieldError, match="memory"):
        parse_policy(f"trial(memory={memory})")
