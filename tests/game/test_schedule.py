"""Schedules: records, their checks, and their plain data."""

import json
from typing import Any

import pytest

from copyproof import Admit, Agent, Market, Renew, Retire, Schedule, churn

MARKET = Market([Agent("ann", [0.5, 0.2, 0.1], copies=[3, 0, 1]), Agent("bob", [0.9])])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Retire(0, "ann", 0), "round = 0 is not a whole number >= 1"),
        (lambda: Retire(1, "", 0), "agent = '' is not one line of visible text"),
        (lambda: Retire(1, "ann", -1), "original = -1 is not a whole number >= 0"),
        (lambda: Admit(1, "ann", 0, 0), "count = 0 is not a whole number >= 1"),
        (lambda: Admit(1, "ann", 0, new="no"), "new = 'no' is not true or false"),  # type: ignore[arg-type]
        (lambda: Renew("ann"), "after and below are both missing"),
        (lambda: Renew("ann", after=0), "after = 0 is not a whole number >= 1"),
        (lambda: Renew("ann", below=float("nan")), "below = nan is not a finite number"),
        (lambda: Schedule([Renew("ann", after=1)]), r"changes\[0\] = .* is not a Retire or Admit"),  # type: ignore[list-item]
        (lambda: Schedule(renewals=[Retire(1, "a", 0)]), r"renewals\[0\] = .* is not a Renew"),  # type: ignore[list-item]
        (
            lambda: Schedule(renewals=[Renew("ann", after=1), Renew("ann", below=1)]),
            r"renewals\[1\].agent = 'ann' has one already",
        ),
        (lambda: churn(MARKET, "ann", every=0, horizon=9), "every = 0 is not a whole number"),
        (lambda: churn(MARKET, "eve", every=1, horizon=9), "agent = 'eve' is not one of"),
        (
            lambda: churn(MARKET, "ann", every=1, horizon=9, original=3),
            "original = 3 is not below 3",
        ),
    ],
)
def test_bad_records_are_refused(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_churn_submits_everything_again() -> None:
    assert churn(MARKET, "ann", every=4, horizon=9).changes == (
        Retire(5, "ann", 0, 3),
        Retire(5, "ann", 2, 1),
        Admit(5, "ann", 0, 3),
        Admit(5, "ann", 2, 1),
        Retire(9, "ann", 0, 3),
        Retire(9, "ann", 2, 1),
        Admit(9, "ann", 0, 3),
        Admit(9, "ann", 2, 1),
    )
    assert churn(MARKET, "ann", every=4, horizon=8, original=2).changes == (
        Retire(5, "ann", 2, 1),
        Admit(5, "ann", 2, 1),
    )
    assert not churn(MARKET, "ann", every=9, horizon=9)


def test_plain_data_and_back() -> None:
    schedule = Schedule(
        [Retire(3, "ann", 0, 2), Admit(2, "bob", 0, new=False), Admit(3, "ann", 1, 7)],
        [Renew("bob", after=3, below=0.5)],
    )
    assert Schedule.from_dict(json.loads(json.dumps(schedule.to_dict()))) == schedule
