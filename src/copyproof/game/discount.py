"""How much a reward counts when it comes late: the discount sequence γ.

An agent's revenue is v_i = Σ_t γ_t R_t 1[A_t is owned by i]. The paper's claims ask for a
*proper* γ: non-negative, non-increasing, and with at least n non-zero entries for n agents.
By default γ_t = 1 for all t.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from copyproof.game._fields import set_number, set_numbers
from copyproof.validation import FieldError, items, require, whole


@dataclass(frozen=True, slots=True)
class Constant:
    """γ_t = 1: every reward counts the same.

    Examples
    --------
    >>> Constant().at(1000)
    1.0
    """

    def at(self, t: int) -> float:
        """Return γ_t, for a round t = 1, 2, …."""
        whole("t", t, least=1)
        return 1.0

    def total(self, horizon: int) -> float:
        """Return Σ_t γ_t over the rounds t = 1, …, horizon."""
        return float(horizon)

    def check_proper(self, agents: int) -> None:
        """Do nothing: γ ≡ 1 is proper for any number of agents."""

    def check_horizon(self, horizon: int) -> None:
        """Do nothing: γ_t is known for every round."""


@dataclass(frozen=True, slots=True)
class Geometric:
    """γ_t = factor^(t−1): a reward loses the same share of its worth each round.

    Parameters
    ----------
    factor : float
        In (0, 1].

    Examples
    --------
    >>> Geometric(0.5).at(3)
    0.25
    """

    factor: float

    def __post_init__(self) -> None:
        set_number(self, "factor", lambda factor: 0 < factor <= 1, "in (0, 1]")

    def at(self, t: int) -> float:
        """Return γ_t, for a round t = 1, 2, …."""
        return self.factor ** (whole("t", t, least=1) - 1)

    def total(self, horizon: int) -> float:
        """Return Σ_t γ_t over the rounds t = 1, …, horizon.

        Examples
        --------
        >>> Geometric(0.5).total(2)
        1.5
        """
        if self.factor == 1:
            return float(horizon)
        return -math.expm1(horizon * math.log(self.factor)) / (1 - self.factor)

    def check_proper(self, agents: int) -> None:
        """Raise ``FieldError`` if γ is rounded to 0 before each agent had its round."""
        if self.at(agents) == 0:
            said = (
                f"= {self.factor} is too small: factor^(t-1) is 0 in floating point at "
                f"t = {agents}, and {agents} agents need {agents} non-zero weights"
            )
            raise FieldError("factor", self.factor, "large enough", said)

    def check_horizon(self, horizon: int) -> None:
        """Do nothing: γ_t is known for every round."""


@dataclass(frozen=True, slots=True, init=False)
class Explicit:
    """γ_t = weights[t − 1]: the sequence written out, as far as it is known.

    Parameters
    ----------
    weights : iterable of float
        γ_1, γ_2, …: at least as many as a run has rounds.

    Examples
    --------
    >>> Explicit([1.0, 0.5, 0.1]).at(2)
    0.5
    """

    weights: tuple[float, ...]

    def __init__(self, weights: Iterable[float]) -> None:
        given = items("weights", weights, "numbers")
        set_numbers(self, "weights", given, lambda weight: weight <= 1e12, "<= 1e12")

    def at(self, t: int) -> float:
        """Return γ_t, for a round t = 1, 2, …, up to the number of weights."""
        self.check_horizon(whole("t", t, least=1))
        return self.weights[t - 1]

    def total(self, horizon: int) -> float:
        """Return Σ_t γ_t over the rounds t = 1, …, horizon."""
        self.check_horizon(horizon)
        return math.fsum(self.weights[:horizon])

    def check_proper(self, agents: int) -> None:
        """Raise ``FieldError`` naming the first weight that makes γ improper.

        Parameters
        ----------
        agents : int
            The number n of agents: at least n weights must be non-zero.

        Examples
        --------
        >>> Explicit([1.0, 0.5, 0.6]).check_proper(agents=2)
        Traceback (most recent call last):
        copyproof.validation.FieldError: weights[2] = 0.6 is not <= weights[1] = 0.5
        """
        for k, weight in enumerate(self.weights):
            require(weight >= 0, f"weights[{k}]", weight, ">= 0")
            before = self.weights[k - 1] if k else weight
            require(weight <= before, f"weights[{k}]", weight, f"<= weights[{k - 1}] = {before}")
        above = sum(weight > 0 for weight in self.weights)
        if above < agents:
            needed = f"{agents} agents need {agents} non-zero weights"
            said = f"has {above} non-zero of {len(self.weights)} entries: {needed}"
            raise FieldError("weights", self.weights, needed, said)

    def check_horizon(self, horizon: int) -> None:
        """Raise ``FieldError`` if a run of ``horizon`` rounds outlasts the weights."""
        if horizon > len(self.weights):
            said = f"has {len(self.weights)} entries: too few for {horizon} rounds"
            raise FieldError("discount.weights", self.weights, "one per round", said)


Discount: TypeAlias = Constant | Geometric | Explicit

# γ ≡ 1.
NO_DISCOUNT = Constant()
