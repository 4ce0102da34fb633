"""From the sums of a scan to records of agents and arms, and how concentrated their plays are."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from copyproof.game import ByName
from copyproof.inspect.groups import Group
from copyproof.inspect.result import Concentration, LoggedAgent, LoggedArm
from copyproof.inspect.scan import Scan
from copyproof.simulation import Interval

NEW = 0.8  # of the plays, after which who comes is a newcomer
_Z = 1.96


def logged_agents(found: Scan, groups: Sequence[Group]) -> ByName[LoggedAgent]:
    """The agents of a log, the most played first."""
    tally = found.tally
    group_of = {arm: place for place, group in enumerate(groups) for arm in group.numbers}
    order = np.lexsort((-tally.plays[: tally.count], tally.owner[: tally.count]))
    _, starts = np.unique(tally.owner[order], return_index=True)
    new = _newcomers_from(found)
    copies: dict[str, int] = {}
    copied: dict[str, int] = {}
    for group in groups:
        for name, count in group.copies.items():
            pairs = zip(group.numbers, group.arms, strict=True)
            members = [number for number, (agent, _) in pairs if agent == name]
            copies[name] = copies.get(name, 0) + count
            copied[name] = copied.get(name, 0) + int(tally.plays[members].sum())
    agents = []
    for own in np.split(order, starts[1:]):
        name = found.agents[tally.owner[own[0]]]
        plays = int(tally.plays[own].sum())
        arms = [
            LoggedArm(
                name,
                found.arms[tally.name[k]],
                int(tally.plays[k]),
                _mean(found, np.array([k])),
                float(tally.first[k]),
                float(tally.last[k]),
                group_of.get(k),
            )
            for k in own.tolist()
        ]
        first = float(tally.first[own].min())
        agents.append(
            LoggedAgent(
                name=name,
                plays=plays,
                share=plays / tally.rows,
                reward=_mean(found, own),
                first=first,
                last=float(tally.last[own].max()),
                newcomer=first >= new,
                copies=copies.get(name, 0),
                copied_share=copied.get(name, 0) / tally.rows,
                arms=ByName(arms),
                group=found.groups.get(name),
            )
        )
    return ByName(sorted(agents, key=lambda agent: -agent.plays))


def _newcomers_from(found: Scan) -> float:
    """The first span of time before which four in five plays were.

    One wrong time stretches the log's time, and hardly moves its plays.
    """
    starts, plays = found.tally.bins.table(len(found.agents))
    before = np.cumsum(plays.sum(axis=1)) - plays.sum(axis=1)
    late = starts[before >= NEW * found.tally.rows]
    return float(late[0]) if len(late) else math.inf


def _mean(found: Scan, arms: NDArray[np.int64]) -> Interval:
    """The mean reward of arms together, with limits of 95 %; the range for one play of a number."""
    tally, scale = found.tally, found.scale
    plays, total = int(tally.plays[arms].sum()), float(tally.total[arms].sum())
    if found.is_binary:
        share = Interval.of_share(round(scale.down(total, plays)), plays)
        return Interval(*(scale.up(one, 1) for one in (share.mean, share.low, share.high)))
    mean = total / plays
    if plays == 1:
        return Interval(mean, scale.low, scale.high)
    squares = float(tally.squares[arms].sum())
    variance = max(squares - plays * mean**2, 0.0) / (plays - 1)
    half = _Z * math.sqrt(variance / plays)
    return Interval(mean, mean - half, mean + half)


def concentration(found: Scan) -> Concentration:
    """How unevenly the plays are spread over agents and arms.

    With n agents that have p_1 ≤ … ≤ p_n plays, Gini's coefficient is
    Σ (2k − n − 1) p_k / (n Σ p_k).
    """
    tally = found.tally
    arms = tally.plays[: tally.count] / tally.rows
    plays = np.bincount(tally.owner[: tally.count], tally.plays[: tally.count])
    agents = np.sort(plays[plays > 0])
    n = len(agents)
    gini = float((2 * np.arange(1, n + 1) - n - 1) @ agents / (n * agents.sum()))
    shares = agents / tally.rows
    return Concentration(float(shares @ shares), float(arms @ arms), gini)


def shares_over_time(
    found: Scan, agents: Sequence[LoggedAgent]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Starts of spans of time, and the agents' shares of plays in each that has any."""
    starts, plays = found.tally.bins.table(len(found.agents))
    place = {name: code for code, name in enumerate(found.agents)}
    plays = plays[:, [place[agent.name] for agent in agents]]
    if len(plays) > 2 and plays[-1].sum() < 0.1 * plays.sum() / len(plays):
        plays[-2] += plays[-1]  # a span that the log ends in has too few to have shares of its own
        starts, plays = starts[:-1], plays[:-1]
    some = plays.sum(axis=1) > 0
    starts, shares = starts[some], plays[some] / plays[some].sum(axis=1, keepdims=True)
    for array in (starts, shares):
        array.flags.writeable = False
    return starts, shares
