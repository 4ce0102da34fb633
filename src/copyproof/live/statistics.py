"""What a market knows, for people to look at: plays, rewards, shares, and suspected copies.

A ``View`` is taken between two requests and is a copy of no more than it needs, so that the
figures can be worked out on another thread while the market goes on.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from copyproof.client.records import (
    AgentStatistics,
    ArmStatistics,
    GroupStatistics,
    Statistics,
    Suspicion,
)
from copyproof.engine.live_records import PRINTS, ROUND
from copyproof.live.duplicates import suspected
from copyproof.live.records import Unknown
from copyproof.live.registry import Registry
from copyproof.live.switch import SwitchState
from copyproof.validation import FieldError

_COUNTS = ("plays", "answered", "pending", "revenue")  # of agents and arms alike


class View:
    """A market at one moment: all agents, or one of them with its arms; or a page of these.

    Parameters
    ----------
    market : str
        Its name.
    state : SwitchState
        What it knows.
    agent : str or None
        The one agent that is looked at.
    after : str or None
        The agent, or the arm, after which the page begins, in order of registration.
    limit : int or None
        The most agents, or arms, on the page; no limit if it is None.
    segment : str or None
        The one segment that is looked at, "" for visitors without one; all of them if it is None.
    """

    def __init__(
        self,
        market: str,
        state: SwitchState,
        agent: str | None,
        after: str | None = None,
        limit: int | None = None,
        segment: str | None = None,
    ) -> None:
        arrays, registry = state.arrays, state.registry
        self._market, self._policy, self._round = market, str(state.policy), state.round
        by_segment = state.games_by_segment
        self._segment = segment
        self._segments = tuple(name for name in by_segment if name) if after is None else ()
        if segment is not None:
            if segment not in by_segment:
                raise Unknown("segment", segment)
            by_segment = {segment: by_segment[segment]}
            self._round = int(by_segment[segment].arrays.counters[ROUND])
        self._registry = registry  # only for names, which never change
        self._limit = limit
        self._switch = _of_switch(state)
        games = list(by_segment.values())
        self._rows = _summed([one.rows_by_name() for one in games])
        if agent is None:
            mine = np.arange(arrays.arms)
            every = np.arange(len(self._rows))
            before = None if after is None else _known("agent", registry.agents, after)
            self._agents, self._next = _page(every, before, limit)
            listed = mine[:0]  # arms are shown of one agent only
        else:
            one = registry.agent(agent)
            numbers = registry.arm_numbers[one]
            mine = np.fromiter(numbers.values(), np.int64, len(numbers))
            before = None if after is None else _known("arm", numbers, after)
            self._agents = np.array([one])
            listed, self._next = _page(mine, before, limit)
        self._is_whole = agent is None
        groups = registry.identities.groups
        self._states = [
            (registry.suspended[n], registry.present[n], groups.get(n))
            for n in self._agents.tolist()
        ]
        self._groups = registry.identities.by_group() if agent is after is None else {}
        rows, in_play = zip(*(one.arrays.arm_rows(listed) for one in games), strict=True)
        self._arm_rows, self._in_play = _summed(rows), np.any(in_play, axis=0)
        self._arms = [
            (arm, registry.is_registered(arm), arm in registry.withheld) for arm in listed.tolist()
        ]
        self._pairs = len(games) * len(mine) * (len(mine) - 1) / 2
        compared = mine if after is None else mine[:0]
        self._told = {
            name: one.arrays.histories(compared, PRINTS[0]) for name, one in by_segment.items()
        }

    def statistics(self) -> Statistics:
        """The figures. Shares are of the whole market."""
        plays, revenue = int(self._rows["plays"].sum()), float(self._rows["total"].sum())
        found = self._suspected()
        following = None
        if self._next:
            names = self._registry.agent_names if self._is_whole else self._registry.arm_names
            following = names[self._agents[-1] if self._is_whole else self._arms[-1][0]]
        return Statistics(
            market=self._market,
            policy=self._policy,
            round=self._round,
            **_sums(self._rows if self._is_whole else self._rows[self._agents]),
            agents=tuple(
                self._agent(number, known, plays, revenue)
                for number, known in zip(self._agents.tolist(), self._states, strict=True)
            ),
            arms=tuple(map(self._arm, self._arms, self._arm_rows, self._in_play.tolist())),
            suspected=tuple(_cut(one, self._limit) for one in found[: self._limit]),
            next=following,
            groups=tuple(
                self._group(group, members, plays, revenue)
                for group, members in self._groups.items()
            ),
            segment=self._segment,
            segments=self._segments,
            **self._switch,
        )

    def _suspected(self) -> list[Suspicion]:
        """Arms that look like copies in some segment, those that agree longest first."""
        found = [
            replace(one, segment=segment or None)
            for segment, (arms, history, prints) in self._told.items()
            for one in suspected(history, prints, _Names(self._registry, arms), self._pairs)
        ]
        return sorted(found, key=lambda one: -one.answers)

    def _agent(
        self, number: int, known: tuple[bool, int, str | None], plays: int, revenue: float
    ) -> AgentStatistics:
        counts = _counts(self._rows[number])
        suspended, present, group = known
        return AgentStatistics(
            agent=self._registry.agent_names[number],
            suspended=suspended,
            arms=present,
            **counts,
            play_share=counts["plays"] / plays if plays else 0.0,
            revenue_share=counts["revenue"] / revenue if revenue else 0.0,
            group=group,
        )

    def _group(
        self, group: str, members: Sequence[int], plays: int, revenue: float
    ) -> GroupStatistics:
        sums = _sums(self._rows[members])
        return GroupStatistics(
            group=group,
            agents=tuple(self._registry.agent_names[number] for number in members),
            **sums,
            play_share=sums["plays"] / plays if plays else 0.0,
            revenue_share=sums["revenue"] / revenue if revenue else 0.0,
        )

    def _arm(self, known: tuple[int, bool, bool], row: Any, in_play: bool) -> ArmStatistics:
        arm, registered, suspended = known
        return ArmStatistics(
            *self._registry.name_of(arm),
            registered=registered,
            suspended=suspended,
            in_play=in_play,
            **_counts(row),
        )


def _summed(rows: Sequence[Any]) -> Any:
    """What all games of a market know together."""
    first = rows[0]
    for more in rows[1:]:
        for name in ("total", "plays", "answers"):
            first[name] += more[name]
    return first


def _counts(row: Any) -> dict[str, Any]:
    total, played, answers = row[["total", "plays", "answers"]].item()
    return dict(zip(_COUNTS, (played, answers, played - answers, total), strict=True))


def _sums(rows: Any) -> dict[str, Any]:
    """Return the counts of all rows together, added up one by one."""
    plays, answers = int(rows["plays"].sum()), int(rows["answers"].sum())
    found = (plays, answers, plays - answers, sum(rows["total"].tolist()))
    return dict(zip(_COUNTS, found, strict=True))


def _known(kind: str, numbers: dict[str, int], name: str) -> int:
    if name not in numbers:
        raise FieldError("after", name, f"the {kind} at the end of a page")
    return numbers[name]


def _page(numbers: Any, before: int | None, limit: int | None) -> tuple[Any, bool]:
    """Return those of rising numbers that come after one, up to a limit; and whether more do."""
    start = 0 if before is None else int(np.searchsorted(numbers, before, side="right"))
    stop = len(numbers) if limit is None else min(start + limit, len(numbers))
    return numbers[start:stop], stop < len(numbers)


def _cut(one: Suspicion, limit: int | None) -> Suspicion:
    """Leave out of a group what is beyond the limit."""
    if limit is None or len(one.arms) <= limit:
        return one
    return replace(one, arms=one.arms[:limit], more=len(one.arms) - limit)


class _Names(Sequence[tuple[str, str]]):
    """Agents and names of some arms, looked up when they are needed."""

    def __init__(self, registry: Registry, arms: Any) -> None:
        self._registry, self._arms = registry, arms

    def __getitem__(self, place: Any) -> Any:
        return self._registry.name_of(self._arms[place])

    def __len__(self) -> int:
        return len(self._arms)


def _of_switch(state: SwitchState) -> dict[str, Any]:
    """Return what is told of the whole market, but for plays: candidate, rails and suspicions."""
    watch, registry = state.watch, state.registry
    found: dict[str, Any] = {"candidate": state.compared()}
    if watch.is_used:
        found |= {"rails": watch.statistics(registry), "crossed": watch.crossed(registry)}
        found["paused"] = watch.why_paused(registry)
    waiting, _ = registry.suspicions()
    found["open_suspicions"] = sum(one.status == "open" for one in waiting)
    return found
