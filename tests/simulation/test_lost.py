"""Lost games: the one definition, on curves made by hand and on games that were played."""

import math

import numpy as np
import pytest

from copyproof import Agent, ListPrior, Market, Retire, Schedule, UniformPrior, simulate
from copyproof.simulation import LostGames, gap_to_rivals, last_tenth, lost_games
from copyproof.simulation.lost import gaps_to_rivals

HIDDEN_NEEDLE = Market([Agent("a", [0.9, 0.1], copies=[1, 199]), Agent("b", [0.8])])


@pytest.mark.parametrize(
    ("rows", "gap"),
    [
        ([[0.9, 0.1], [0.7], [0.5]], 0.2),
        ([[0.9], [0.9, 0.1], [0.5]], 0.4),  # both best agents must be given up
        ([[0.9], [0.9]], math.inf),
        ([[0.9]], math.inf),
    ],
)
def test_the_gap_is_to_the_best_rival(rows: list[list[float]], gap: float) -> None:
    market = Market([Agent(f"agent {k}", means) for k, means in enumerate(rows)])
    assert gap_to_rivals(market) == pytest.approx(gap)


def test_what_a_rival_does_not_register_cannot_be_played() -> None:
    market = Market([Agent("a", [0.9]), Agent("b", [0.8, 0.3], copies=[0, 1])])
    assert gap_to_rivals(market) == pytest.approx(0.6)


def test_half_the_gap_a_round_is_lost_and_less_is_not() -> None:
    curves = np.array([[7.0, 7.0 + 4.875], [7.0, 7.0 + 5.0], [7.0, 7.0 + 10.0]])
    rounds = np.array([900, 1000])
    assert lost_games(rounds, curves, 0.1).tolist() == [False, True, True]  # type: ignore[union-attr]
    own = lost_games(rounds, curves, np.array([0.05, 0.2, math.inf]))
    assert own is not None
    assert own.tolist() == [True, False, False]


def test_unknown_without_the_regret_before_the_last_tenth() -> None:
    assert lost_games(np.array([500, 1000]), np.zeros((2, 2)), 0.1) is None
    result = simulate(HIDDEN_NEEDLE, "h-ucb", horizon=100, repetitions=2, seed=1, checkpoints=1)
    assert result.lost is None
    assert result.to_dict()["lost"] is None


@pytest.mark.parametrize("horizon", [1, 2, 9, 95, 999, 1234])
def test_the_usual_checkpoints_know(horizon: int) -> None:
    result = simulate(HIDDEN_NEEDLE, "s-ucb", horizon=horizon, repetitions=3, seed=1)
    begin = last_tenth(horizon)
    assert horizon / 10 <= horizon - begin < horizon / 10 + 1
    assert result.lost is not None
    assert result.lost.games == 3


def test_a_policy_that_gives_up_the_best_agent_loses_every_game() -> None:
    result = simulate(HIDDEN_NEEDLE, "h-ucb", horizon=20_000, repetitions=10, seed=1)
    assert result.lost == LostGames(10, 10)
    plain = HIDDEN_NEEDLE.truthful()
    assert simulate(plain, "h-ucb", horizon=20_000, repetitions=10, seed=1).lost == LostGames(0, 10)


def test_a_schedule_changes_the_best_arm() -> None:
    leaves = Schedule([Retire(50, "a", 0, 1)])
    result = simulate(HIDDEN_NEEDLE, "h-ucb", horizon=200, repetitions=2, seed=1, schedule=leaves)
    assert result.lost is None


def test_the_interval_is_wilsons() -> None:
    found = LostGames(0, 1000)
    assert found.interval.low == 0
    assert found.interval.high == pytest.approx(0.0038, abs=1e-4)
    assert found.to_dict() == {"count": 0, "games": 1000, "share": 0.0}


def test_every_game_with_priors_has_a_gap_of_its_own() -> None:
    agents = [Agent("a", [UniformPrior(0, 1), 0.5], copies=[1, 0]), Agent("b", [ListPrior([0.7])])]
    result = simulate(Market(agents), "h-ucb", horizon=200, repetitions=20, seed=1)
    assert result.means is not None
    gaps = gaps_to_rivals(result.market, result.means)
    for gap, means in zip(gaps, result.means, strict=True):
        known = Market([Agent("a", means[:2], copies=[1, 0]), Agent("b", means[2:])])
        assert gap == gap_to_rivals(known)
    assert result.lost is not None
    which = lost_games(result.rounds, result.regret_curves, gaps)
    assert which is not None
    assert result.lost.count == which.sum()
    with pytest.raises(ValueError, match="gap_to_rivals takes known means only"):
        gap_to_rivals(result.market)
