"""What revenue is worth to an agent: u_i = E[U_i(v_i)] − fee × registered arms.

U is non-decreasing. The identity is risk-neutral, a concave U risk-averse, a convex U
risk-seeking; agents of one market may differ. The power family U(v) = v^p covers all three:
p = 1, p < 1 and p > 1. A user's own function is checked, where it is used, for not falling.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from copyproof.game._fields import set_fields, set_number
from copyproof.validation import FieldError, require, shown, text

Values: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Neutral:
    """U(v) = v: risk-neutral, the default.

    Examples
    --------
    >>> Neutral().of([3.0])[0].item()
    3.0
    """

    def of(self, revenue: ArrayLike) -> Values:
        """Return U of every revenue, as a new array of the same shape."""
        return _revenues(revenue)


@dataclass(frozen=True, slots=True)
class RiskAverse:
    """U(v) = v^power with power below 1: prefers a sure revenue to a lottery of equal mean.

    Parameters
    ----------
    power : float
        In (0, 1).

    Examples
    --------
    >>> RiskAverse(0.5).of([9.0])[0].item()
    3.0
    """

    power: float

    def __post_init__(self) -> None:
        set_number(self, "power", lambda power: 0 < power < 1, "in (0, 1)")

    def of(self, revenue: ArrayLike) -> Values:
        """Return U of every revenue (none below 0), as a new array of the same shape."""
        return _power(revenue, self.power)


@dataclass(frozen=True, slots=True)
class RiskSeeking:
    """U(v) = v^power with power above 1: prefers a lottery to a sure revenue of equal mean.

    Parameters
    ----------
    power : float
        Above 1.

    Examples
    --------
    >>> RiskSeeking(2).of([3.0])[0].item()
    9.0
    """

    power: float

    def __post_init__(self) -> None:
        set_number(self, "power", lambda power: power > 1, "> 1")

    def of(self, revenue: ArrayLike) -> Values:
        """Return U of every revenue (none below 0), as a new array of the same shape."""
        return _power(revenue, self.power)


@dataclass(frozen=True, slots=True)
class Custom:
    """The user's own U; two are equal if both name and function are.

    Parameters
    ----------
    name : str
        How reports call it.
    function : callable
        Takes an array of revenues and returns an array of the same shape, finite and never
        falling as revenue rises.

    Examples
    --------
    >>> Custom("log", np.log1p).of([0.0])[0].item()
    0.0
    """

    name: str
    function: Callable[[Values], ArrayLike]

    def __post_init__(self) -> None:
        set_fields(self, name=text("name", self.name))
        require(callable(self.function), "function", self.function, "callable")

    def of(self, revenue: ArrayLike) -> Values:
        """Return U of every revenue, as a new array of the same shape.

        Raises
        ------
        ValueError
            If the function returns another shape, a value that is not finite, or values that
            fall (by more than rounding, 1e-12 of the largest) as the given revenues rise.
        """
        revenues = _revenues(revenue)
        values = np.array(self.function(revenues.copy()), dtype=np.float64)
        called = f"utility {shown(self.name)}"
        if values.shape != revenues.shape:
            accepted = f"the given {revenues.shape}"
            said = f"{values.shape} is not {accepted}"
            raise FieldError("shape", values.shape, accepted, said, source=called)
        flat, worth = revenues.ravel(), values.ravel()
        if (k := _first(~np.isfinite(worth))) is not None:
            raise FieldError(f"U({flat[k]})", worth[k], "a finite number", source=called)
        order = np.argsort(flat, kind="stable")
        rounding = 1e-12 * np.max(np.abs(worth), initial=0.0)
        if (k := _first(np.diff(worth[order]) < -rounding)) is not None:
            low, high = order[k], order[k + 1]
            accepted = f">= U({flat[low]}) = {worth[low]}"
            raise FieldError(f"U({flat[high]})", worth[high], accepted, source=called)
        return values


def _revenues(revenue: ArrayLike) -> Values:
    """Return a copy of the revenues, all of them finite."""
    revenues = np.array(revenue, dtype=np.float64)
    flat = revenues.ravel()
    if (k := _first(~np.isfinite(flat))) is not None:
        raise FieldError(f"revenue[{k}]", flat[k], "a finite number")
    return revenues


def _power(revenue: ArrayLike, power: float) -> Values:
    """Return v^power for every revenue v ≥ 0."""
    revenues = _revenues(revenue)
    flat = revenues.ravel()
    if (k := _first(flat < 0)) is not None:
        raise FieldError(f"revenue[{k}]", flat[k], f">= 0, as the power {power} needs")
    with np.errstate(over="ignore", under="ignore"):
        values: Values = revenues**power
    if (k := _first(np.isinf(values.ravel()))) is not None:
        said = f"= {flat[k]} to the power {power} is too large"
        raise FieldError(f"revenue[{k}]", flat[k], "small enough", said)
    return values


def _first(bad: NDArray[np.bool_]) -> int | None:
    """Return the first place that is bad, if there is one."""
    return int(bad.argmax()) if bad.any() else None


Utility: TypeAlias = Neutral | RiskAverse | RiskSeeking | Custom

# U(v) = v.
NEUTRAL = Neutral()
