"""What an off-policy estimator answers: a value with its limits, or a refusal with its reason.

A row i of a log has a reward r_i, and the probability p_i with which the logging policy took the
arm that it took. A target policy would have taken it with probability π_i. The row counts with the
weight w_i = π_i / p_i, and n weighted rows say as much as

    n_e = (Σ w_i)² / Σ w_i²

rows of the target's own would: the effective sample size (Kish 1965). Below a stated n_e nothing is
said, as one or two heavy rows would say it all.

**Limits.** Student's t with ⌊n_e⌋ − 1 degrees of freedom on the values that the estimator is the
mean of, and an allowance for what no row has shown yet: of such an event one can only say that its
chance is below ln(2/α)/n_e, and that it pays from the least to the most reward. Without that, a log
without a single click would claim a value of 0 ± 0. It is an approximation, and the tests measure
how often it misses. Who knows the largest weight that there can be gets limits that hold for every
n and every distribution, much wider ones (``auditing.limits``, Maurer and Pontil 2009).
"""

import math
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from copyproof.auditing.limits import bounded_limits, unseen
from copyproof.simulation import Interval, t_quantile
from copyproof.validation import FieldError, number, require

Floats: TypeAlias = NDArray[np.float64]
Estimator: TypeAlias = Literal["ips", "snips", "doubly robust", "replay"]

# Fewer effective rows give no answer, where nothing else is said.
LEAST_EFFECTIVE = 100.0


@dataclass(frozen=True, slots=True)
class Value:
    """What a target policy is worth a round, by one estimator.

    Attributes
    ----------
    estimator : str
        ips, snips, doubly robust or replay.
    value : Interval
        The estimate, and its limits.
    rows : int
        Rows of the log; of a replay, those in which log and policy agreed.
    effective : float
        n_e, the effective sample size.
    mean_weight : float
        The mean of the weights. It is 1 but for chance where the log says the truth and could have
        shown whatever the target plays.
    """

    estimator: Estimator
    value: Interval
    rows: int
    effective: float
    mean_weight: float

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        value = {"mean": self.value.mean, "low": self.value.low, "high": self.value.high}
        found = {"rows": self.rows, "effective": self.effective, "mean_weight": self.mean_weight}
        return {"estimator": self.estimator, "value": value, **found, "refused": None}


@dataclass(frozen=True, slots=True)
class Refusal:
    """That a log does not say what a target policy is worth, and why."""

    estimator: Estimator
    why: str
    rows: int
    effective: float
    mean_weight: float

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        found = {"rows": self.rows, "effective": self.effective, "mean_weight": self.mean_weight}
        return {"estimator": self.estimator, "value": None, **found, "refused": self.why}


Answer: TypeAlias = Value | Refusal


@dataclass(frozen=True, slots=True)
class Terms:
    """How an estimate is judged.

    Parameters
    ----------
    confidence : float
        Of the limits, in (0, 1).
    least_effective : float
        The effective sample size below which nothing is said, at least 2.
    rewards : pair of float
        The least and the most that a row can pay.
    most_weight : float, optional
        The largest weight there can be. With it, limits hold for every n and every distribution
        (of IPS and the doubly robust estimate; those of SNIPS stay approximate).
    """

    confidence: float = 0.95
    least_effective: float = LEAST_EFFECTIVE
    rewards: tuple[float, float] = (0.0, 1.0)
    most_weight: float | None = None

    def __post_init__(self) -> None:
        inside = 0 < number("confidence", self.confidence) < 1
        require(inside, "confidence", self.confidence, "in (0, 1)")
        least = number("least_effective", self.least_effective)
        require(least >= 2, "least_effective", self.least_effective, ">= 2")
        low, high = (number(f"rewards[{k}]", one) for k, one in enumerate(self.rewards))
        require(low < high, "rewards", self.rewards, "two numbers, the least and the most reward")
        if self.most_weight is not None:
            most = number("most_weight", self.most_weight)
            require(most > 0, "most_weight", self.most_weight, "> 0")

    @property
    def alpha(self) -> float:
        """The chance of missing."""
        return 1 - self.confidence


def floats(field: str, given: ArrayLike, rows: int | None = None) -> Floats:
    """Check one column of a log: finite numbers, as many as the other columns have.

    Examples
    --------
    >>> floats("rewards", [0, 1], rows=3)
    Traceback (most recent call last):
    copyproof.validation.FieldError: rewards has 2 rows, but the log has 3
    """
    try:
        found = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise FieldError(field, given, "a list of numbers") from None
    require(found.ndim == 1, field, given, "a list of numbers")
    if rows is not None and len(found) != rows:
        said = f"has {len(found)} rows, but the log has {rows}"
        raise FieldError(field, len(found), f"{rows} rows", said)
    if rows is None and not len(found):
        raise FieldError(field, [], "at least one row", "is empty: at least one row is needed")
    _require_all(np.isfinite(found), field, found, "a finite number")
    return found


def rewards_of(given: ArrayLike, terms: Terms, rows: int | None = None) -> Floats:
    """Check the rewards of a log: numbers from the least to the most.

    Examples
    --------
    >>> rewards_of([0.0, 3.0], Terms())
    Traceback (most recent call last):
    copyproof.validation.FieldError: rewards[1] = 3.0 is not in [0.0, 1.0]
    """
    found = floats("rewards", given, rows)
    low, high = terms.rewards
    _require_all((low <= found) & (found <= high), "rewards", found, f"in [{low}, {high}]")
    return found


def weights_of(logged: ArrayLike, target: ArrayLike, rows: int, terms: Terms) -> Floats:
    """The weights w_i = π_i / p_i.

    Examples
    --------
    >>> weights_of([0.5, 0.25], [0.5, 1.0], 2, Terms()).tolist()
    [1.0, 4.0]
    >>> weights_of([0.5, 0.0], [0.5, 1.0], 2, Terms())
    Traceback (most recent call last):
    copyproof.validation.FieldError: logged[1] = 0.0 is not a probability in (0, 1]
    """
    p, pi = floats("logged", logged, rows), floats("target", target, rows)
    _require_all((p > 0) & (p <= 1), "logged", p, "a probability in (0, 1]")
    _require_all((pi >= 0) & (pi <= 1), "target", pi, "a probability in [0, 1]")
    with np.errstate(over="ignore"):
        found = pi / p
    _require_all(np.isfinite(found), "logged", p, "large enough for a finite weight")
    if terms.most_weight is not None:
        fits = found <= terms.most_weight * (1 + 1e-9)
        _require_all(fits, "weight", found, f"at most most_weight = {terms.most_weight}")
    return np.asarray(found, dtype=np.float64)


def _require_all(holds: NDArray[np.bool_], field: str, found: Floats, accepted: str) -> None:
    if not holds.all():
        first = int(np.argmin(holds))
        raise FieldError(f"{field}[{first}]", float(found[first]), accepted)


def effective_size(weights: Floats) -> float:
    """The effective sample size n_e of weighted rows; 0 if none has a weight.

    Examples
    --------
    >>> effective_size(np.ones(10)), effective_size(np.array([1.0, 0.0, 0.0]))
    (10.0, 1.0)
    """
    heaviest = float(weights.max(initial=0.0))
    if heaviest <= 0:
        return 0.0
    shares = weights / heaviest  # no square overflows
    return float(shares.sum()) ** 2 / float(np.square(shares).sum())


def answer(
    estimator: Estimator, estimate: float, parts: Floats, weights: Floats, terms: Terms
) -> Answer:
    """Judge an estimate: its limits, or a refusal.

    Parameters
    ----------
    estimator : str
        What it is.
    estimate : float
        The estimate.
    parts : array
        What the rows contribute: their mean is the estimate, their variance over n that of it.
    weights : array
        The weights of the rows.
    terms : Terms
        What is asked.
    """
    rows, effective, mean = len(weights), effective_size(weights), float(np.mean(weights))
    if effective < terms.least_effective:
        why = (
            f"{rows:,} rows are worth {effective:,.1f} rows of the target policy's own, and "
            f"{terms.least_effective:g} are needed"
        )
        return Refusal(estimator, why, rows, effective, mean)
    least, most = terms.rewards
    if terms.most_weight is not None and estimator != "snips":
        if estimator == "ips":
            width = terms.most_weight * (max(most, 0.0) - min(least, 0.0))
        else:  # a model's value, and a weighted difference on either side of it
            width = (most - least) * (1 + 2 * terms.most_weight)
        found = bounded_limits(parts, width, terms.alpha)
        value = Interval(estimate, found.low, found.high)
    else:
        half = t_quantile(terms.alpha, max(1, int(effective) - 1)) * float(np.std(parts, ddof=1))
        rare = min(1.0, unseen(1, terms.alpha) / effective)
        low = estimate - half / math.sqrt(rows) - rare * max(0.0, estimate - least)
        high = estimate + half / math.sqrt(rows) + rare * max(0.0, most - estimate)
        value = Interval(estimate, low, high)
    # The value is a mean of rewards, and so are its limits; the estimate itself is left as it is.
    inside = Interval(
        value.mean, min(max(value.low, least), most), max(min(value.high, most), least)
    )
    return Value(estimator, inside, rows, effective, mean)
