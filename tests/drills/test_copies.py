"""What copies pay under the old settings, and that they change nothing under those of today."""

import pytest

from copyproof.drills import SCENARIOS, drill
from tests.drills.limits import check_no_gain

# The attacker's revenue without the attack and with it.
PAID = {"slates": (880, 2100), "eligible": (118, 300), "seen": (600, 1200)}


@pytest.mark.parametrize("policy", ["trial-anytime", "h-ucb"])
@pytest.mark.parametrize("scenario", PAID)
def test_copies_pay_in_the_old_ways_and_change_nothing_now(scenario: str, policy: str) -> None:
    old, *new = drill(policy, scenarios=[scenario], games=1, seed=1, workers=1).gains
    without, attacking = PAID[scenario]
    assert old.is_old
    assert old.without.revenue == pytest.approx(without, rel=0.25)
    assert old.attacking.revenue == pytest.approx(attacking, rel=0.25)
    assert new
    for one in new:
        assert (one.verdict, one.changed, one.is_old) == ("unchanged", 0, False)
        assert one.without == one.attacking


def test_weaker_arms_do_not_pay() -> None:
    for one in drill("trial-anytime", scenarios=["weaker"], games=1, seed=1, workers=1).gains:
        assert one.changed == 1
        assert one.gain.mean < 0.02 * one.without.revenue


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["trial-anytime", "h-ucb"])
def test_weaker_arms_are_decided_not_to_pay(policy: str) -> None:
    check_no_gain(policy, "weaker", ["slates", "lists of agents", "seen, by agent"], most=0.0)


def test_another_content_pays_where_seen_goes_by_content() -> None:
    found = drill("trial-anytime", scenarios=["content"], games=6, seed=1, workers=1).gains
    for one in found:
        assert not one.is_old
        if one.pays:
            assert one.gain.mean > 3 * one.error > 0
        else:
            assert one.verdict == "unchanged"


@pytest.mark.slow
def test_of_the_settings_of_today_those_pay_that_are_marked() -> None:
    """Of all attacks, under what new markets run; what a memory saves and costs is no attack."""
    attacks = [one.name for one in SCENARIOS if one.measure != "regret"]
    found = drill("default-anytime", scenarios=attacks, games=100, seed=2)
    assert {one.scenario for one in found.gains} == {*attacks}
    assert {"slates", "eligible", "seen", "late", "sleep", "churn", "bait"} <= {*attacks}
    for one in found.gains:
        if one.pays:
            assert one.gain.mean > 4 * one.error > 0, one
        else:
            assert one.is_old or one.gain.low <= 0, one
    marked = {(one.scenario, one.setting) for one in found.gains if one.pays}
    assert marked == {
        ("content", "by content: new"),
        ("content", "the best's"),
        ("identities", "names of their own"),
        ("identities", "the same, second half"),
        ("silence", "all late, its ones at once"),
        ("fading", "its ones late, patient"),
        ("bait", "no memory"),
    }
