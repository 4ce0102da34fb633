"""A schedule on a market, arm by arm: who joins, who leaves, and when.

Arms have numbers within their agent: first those that the strategy registers, original by original,
then those that come later, in the order of their coming. A retired arm keeps its number, so that
it can come back under it.
"""

from collections import deque
from itertools import groupby, islice
from typing import NamedTuple

from copyproof.game.market import MOST_ARMS, Market
from copyproof.game.schedule import Admit, Retire, Schedule, ScheduledChange
from copyproof.validation import FieldError, require, shown


class Change(NamedTuple):
    """One arm joins or leaves: the round, the agent's position, the arm's number within it."""

    round: int
    agent: int
    arm: int
    joins: bool


class Registrations(NamedTuple):
    """All that a schedule does to one market.

    Attributes
    ----------
    changes : tuple of Change
        In the order in which they happen.
    later : tuple of tuple of int
        Per agent, the originals of the arms that come later, in order.
    most : tuple of int
        The largest number of arms that each agent has at a time.
    most_of_all : int
        The largest number of arms that all have at a time.
    """

    changes: tuple[Change, ...]
    later: tuple[tuple[int, ...], ...]
    most: tuple[int, ...]
    most_of_all: int


def registrations(market: Market, schedule: Schedule, horizon: int) -> Registrations:
    """Say which arms of a market join and leave in a game of ``horizon`` rounds.

    Raises ``ValueError`` where the schedule does not fit the market, and where a round would find
    nobody with an arm.

    Examples
    --------
    >>> from copyproof.game import Agent, churn
    >>> market = Market([Agent("ann", [0.5]), Agent("bob", [0.9])])
    >>> found = registrations(market, churn(market, "ann", every=10, horizon=35), 35)
    >>> [(change.round, change.arm, change.joins) for change in found.changes[:3]]
    [(11, 0, False), (11, 1, True), (21, 1, False)]
    """
    for renewal in schedule.renewals:
        market.agent(renewal.agent)  # raises if there is none
    arms = _RegisteredArms(market)
    numbered = [(event.round, k, event) for k, event in enumerate(schedule.changes)]
    numbered = sorted(one for one in numbered if one[0] <= horizon)
    for round_, events in groupby(numbered, key=lambda one: one[0]):
        for _, k, event in events:
            try:
                arms.apply(event)
            except FieldError as error:
                raise error.within(f"changes[{k}]") from None
        if sum(arms.count) == 0:
            said = f"leave nobody with an arm in round {round_}"
            raise FieldError("changes", round_, "somebody with an arm in every round", said)
    later = tuple(tuple(originals) for originals in arms.later)
    return Registrations(tuple(arms.changes), later, tuple(arms.most), arms.most_of_all)


class _RegisteredArms:
    """Which arms are registered and which retired, while a schedule is gone through."""

    def __init__(self, market: Market) -> None:
        self.market = market
        self.here: list[list[deque[int]]] = []
        for agent in market.agents:
            numbers = iter(range(agent.registered))
            self.here.append([deque(islice(numbers, count)) for count in agent.copies])
        self.gone: list[list[deque[int]]] = [[deque() for _ in agent] for agent in self.here]
        self.changes: list[Change] = []
        self.later: list[list[int]] = [[] for _ in market.agents]
        self.count = [agent.registered for agent in market.agents]
        self.most = list(self.count)
        self.most_of_all = sum(self.count)

    def apply(self, event: ScheduledChange) -> None:
        """Carry out one change, arm by arm."""
        agent = self.market.agent(event.agent)
        place = self.market.agents.index(agent)
        count = len(agent.arms)
        require(event.original < count, "original", event.original, f"below {count}")
        here, gone = self.here[place][event.original], self.gone[place][event.original]
        if isinstance(event, Admit) and event.new:
            ever = self.market.registered + sum(map(len, self.later))
            if ever + event.count > MOST_ARMS:
                said = f"= {event.count} makes more than {MOST_ARMS} arms in all"
                raise FieldError("count", event.count, f"<= {MOST_ARMS - ever}", said)
            first = agent.registered + len(self.later[place])
            arms = deque(range(first, first + event.count))
            self.later[place] += [event.original] * event.count
            source, target = arms, here
        else:
            source, target = (here, gone) if isinstance(event, Retire) else (gone, here)
        if event.count > len(source):
            state = "registered" if isinstance(event, Retire) else "retired"
            said = (
                f"= {event.count}: only {len(source)} arms of original {event.original} of "
                f"{shown(agent.name)} are {state} before round {event.round}"
            )
            raise FieldError("count", event.count, f"<= {len(source)}", said)
        joins = isinstance(event, Admit)
        for _ in range(event.count):
            arm = source.popleft()
            target.append(arm)
            self.changes.append(Change(event.round, place, arm, joins))
        self.count[place] += event.count if joins else -event.count
        self.most[place] = max(self.most[place], self.count[place])
        self.most_of_all = max(self.most_of_all, sum(self.count))
