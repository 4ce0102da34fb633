"""Late rewards, sleep and churn paid under the old settings, and do not now."""

import numpy as np
import pytest

from copyproof.drills import LiveGame, ScenarioGain, drill
from copyproof.drills import run as module
from copyproof.drills.late import LATE, TIMES, Telling, Visitors
from copyproof.simulation import t_quantile
from tests.drills.limits import check_no_gain

POLICIES = ["trial-anytime", "h-ucb"]


@pytest.mark.parametrize("telling", ["at once", "clicks", "late"])
def test_what_is_told(telling: Telling) -> None:
    game = LiveGame("h-ucb", 1, attacks=False, horizon=1, config={"reward_window": 2000.0})
    game.register("ann", 0.3)
    game.register("bob", 0.2)
    Visitors(game, telling).come(3000)
    game.state.settle()
    clicks = int(sum(game.rewards[:3000]))
    told = int((game.state.export()["log"]["told"] == 1).sum())
    match telling:
        case "at once":
            assert (told, game.state.pending) == (2000, 0)  # what the window holds
        case "clicks":
            assert game.state.pending == 2000 - sum(game.rewards[1000:])
            assert clicks > 600
        case "late":
            assert (game.state.pending, told) == (1990, 10)
    assert len(game.path) == game.now == 3000


def by_setting(policy: str, scenario: str, games: int = 1) -> dict[tuple[str, bool], ScenarioGain]:
    found = drill(policy, scenarios=[scenario], games=games, seed=1, workers=1)
    return {(one.setting, one.is_old): one for one in found.gains}


@pytest.mark.parametrize("policy", POLICIES)
def test_a_newcomer_gains_nothing_by_lateness(policy: str) -> None:
    found = by_setting(policy, "late")
    clicks, late = "only clicks told", "told a window late"
    for how in (clicks, late):
        old = found[how, True]
        if policy != "trial-anytime":  # a newcomer's trial is half of this game in any case
            assert old.attacking.share > 1.4 * old.without.share
        assert old.attacking.regret > 1.1 * old.without.regret
    assert found[clicks, False].verdict == "unchanged"
    now = found[late, False]
    assert now.attacking.share <= 1.5 * now.without.share
    assert now.attacking.total > 0.95 * now.without.total


@pytest.mark.slow
@pytest.mark.parametrize("policy", POLICIES)
def test_lateness_is_decided_to_cost_little(policy: str) -> None:
    """One-sided limits of 40 games, on either side of what is asked for."""
    games = 40
    number = [(one.name, one.is_old) for one in LATE.settings].index(("told a window late", False))
    pairs = [module._play_settings((policy, "late", seed))[0][number] for seed in range(games)]
    share = np.array([late.share - 1.5 * once.share for once, late in pairs])
    total = np.array([late.total - 0.95 * once.total for once, late in pairs])
    wide = t_quantile(0.05, games - 1) / np.sqrt(games)
    assert share.mean() + wide * share.std(ddof=1) < 0
    assert total.mean() - wide * total.std(ddof=1) > 0


def test_a_good_arm_is_found_where_visitors_come_ten_at_a_time() -> None:
    """Of a play that waits nobody knows yet whether it has failed."""
    lost = 0
    for seed in range(20):
        game = LiveGame("trial-anytime", seed, attacks=False, horizon=1, config={})
        for mean, copies in ((0.9, 10), (0.2, 100), (0.1, 100)):
            game.register("replicator", mean, copies=copies)
        game.register("rival", 0.8)
        for _ in range(1000):
            game.show(10)
        lost += game.path[-1000:].count("rival") > 500
    assert lost <= 1


def test_sleep_does_not_pay() -> None:
    found = by_setting("trial-anytime", "sleep")
    assert len(found) == 1 + len(TIMES) == 21
    old = found["990 to 5,000", True]
    assert old.attacking.share > 1.2 * old.without.share
    for (_, is_old), one in found.items():
        assert is_old or one.attacking.share < one.without.share + 0.015, one


@pytest.mark.slow
@pytest.mark.parametrize("policy", POLICIES)
def test_no_time_of_sleep_pays(policy: str) -> None:
    """Of 20 times none gains by more than chance, by limits that hold together."""
    games = 40
    played = [module._play_settings((policy, "sleep", seed))[0][1:] for seed in range(games)]
    gains = np.array([[away.share - stays.share for stays, away in one] for one in played])
    wide = t_quantile(0.05 / len(TIMES), games - 1) / np.sqrt(games)
    assert (gains.mean(axis=0) - wide * gains.std(axis=0, ddof=1) <= 0).all()
    assert gains.mean(axis=0).max() < 0.005


def test_churn_does_not_pay() -> None:
    for (name, _), one in by_setting("trial-anytime", "churn", games=4).items():
        if name.startswith("new arms"):
            assert one.verdict == "unchanged"
        else:  # in plays, of which the agent has some 1,900
            assert one.gain.mean < 2.5 * one.error


@pytest.mark.slow
def test_being_away_now_and_then_is_decided_not_to_pay() -> None:
    check_no_gain("trial-anytime", "churn", ["away, at once", "away, late"], most=0.02)
