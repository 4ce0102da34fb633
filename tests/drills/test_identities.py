"""Several names pay, and bound they earn what one name does, path by path."""

import pytest

from copyproof.drills import drill

BOUND = ("bound", "bound, slates", "bound, eligible", "bound, seen")


@pytest.mark.parametrize("policy", ["trial-anytime", "trial", "h-ucb", "h-thompson"])
def test_bound_names_change_nothing_and_free_ones_pay(policy: str) -> None:
    found = drill(policy, scenarios=["identities"], games=1, seed=1, workers=1).gains
    gains = {one.setting: one for one in found}
    free = gains["names of their own"]
    assert free.attacking.revenue > 1.5 * free.without.revenue
    for name in BOUND:
        assert (gains[name].verdict, gains[name].changed) == ("unchanged", 0), name
        assert gains[name].without == gains[name].attacking
    late = gains["bound after a half"]
    assert late.attacking.plays <= late.without.plays  # they have had their share


def test_under_a_flat_policy_nothing_helps() -> None:
    found = drill("ucb1", scenarios=["identities"], games=1, seed=1, workers=1).gains
    bound = {one.setting: one for one in found}["bound"]
    assert bound.attacking.revenue > 2 * bound.without.revenue
