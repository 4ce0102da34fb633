"""The arms of one game of an external policy: which there are, whose they are, who comes and goes.

The j-th arm that agent ``ann`` registers is called ``ann/j``, whichever original it is a copy of;
arms that come during the game are counted on. A learner whose market changes is told so: it has two
more methods, ``retire(arm)`` and ``admit(arm, owner)``.
"""

from dataclasses import dataclass
from typing import Any

from copyproof.external.records import ExternalPolicy
from copyproof.game import Market, Schedule
from copyproof.game.ledger import registrations

# What a learner needs if arms come and go.
METHODS = ("retire", "admit")


def takes_arms(policy: ExternalPolicy) -> bool:
    """Whether a policy's learners have the methods for arms that come and go.

    Examples
    --------
    >>> from copyproof import function_policy, river_policy
    >>> takes_arms(function_policy(min)), takes_arms(river_policy("UCB", delta=1))
    (True, False)
    """
    learner = policy.factory(["a/1", "b/1"], owners={"a/1": "a", "b/1": "b"}, horizon=2, seed=0)
    return all(callable(getattr(learner, method, None)) for method in METHODS)


@dataclass(frozen=True, slots=True)
class ArmChange:
    """One arm joins or leaves before a round; its number is its place among its agent's."""

    round: int
    agent: int
    number: int
    original: int
    joins: bool


@dataclass(frozen=True, slots=True)
class ArmChanges:
    """All that a schedule does to the arms of a market.

    Attributes
    ----------
    changes : tuple of ArmChange
        In the order in which they happen.
    numbered : tuple of int
        How many arms of each agent have a number from the start.
    after, below : tuple
        When each agent renews an arm: after so many plays (0 for never), or below a mean reward.
    """

    changes: tuple[ArmChange, ...]
    numbered: tuple[int, ...]
    after: tuple[int, ...]
    below: tuple[float, ...]


def arm_changes(market: Market, schedule: Schedule, horizon: int) -> ArmChanges:
    """Say which arms come and go in a game of so many rounds.

    Examples
    --------
    >>> from copyproof.game import Agent, churn
    >>> market = Market([Agent("ann", [0.5]), Agent("bob", [0.9])])
    >>> found = arm_changes(market, churn(market, "ann", every=20, horizon=35), 35)
    >>> [(one.round, one.number, one.joins) for one in found.changes]
    [(21, 0, False), (21, 1, True)]
    """
    booked = registrations(market, schedule, horizon)
    originals: list[list[int]] = []
    first = 0
    for agent, later in zip(market.agents, booked.later, strict=True):
        own = [first + k for k, count in enumerate(agent.copies) for _ in range(count)]
        originals.append([*own, *(first + k for k in later)])
        first += len(agent.arms)
    renewals = {one.agent: one for one in schedule.renewals}
    after = [renewals[name].after if name in renewals else None for name in market.names]
    below = [renewals[name].below if name in renewals else None for name in market.names]
    return ArmChanges(
        changes=tuple(
            ArmChange(one.round, one.agent, one.arm, originals[one.agent][one.arm], one.joins)
            for one in booked.changes
        ),
        numbered=tuple(map(len, originals)),
        after=tuple(count or 0 for count in after),
        below=tuple(float("-inf") if mean is None else mean for mean in below),
    )


class Arms:
    """The arms of one game, by name.

    Parameters
    ----------
    names : sequence of str
        The agents.
    registered : mapping
        Of every arm at the start its agent and its original.
    changes : ArmChanges or None
        What happens to them; None if nothing does.
    learner : object
        Is told of it.

    Attributes
    ----------
    places : dict
        Of every registered arm its agent and its original.
    new : list of int
        How many new arms each agent has registered during the game.
    """

    def __init__(
        self,
        names: tuple[str, ...],
        registered: dict[str, tuple[int, int]],
        changes: ArmChanges | None,
        learner: Any,
    ) -> None:
        self.places = dict(registered)
        self.new = [0] * len(names)
        self._names, self._learner, self._plan = names, learner, changes
        self._next = 0
        # Of every arm the plays and rewards since it was registered.
        self._records: dict[str, tuple[int, float]] = {}
        # The name that an arm of a number has now, and the last number of every agent.
        self._slots: dict[tuple[int, int], str] = {}
        self._last = [] if changes is None else list(changes.numbered)
        counts = [0] * len(names)
        for arm, (agent, _) in registered.items():
            self._slots[agent, counts[agent]] = arm
            counts[agent] += 1

    def before(self, t: int) -> None:
        """Make the changes before round t."""
        if self._plan is None:
            return
        changes = self._plan.changes
        while self._next < len(changes) and changes[self._next].round == t:
            self._change(changes[self._next])
            self._next += 1

    def after(self, arm: str, reward: float) -> None:
        """Submit the arm that was just played again as new, if its agent does so."""
        if self._plan is None:
            return
        agent, original = self.places[arm]
        plays, total = self._records.get(arm, (0, 0.0))
        plays, total = plays + 1, total + reward
        self._records[arm] = plays, total
        if 0 < self._plan.after[agent] <= plays or total / plays < self._plan.below[agent]:
            slot = next(slot for slot, name in self._slots.items() if name == arm)
            self._leave(arm)
            self._last[agent] += 1
            self._join(slot, f"{self._names[agent]}/{self._last[agent]}", agent, original)
            self.new[agent] += 1

    def _change(self, change: ArmChange) -> None:
        slot = change.agent, change.number
        if not change.joins:
            self._leave(self._slots[slot])
            return
        if slot not in self._slots:
            self._slots[slot] = f"{self._names[change.agent]}/{change.number + 1}"
            self.new[change.agent] += 1
        self._join(slot, self._slots[slot], change.agent, change.original)

    def _leave(self, arm: str) -> None:
        del self.places[arm]
        self._learner.retire(arm)

    def _join(self, slot: tuple[int, int], arm: str, agent: int, original: int) -> None:
        self._slots[slot] = arm
        self.places[arm] = agent, original
        self._learner.admit(arm, self._names[agent])
