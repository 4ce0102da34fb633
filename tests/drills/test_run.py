"""Drills: pairs of games share their luck, and gains are judged as they should be."""

import json
from dataclasses import replace

import pytest

from copyproof.drills import SCENARIOS, LiveGame, Setting, drill
from copyproof.drills import run as module
from copyproof.drills.scenario import Scenario
from copyproof.policy import parse_policy


def test_processes_have_no_effect_on_the_result() -> None:
    alone, together = (
        drill("h-ucb", scenarios=["slates"], games=2, seed=3, workers=n) for n in (1, 2)
    )
    assert replace(together, seconds=0.0) == replace(alone, seconds=0.0)
    assert json.loads(json.dumps(alone.to_dict()))["gains"][0]["gain"]["low"] is None


def test_progress_counts_games() -> None:
    told: list[int] = []
    drill("h-ucb", scenarios=["slates"], games=2, workers=1, progress=told.append)
    assert told == [4, 8]  # two settings, with the attack and without


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"scenarios": ["slate"]}, "scenario = 'slate' is not one of slates, .*'slates'"),
        ({"games": 0}, "games = 0 is not a whole number from 1"),
        ({"confidence": 1}, "confidence = 1 is not between 0 and 1"),
        ({"workers": 0}, "workers = 0"),
    ],
)
def test_bad_input_is_one_line(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        drill("h-ucb", **wrong)  # type: ignore[arg-type]


def _in_turn(game: LiveGame) -> None:
    game.register("ann", 0.9 if game.attacks else 0.1)
    game.register("bob", 0.5)
    for n in range(60):
        game.show(eligible=["bob" if n % 2 else "ann"])


def test_plays_and_regret_are_counted_where_the_setting_says() -> None:
    scenario = Scenario("one", "", "bob", 0.5, ())
    policy = parse_policy("h-ucb-t-free")
    every, some = (
        module._play(
            scenario, Setting("", _in_turn, 60, 60, counted=counted), policy, 1, attacks=False
        )
        for counted in (None, (20, 30))
    )
    assert every[1:3] == (30, 0.5)
    assert every.regret == pytest.approx(12.0)
    assert some[1:3] == (5, 0.5)
    assert some.regret == pytest.approx(8.0)
    everyone = module._play(
        replace(scenario, agent=None), Setting("", _in_turn, 60, 60), policy, 1, attacks=True
    )
    assert (everyone.plays, everyone.share) == (60, 1.0)
    assert everyone.revenue == everyone.total
    assert everyone.regret == pytest.approx(12.0)


def test_games_without_the_attack_are_shared_by_settings_that_are_alike() -> None:
    sleep = next(one for one in SCENARIOS if one.name == "sleep")
    trial = parse_policy("trial-anytime")
    assert module.games_of(trial, ["sleep"]) == len(sleep.settings) + 2
    assert module.games_of(trial, ["slates", "bait"]) == 4 + 8
    assert module.games_of(parse_policy("h-ucb"), ["bait", "drift"]) == 2
    assert drill("h-ucb", scenarios=["drift"], games=1, workers=1).gains == ()
