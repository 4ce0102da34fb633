"""A scenario as data: who attacks, what is measured, and the settings under which it is played."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from copyproof.drills.live_game import LiveGame
from copyproof.policy import Policy, Trial

Measure: TypeAlias = Literal["revenue", "plays", "regret"]
Toggled: TypeAlias = Literal["attack", "memory"]


@dataclass(frozen=True, slots=True)
class Setting:
    """One way to run the service.

    Parameters
    ----------
    name : str
        Such as "no limit".
    play : callable
        Plays one game from the first registration to the last decision; the agent attacks if
        ``game.attacks``.
    decisions : int
        Of one game, at most: T for a policy that needs it.
    most : int
        What the measure can be at most, or the plays that the agent can have, if it is revenue.
    config : mapping
        What the market is created with, beside policy and seed.
    is_old : bool
        Whether it is how things were, to be compared with.
    pays : bool
        Whether the attack is known to pay today, under what new markets run, and documented.
    counted : tuple of int, optional
        Between which decisions the agent's plays and revenue are counted; those of all, and the
        regret, are counted from the first of them on. All if it is not given.
    memory : int, optional
        The memory W that the policy is given; a policy that can have none is not played.
    like : str, optional
        Settings with the same text are one game as long as nobody attacks: it is played once.
    """

    name: str
    play: Callable[[LiveGame], None]
    decisions: int
    most: int
    config: Mapping[str, Any] = field(default_factory=dict)
    is_old: bool = False
    pays: bool = False
    counted: tuple[int, int] | None = None
    memory: int | None = None
    like: str | None = None


@dataclass(frozen=True, slots=True)
class Scenario:
    """A condition of service, and the attack that it invites.

    Parameters
    ----------
    name : str
        In one word or two, joined by a hyphen.
    text : str
        The condition, and what the attack is, in a sentence.
    agent : str, optional
        Who attacks; None if it is about all agents together.
    mean : float
        Of the best arm that the attacker ever has.
    settings : tuple of Setting
        The old ways first.
    measure : {"revenue", "plays", "regret"}
        What is gained: the agent's revenue, or plays; or what is saved of the regret.
    toggled : {"attack", "memory"}
        What the second of two games has that the first has not: the attack, or the policy's memory.
    """

    name: str
    text: str
    agent: str | None
    mean: float
    settings: tuple[Setting, ...]
    measure: Measure = "revenue"
    toggled: Toggled = "attack"

    def settings_for(self, policy: Policy) -> tuple[Setting, ...]:
        """The settings under which a policy can be played.

        Examples
        --------
        >>> from copyproof.drills.changing import BAIT
        >>> from copyproof.policy import parse_policy
        >>> [one.name for one in BAIT.settings_for(parse_policy("h-ucb"))]
        ['no memory']
        """
        can_remember = with_memory(policy, 2) is not None
        return tuple(one for one in self.settings if one.memory is None or can_remember)


def with_memory(policy: Policy, memory: int) -> Policy | None:
    """A policy with another memory; None if it can have none.

    Examples
    --------
    >>> from copyproof.policy import parse_policy
    >>> str(with_memory(parse_policy("trial-anytime"), 800))
    'trial-anytime(memory=800)'
    """
    if not isinstance(policy.agent, Trial):
        return None
    return replace(policy, agent=replace(policy.agent, memory=memory))
