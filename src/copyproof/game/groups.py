"""Groups: several names that are bound to one principal, and the market that policies then see.

A *group* is what an operator knows of who stands behind the agents' names. Every group, and every
agent that is bound to none, is one **principal**. Policies run on the *quotient*: the market whose
agents are the principals. A group is one agent there, with all originals of its members in
registration order (member by member, as the market lists them, and arm by arm), at the place of its
first member, and with the members' utility U, which is one and the same.

So a group has one index, one clock, one sample of its arms and one stream of luck: the k-th play of
the principal meets the uniform u_{i,k}, where i is the principal's position in the quotient and k
counts the plays of all its names together. m names that are bound therefore earn, on every path,
what one name with all their arms would; and the theorems about agents speak of principals.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copyproof._kept import kept_by_identity
from copyproof.game.agent import Agent
from copyproof.game.market import Market
from copyproof.game.schedule import Schedule
from copyproof.validation import FieldError, shown


@dataclass(frozen=True, slots=True)
class Quotient:
    """The market of the principals, and where each of its parts comes from.

    Attributes
    ----------
    named, market : Market
        The market of the agents, as given, and that of the principals.
    members : tuple of tuples of int
        For each principal, the positions of its agents in the given market.
    originals : tuple of int
        For each original of the quotient, all in a row, its place among the given market's.
    """

    named: Market
    market: Market
    members: tuple[tuple[int, ...], ...]
    originals: tuple[int, ...]

    @property
    def is_trivial(self) -> bool:
        """Whether every agent is a principal of its own."""
        return self.market is self.named

    @property
    def earners(self) -> tuple[int, ...]:
        """For each original of the quotient, the agent of the given market that owns it."""
        agents = self.named.agents
        return tuple(
            agent for members in self.members for agent in members for _ in agents[agent].arms
        )

    def by_name(self, columns: NDArray[Any]) -> NDArray[Any]:
        """Columns for the originals of the quotient, in the order of the given market's."""
        if self.is_trivial:
            return columns
        found = columns[:, np.argsort(self.originals)]
        found.flags.writeable = columns.flags.writeable
        return found

    def schedule(self, given: Schedule | None) -> Schedule | None:
        """The schedule as the quotient has it: a member's arms are those of its principal."""
        if given is None or self.is_trivial:
            return given
        places = {
            self.named.names[agent]: (self.market.names[place], offset)
            for place, members in enumerate(self.members)
            for agent, offset in zip(members, self._offsets(members), strict=True)
        }
        for k, renewal in enumerate(given.renewals):
            if self.named.agent(renewal.agent).group is not None:
                said = (
                    f"= {shown(renewal.agent)} is bound to a group, whose arms are renewed as one"
                )
                field = f"renewals[{k}].agent"
                raise FieldError(field, renewal.agent, "an agent that is bound to no group", said)
        changes = []
        for k, change in enumerate(given.changes):
            agent = self.named.agent(change.agent)
            if change.original >= len(agent.arms):
                field = f"changes[{k}].original"
                raise FieldError(field, change.original, f"below {len(agent.arms)}")
            principal, offset = places[change.agent]
            changes.append(replace(change, agent=principal, original=offset + change.original))
        return Schedule(changes, given.renewals)

    def _offsets(self, members: Sequence[int]) -> list[int]:
        """The number of the first original of each member among its principal's."""
        found = [0]
        for agent in members:
            found.append(found[-1] + len(self.named.agents[agent].arms))
        return found[:-1]


@kept_by_identity
def quotient(market: Market) -> Quotient:
    """Return the market of the principals; the given market itself where no agent is bound.

    Examples
    --------
    >>> market = Market([Agent("ann", [0.5]), Agent("bob", [0.9]), Agent("anna", [0.5, 0.2])])
    >>> found = quotient(market.bind(["ann", "anna"], "ann & co"))
    >>> found.market.names, found.members, found.originals
    (('ann & co', 'bob'), ((0, 2), (1,)), (0, 2, 3, 1))
    >>> found.market["ann & co"].copies
    (1, 1, 1)
    """
    if all(agent.group is None for agent in market.agents):
        alone = tuple((place,) for place in range(len(market.agents)))
        return Quotient(market, market, alone, tuple(range(market.originals)))
    members: dict[tuple[bool, str], list[int]] = {}
    for place, agent in enumerate(market.agents):
        key = (False, agent.name) if agent.group is None else (True, agent.group)
        members.setdefault(key, []).append(place)
    firsts = [0]
    for agent in market.agents:
        firsts.append(firsts[-1] + len(agent.arms))
    positions = tuple(tuple(places) for places in members.values())
    originals = tuple(
        original
        for places in positions
        for place in places
        for original in range(firsts[place], firsts[place + 1])
    )
    principals = [
        market.agents[places[0]]
        if not is_group
        else Agent(
            name,
            [arm for place in places for arm in market.agents[place].arms],
            [count for place in places for count in market.agents[place].copies],
            market.agents[places[0]].utility,
        )
        for (is_group, name), places in members.items()
    ]
    found = Market(principals, market.fee, market.discount)
    return Quotient(
        market, found.named(market.name) if market.name else found, positions, originals
    )


def principal_of(market: Market, name: str) -> str:
    """Return the principal that a name stands for: an agent, an agent's group, or a group.

    Examples
    --------
    >>> market = Market([Agent("ann", [0.5]), Agent("bob", [0.9])]).bind(["ann"], "ann & co")
    >>> [principal_of(market, name) for name in ("ann", "bob", "ann & co")]
    ['ann & co', 'bob', 'ann & co']
    """
    if name in market.groups:
        return name
    return market.agent(name).group or name
