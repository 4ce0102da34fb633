"""What an arm pays: one record per family of reward distributions.

An arm a pays rewards R drawn independently from a distribution with mean μ(a). A record here
holds the parameters, and as ``support`` the interval that holds every reward. Every family is drawn
from by one uniform number u in [0, 1) through its inverse distribution function F⁻¹(u), so that two
arms that meet the same u can be compared: if one dominates the other in the first order, it never
pays less.

======================  =======================================  ==========  =========
family                  distribution                             mean μ      rewards in
======================  =======================================  ==========  =========
``Bernoulli(mean)``     1 with probability μ, else 0             μ           [0, 1]
``Beta(alpha, beta)``   density ∝ x^(α−1) (1−x)^(β−1)            α / (α+β)   [0, 1]
``Gaussian(mean, σ)``   normal with known σ                      μ           (−∞, ∞)
``Poisson(mean)``       k with probability μ^k e^(−μ) / k!       μ           [0, ∞)
``Exponential(mean)``   density e^(−x/μ) / μ                     μ           [0, ∞)
``Empirical(rewards)``  one of a list, each as likely            average     [0, 1]
======================  =======================================  ==========  =========
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, TypeAlias, get_args

from copyproof.game._fields import set_number, set_numbers
from copyproof.validation import items

# Rewards beyond this are an error of units, and their sums would lose the small differences.
_LARGEST = 1e12


@dataclass(frozen=True, slots=True)
class Bernoulli:
    """Pays 1 with probability ``mean``, else 0: the paper's arms, and the default.

    Parameters
    ----------
    mean : float
        The mean μ, in [0, 1].

    Examples
    --------
    >>> Bernoulli(0.9).mean
    0.9
    """

    support: ClassVar[tuple[float, float]] = (0.0, 1.0)
    mean: float

    def __post_init__(self) -> None:
        set_number(self, "mean", lambda mean: 0 <= mean <= 1, "in [0, 1]")


@dataclass(frozen=True, slots=True)
class Beta:
    """Pays between 0 and 1, with density proportional to x^(α−1) (1−x)^(β−1).

    Parameters
    ----------
    alpha, beta : float
        The shape α, β, each in (0, 1e6].

    Examples
    --------
    >>> Beta(2, 3).mean
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
        """The mean μ = α / (α + β)."""
        return self.alpha / (self.alpha + self.beta)


@dataclass(frozen=True, slots=True)
class Gaussian:
    """Pays a normal reward with known standard deviation; it may be below 0.

    Parameters
    ----------
    mean : float
        The mean μ, in [-1e12, 1e12].
    sigma : float
        The standard deviation σ > 0.

    Examples
    --------
    >>> Gaussian(0.5, sigma=0.1).sigma
    0.1
    """

    support: ClassVar[tuple[float, float]] = (-math.inf, math.inf)
    mean: float
    sigma: float

    def __post_init__(self) -> None:
        set_number(self, "mean", lambda mean: abs(mean) <= _LARGEST, "in [-1e12, 1e12]")
        set_number(self, "sigma", lambda sigma: 0 < sigma <= _LARGEST, "in (0, 1e12]")


@dataclass(frozen=True, slots=True)
class Poisson:
    """Pays a whole number: k with probability μ^k e^(−μ) / k!.

    Parameters
    ----------
    mean : float
        The mean μ, in [0, 1e6].

    Examples
    --------
    >>> Poisson(3).mean
    3.0
    """

    support: ClassVar[tuple[float, float]] = (0.0, math.inf)
    mean: float

    def __post_init__(self) -> None:
        set_number(self, "mean", lambda mean: 0 <= mean <= 1e6, "in [0, 1e6]")


@dataclass(frozen=True, slots=True)
class Exponential:
    """Pays a waiting time with density e^(−x/μ) / μ.

    Parameters
    ----------
    mean : float
        The mean μ > 0.

    Examples
    --------
    >>> Exponential(0.5).mean
    0.5
    """

    support: ClassVar[tuple[float, float]] = (0.0, math.inf)
    mean: float

    def __post_init__(self) -> None:
        set_number(self, "mean", lambda mean: 0 < mean <= _LARGEST, "in (0, 1e12]")


@dataclass(frozen=True, slots=True, init=False)
class Empirical:
    """Pays one of a list of observed rewards, each entry with the same probability.

    Parameters
    ----------
    rewards : iterable of float
        At least one reward, each in [0, 1]; a value listed twice is twice as likely.

    Examples
    --------
    >>> Empirical([0.0, 0.5, 1.0, 1.0]).mean
    0.625
    """

    support: ClassVar[tuple[float, float]] = (0.0, 1.0)
    rewards: tuple[float, ...]

    def __init__(self, rewards: Iterable[float]) -> None:
        given = items("rewards", rewards, "numbers in [0, 1]")
        set_numbers(self, "rewards", given, lambda reward: 0 <= reward <= 1, "in [0, 1]")

    @property
    def mean(self) -> float:
        """The mean μ: the average of the list."""
        return math.fsum(self.rewards) / len(self.rewards)


Reward: TypeAlias = Bernoulli | Beta | Gaussian | Poisson | Exponential | Empirical

# The families by the names that market files call them.
FAMILIES: dict[str, type[Reward]] = {kind.__name__.lower(): kind for kind in get_args(Reward)}


def as_reward(value: Reward | float) -> Reward:
    """Return ``value`` as a reward record: a plain number is a Bernoulli mean.

    Parameters
    ----------
    value : Reward or float
        A record of any family, or the mean of a Bernoulli arm.

    Examples
    --------
    >>> as_reward(0.5).mean
    0.5
    """
    return value if isinstance(value, Reward) else Bernoulli(value)
