"""What an external policy is: a name, and a factory that makes a new learner for every game.

The factory is told what a principal may know: the arms in registration order, who owns each of
them, the horizon T, and a seed. It returns a learner, which names an arm in every round and is told
what that arm paid. Nothing else is asked of it, and nothing else is told.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from copyproof.validation import require, text


class ExternalError(ValueError):
    """An external policy broke down; the message names it, the round and the repetition."""


class Learner(Protocol):
    """A policy in the middle of one game.

    One that has two more methods can be played where arms come and go: ``retire(arm)`` says that an
    arm can no longer be chosen, and ``admit(arm, owner)`` that one can be from now on.
    """

    def choose(self) -> str:
        """Return the name of the arm to play in this round."""

    def learn(self, arm: str, reward: float) -> None:
        """Take notice of what the arm has paid."""


class Factory(Protocol):
    """Makes a learner for one game."""

    def __call__(
        self, arms: Sequence[str], *, owners: Mapping[str, str], horizon: int, seed: int
    ) -> Learner:
        """Return a learner that has seen nothing yet.

        Parameters
        ----------
        arms : sequence of str
            The registered arms in registration order: ``"ann/1"``, ``"ann/2"``, ``"bob/1"``, ….
            The names do not say which original an arm is a copy of.
        owners : mapping of str to str
            The agent that owns each arm.
        horizon : int
            T, the rounds of the game.
        seed : int
            Below 2^32; differs from repetition to repetition, and is the same for all strategies.
        """


@dataclass(frozen=True, slots=True)
class ExternalPolicy:
    """A policy that is played from outside the engine.

    Parameters
    ----------
    name : str
        One line of text, which errors and tables call it by.
    factory : callable
        ``make(arms, *, owners, horizon, seed)`` returns an object with ``choose()``, which returns
        the name of an arm, and ``learn(arm, reward)``. It is called once per game.
    text : str, optional
        What another program can find the same policy by, such as ``river:UCB(delta=1)`` or
        ``mine.py:Rule``; None for an object of this program alone.

    Examples
    --------
    >>> class First:
    ...     def __init__(self, arms, *, owners, horizon, seed):
    ...         self.arm = arms[0]
    ...
    ...     def choose(self):
    ...         return self.arm
    ...
    ...     def learn(self, arm, reward):
    ...         pass
    >>> print(ExternalPolicy("first", First))
    first
    """

    name: str
    factory: Factory
    text: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", text("name", self.name))
        accepted = "a function make(arms, *, owners, horizon, seed)"
        require(callable(self.factory), "factory", self.factory, accepted)

    def __str__(self) -> str:
        return self.name


def one_line(error: BaseException) -> str:
    """An exception's type and text, on one line of a length that can be read."""
    said = " ".join(str(error).split())
    name = type(error).__name__
    said = said if len(said) <= 300 else f"{said[:297]}..."
    return f"{name}: {said}" if said else name
