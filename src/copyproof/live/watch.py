"""The guard rails of a market, and what has become of them.

``Watch`` is fed with the decisions of a market and with what plays are worth as it becomes known,
and says which rail is left first. What is done about it is the market's business
(``switch``): an event that follows at once.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from copyproof.client.records import RailCrossing, RailStatistics
from copyproof.live.events import Diverged
from copyproof.live.rails import Crossing, Rail, Window
from copyproof.live.records import Unknown
from copyproof.live.registry import Registry


class Watch:
    """Guard rails, and the last one that was left.

    Attributes
    ----------
    fallback : str or None
        The policy to fall back to where no candidate has a share.
    paused : str or None
        Why there are no decisions now; empty if it is for the rail that was left last.
    crossing : Crossing or None
        A rail that was just left; an event about it must come next.
    last : dict or None
        The rail that was left last: ``rail``, ``measured``, ``owner``, ``at``.
    """

    def __init__(self) -> None:
        self._windows: list[Window] = []
        self.fallback: str | None = None
        self.paused: str | None = None
        self.crossing: Crossing | None = None
        self.last: dict[str, Any] | None = None

    @property
    def rails(self) -> list[Rail]:
        """All rails."""
        return [one.rail for one in self._windows]

    @property
    def is_on(self) -> bool:
        """Whether there is anything to look at."""
        return bool(self._windows) or self.paused is not None

    @property
    def is_used(self) -> bool:
        """Whether there is anything to remember."""
        return self.is_on or self.last is not None

    def set_rails(self, rails: Sequence[Rail], fallback: str | None) -> None:
        """Watch other rails from now on."""
        self._windows = [Window(rail) for rail in rails]
        self.fallback = fallback

    def begin(self) -> None:
        """Forget what was seen: from now on it is something else."""
        self._windows = [Window(one.rail) for one in self._windows]
        self.crossing = None

    def add_decisions(
        self,
        owners: Sequence[int],
        newer: Sequence[int] | None,
        first_name: Callable[[int], int],
    ) -> None:
        """Look at decisions, by their agents; those that can be taken back, None if none can.

        Agents are the first names of principals; ``first_name`` gives that of another name.
        """
        for window in self._windows:
            if window.rail.measure == "share":
                seen = owners if window.rail.then == "pause" else newer or ()
                if window.rail.owner is not None:
                    one = first_name(window.rail.owner)
                    seen = [int(owner == one) for owner in seen]
                window.add(seen)

    def add_rewards(self, worth: Sequence[float], newer: Sequence[float] | None) -> None:
        """Look at what plays are worth."""
        for window in self._windows:
            if window.rail.measure == "reward":
                window.add(worth if window.rail.then == "pause" else newer or ())

    def look(self) -> None:
        """See whether a rail is left."""
        for number, window in enumerate(self._windows):
            if window.rail.then == "pause" and self.paused is not None:
                continue
            found = window.crossed()
            if found is not None:
                self.crossing = Crossing(number, *found)
                return

    def statistics(self, registry: Registry) -> tuple[RailStatistics, ...]:
        """Where the rails stand, with the names of today."""
        return tuple(
            RailStatistics(
                **_every(one.rail),
                seen=len(one),
                measured=one.measured()[0],
                agent=_name(registry, one.rail.owner),
            )
            for one in self._windows
        )

    def crossed(self, registry: Registry) -> RailCrossing | None:
        """The rail that was left last, with the names of today."""
        if self.last is None:
            return None
        agent = _name(registry, self.last["owner"])
        rail, measured, at = (self.last[name] for name in ("rail", "measured", "at"))
        return RailCrossing(**_every(Rail.from_dict(rail)), measured=measured, agent=agent, at=at)

    def why_paused(self, registry: Registry) -> str | None:
        """Why there are no decisions, in one line."""
        if self.paused:
            return self.paused
        crossed = self.crossed(registry)
        if self.paused is None or crossed is None:
            return self.paused
        return line_of(crossed)

    def words(self) -> dict[str, Any]:
        """Everything but what the rails have seen, ready for JSON."""
        return {
            "rails": [one.rail.to_dict() for one in self._windows],
            "totals": [one.to_lists()[1] for one in self._windows],
            "fallback": self.fallback,
            "paused": self.paused,
            "last": self.last,
        }

    def export(self) -> dict[str, Any]:
        """What the rails have seen."""
        return {
            f"rails/{n}": np.array(one.to_lists()[0], np.float64)
            for n, one in enumerate(self._windows)
        }

    @classmethod
    def restore(cls, words: dict[str, Any], saved: dict[str, Any]) -> "Watch":
        """Read what ``words`` and ``export`` gave."""
        found = cls()
        found.set_rails([Rail.from_dict(one) for one in words["rails"]], words["fallback"])
        found.paused, found.last = words["paused"], words["last"]
        for n, window in enumerate(found._windows):
            window.load(saved[f"rails/{n}"].tolist(), words["totals"][n])
        return found


def by_number(rails: Sequence[Rail], registry: Registry) -> list[Rail]:
    """Return rails with the numbers of agents in place of their names, as the journal has them."""
    found = []
    for n, rail in enumerate(rails):
        if rail.agent is not None:
            if rail.agent not in registry.agents:
                raise Unknown(f"rails[{n}].agent", rail.agent)
            rail = replace(rail, agent=None, owner=registry.agents[rail.agent])
        found.append(rail)
    return found


def stored_rails(given: Sequence[Mapping[str, Any]], agents: int) -> list[Rail]:
    """Return the rails of a journal of a market that has so many agents."""
    found = [Rail.from_dict(one) for one in given]
    for rail in found:
        if rail.agent is not None or (rail.owner is not None and rail.owner >= agents):
            raise Diverged(f"the journal has a guard rail of an agent that is not there: {rail}")
    return found


def line_of(crossing: RailCrossing) -> str:
    """Say in one line which rail was left, and how.

    Examples
    --------
    >>> print(line_of(RailCrossing("share", 100, 0.5, None, "pause", 0.51, "ann", 0.0)))
    the share of agent 'ann' in the last 100 decisions is 0.51: at_most = 0.5
    """
    if crossing.measure == "share":
        whose = "an agent" if crossing.agent is None else f"agent {crossing.agent!r}"
        what = f"the share of {whose} in the last {crossing.last} decisions"
    else:
        what = f"the mean reward of the last {crossing.last} plays"
    limits = {"at_most": crossing.at_most, "at_least": crossing.at_least}
    said = ", ".join(f"{name} = {value:g}" for name, value in limits.items() if value is not None)
    return f"{what} is {crossing.measured:g}: {said}"


def _name(registry: Registry, agent: int | None) -> str | None:
    return None if agent is None else registry.agent_names[agent]


def _every(rail: Rail) -> dict[str, Any]:
    """All fields of a rail, but whose share it looks at."""
    names = ("measure", "last", "at_most", "at_least", "then")
    return {name: getattr(rail, name) for name in names}
