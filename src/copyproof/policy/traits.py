"""What rules have in common: clocks, traits and coins.

What the rest of the package has to know of a rule stands in its ``traits`` and its ``coin``, and
nowhere else.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, TypeAlias

Clock: TypeAlias = Literal["round", "plays", "horizon"]
CLOCKS: tuple[Clock, ...] = ("round", "plays", "horizon")


@dataclass(frozen=True, slots=True)
class Traits:
    """What the rest of the package has to know of a rule; what has no default, each rule states."""

    name: str  # in the text form
    # A line in an x that depends on the clock alone and never falls, so that a tournament keeps the
    # largest; or anything else; or a random number.
    index: Literal["line", "computed", "drawn"]
    rewards: Literal["any", "unit"]  # which it is defined for; unit: in [0, 1] only
    # Of an item it sees plays and sums of rewards only, or the order of rewards, too.
    memory: Literal["sums", "order"]
    # Why the pathwise theorem does not cover agents chosen by this rule, whatever its clock.
    not_pathwise: str | None
    needs_horizon: bool = False  # reads T, whatever its clock
    not_live: str | None = None  # why a live market cannot serve it; arms cannot come and go, too
    only_for: Literal["agents", "arms"] | None = None
    # Says itself when a fresh arm is tried, and takes no sampling rule.
    brings_fresh_arms: bool = False


class Coin(NamedTuple):
    """With this chance any item is taken, whatever the indices; min(1, chance/τ) if it falls."""

    chance: float
    falls: bool = False


class BaseRule:
    """What rules share."""

    __slots__ = ()
    traits: ClassVar[Traits]

    @property
    def coin(self) -> Coin:
        """The coin that is tossed before indices are looked at, once all items are played."""
        return Coin(0.0)
