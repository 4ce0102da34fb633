"""A schedule on a market: which arms come and go, and schedules that do not fit."""

import pytest

from copyproof import Admit, Agent, Market, Renew, Retire, Schedule
from copyproof.game import registrations

MARKET = Market([Agent("ann", [0.5, 0.2], copies=[2, 1]), Agent("bob", [0.9])])


def test_arm_by_arm() -> None:
    schedule = Schedule(
        [
            Admit(8, "ann", 1, 2),  # given out of order
            Retire(5, "ann", 0, 1),
            Retire(6, "ann", 0, 1),
            Admit(7, "ann", 0, 1, new=False),
            Admit(99, "bob", 0, 1),  # after the game
        ]
    )
    found = registrations(MARKET, schedule, 10)
    assert [tuple(change) for change in found.changes] == [
        (5, 0, 0, False),  # the oldest leaves first
        (6, 0, 1, False),
        (7, 0, 0, True),  # and comes back first
        (8, 0, 3, True),
        (8, 0, 4, True),
    ]
    assert found.later == ((1, 1), ())
    assert found.most == (4, 1)
    assert found.most_of_all == 5


@pytest.mark.parametrize(
    ("schedule", "message"),
    [
        (Schedule(renewals=[Renew("eve", after=1)]), "agent = 'eve' is not one of 'ann', 'bob'"),
        (Schedule([Retire(1, "eve", 0)]), r"changes\[0\].agent = 'eve' is not one of"),
        (Schedule([Retire(1, "bob", 1)]), r"changes\[0\].original = 1 is not below 1"),
        (
            Schedule([Retire(9, "bob", 0), Retire(4, "ann", 0, 3)]),
            r"changes\[1\].count = 3: only 2 arms of original 0 of 'ann' are registered before "
            "round 4",
        ),
        (
            Schedule([Retire(4, "ann", 0, 1), Admit(5, "ann", 0, 2, new=False)]),
            r"changes\[1\].count = 2: only 1 arms of original 0 of 'ann' are retired before round",
        ),
        (
            Schedule([Retire(3, "ann", 0, 2), Retire(3, "ann", 1), Retire(3, "bob", 0)]),
            "changes leave nobody with an arm in round 3",
        ),
        (
            Schedule([Admit(3, "ann", 0, 50_000_000)]),
            r"changes\[0\].count = 50000000 makes more than 50000000 arms in all",
        ),
    ],
)
def test_schedules_that_do_not_fit_are_refused(schedule: Schedule, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        registrations(MARKET, schedule, 10)


def test_all_arms_may_be_exchanged_at_once() -> None:
    swap = Schedule(
        [Retire(3, "ann", 0, 2), Retire(3, "ann", 1), Retire(3, "bob", 0), Admit(3, "ann", 0)]
    )
    assert len(registrations(MARKET, swap, 10).changes) == 5
