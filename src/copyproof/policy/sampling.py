"""Which arms are in play, and epochs: the sampling rules and restarts of a policy, as data."""

import math
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Literal, TypeAlias

from copyproof.validation import FieldError, known, require

# A power of floats is the C library's, and differs from machine to machine; this one does not.
_EXACT = Context(prec=50, rounding=ROUND_HALF_EVEN)


def check_number(
    name: str, value: object, accepted: str, *, above_zero: bool = False, most: float = 1e300
) -> None:
    """Refuse what is not a number from 0 to the most, or 0 where that is not accepted."""
    fits = (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and 0 <= value <= most
        and (value > 0 or not above_zero)
    )
    require(fits, name, value, accepted)


def set_whole(record: object, name: str, least: int, most: str) -> None:
    """Make a field of a new record the whole number that it holds; refuse anything else."""
    value = getattr(record, name)
    accepted = f"a whole number from {least} to {most}"
    check_number(name, value, accepted, most=float(most))
    require(value >= least and value == int(value), name, value, accepted)
    object.__setattr__(record, name, int(value))


@dataclass(frozen=True, slots=True)
class AllArms:
    """Every registered arm is in play."""


@dataclass(frozen=True, slots=True)
class FixedSample:
    """A uniform sample of ⌊factor·(ln T)^power⌋ arms, at least 1, drawn once.

    Parameters
    ----------
    factor : float or None
        The paper's l or L. None stands for the paper's choice: the number of originals in the
        market for a flat policy, the largest number of originals of one agent otherwise.
    power : float
        1 in S-UCB and RH-UCB; 2 where the share c of best arms is not known.

    Examples
    --------
    >>> FixedSample(3).power
    1.0
    """

    factor: float | None = None
    power: float = 1.0

    def __post_init__(self) -> None:
        if self.factor is not None:
            check_number("factor", self.factor, "a number > 0", above_zero=True)
        check_number("power", self.power, "a number >= 0")


@dataclass(frozen=True, slots=True)
class GrowingSample:
    """A sample B that grows by one fresh arm whenever |B| < min(|S|, factor·(ln τ)^power).

    The bound is compared unfloored and is never below 1. ``clock`` is "game" for τ = t, the round
    of the game, and "own" for τ = N + 1, the round of the pool's own game.

    Examples
    --------
    >>> GrowingSample(factor=1.0, power=2.0).power
    2.0
    """

    factor: float | None = None
    power: float = 1.0
    clock: Literal["game", "own"] = "game"

    def __post_init__(self) -> None:
        if self.factor is not None:
            check_number("factor", self.factor, "a number > 0", above_zero=True)
        check_number("power", self.power, "a number >= 0")
        known("clock", self.clock, ("game", "own"))


Sampling: TypeAlias = AllArms | FixedSample | GrowingSample


@dataclass(frozen=True, slots=True)
class Restart:
    """Epochs for an unknown horizon, each a game of its own that forgets the ones before.

    The first epoch is a game of T_0 = first rounds, and T_{k+1} = ⌈factor·T_k^power⌉: factor = 2
    and power = 1 doubles; the default grows faster, which costs less where horizons are long.

    Examples
    --------
    >>> Restart(first=1000).horizons(100_000)
    (1000, 31623, 5623473)
    """

    first: int = 1000
    factor: float = 1.0
    power: float = 1.5

    def __post_init__(self) -> None:
        set_whole(self, "first", 2, "1e12")
        check_number("factor", self.factor, "a number in [0, 1e6]", most=1e6)
        check_number("power", self.power, "a number in [0, 3]", most=3)
        if not self._next(self.first) > self.first:
            said = f"= {self.factor!r}, power = {self.power!r}: epochs would not grow"
            raise FieldError("factor", self.factor, "a number that makes epochs grow", said)

    def horizons(self, rounds: int) -> tuple[int, ...]:
        """The horizons T_0, T_1, … of the epochs that a number of rounds reaches into."""
        found = [self.first]
        while sum(found) < rounds:
            found.append(self._next(found[-1]))
        return tuple(found)

    def _next(self, horizon: int) -> int:
        longer = self.factor * float(_EXACT.power(Decimal(horizon), Decimal(self.power)))
        return math.ceil(min(longer, 2.0**62))


@dataclass(frozen=True, slots=True)
class Season:
    """Epochs of equal length, each a game of its own: a market that starts afresh every N rounds.

    Parameters
    ----------
    rounds : int
        N, the horizon T of every season.

    Examples
    --------
    >>> Season(500).horizons(100_000)
    (500, 500)
    """

    rounds: int = 1000

    def __post_init__(self) -> None:
        set_whole(self, "rounds", 2, "1e12")

    def horizons(self, rounds: int) -> tuple[int, ...]:
        """The horizon of the first season, and that of all others if there is more than one."""
        return (self.rounds,) if rounds <= self.rounds else (self.rounds, self.rounds)


Epochs: TypeAlias = Restart | Season
