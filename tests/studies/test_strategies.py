"""Variations: who deviates, how, and what is refused."""

from typing import Any

import pytest

from copyproof import Agent, Market, Variation, paper_market
from copyproof.studies.strategies import AS_GIVEN

MARKET = Market(
    [Agent("ann", [0.5, 0.2], copies=[7, 0]), Agent("bob", [0.9, 0.1]), Agent("eve", [0.5])]
)


@pytest.mark.parametrize(
    ("given", "profile"),
    [
        ({}, ((7, 0), (1, 1), (1,))),
        ({"profile": "honest"}, ((1, 1), (1, 1), (1,))),
        ({"profile": "truthful"}, ((1, 0), (1, 0), (1,))),
        ({"rank": 1, "copies": 3}, ((7, 0), (3, 3), (1,))),
        ({"rank": 2, "copies": [2, 2]}, ((2, 2), (1, 1), (1,))),  # of equals the first is better
        ({"rank": -1, "copies": 4}, ((7, 0), (1, 1), (4,))),
        ({"agent": "bob", "hide": [0]}, ((7, 0), (0, 1), (1,))),
        ({"profile": "honest", "agent": "ann", "copies": 5, "hide": [1]}, ((5, 0), (1, 1), (1,))),
    ],
)
def test_what_is_registered(given: dict[str, Any], profile: tuple[tuple[int, ...], ...]) -> None:
    market, schedule = Variation(name="one", **given).of(MARKET, horizon=100)
    assert market.profile == profile
    assert schedule is None


def test_as_given_is_the_market_itself() -> None:
    assert AS_GIVEN.of(MARKET, 10) == (MARKET, None)
    assert AS_GIVEN.of(MARKET, 10)[0] is MARKET


def test_what_happens_during_the_game() -> None:
    one = Variation(name="one", rank=-1, renew_below=0.5, churn=40)
    _, schedule = one.of(paper_market("1a"), horizon=100)
    assert schedule is not None
    assert {change.agent for change in schedule.changes} == {"0.5-agent"}
    assert [change.round for change in schedule.changes] == [41, 41, 81, 81]
    assert (schedule.renewals[0].agent, schedule.renewals[0].below) == ("0.5-agent", 0.5)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"agent": "zoe", "copies": 2}, "agent = 'zoe' is not one of 'ann', 'bob', 'eve'"),
        ({"rank": -4, "copies": 2}, "rank = -4 is not within the 3 agents"),
        ({"agent": "eve", "hide": [1]}, r"hide\[0\] = 1 is not below 1"),
    ],
)
def test_what_does_not_fit_a_market(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Variation(name="one", **given).of(MARKET, 10)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"copies": 2}, "agent or rank is missing: who has copies"),
        ({"agent": "ann", "rank": 1}, "rank = 1 is not given together with agent"),
        ({"profile": "best"}, "profile = 'best' is not one of given, honest, truthful"),
        ({"rank": "a", "copies": 2}, "rank = 'a' is not 1, 2, … from the best"),
        ({"rank": True, "copies": 2}, "rank = True is not 1, 2, … from the best"),
        ({"rank": 1.0, "copies": 2}, "rank = 1.0 is not 1, 2, … from the best"),
        ({"rank": 0, "copies": 2}, "rank = 0 is not 1, 2, … from the best"),
        ({"rank": 1, "hide": 5}, "hide = 5 is not a list of originals, counted from 0"),
        ({"agent": 5, "copies": 2}, "agent = 5 is not one line of visible text"),
        ({"rank": 1, "churn": 0}, "churn = 0 is not a whole number >= 1"),
    ],
)
def test_what_is_refused_at_once(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Variation(name="one", **given)
