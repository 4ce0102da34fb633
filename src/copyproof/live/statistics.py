"""What a market knows, for people to look at: plays, rewards, shares, and suspected copies."""

import numpy as np

from copyproof.live.copies import suspected
from copyproof.live.market import MarketState
from copyproof.live.records import AgentStatistics, ArmStatistics, Statistics


def statistics_of(market: str, state: MarketState, agent: str | None) -> Statistics:
    """Statistics of all agents, or of one and its arms. Shares are of the whole market."""
    saved = state.arrays()
    agents, arms = saved["agents"].copy(), saved["arms"].copy()
    for rows, past in ((agents, saved["past"]), (arms, saved["past_arms"])):
        for name in ("plays", "answers", "total"):
            rows[name] += past[name]
    plays, revenue = int(agents["plays"].sum()), float(agents["total"].sum())
    chosen = range(len(agents)) if agent is None else [state.agent(agent)]
    names = _Names(state)
    mine = np.arange(len(arms))
    shown: list[ArmStatistics] = []
    if agent is not None:
        mine = np.array(sorted(state.arm_numbers[state.agent(agent)].values()), np.int64)
        in_play = saved["status"] >= 0
        for number in mine.tolist():
            row = arms[number]
            shown.append(
                ArmStatistics(
                    *names[number],
                    registered=state.registered[number],
                    in_play=bool(in_play[number]),
                    plays=int(row["plays"]),
                    answered=int(row["answers"]),
                    pending=int(row["plays"] - row["answers"]),
                    revenue=float(row["total"]),
                )
            )
    listed = tuple(
        AgentStatistics(
            agent=state.agent_names[number],
            suspended=state.suspended[number],
            arms=state.present[number],
            plays=int(agents["plays"][number]),
            answered=int(agents["answers"][number]),
            pending=int(agents["plays"][number] - agents["answers"][number]),
            revenue=float(agents["total"][number]),
            play_share=float(agents["plays"][number]) / plays if plays else 0.0,
            revenue_share=float(agents["total"][number]) / revenue if revenue else 0.0,
        )
        for number in chosen
    )
    return Statistics(
        market=market,
        policy=str(state.machine.policy),
        round=state.machine.round,
        plays=sum(one.plays for one in listed),
        answered=sum(one.answered for one in listed),
        pending=sum(one.pending for one in listed),
        revenue=sum(one.revenue for one in listed),
        agents=listed,
        arms=tuple(shown),
        suspected=suspected(saved["history"], saved["prints"], names, mine),
    )


class _Names:
    """(agent, arm) by the arm's number."""

    def __init__(self, state: MarketState) -> None:
        self._state = state

    def __getitem__(self, arm: int) -> tuple[str, str]:
        state = self._state
        return state.agent_names[state.arm_owner[arm]], state.arm_names[arm]
