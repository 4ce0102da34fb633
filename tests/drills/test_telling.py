"""One agent's silence, lateness and late sign-up paid under rules 1, and do not now."""

import pytest

from copyproof.drills import drill
from tests.drills.limits import check_no_gain

SAME = ["its zeros never", "on slates of 2", "all late, its zeros never"]


@pytest.mark.parametrize("policy", ["trial-anytime", "grace-anytime", "h-ucb"])
def test_silence_changes_nothing(policy: str) -> None:
    found = drill(policy, scenarios=["silence"], games=2, seed=1, workers=1)
    by_setting = {(one.setting, one.is_old): one for one in found.gains}
    for name in SAME:
        assert by_setting[name, False].verdict == "unchanged"
        assert by_setting[name, True].gain.mean > 0.5 * by_setting[name, True].without.revenue


def test_lateness_of_one_agent_does_not_pay() -> None:
    found = drill("trial-anytime", scenarios=["silence"], games=12, seed=1, workers=1)
    for one in found.gains:
        if not one.is_old and one.setting in ("its ones late", "all of it late"):
            assert one.gain.mean < 0


def test_to_sign_up_late_does_not_pay() -> None:
    found = drill("trial-anytime", scenarios=["sign-up"], games=12, seed=1, workers=1)
    by_setting = {(one.setting, one.is_old): one for one in found.gains}
    for after in ("after 1", "after 100"):
        old, new = by_setting[after, True], by_setting[after, False]
        assert old.gain.mean > 4 * old.error
        assert new.gain.mean < 2.5 * new.error
    assert by_setting["after 1000", False].gain.mean < 0


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["trial-anytime", "grace-anytime"])
def test_lateness_of_one_agent_is_decided_not_to_pay(policy: str) -> None:
    check_no_gain(policy, "silence", ["its ones late", "all of it late"], most=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["trial-anytime", "grace-anytime"])
def test_signing_up_late_is_decided_not_to_pay(policy: str) -> None:
    check_no_gain(policy, "sign-up", ["after 1", "after 100", "after 1000"], most=0.02)


@pytest.mark.parametrize("policy", ["trial-anytime", "h-ucb"])
def test_to_hide_a_fall_by_lateness_pays(policy: str) -> None:
    """It is known, and the docs say so: what waits counts as the plays of before did."""
    [one] = drill(policy, scenarios=["fading"], games=6, seed=1, workers=1).gains
    assert one.pays
    assert one.gain.mean > 4 * one.error
