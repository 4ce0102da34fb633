"""What pairs of games come to: a gain with its limits, and a verdict.

A gain is the mean of paired differences of the attacker's revenue, or plays, with the limits that
the audit has for large samples (``auditing.limits``). An attack is

- *unchanged* if no decision and no reward of any pair of games differs,
- *prone* if the lower limit of its gain is above 0: it pays,
- *no-gain* if the upper limit is at most a hundredth of what there is without it,
- *undecided* otherwise.

Of the regret it is what is saved that is the gain; it *saves* if the lower limit is above 0, and
*costs* if the upper one is below 0.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from copyproof.auditing.limits import large_sample_limits, unseen
from copyproof.auditing.unseen_events import revenue_of_event
from copyproof.drills.scenario import Measure, Scenario, Setting
from copyproof.game import Agent, Constant
from copyproof.simulation import Interval

DrillVerdict: TypeAlias = Literal["unchanged", "prone", "no-gain", "saves", "costs", "undecided"]

# Of what there is without the attack: a gain that counts as none.
TOLERANCE = 0.01


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
    scenario, setting, is_old, pays, measure
        What was played, whether that is how things were or is known to pay today, and what is
        measured.
    without, attacking : Side
        What came of it.
    gain : Interval
        Of the attacker's revenue, or plays; or what is saved of the regret. Its limits allow for
        events that no game has shown.
    error : float
        The standard error of the gain; 0 of one game.
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
    pays: bool
    measure: Measure
    without: Side
    attacking: Side
    gain: Interval
    error: float
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


def gain_of(
    scenario: Scenario, setting: Setting, pairs: Sequence[tuple[Played, Played]], alpha: float
) -> ScenarioGain:
    """What the pairs of games under one setting come to, with limits that miss with chance α."""
    sides = [np.array([pair[side][:5] for pair in pairs]) for side in (0, 1)]
    measured = [side[:, Played._fields.index(scenario.measure)] for side in sides]
    without, attacking = (_side(*both) for both in zip(sides, measured, strict=True))
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
        setting.pays,
        scenario.measure,
        without,
        attacking,
        gain,
        float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else 0.0,
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


def _side(games: NDArray[np.float64], measured: NDArray[np.float64]) -> Side:
    revenue, plays, share, total, regret = games.mean(axis=0).tolist()
    return Side(revenue, plays, share, total, regret, float(measured.max()))
