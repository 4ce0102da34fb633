"""Pairs of strategies: none beats "best arm only" where the theorem holds, some do elsewhere."""

import random

import pytest

from studies.pairs import KINDS, failing_pairs

PROVEN = ("h-ucb-t-free", "rh-ucb-t-free(L=1)", "trial(c=0.5)", "trial-anytime(first=30)")
first, *others = KINDS


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("policy", PROVEN)
def test_no_strategy_beats_the_best_arm_alone(policy: str, kind: str) -> None:
    assert failing_pairs(random.Random(3), policy, kind, 200) == 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("policy", PROVEN)
def test_no_strategy_beats_the_best_arm_alone_in_many_games(policy: str, kind: str) -> None:
    assert failing_pairs(random.Random(4), policy, kind, 1000) == 0


@pytest.mark.parametrize(
    "kind", [first, *(pytest.param(kind, marks=pytest.mark.slow) for kind in others)]
)
def test_the_pairs_find_what_thompson_sampling_of_agents_pays(kind: str) -> None:
    assert failing_pairs(random.Random(3), "h-thompson", kind, 3000) > 0
