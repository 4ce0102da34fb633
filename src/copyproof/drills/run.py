"""``drill``: play scenarios with and without the attack, and say what it gains.

A gain is the mean of paired differences of the attacker's revenue, or plays, with the limits that
the audit has for large samples (``auditing.limits``): all limits of one policy hold together. An
attack is

- *unchanged* if no decision and no reward of any pair of games differs,
- *prone* if the lower limit of its gain is above 0: it pays,
- *no-gain* if the upper limit is at most a hundredth of what there is without it,
- *undecided* otherwise.

Of the regret it is what is saved that is the gain; it *saves* if the lower limit is above 0, and
*costs* if the upper one is below 0.
"""

import math
import multiprocessing
import os
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from copyproof._machine import processors
from copyproof.auditing.limits import large_sample_limits, unseen
from copyproof.auditing.unseen_events import revenue_of_event
from copyproof.defaults import CONFIDENCE, DRILL_GAMES
from copyproof.drills.catalogue import SCENARIOS
from copyproof.drills.live_game import LiveGame
from copyproof.drills.scenario import Measure, Scenario, Setting, with_memory
from copyproof.game import Agent, Constant
from copyproof.policy import Policy, parse_policy
from copyproof.simulation import Interval
from copyproof.validation import known, require, whole_in

DrillVerdict: TypeAlias = Literal["unchanged", "prone", "no-gain", "saves", "costs", "undecided"]

# Of what there is without the attack: a gain that counts as none.
TOLERANCE = 0.01
_MOST_GAMES = 10**6


class Played(NamedTuple):
    """What the attacker got in one game, and all of them together."""

    revenue: float
    plays: float
    share: float  # of the decisions that are counted
    total: float
    regret: float
    path: int  # a hash of who was shown, in order


@dataclass(frozen=True, slots=True)
class Side:
    """What came of the games, with the attack or without.

    Attributes
    ----------
    revenue, plays, share : float
        Of the attacker, on average: its share of the decisions that are counted.
    total, regret : float
        Of all agents together, on average.
    most : float
        Of what is measured: the most in one game.
    """

    revenue: float
    plays: float
    share: float
    total: float
    regret: float
    most: float


@dataclass(frozen=True, slots=True)
class ScenarioGain:
    """What an attack gains under one setting.

    Attributes
    ----------
    scenario, setting, is_old, measure
        What was played, and what is measured.
    without, attacking : Side
        What came of it.
    gain : Interval
        Of the attacker's revenue, or plays; or what is saved of the regret.
    largest : float
        The largest gain in one game.
    changed : int
        Pairs of games that differ in anything.
    games : int
        Pairs of games.
    verdict : str
        What it comes to.
    """

    scenario: str
    setting: str
    is_old: bool
    measure: Measure
    without: Side
    attacking: Side
    gain: Interval
    largest: float
    changed: int
    games: int
    verdict: DrillVerdict

    def to_dict(self) -> dict[str, Any]:
        """For JSON; a limit that is not known is null."""
        data = asdict(self)
        data["with"] = data.pop("attacking")
        finite = {k: v if math.isfinite(v) else None for k, v in data["gain"].items()}
        return {**data, "gain": finite}


@dataclass(frozen=True, slots=True)
class Drill:
    """What ``drill`` found for one policy."""

    policy: str
    games: int
    seed: int
    confidence: float
    gains: tuple[ScenarioGain, ...]
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        data = {name: getattr(self, name) for name in ("policy", "games", "seed", "confidence")}
        gains = [one.to_dict() for one in self.gains]
        return {**data, "gains": gains, "seconds": self.seconds}


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
    progress: Callable[[int], None] | None = None,
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
    progress : callable, optional
        Told how many games have been played so far.

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
    for (_, name, _), (found, played) in zip(tasks, _played(tasks, workers), strict=True):
        for number, pair in enumerate(found):
            pairs.setdefault((name, number), []).append(pair)
        done += played
        if progress is not None:
            progress(done)
    alpha = (1 - confidence) / max(1, len(pairs))
    gains = tuple(
        _gain(scenario, setting, pairs[scenario.name, number], alpha)
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


def _gain(
    scenario: Scenario, setting: Setting, pairs: Sequence[tuple[Played, Played]], alpha: float
) -> ScenarioGain:
    sides = [np.array([pair[side][:5] for pair in pairs]) for side in (0, 1)]
    measured = [side[:, Played._fields.index(scenario.measure)] for side in sides]
    without, attacking = (
        Side(*side.mean(axis=0).tolist(), float(values.max()))
        for side, values in zip(sides, measured, strict=True)
    )
    values = measured[1] - measured[0]
    if scenario.measure == "regret":
        values = -values
    most = float(setting.most)
    if scenario.measure == "revenue":
        # What may be earned on average over the games of an event that no game has shown.
        agent, chance = Agent("attacker", [scenario.mean]), unseen(len(pairs), alpha)
        most = min(most, revenue_of_event(agent, Constant(), setting.most, chance)[1])
    gain = large_sample_limits(values, alpha, least=-most, most=most)
    changed = sum(one != other for one, other in pairs)
    return ScenarioGain(
        scenario.name,
        setting.name,
        setting.is_old,
        scenario.measure,
        without,
        attacking,
        gain,
        float(values.max()),
        changed,
        len(pairs),
        _verdict(scenario, gain, changed, float(measured[0].mean())),
    )


def _verdict(scenario: Scenario, gain: Interval, changed: int, without: float) -> DrillVerdict:
    """What a gain comes to; limits of too few games are infinite."""
    if changed == 0:
        return "unchanged"
    if scenario.measure == "regret":
        return "saves" if gain.low > 0 else "costs" if gain.high < 0 else "undecided"
    if gain.low > 0:
        return "prone"
    return "no-gain" if gain.high <= TOLERANCE * without else "undecided"
