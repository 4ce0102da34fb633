"""Arms that come and go during the games of policies that are not ours."""

from typing import Any

import pytest

from copyproof import (
    Admit,
    Agent,
    ExternalPolicy,
    Market,
    Renew,
    Retire,
    Schedule,
    attacks,
    churn,
    function_policy,
    simulate,
)
from copyproof.external import ExternalError, Tally

MARKET = Market([Agent("ann", [0.5, 0.25], copies=[2, 1]), Agent("bob", [0.75])])
GAME: dict[str, Any] = {"repetitions": 3, "seed": 1, "workers": 1}
ONE = GAME | {"repetitions": 1}


class Told:
    """Plays the newest arm, and keeps what it is told."""

    told: list[tuple[Any, ...]]

    def __init__(self, arms: Any, *, owners: Any, horizon: int, seed: int) -> None:
        self.arms, Told.told = list(arms), []

    def choose(self) -> str:
        Told.told.append(tuple(self.arms))
        return str(self.arms[-1])

    def learn(self, arm: str, reward: float) -> None:
        pass

    def retire(self, arm: str) -> None:
        self.arms.remove(arm)

    def admit(self, arm: str, owner: str) -> None:
        assert arm.startswith(f"{owner}/")
        self.arms.append(arm)


def test_changes_come_before_the_choice_of_their_round() -> None:
    schedule = Schedule(
        [
            Retire(2, "ann", 0),
            Admit(3, "ann", 1),
            Admit(4, "ann", 0, new=False),
            Retire(5, "bob", 0),
        ]
    )
    found = simulate(
        MARKET,
        ExternalPolicy("told", Told),
        horizon=5,
        schedule=schedule,
        **GAME | {"repetitions": 1},
    )
    assert Told.told == [
        ("ann/1", "ann/2", "ann/3", "bob/1"),
        ("ann/2", "ann/3", "bob/1"),
        ("ann/2", "ann/3", "bob/1", "ann/4"),
        ("ann/2", "ann/3", "bob/1", "ann/4", "ann/1"),
        ("ann/2", "ann/3", "ann/4", "ann/1"),
    ]
    # Rounds 1 and 2 go to bob, then one to ann's second original, and two to her first.
    assert found.original_plays.tolist() == [[2, 1, 2]]
    assert found.registrations.tolist() == [[4, 1]]


def test_an_arm_is_new_again_after_its_plays_and_below_its_mean() -> None:
    one = Market([Agent("ann", [1.0]), Agent("bob", [0.0])])
    turns = function_policy(lambda tally: sorted(tally.arms)[tally.round % 2], name="turns")
    after = Schedule(renewals=[Renew("ann", after=2)])
    found = simulate(one, turns, horizon=12, schedule=after, **GAME)
    # Ann has six plays; the last one is in the last round.
    assert found.registrations.tolist() == [[1 + 5 // 2, 1]] * 3
    below = Schedule(renewals=[Renew("ann", below=0.5), Renew("bob", below=0.5)])
    found = simulate(one, turns, horizon=12, schedule=below, **GAME)
    assert found.registrations.tolist() == [[1, 1 + 6]] * 3


def test_new_arms_are_those_of_our_own_games() -> None:
    """Under any policy, an agent with one arm that is always new has one for each of its plays."""
    schedule = Schedule(churn(MARKET, "ann", every=7, horizon=40).changes, [Renew("bob", after=1)])
    fixed = function_policy(lambda tally: tally.arms[tally.round % len(tally.arms)], name="deal")
    theirs = simulate(MARKET, fixed, horizon=40, schedule=schedule, **GAME)
    ours = simulate(MARKET, "ucb1", horizon=40, schedule=schedule, **GAME)
    assert theirs.registrations[:, 0].tolist() == ours.registrations[:, 0].tolist()
    for found in (ours, theirs):
        new = found.registrations[:, 1] - 1
        assert ((found.plays[:, 1] - 1 <= new) & (new <= found.plays[:, 1])).all()


def least_played(tally: Tally) -> str:
    return min(tally.arms, key=tally.plays.__getitem__)


def by_owner(tally: Tally) -> str:
    owners = sorted({tally.owners[arm] for arm in tally.arms})
    owner = owners[tally.round % len(owners)]
    return next(arm for arm in tally.arms if tally.owners[arm] == owner)


def test_re_registration_is_tried_on_policies_that_take_it() -> None:
    market = Market([Agent("ann", [0.5]), Agent("bob", [0.75])])
    how: dict[str, Any] = {"agent": "ann", "horizon": 100, "seed": 1, "identities": [2]}
    how["budget"] = 200_000
    # The least played arm is the new one: ann has all the rounds but one.
    found = attacks(market, function_policy(least_played), **how)
    by_name = {gain.deviation.name: gain for gain in found.renewals}
    assert found.renewals_verdict == "prone"
    assert by_name["new after every play"].gain.mean > 20
    assert by_name["new after every play"].verdict == "prone"
    found = attacks(market, function_policy(by_owner), **how)
    assert found.renewals_verdict == "unchanged"
    assert len(found.renewals) == 4
    # River's policies have no way to be told of new arms.
    assert attacks(market, "river:UCB(delta=1)", **how).renewals == ()


def test_a_learner_that_breaks_down_is_named() -> None:
    def stubborn(tally: Tally) -> str:
        return "ann/1"

    schedule = Schedule([Retire(4, "ann", 0, count=2)])
    with pytest.raises(ExternalError, match=r"round 4 of repetition 0: .*'ann/1'"):
        simulate(MARKET, function_policy(stubborn), horizon=9, schedule=schedule, **GAME)
