"""A scenario as data: who attacks, and the settings under which it is played."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from copyproof.drills.live_game import LiveGame


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
        The plays that the agent can have of them.
    config : mapping
        What the market is created with, beside policy and seed.
    is_old : bool
        Whether it is how things were, to be compared with.
    """

    name: str
    play: Callable[[LiveGame], None]
    decisions: int
    most: int
    config: Mapping[str, Any] = field(default_factory=dict)
    is_old: bool = False


@dataclass(frozen=True, slots=True)
class Scenario:
    """A condition of service, and the attack that it invites.

    Parameters
    ----------
    name : str
        In one word or two, joined by a hyphen.
    text : str
        The condition, and what the attack is, in a sentence.
    agent : str
        Who attacks.
    mean : float
        Of the best arm that the attacker ever has.
    settings : tuple of Setting
        The old ways first.
    """

    name: str
    text: str
    agent: str
    mean: float
    settings: tuple[Setting, ...]
