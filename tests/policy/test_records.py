"""Records: values are checked, and a policy says what it needs."""

import re

import pytest

from copyproof import Policy, parse_policy
from copyproof.policy import (
    KLUCB,
    UCB,
    EpsilonDecreasing,
    EpsilonGreedy,
    FixedSample,
    GrowingSample,
)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: UCB(a=-1), "a = -1 is not a number in [0, 1e+12]"),
        (lambda: UCB(b=float("nan")), "b = nan is not a number in [0, 4]"),
        (lambda: UCB(c=True), "c = True is not a number in [0, 20]"),
        (lambda: UCB(clock="t"), "clock = 't' is not one of round, plays, horizon"),  # type: ignore[arg-type]
        (lambda: KLUCB(scale="2"), "scale = '2' is not a number >= 0"),  # type: ignore[arg-type]
        (lambda: EpsilonGreedy(1.5), "epsilon = 1.5 is not a number in [0, 1]"),
        (lambda: EpsilonDecreasing(0), "scale = 0 is not a number > 0"),
        (lambda: FixedSample(0), "factor = 0 is not a number > 0"),
        (lambda: GrowingSample(1, -1), "power = -1 is not a number >= 0"),
        (lambda: GrowingSample(1, 1, clock="t"), "clock = 't' is not one of game, own"),  # type: ignore[arg-type]
        (lambda: Policy(None, UCB(), ties="priority"), "a flat policy has no ties between agents"),
    ],
)
def test_bad_values_are_refused(make: object, message: str) -> None:
    assert callable(make)
    with pytest.raises(ValueError, match=re.escape(message)):
        make()


def test_what_a_policy_needs() -> None:
    horizon = {name for name in NAMES if parse_policy(name).needs_horizon}
    assert horizon == {"s-ucb", "rh-ucb", "rh-ucb-ln2", "h-ucb-t-free", "rh-ucb-t-free"}
    unit = {name for name in NAMES if parse_policy(name).needs_unit_rewards}
    assert unit == {"h-ucb-kl", "h-kl-ucb", "h-thompson", "kl-ucb", "thompson"}


NAMES = [
    "ucb1", "s-ucb", "h-ucb", "rh-ucb", "prh-ucb", "rh-ucb-online", "rh-ucb-ln2", "rh-ucb-all",
    "h-ucb-t-free", "rh-ucb-t-free", "h-ucb-kl", "h-kl-ucb", "h-epsilon-greedy", "h-thompson",
    "kl-ucb", "epsilon-greedy", "thompson", "fair",
]  # fmt: skip


def test_equal_records_hash_alike() -> None:
    assert len({parse_policy("rh-ucb(L=3)"), parse_policy("rh-ucb(L=3.0)")}) == 1
