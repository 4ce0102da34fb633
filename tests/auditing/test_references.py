"""A gain by copies is a gain over every strategy without copies, and nothing else is one."""

from typing import Any

import numpy as np
import pytest

from copyproof import Agent, BetaPrior, Empirical, Market, RiskSeeking, audit, simulate
from copyproof.auditing.deviations import Deviation
from copyproof.auditing.trials import DeviationTrial

# A risky arm, and an agent who likes risk: hiding the sure arm pays, and no copies do.
RISKY = Market(
    [
        Agent("ann", [Empirical([0.5]), Empirical([0] * 6 + [1] * 5)], utility=RiskSeeking(6)),
        Agent("bob", [0.6]),
    ]
)
THREE = Market([Agent("ann", [0.85, 0.3]), Agent("bob", [0.6, 0.5]), Agent("cat", [0.75])])


@pytest.mark.parametrize("policy", ["trial", "h-ucb"])
def test_hiding_is_not_called_copying(policy: str) -> None:
    how: dict[str, Any] = {"agent": "ann", "horizon": 40, "seed": 1, "budget": 20_000_000}
    found = audit(RISKY, policy, deviations=[[0, 2], [0, 5]], **how)
    (ann,) = found.agents
    assert found.verdict == "no-gain"
    assert [gain.gain.mean for gain in ann.copying] == [0.0, 0.0]
    shown = ann.without_copies
    assert shown is not None
    assert (shown.copies, shown.verdict) == ((0, 1), "prone")
    said = found.to_dict()["agents"][0]["without_copies"]
    assert (said["copies"], said["verdict"]) == ([0, 1], "gains")
    assert said["low"] == shown.gain.low > 0


def test_copies_are_not_judged_by_their_own_arms_alone() -> None:
    """Copies of the good arm drown the bad one, which the good arm alone does better."""
    how: dict[str, Any] = {"agent": "ann", "horizon": 3000, "seed": 1}
    found = audit(THREE, "h-ucb", deviations=[[10, 1]], **how)
    (gain,) = found.agents[0].copying
    over = {one.copies: one.gain for one in gain.over}
    assert set(over) == {(1, 0), (1, 1)}
    assert over[(1, 1)].mean > 10
    assert gain.gain.mean == over[(1, 0)].mean < -10
    assert found.verdict == "no-gain"


def test_all_that_copies_nothing_is_compared_and_tried() -> None:
    found = audit(THREE, "h-ucb", agent="ann", horizon=50, seed=1, most_copies=2, budget=500_000)
    (ann,) = found.agents
    for gain in ann.copying:
        cut = tuple(min(count, 1) for count in gain.copies)
        compared = {one.copies for one in gain.over}
        assert {(1, 0), (1, 1), (0, 1), cut} == compared
    assert {gain.copies for gain in ann.showing} == {(1, 1), (0, 1)}
    given = audit(THREE, "h-ucb", agent="ann", horizon=50, seed=1, deviations=[[0, 2]])
    assert [gain.copies for gain in given.agents[0].showing] == [(0, 1)]
    frame = given.to_frame()
    assert frame.loc[~frame["copying"], "copies"].tolist() == ["[0, 1]"]


def test_the_gain_is_the_smallest_difference_of_games_with_common_luck() -> None:
    how: dict[str, Any] = {"horizon": 100, "seed": 3}
    found = audit(THREE, "ucb1", agent="bob", deviations=[[4, 2]], budget=40_000, **how)
    (gain,) = found.agents[0].copying
    games = gain.repetitions
    worth = {}
    for copies in [(4, 2), *(one.copies for one in gain.over)]:
        market = THREE.with_profile([(1, 1), copies, (1,)])
        played = simulate(market, "ucb1", repetitions=games, **how)
        worth[copies] = played.revenue[:, 1].mean()
    differences = {one.copies: one.gain.mean for one in gain.over}
    assert differences == pytest.approx(
        {copies: worth[(4, 2)] - worth[copies] for copies in differences}
    )
    assert gain.gain.mean == min(differences.values())


def test_who_knows_only_a_prior_has_no_best_arm_to_be_compared_with() -> None:
    market = Market([Agent("ann", [BetaPrior(1, 1)] * 2), Agent("bob", [0.6])])
    found = audit(market, "h-ucb", agent="ann", horizon=50, seed=1, deviations=[[2, 1]])
    (gain,) = found.agents[0].copying
    assert [one.copies for one in gain.over] == [(1, 1)]


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["h-ucb", "rh-ucb", "prh-ucb", "fair"])
def test_the_usual_budget_decides_a_market_of_three(policy: str) -> None:
    assert audit(THREE, policy, horizon=3000, seed=1).verdict == "no-gain"


def test_two_agents_share_the_rounds_that_there_are() -> None:
    both = THREE.with_profile([(2, 0), (2, 0), (1,)])
    alone = THREE.with_profile([(1, 0), (1, 0), (1,)])
    deviation = Deviation((2, 0, 2, 0), "both")
    trial = DeviationTrial(0, alone, both, deviation, None, partners=(1,))
    assert trial.name == "ann + bob"
    assert trial.strategy(alone) == (1, 0, 1, 0)
    one = DeviationTrial(0, alone, both, deviation, None)
    assert one.gain_range(3000).most == pytest.approx(trial.gain_range(3000).most, rel=0.01)
    games = simulate(both, "ucb1", horizon=50, repetitions=4, seed=1)
    assert np.array_equal(
        trial.worth(games, deviated=True),  # type: ignore[arg-type]  # it has what is needed
        games.revenue[:, :2].sum(axis=1),
    )
