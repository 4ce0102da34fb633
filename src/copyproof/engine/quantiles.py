"""Inverse distribution functions: a reward from one uniform u in (0, 1).

The quantile function F⁻¹(u) = min {x : F(x) ≥ u} is non-decreasing in u, and if one distribution
first-order dominates another, its F⁻¹ is the larger one at every u. Giving the k-th play of an
agent the same u for whatever arm it plays therefore couples strategies the way the theorems want
it: the better arm pays at least as much on every path.

Each original arm is one row: a family code and two parameters, or a table. Discrete families
(Poisson, empirical lists) are tables of values and of upper ends of cumulated probability.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from copyproof.engine.cache import part

BERNOULLI = 0
BETA = 1
GAUSSIAN = 2
EXPONENTIAL = 3
TABLE = 4


ORIGINAL = np.dtype(
    [
        ("family", "i8"),
        ("first", "f8"),  # Bernoulli: 1 − μ; Beta: α; Gaussian: μ; exponential: mean; or first row
        ("second", "f8"),  # Beta: β; Gaussian: σ; table: its number of rows
        ("gap", "f8"),  # μ* − μ, the regret of playing it
    ]
)


class Rewards(NamedTuple):
    """What the original arms pay, one row each."""

    originals: Any
    table_value: Any
    table_upper: Any


@part
def reward(rewards: Rewards, original: int, u: float) -> float:
    """F⁻¹(u) of one original arm."""
    row = rewards.originals[original]
    family = row.family
    first: float = row.first
    if family == BERNOULLI:
        return 1.0 if u >= first else 0.0
    second: float = row.second
    if family == BETA:
        return beta_quantile(u, first, second)
    if family == GAUSSIAN:
        return first + second * normal_quantile(u)
    if family == EXPONENTIAL:
        return -first * math.log1p(-u)
    start = np.int64(first)
    stop = start + np.int64(second)
    place = start + np.searchsorted(rewards.table_upper[start:stop], u)
    return float(rewards.table_value[min(place, stop - 1)])


@part
def normal_quantile(u: float) -> float:
    """Φ⁻¹(u): Acklam's rational approximation, polished by one step of Halley's method."""
    if u < 0.5:
        return -_upper_normal_quantile(u)
    return _upper_normal_quantile(1.0 - u)


@part
def _upper_normal_quantile(p: float) -> float:
    """The z ≥ 0 with P(Z > z) = p, for p ≤ 1/2."""
    if p < 0.02425:
        q = math.sqrt(-2.0 * math.log(p))
        top = -7.784894002430293e-03 * q - 3.223964580411365e-01
        top = (top * q - 2.400758277161838) * q - 2.549732539343734
        top = (top * q + 4.374664141464968) * q + 2.938163982698783
        low = 7.784695709041462e-03 * q + 3.224671290700398e-01
        low = (low * q + 2.445134137142996) * q + 3.754408661907416
        z = -top / (low * q + 1.0)
    else:
        q = 0.5 - p
        r = q * q
        top = -3.969683028665376e01 * r + 2.209460984245205e02
        top = (top * r - 2.759285104469687e02) * r + 1.383577518672690e02
        top = (top * r - 3.066479806614716e01) * r + 2.506628277459239
        low = -5.447609879822406e01 * r + 1.615858368580409e02
        low = (low * r - 1.556989798598866e02) * r + 6.680131188771972e01
        z = top * q / ((low * r - 1.328068155288572e01) * r + 1.0)
    error = p - 0.5 * math.erfc(z / math.sqrt(2.0))
    step = error * math.sqrt(2.0 * math.pi) * math.exp(z * z / 2.0)
    return z - step / (1.0 - z * step / 2.0)


@part
def beta_quantile(u: float, a: float, b: float) -> float:
    """The x with I_x(a, b) = u, solved from the end of [0, 1] that it is nearer to."""
    log_beta = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    split = (a + 1.0) / (a + b + 2.0)
    if math.log(u) <= _log_incomplete_beta(math.log(split), a, b, log_beta):
        return _lower_beta_quantile(u, a, b, log_beta, split)
    return 1.0 - _lower_beta_quantile(1.0 - u, b, a, log_beta, 1.0 - split)


@part
def _lower_beta_quantile(u: float, a: float, b: float, log_beta: float, split: float) -> float:
    """The x ≤ split with I_x(a, b) = u: Newton's method on ln I as a function of ln x.

    Near 0, I_x is proportional to x^a, so that the function is a straight line there and one step
    from the line's own solution is enough. A bracket guards the steps elsewhere.
    """
    target = math.log(u)
    low, high = -750.0, math.log(split)  # e^−750 is 0 in floating point
    y = min(max((target + math.log(a) + log_beta) / a, low), high)
    for _ in range(100):
        level = _log_incomplete_beta(y, a, b, log_beta)
        if level < target:
            low = y
        else:
            high = y
        log_slope = a * y + (b - 1.0) * math.log1p(-math.exp(y)) - log_beta - level
        ahead = y - (level - target) * math.exp(-log_slope)
        if not low <= ahead <= high:
            ahead = 0.5 * (low + high)
        if abs(ahead - y) <= 1e-14:
            return math.exp(ahead)
        y = ahead
    return math.exp(y)


@part
def _log_incomplete_beta(y: float, a: float, b: float, log_beta: float) -> float:
    """Ln I_x(a, b) at x = e^y ≤ (a + 1) / (a + b + 2), where the fraction converges fast."""
    x = math.exp(y)
    return a * y + b * math.log1p(-x) - log_beta + math.log(_beta_fraction(x, a, b) / a)


@part
def _beta_fraction(x: float, a: float, b: float) -> float:
    """The continued fraction of I_x(a, b), by the modified method of Lentz."""
    tiny = 1e-300
    c = 1.0
    d = 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > tiny else tiny)
    value = d
    for m in range(1, 10_000):
        for even in range(2):
            if even == 0:
                term = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m))
            else:
                term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0))
            d = 1.0 + term * d
            d = 1.0 / (d if abs(d) > tiny else tiny)
            c = 1.0 + term / c
            c = c if abs(c) > tiny else tiny
            value *= c * d
        if abs(c * d - 1.0) < 4e-16:
            break
    return value
