"""Guard rails: which are accepted, and when they are left."""

from typing import Any

import pytest

from copyproof.live.rails import MOST_RAILS, Rail, Window, checked_rails
from copyproof.validation import FieldError

SHARE = {"measure": "share", "last": 10, "at_most": 0.5}


@pytest.mark.parametrize(
    ("rails", "said"),
    [
        ("share", "rails = 'share' is not a list of rails"),
        ([SHARE] * (MOST_RAILS + 1), r"len\(rails\) = 21 is not at most 20"),
        ([SHARE, 3], r"rails\[1\] = 3 is not a rail"),
        ([{"measure": "share"}], r"rails\[0\] = .* is not a rail: measure, last"),
        ([{**SHARE, "most": 1}], r"rails\[0\].rail = 'most'"),
        ([{**SHARE, "measure": "plays"}], r"rails\[0\].measure = 'plays' is not .*share"),
        ([{**SHARE, "then": "stop"}], r"rails\[0\].then = 'stop' is not"),
        ([{**SHARE, "last": 0}], r"rails\[0\].last = 0 is not"),
        ([{**SHARE, "at_most": 1.5}], r"rails\[0\].at_most = 1.5 is not in \[0, 1\]"),
        ([{**SHARE, "at_least": 0.1}], r"at_least = 0.1 is not there: a share has only at_most"),
        ([{**SHARE, "agent": ""}], r"rails\[0\].agent = '' is not"),
        ([{**SHARE, "agent": 3}], r"rails\[0\].agent = 3 is not"),
        ([{**SHARE, "owner": 3}], r"rails\[0\].owner = 3 is not there: name the agent"),
        ([Rail("share", 5, 0.5, owner=3)], r"rails\[0\].owner = 3 is not there"),
        (
            [{"measure": "share", "last": 5, "agent": "ann"}],
            "at_most is missing: a rail of measure 'share' needs at_most or at_least",
        ),
        (
            [{"measure": "reward", "last": 5, "at_most": 0.5, "agent": "ann"}],
            r"rails\[0\].agent = 'ann' is not there: only a share is that of an agent",
        ),
        (
            [{**SHARE, "agent": "ann", "at_least": 0.6}],
            r"rails\[0\].at_least = 0.6 is not at most 0.5, the rail's at_most",
        ),
        (
            [{"measure": "reward", "last": 5, "at_most": 0.1, "at_least": 0.5}],
            r"rails\[0\].at_least = 0.5 is not at most 0.1, the rail's at_most",
        ),
        ([Rail("reward", 5, 0.1, 0.5)], r"rails\[0\].at_least = 0.5"),
        (
            [{"measure": "reward", "last": 5}],
            "at_most is missing: a rail of measure 'reward' needs at_most or at_l",
        ),
    ],
)
def test_what_is_no_rail(rails: Any, said: str) -> None:
    with pytest.raises(FieldError, match=said):
        checked_rails(rails)


def test_rails_are_plain_data_and_back() -> None:
    rails = [Rail("share", 10, at_most=0.5), Rail("reward", 7, at_least=0.1, then="fall-back")]
    rails += [Rail("share", 10, at_least=0.1, agent="ann")]
    assert checked_rails([one.to_dict() for one in rails]) == rails


def test_a_rail_of_before_that_is_always_left_still_loads() -> None:
    data = {"measure": "reward", "last": 5, "at_most": 0.1, "at_least": 0.5, "then": "pause"}
    assert Rail.from_dict(data).to_dict() == data
    equal = {**data, "at_least": 0.1}
    assert checked_rails([equal])[0].to_dict() == equal


def test_a_share_is_of_the_last_decisions() -> None:
    window = Window(Rail("share", 4, at_most=0.5))
    window.add([1, 1, 1])
    assert window.crossed() is None
    window.add([2])
    assert window.crossed() == (0.75, 1)
    window.add([2])
    assert window.measured() == (0.5, 1)
    assert window.crossed() is None
    window.add([2])
    assert window.crossed() == (0.75, 2)


def test_a_reward_is_the_mean_of_the_last_plays() -> None:
    window = Window(Rail("reward", 2, at_least=0.5, at_most=0.9))
    for reward, left in ((0.0, False), (1.0, False), (0.0, False), (0.25, True), (1.0, False)):
        window.add([reward])
        assert (window.crossed() is not None) == left
    window.add([1.0])
    assert window.crossed() == (1.0, None)


def test_the_share_of_one_agent_is_the_mean_of_its_decisions() -> None:
    window = Window(Rail("share", 4, at_least=0.5, owner=7))
    window.add([1, 1, 0])
    assert window.crossed() is None
    window.add([0])
    assert window.crossed() is None
    window.add([0])
    assert window.crossed() == (0.25, 7)


def test_a_window_that_was_saved_goes_on() -> None:
    rail = Rail("share", 6, at_most=0.5)
    window = Window(rail)
    window.add([0, 1, 0, 1, 0])
    again = Window(rail)
    again.load(*window.to_lists())
    for one in (window, again):
        one.add([0])
        assert one.crossed() == (4 / 6, 0)
