"""``drill``: play scenarios with and without the attack, and say what it gains.

A gain is the mean of paired differences of the attacker's revenue, with the limits that the audit
has for large samples (``auditing.limits``): all limits of one policy hold together. An attack is

- *unchanged* if no decision and no reward of any pair of games differs,
- *prone* if the lower limit of its gain is above 0: it pays,
- *no-gain* if the upper limit is at most a hundredth of the revenue without it,
- *undecided* otherwise.
"""

import math
import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from copyproof._machine import processors
from copyproof.auditing.limits import LEAST_GAMES, large_sample_limits, unseen
from copyproof.auditing.unseen_events import revenue_of_event
from copyproof.defaults import CONFIDENCE, DRILL_GAMES
from copyproof.drills.catalogue import SCENARIOS
from copyproof.drills.live_game import LiveGame
from copyproof.drills.scenario import Scenario, Setting
from copyproof.game import Agent, Constant
from copyproof.policy import Policy, parse_policy
from copyproof.simulation import Interval
from copyproof.validation import known, require, whole_in

DrillVerdict: TypeAlias = Literal["unchanged", "prone", "no-gain", "undecided"]

# Of the revenue without the attack: a gain that counts as none.
TOLERANCE = 0.01
# Games that a process plays before it hands them over.
_BATCH = 4
_MOST_GAMES = 10**6


class Played(NamedTuple):
    """What the attacker got in one game, and all of them together."""

    revenue: float
    share: float  # of the decisions
    total: float
    path: int  # a hash of who was shown, in order


@dataclass(frozen=True, slots=True)
class Side:
    """Means over games: the attacker's revenue, its share of the decisions, revenue of all."""

    revenue: float
    share: float
    total: float


@dataclass(frozen=True, slots=True)
class ScenarioGain:
    """What an attack gains under one setting.

    Attributes
    ----------
    scenario, setting, is_old
        What was played.
    without, attacking : Side
        What came of it.
    gain : Interval
        Of the attacker's revenue.
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
    text = str(parse_policy(policy) if isinstance(policy, str) else policy)
    games = whole_in("games", games, 1, _MOST_GAMES)
    seed = whole_in("seed", seed, 0, 2**31)
    require(0 < confidence < 1, "confidence", confidence, "between 0 and 1")
    wanted = named(scenarios)
    lines = [(scenario, number) for scenario in wanted for number in range(len(scenario.settings))]
    began = time.perf_counter()
    batches = [
        (text, scenario.name, number, seed, range(first, min(first + _BATCH, games)))
        for scenario, number in lines
        for first in range(0, games, _BATCH)
    ]
    pairs: dict[tuple[str, int], list[tuple[Played, Played]]] = {}
    done = 0
    for (_, name, number, _, _), found in zip(batches, _played(batches, workers), strict=True):
        pairs.setdefault((name, number), []).extend(found)
        done += 2 * len(found)
        if progress is not None:
            progress(done)
    alpha = (1 - confidence) / len(lines)
    gains = tuple(
        _gain(scenario, scenario.settings[number], pairs[scenario.name, number], alpha)
        for scenario, number in lines
    )
    return Drill(text, games, seed, confidence, gains, time.perf_counter() - began)


_Batch: TypeAlias = tuple[str, str, int, int, range]


def _played(
    batches: Sequence[_Batch], workers: int | None
) -> Iterator[list[tuple[Played, Played]]]:
    """Play batches of pairs of games, in their order."""
    count = processors() if workers is None else whole_in("workers", workers, 1, 1024)
    count = min(count, len(batches))
    if count == 1:
        yield from map(_play_batch, batches)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(count, context, initializer=_end_with, initargs=(os.getpid(),)) as all:
        yield from all.map(_play_batch, batches)


def _end_with(parent: int) -> None:
    """Have this process end when its parent has."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _play_batch(batch: _Batch) -> list[tuple[Played, Played]]:
    policy, name, number, seed, games = batch
    [scenario] = named([name])
    setting = scenario.settings[number]
    pairs = []
    for n in games:
        luck = (seed << 32) + n
        without, attacking = (
            _play(scenario.agent, setting, policy, luck, attacks) for attacks in (False, True)
        )
        pairs.append((without, attacking))
    return pairs


def _play(agent: str, setting: Setting, policy: str, seed: int, attacks: bool) -> Played:
    game = LiveGame(policy, seed, attacks=attacks, horizon=setting.decisions, config=setting.config)
    setting.play(game)
    share = game.plays[agent] / len(game.path)
    path = hash(tuple(map(list(game.plays).index, game.path)))
    return Played(game.revenue[agent], share, sum(game.revenue.values()), path)


def _gain(
    scenario: Scenario, setting: Setting, pairs: Sequence[tuple[Played, Played]], alpha: float
) -> ScenarioGain:
    values = np.array([attacking.revenue - without.revenue for without, attacking in pairs])
    sides = [np.array([pair[side][:3] for pair in pairs]).mean(axis=0).tolist() for side in (0, 1)]
    without, attacking = (Side(*side) for side in sides)
    changed = sum(one != other for one, other in pairs)
    # What the attacker may earn on average over the games of an event that no game has shown.
    agent, chance = Agent(scenario.agent, [scenario.mean]), unseen(len(pairs), alpha)
    most = min(setting.most, revenue_of_event(agent, Constant(), setting.most, chance)[1])
    gain = large_sample_limits(values, alpha, least=-most, most=most)
    verdict: DrillVerdict = "undecided"
    if changed == 0:
        verdict = "unchanged"
    elif len(pairs) >= LEAST_GAMES and gain.low > 0:
        verdict = "prone"
    elif gain.high <= TOLERANCE * without.revenue:
        verdict = "no-gain"
    return ScenarioGain(
        scenario.name,
        setting.name,
        setting.is_old,
        without,
        attacking,
        gain,
        float(values.max()),
        changed,
        len(pairs),
        verdict,
    )
