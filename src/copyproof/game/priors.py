"""Arms whose mean nobody knows, their owner included: one record per family of priors.

An agent may know no more of an arm than the distribution that its mean μ(a) comes from. The mean is
then drawn anew for every game, before its first round, and the arm pays Bernoulli rewards of that
mean: 1 with probability μ(a), else 0. Copies of an arm are the same original, and share its mean;
two originals are drawn independently, whether or not their priors are equal.

==========================  =============================  =====================================
prior                       in a market file               the mean is
==========================  =============================  =====================================
``BetaPrior(alpha, beta)``  ``{ beta = [2, 5] }``          of density ∝ x^(α−1) (1−x)^(β−1)
``UniformPrior(low, high)`` ``{ uniform = [0.2, 0.6] }``   anywhere from low to high, as likely
``ListPrior(means)``        ``{ list = [0.1, 0.9] }``      one of a list, each entry as likely
==========================  =============================  =====================================

Strategies are chosen before anything is drawn. An agent who knows only priors does not know which
of its arms is the best, so that "the best arm only" is no strategy of its own: theorems about
agents who know their means say nothing about it (S. Shin, S. A. Esmaeili, M. Hajiaghayi,
"Replication-proof bandit mechanism design with Bayesian agents", AAAI 2025).
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from copyproof.game._fields import set_number, set_numbers
from copyproof.validation import items, require


@dataclass(frozen=True, slots=True)
class BetaPrior:
    """The mean is drawn from the Beta distribution.

    Parameters
    ----------
    alpha, beta : float
        The shape α, β, each in (0, 1e6].

    Examples
    --------
    >>> BetaPrior(2, 3).mean
    0.4
    """

    support: ClassVar[tuple[float, float]] = (0.0, 1.0)
    alpha: float
    beta: float

    def __post_init__(self) -> None:
        for field in ("alpha", "beta"):
            set_number(self, field, lambda shape: 0 < shape <= 1e6, "in (0, 1e6]")

    @property
    def mean(self) -> float:
        """The expected mean, α / (α + β)."""
        return self.alpha / (self.alpha + self.beta)

    @property
    def reach(self) -> tuple[float, float]:
        """The interval that holds every mean that may be drawn."""
        return 0.0, 1.0


@dataclass(frozen=True, slots=True)
class UniformPrior:
    """The mean is drawn anywhere between two numbers.

    Parameters
    ----------
    low, high : float
        The ends of the interval, 0 <= low <= high <= 1.

    Examples
    --------
    >>> UniformPrior(0.25, 0.75).mean
    0.5
    """

    support: ClassVar[tuple[float, float]] = (0.0, 1.0)
    low: float
    high: float

    def __post_init__(self) -> None:
        for field in ("low", "high"):
            set_number(self, field, lambda end: 0 <= end <= 1, "in [0, 1]")
        require(self.low <= self.high, "low", self.low, f"<= high = {self.high}")

    @property
    def mean(self) -> float:
        """The expected mean, (low + high) / 2."""
        return (self.low + self.high) / 2

    @property
    def reach(self) -> tuple[float, float]:
        """The interval that holds every mean that may be drawn."""
        return self.low, self.high


@dataclass(frozen=True, slots=True, init=False)
class ListPrior:
    """The mean is one of a list, each entry with the same probability.

    Parameters
    ----------
    means : iterable of float
        At least one mean, each in [0, 1]; a value listed twice is twice as likely.

    Examples
    --------
    >>> ListPrior([0.0, 0.5, 1.0, 1.0]).mean
    0.625
    """

    support: ClassVar[tuple[float, float]] = (0.0, 1.0)
    means: tuple[float, ...]

    def __init__(self, means: Iterable[float]) -> None:
        given = items("means", means, "means in [0, 1]")
        set_numbers(self, "means", given, lambda mean: 0 <= mean <= 1, "in [0, 1]")

    @property
    def mean(self) -> float:
        """The expected mean: the average of the list."""
        return math.fsum(self.means) / len(self.means)

    @property
    def reach(self) -> tuple[float, float]:
        """The interval that holds every mean that may be drawn."""
        return min(self.means), max(self.means)


Prior: TypeAlias = BetaPrior | UniformPrior | ListPrior
