"""One owner of arms: the originals O_i, and the strategy chosen over them.

A strategy of agent i is a vector of copy counts, one per original: 0 hides it, 1 registers it,
and c > 1 registers c arms with the same distribution (c counts the original). It is chosen once,
before round 1. An agent that registers nothing takes no part in the game.

An agent is *informed* if it knows the means of its arms. One who knows no more than a prior of some
arm is not: which of its arms is the best turns out during the game only. Where the mean of an arm
changes during the game, the agent may know it all the same, but no one arm is its best.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from copyproof.game._fields import set_fields
from copyproof.game.changing import Changing
from copyproof.game.priors import Prior
from copyproof.game.rewards import Reward, as_reward
from copyproof.game.utility import NEUTRAL, RiskAverse, RiskSeeking, Utility
from copyproof.validation import FieldError, items, require, shown, whole
from copyproof.validation import name as checked_name

# Copy counts, one per original arm of an agent.
Strategy: TypeAlias = tuple[int, ...]
# An original: of a known reward distribution; of a mean that is drawn for every game; or of a mean
# that changes during the game.
Arm: TypeAlias = Reward | Prior | Changing


@dataclass(frozen=True, slots=True, init=False)
class Agent:
    """An agent with its original arms and the number of copies it registers of each.

    Parameters
    ----------
    name : str
        One line of text, unique in a market.
    arms : iterable of Reward, Prior, Changing or float
        The originals O_i, at least one; a plain number is a Bernoulli mean.
    copies : iterable of int, optional
        The strategy: arms registered per original. By default each is registered once.
    utility : Utility, optional
        What revenue is worth to the agent; risk-neutral by default.
    group : str, optional
        The principal that this name is bound to, with the others of the same group
        (``game.groups``); by default the agent is a principal of its own.

    Examples
    --------
    >>> ann = Agent("ann", arms=[0.5, 0.2, 0.1], copies=[1000, 1, 0])
    >>> ann.registered
    1001
    >>> ann.best_mean
    0.5
    """

    name: str
    arms: tuple[Arm, ...]
    copies: Strategy
    utility: Utility
    group: str | None

    def __init__(
        self,
        name: str,
        arms: Iterable[Arm | float],
        copies: Iterable[int] | None = None,
        utility: Utility = NEUTRAL,
        group: str | None = None,
    ) -> None:
        name = checked_name("name", name)
        try:
            originals = _originals(arms)
            strategy = (1,) * len(originals) if copies is None else _strategy(copies)
            require(isinstance(utility, Utility), "utility", utility, "a utility record")
            _check_utility(utility, originals)
            group = None if group is None else checked_name("group", group)
            if len(strategy) != len(originals):
                counts = f"{len(strategy)} entries for {len(originals)} arms"
                said = f"has {counts}: one per arm is needed"
                raise FieldError("copies", strategy, "one per arm", said)
        except FieldError as error:
            raise error.noted(f"(agent {shown(name)})") from None
        set_fields(self, name=name, arms=originals, copies=strategy, utility=utility, group=group)

    @property
    def is_informed(self) -> bool:
        """Whether the agent knows its means: no arm has a prior instead."""
        return not any(isinstance(arm, Prior) for arm in self.arms)

    @property
    def has_fixed_means(self) -> bool:
        """Whether the agent knows its means, and none of them changes."""
        return not any(isinstance(arm, Prior | Changing) for arm in self.arms)

    @property
    def knows_best_arm(self) -> bool:
        """Whether one arm is its best, and it knows which: by fixed means, or as it has one arm."""
        return self.has_fixed_means or len(self.arms) == 1

    @property
    def best_mean(self) -> float:
        """The largest mean over the agent's originals, hidden ones included.

        Raises ``FieldError`` for an agent who is not informed, or has a mean that changes.
        """
        return max(self._fixed_means("best mean"))

    @property
    def best_arm(self) -> int:
        """The position of the first original with the largest mean.

        Raises ``FieldError`` for an agent who has several arms and does not know its best one.
        """
        if len(self.arms) == 1:
            return 0
        means = self._fixed_means("best arm")
        return means.index(max(means))

    @property
    def registered(self) -> int:
        """The number of arms the agent registers, copies included."""
        return sum(self.copies)

    @property
    def takes_part(self) -> bool:
        """Whether the agent registers anything at all."""
        return self.registered > 0

    def with_copies(self, copies: Iterable[int]) -> "Agent":
        """Return the same agent playing another strategy.

        Parameters
        ----------
        copies : iterable of int
            Arms registered per original.

        Examples
        --------
        >>> Agent("ann", [0.5, 0.2]).with_copies([3, 0]).registered
        3
        """
        return Agent(self.name, self.arms, copies, self.utility, self.group)

    def with_group(self, group: str | None) -> "Agent":
        """Return the same agent bound to a group, or to none.

        Examples
        --------
        >>> Agent("ann", [0.5]).with_group("ann & co").group
        'ann & co'
        """
        return Agent(self.name, self.arms, self.copies, self.utility, group)

    def best_arm_only(self) -> "Agent":
        """Return the same agent registering its best arm, once, and hiding the others.

        Examples
        --------
        >>> Agent("ann", [0.2, 0.5], copies=[7, 7]).best_arm_only().registered
        1
        """
        best = self.best_arm
        return self.with_copies(int(k == best) for k in range(len(self.arms)))

    def _fixed_means(self, what: str) -> list[float]:
        """The means of the originals; refuse ``what`` where they are not known, or change."""
        means: list[float] = []
        for k, arm in enumerate(self.arms):
            if isinstance(arm, Prior | Changing):
                why = "has a prior" if isinstance(arm, Prior) else "has a mean that changes"
                said = f"{why}, so that agent {shown(self.name)} knows no {what} of its own"
                raise FieldError(f"arms[{k}]", arm, "an arm of a known, fixed mean", said)
            means.append(arm.mean)
        return means


def check_groups(members: Sequence[Agent]) -> None:
    """Refuse a group called like an agent outside it, or whose members differ in utility."""
    positions = {agent.name: i for i, agent in enumerate(members)}
    firsts: dict[str, int] = {}
    for i, agent in enumerate(members):
        if agent.group is None:
            continue
        other = positions.get(agent.group)
        if other is not None and members[other].group != agent.group:
            said = (
                f"= {shown(agent.group)} is the name of agents[{other}], which is not bound to it"
            )
            raise FieldError(f"agents[{i}].group", agent.group, "a name of its own", said)
        first = firsts.setdefault(agent.group, i)
        if agent.utility != members[first].utility:
            said = (
                f"differs from that of agents[{first}], and both are bound to group "
                f"{shown(agent.group)}: one principal has one utility"
            )
            raise FieldError(f"agents[{i}].utility", agent.utility, "the group's", said)


def _originals(arms: Iterable[Arm | float]) -> tuple[Arm, ...]:
    """Return the arms as records; an error names the arm."""
    found: list[Arm] = []
    for k, arm in enumerate(items("arms", arms, "rewards or Bernoulli means")):
        try:
            found.append(arm if isinstance(arm, Prior | Changing) else as_reward(arm))
        except FieldError as error:
            raise error.within(f"arms[{k}]") from None
    return tuple(found)


def _check_utility(utility: Utility, arms: tuple[Arm, ...]) -> None:
    """Refuse a utility of revenue >= 0 for an agent that may lose."""
    if isinstance(utility, RiskAverse | RiskSeeking):
        for k, arm in enumerate(arms):
            if arm.support[0] < 0:
                kind = type(arm).__name__.lower()
                said = f"= power {utility.power} takes revenue >= 0, but arms[{k}] is {kind}"
                raise FieldError("utility", utility, "one that takes losses", said)


def _strategy(copies: Iterable[int]) -> Strategy:
    """Return the copy counts as ints; an error names the entry."""
    given = items("copies", copies, "whole numbers >= 0")
    return tuple(whole(f"copies[{k}]", count) for k, count in enumerate(given))
