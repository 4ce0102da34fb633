"""What a market knows, for people to look at: plays, rewards, shares, and suspected copies.

A ``View`` is taken between two requests and is a copy of no more than it needs, so that the
figures can be worked out on another thread while the market goes on.
"""

from typing import Any

import numpy as np
from copyproof_client.records import AgentStatistics, ArmStatistics, Statistics

from copyproof.engine.live_records import PRINTS
from copyproof.live.duplicates import suspected
from copyproof.live.market import MarketState

_COUNTS = ("plays", "answered", "pending", "revenue")  # of agents and arms alike


class View:
    """A market at one moment: all agents, or one of them with its arms."""

    def __init__(self, market: str, state: MarketState, agent: str | None) -> None:
        arrays, registry = state.arrays, state.registry
        self._market, self._policy, self._round = market, str(state.policy), state.round
        self._registry = registry  # only for names, which never change
        self._one = None if agent is None else registry.agent(agent)
        self._agents = arrays.agent_rows()
        self._suspended, self._present = list(registry.suspended), list(registry.present)
        mine = np.arange(arrays.arms)
        listed = mine[:0]  # arms are shown of one agent only
        if self._one is not None:
            listed = mine = np.array(sorted(registry.arm_numbers[self._one].values()), np.int64)
        self._rows, self._in_play = arrays.arm_rows(listed)
        self._arms = [
            (arm, registry.is_registered(arm), arm in registry.withheld) for arm in listed.tolist()
        ]
        self._pairs = len(mine) * (len(mine) - 1) / 2
        history, prints = arrays.histories(mine)
        told = history["rewards"] >= PRINTS[0]
        self._told, self._history, self._prints = mine[told], history[told], prints[told]

    def statistics(self) -> Statistics:
        """The figures. Shares are of the whole market."""
        plays, revenue = int(self._agents["plays"].sum()), float(self._agents["total"].sum())
        chosen = range(len(self._agents)) if self._one is None else [self._one]
        agents = tuple(self._agent(number, plays, revenue) for number in chosen)
        return Statistics(
            market=self._market,
            policy=self._policy,
            round=self._round,
            **{count: sum(getattr(one, count) for one in agents) for count in _COUNTS},
            agents=agents,
            arms=tuple(map(self._arm, self._arms, self._rows, self._in_play.tolist())),
            suspected=suspected(
                self._history,
                self._prints,
                [self._registry.name_of(arm) for arm in self._told],
                self._pairs,
            ),
        )

    def _agent(self, number: int, plays: int, revenue: float) -> AgentStatistics:
        counts = _counts(self._agents[number])
        return AgentStatistics(
            agent=self._registry.agent_names[number],
            suspended=self._suspended[number],
            arms=self._present[number],
            **counts,
            play_share=counts["plays"] / plays if plays else 0.0,
            revenue_share=counts["revenue"] / revenue if revenue else 0.0,
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


def _counts(row: Any) -> dict[str, Any]:
    total, played, answers = row[["total", "plays", "answers"]].item()
    return dict(zip(_COUNTS, (played, answers, played - answers, total), strict=True))
