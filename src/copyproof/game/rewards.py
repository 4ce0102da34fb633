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
``Mixture(parts, w)``   part j's with probability w_j            Σ w_j μ_j   those of its parts
======================  =======================================  ==========  =========

Arms whose means change during the game are in ``changing``.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, TypeAlias, get_args

from copyproof.game._fields import set_fields, set_number, set_numbers
from copyproof.validation import FieldError, items, require

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


_Unmixed: TypeAlias = Bernoulli | Beta | Gaussian | Poisson | Exponential | Empirical


@dataclass(frozen=True, slots=True, init=False)
class Mixture:
    """Pays what one of several arms would pay: component j with probability w_j / Σ w.

    One uniform u is spent on a play, as everywhere, in the inverse of the mixed distribution
    function F(x) = Σ w_j F_j(x). So whatever dominates a mixture never pays less for the same u.

    Parameters
    ----------
    components : iterable of Reward or float
        At least one record of any family but a mixture; a plain number is a Bernoulli mean.
    weights : iterable of float, optional
        One for each component, in (0, 1e6], in proportion; all the same by default.

    Examples
    --------
    Nine visitors of ten buy nothing, and the tenth spends 20 on average:

    >>> Mixture([0, Exponential(20)], weights=[9, 1]).mean
    2.0
    """

    components: tuple[_Unmixed, ...]
    weights: tuple[float, ...]

    def __init__(
        self, components: Iterable[_Unmixed | float], weights: Iterable[float] | None = None
    ) -> None:
        given = items("components", components, "rewards or Bernoulli means")
        require(len(given) > 0, "components", given, "at least one")
        set_fields(self, components=tuple(map(_component, range(len(given)), given)))
        shares = (1.0,) * len(given) if weights is None else weights
        said = items("weights", shares, "numbers in (0, 1e6]")
        set_numbers(self, "weights", said, lambda weight: 0 < weight <= 1e6, "in (0, 1e6]")
        if len(said) != len(given):
            counts = f"{len(said)} entries for {len(given)} components"
            raise FieldError("weights", said, "one each", f"has {counts}: one each is needed")

    @property
    def shares(self) -> tuple[float, ...]:
        """The probabilities w_j / Σ w of the components."""
        total = math.fsum(self.weights)
        return tuple(weight / total for weight in self.weights)

    @property
    def mean(self) -> float:
        """The mean μ = Σ w_j μ_j / Σ w."""
        pairs = zip(self.weights, self.components, strict=True)
        return math.fsum(weight * one.mean for weight, one in pairs) / math.fsum(self.weights)

    @property
    def support(self) -> tuple[float, float]:
        """The interval that holds every reward of every component."""
        ends = [one.support for one in self.components]
        return min(low for low, _ in ends), max(high for _, high in ends)


def _component(place: int, value: _Unmixed | float) -> _Unmixed:
    """Return one component as a record; an error names it."""
    field = f"components[{place}]"
    require(not isinstance(value, Mixture), field, value, "a family of its own: mixtures are flat")
    try:
        return value if isinstance(value, _Unmixed) else Bernoulli(value)
    except FieldError as error:
        raise error.within(field) from None


Reward: TypeAlias = _Unmixed | Mixture

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
