"""``drill``: play scenarios with and without the attack, and say what it gains.

Both games of a pair have the same luck. All limits of one policy hold together.
"""

import multiprocessing
import os
import threading
import time
import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TypeAlias

from copyproof._machine import processors
from copyproof._progress import Progress, shown
from copyproof.defaults import CONFIDENCE, DRILL_GAMES
from copyproof.drills.catalogue import SCENARIOS
from copyproof.drills.gains import Drill, Played, gain_of
from copyproof.drills.live_game import LiveGame
from copyproof.drills.scenario import Scenario, Setting, with_memory
from copyproof.policy import Policy, parse_policy
from copyproof.validation import known, require, whole_in

_MOST_GAMES = 10**6


def named(names: Sequence[str] | None) -> tuple[Scenario, ...]:
    """Scenarios by their names; all if none is given."""
    for one in names or ():
        known("scenario", one, [scenario.name for scenario in SCENARIOS])
    return tuple(one for one in SCENARIOS if not names or one.name in names)


def drill(
    policy: Policy | str,
    *,
    scenarios: Sequence[str] | None = None,
    games: int = DRILL_GAMES,
    seed: int = 0,
    confidence: float = CONFIDENCE,
    workers: int | None = None,
    progress: Progress = None,
) -> Drill:
    """Play scenarios on the live principal, with and without the attack.

    Parameters
    ----------
    policy : Policy or str
        Who decides.
    scenarios : sequence of str, optional
        Their names; all if not given.
    games : int
        Pairs of games for each setting; fewer than 16 give no limits.
    seed : int
        Equal seeds share their luck.
    confidence : float
        With which all limits hold together.
    workers : int, optional
        Processes; as many as there are processors if not given. No effect on the result.
    progress : bool or callable, optional
        True shows a bar; a function is told how many games have been played so far.

    Examples
    --------
    >>> found = drill("h-ucb", scenarios=["slates"], games=1, workers=1)
    >>> [(one.setting, one.verdict) for one in found.gains]
    [('no limit', 'undecided'), ('one of an agent', 'unchanged')]
    """
    parsed = parse_policy(policy) if isinstance(policy, str) else policy
    games = whole_in("games", games, 1, _MOST_GAMES)
    seed = whole_in("seed", seed, 0, 2**31)
    require(0 < confidence < 1, "confidence", confidence, "between 0 and 1")
    wanted = [one for one in named(scenarios) if one.settings_for(parsed)]
    began = time.perf_counter()
    tasks = [(str(parsed), one.name, (seed << 32) + n) for one in wanted for n in range(games)]
    pairs: dict[tuple[str, int], list[tuple[Played, Played]]] = {}
    done = 0
    with shown(progress, games * games_of(parsed, scenarios)) as tell:
        for (_, name, _), (found, played) in zip(tasks, _played(tasks, workers), strict=True):
            for number, pair in enumerate(found):
                pairs.setdefault((name, number), []).append(pair)
            done += played
            if tell is not None:
                tell(done)
    alpha = (1 - confidence) / max(1, len(pairs))
    gains = tuple(
        gain_of(scenario, setting, pairs[scenario.name, number], alpha)
        for scenario in wanted
        for number, setting in enumerate(scenario.settings_for(parsed))
    )
    return Drill(str(parsed), games, seed, confidence, gains, time.perf_counter() - began)


def games_of(policy: Policy, scenarios: Sequence[str] | None) -> int:
    """How many games a drill plays for each of ``games``."""
    settings = [one.settings_for(policy) for one in named(scenarios)]
    return sum(len(some) + len({_alike(one) for one in some}) for some in settings)


def _alike(setting: Setting) -> str:
    """A text that settings share which are the same game without the attack."""
    return setting.name if setting.like is None else setting.like


# A policy, a scenario, and the luck of a game.
_Task: TypeAlias = tuple[str, str, int]
# Of each setting, the game without the attack and the one with it; and how many games were played.
_Found: TypeAlias = tuple[list[tuple[Played, Played]], int]


def _played(tasks: Sequence[_Task], workers: int | None) -> Iterator[_Found]:
    """Play scenarios, in their order."""
    count = processors() if workers is None else whole_in("workers", workers, 1, 1024)
    count = min(count, len(tasks))
    if count <= 1:
        yield from map(_play_settings, tasks)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(count, context, initializer=_end_with, initargs=(os.getpid(),)) as all:
        yield from all.map(_play_settings, tasks)


def _end_with(parent: int) -> None:
    """Have this process end when its parent has."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _play_settings(task: _Task) -> _Found:
    """Play all settings of a scenario once, with the attack and without."""
    text, name, seed = task
    [scenario] = named([name])
    policy = parse_policy(text)
    without: dict[str, Played] = {}
    pairs = []
    for setting in scenario.settings_for(policy):
        alike = _alike(setting)
        if alike not in without:
            without[alike] = _play(scenario, setting, policy, seed, attacks=False)
        attacking = _play(scenario, setting, policy, seed, attacks=True)
        pairs.append((without[alike], attacking))
    return pairs, len(pairs) + len(without)


def _play(
    scenario: Scenario, setting: Setting, policy: Policy, seed: int, *, attacks: bool
) -> Played:
    if setting.memory is not None and (attacks or scenario.toggled == "attack"):
        policy = with_memory(policy, setting.memory) or policy
    game = LiveGame(
        str(policy), seed, attacks=attacks, horizon=setting.decisions, config=setting.config
    )
    setting.play(game)
    first, last = setting.counted or (0, len(game.path))
    mine = [
        reward
        for agent, reward in zip(game.path[first:last], game.rewards[first:last], strict=True)
        if scenario.agent is None or agent == scenario.agent
    ]
    return Played(
        sum(mine),
        len(mine),
        len(mine) / (last - first),
        sum(game.rewards[first:]),
        sum(game.missed[first:]),
        zlib.crc32("\n".join(game.path).encode()),
    )
