"""A market estimated from a log: agents, their originals with what is known of each, and copies.

Arms of one agent that are copies of each other, by content and with rewards that agree, are one
original, registered as often as there are of them. An arm of another agent that is like it is an
original of that agent's own: content alone merges nobody with anybody. Names that an operator has
bound to one principal, as a journal says, are bound here, too, and policies play the principals.
Means have the posterior of ``rates`` as their prior, so that every game draws them anew.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from copyproof.game import Agent, BetaPrior, Market
from copyproof.inspect.groups import Group
from copyproof.inspect.rates import OWN_SPREAD, Scale, fitted, posterior
from copyproof.inspect.scan import Scan

# Originals from which on an agent's means have a distribution of their own.
LEAST_OWN = 5


@dataclass(frozen=True, slots=True, eq=False)
class EstimatedMarket:
    """The market, and how it follows from the log.

    Attributes
    ----------
    market : Market
        Agents in the order in which they came; originals likewise.
    prior : BetaPrior
        What the means of agents with few originals are drawn from.
    scale : Scale
        How rewards are brought to [0, 1].
    plays : array
        Of each original in the log, agent by agent.
    original : array
        Of each arm of the log, the place of its original among these.
    """

    market: Market
    prior: BetaPrior
    scale: Scale
    plays: NDArray[np.int64]
    original: NDArray[np.int64]


def estimate_market(found: Scan, groups: Sequence[Group], name: str) -> EstimatedMarket:
    """Estimate the market behind a log."""
    tally, count = found.tally, found.tally.count
    first = np.arange(count)  # of the copies that an arm is one of
    for group in groups:
        members = np.array(group.numbers)
        owners = np.array([agent for agent, _ in group.arms])
        for holder in group.holders:
            own = members[owners == holder]
            first[own] = own[0]
    plays = np.bincount(first, tally.plays[:count].astype(float), minlength=count)
    copies = np.bincount(first, minlength=count)
    scale = found.scale
    sums = np.bincount(first, tally.total[:count], minlength=count)
    successes = scale.down(sums, plays)
    if found.is_binary:  # whole numbers, whatever the unit
        successes = np.rint(successes)
    originals = np.flatnonzero(copies)
    ordered = originals[np.argsort(tally.owner[originals], kind="stable")]
    _, starts = np.unique(tally.owner[ordered], return_index=True)
    by_agent = np.split(ordered, starts[1:])
    units: list[NDArray[np.int64]] = []
    for own in by_agent:
        units += [own] if len(own) >= LEAST_OWN else np.split(own, len(own))
    prior = fitted(
        np.array([successes[unit].sum() for unit in units]),
        np.array([plays[unit].sum() for unit in units], float),
    )
    agents = []
    for own in by_agent:
        shared = prior
        if len(own) >= LEAST_OWN:
            shared = fitted(successes[own], plays[own].astype(float), OWN_SPREAD)
        means = [posterior(shared, float(successes[k]), float(plays[k])) for k in own]
        owner = found.agents[tally.owner[own[0]]]
        agents.append(
            Agent(owner, means, copies=copies[own].tolist(), group=found.groups.get(owner))
        )
    market = Market(agents).named(name)
    place = np.zeros(count, np.int64)
    place[ordered] = np.arange(len(ordered))
    return EstimatedMarket(market, prior, scale, plays[ordered].astype(np.int64), place[first])
