"""One agent's silence, lateness and late sign-up do not pay."""

import numpy as np
import pytest

from copyproof.drills import drill
from copyproof.drills.live_game import Play
from tests.drills.epoch_game import EpochGame
from tests.drills.limits import check_no_gain

SAME = ["its zeros never", "on slates of 2", "all late, its zeros never"]


@pytest.mark.parametrize("policy", ["trial-anytime", "h-ucb"])
def test_silence_changes_nothing(policy: str) -> None:
    found = drill(policy, scenarios=["silence"], games=2, seed=1, workers=1)
    by_setting = {one.setting: one for one in found.gains}
    for name in SAME:
        assert by_setting[name].verdict == "unchanged"


def test_lateness_of_one_agent_does_not_pay() -> None:
    found = drill("trial-anytime", scenarios=["silence"], games=6, seed=1, workers=1)
    for one in found.gains:
        if one.setting in ("its ones late", "all of it late"):
            assert one.gain.mean < 0


def test_to_sign_up_late_does_not_pay() -> None:
    found = drill("trial-anytime", scenarios=["sign-up"], games=6, seed=1, workers=1)
    by_setting = {one.setting: one for one in found.gains}
    for after in ("after 1", "after 100"):
        assert by_setting[after].gain.mean < 2.5 * by_setting[after].error
    assert by_setting["after 1000"].gain.mean < 0


@pytest.mark.slow
def test_lateness_of_one_agent_is_decided_not_to_pay() -> None:
    check_no_gain("trial-anytime", "silence", ["its ones late", "all of it late"], most=0.02)


@pytest.mark.slow
def test_signing_up_late_is_decided_not_to_pay() -> None:
    check_no_gain("trial-anytime", "sign-up", ["after 1", "after 100", "after 1000"], most=0.02)


@pytest.mark.parametrize("policy", ["trial-anytime", "h-ucb"])
def test_to_hide_a_fall_by_lateness_pays_where_the_market_is_patient(policy: str) -> None:
    """It is known, and the docs say so: what waits counts as the plays of before did."""
    patient, today = drill(policy, scenarios=["fading"], games=6, seed=1, workers=1).gains
    assert patient.pays
    assert patient.gain.mean > 4 * patient.error
    assert not today.pays
    assert today.largest < 0


@pytest.mark.parametrize("policy", ["trial-anytime", "h-ucb"])
def test_who_alone_is_slow_is_shown_less_unless_the_market_is_patient(policy: str) -> None:
    patient, today = drill(policy, scenarios=["slow"], games=6, seed=1, workers=1).gains
    assert today.gain.mean < patient.gain.mean < 0
    assert patient.attacking.share > 0.5 * patient.without.share


def _earned(policy: str, seed: int, *, attacks: bool) -> list[float]:
    """What an agent has earned after each of 1,500 decisions, of two agents that are told at once.

    It attacks by copies, weaker arms, and by telling its rewards later, or never.
    """
    game = EpochGame(policy, seed, attacks=attacks)
    chance = np.random.default_rng([seed, 9])
    means = chance.uniform(0.1, 0.9, 3)
    others = ("left", "late", "right")
    for agent, mean in zip(others, means, strict=True):
        game.register(agent, mean)
    if attacks:
        game.register("late", means[1], copies=int(chance.integers(3)))
        game.register("late", means[1] * chance.random(), copies=int(chance.integers(5)))
    never, longest = chance.random() * 0.5, chance.integers(1, 600)
    waiting: list[tuple[int, Play]] = []
    for visitor in range(1500):
        [one] = game.decide()
        if not attacks or one.agent != "late":
            game.tell([one])
        elif chance.random() > never:
            waiting.append((visitor + int(chance.integers(longest)), one))
        told = [play for when, play in waiting if when <= visitor]
        waiting = [one for one in waiting if one[0] > visitor]
        if told:
            game.tell(told)
    of_agent = [who == "late" for who in game.path]
    earned: list[float] = np.cumsum(np.array(game.rewards) * of_agent).tolist()
    return earned


@pytest.mark.parametrize(
    "policy", ["trial-anytime", "trial-anytime(memory=200)", "trial-anytime(first=300)", "trial"]
)
def test_no_lateness_pays_on_any_path_where_all_others_are_told_at_once(policy: str) -> None:
    """The pathwise theorem, with rewards of the agent's own that come whenever they will."""
    changed = 0
    for seed in range(12):
        alone, late = (_earned(policy, seed, attacks=attacks) for attacks in (False, True))
        assert all(one >= other for one, other in zip(alone, late, strict=True)), seed
        changed += alone != late
    assert changed > 4
