"""Logarithm, exponential and power against fifty digits, and what a C library may not decide.

``python -m tests.engine.test_numerics`` prints the errors that the documentation states.
"""

import math
from collections.abc import Callable
from decimal import Decimal, localcontext

import numpy as np
import pytest

from copyproof.engine import numerics
from copyproof.engine.cache import part

RNG = np.random.default_rng(11)
POINTS: dict[str, list[float]] = {
    "log": [
        *10 ** RNG.uniform(-300, 300, 500),
        *RNG.uniform(0.5, 2, 1000),
        *(1 + RNG.uniform(-0.02, 0.02, 1000)),
        *(1 + 10 ** RNG.uniform(-15, -1, 300)),
        *RNG.integers(2, 10**6, 500).astype(float),
        5e-324,
        2.0**-1022,
        1.7e308,
    ],
    "log1p": [
        *-(10 ** RNG.uniform(-18, -0.001, 1000)),
        *RNG.uniform(-0.99, 1, 1000),
        *10 ** RNG.uniform(-18, 9, 500),
    ],
    "exp": [
        *RNG.uniform(-700, 709, 800),
        *RNG.uniform(-1, 1, 1500),
        *10 ** RNG.uniform(-12, 0, 300),
    ],
    "expm1": [
        *-(10 ** RNG.uniform(-9, 1.5, 1000)),
        *RNG.uniform(-1, 1, 1000),
        *RNG.uniform(-0.04, 0.04, 1000),
    ],
}
EXACT: dict[str, Callable[[Decimal], Decimal]] = {
    "log": lambda x: x.ln(),
    "log1p": lambda x: (1 + x).ln(),
    "exp": lambda x: x.exp(),
    "expm1": lambda x: x.exp() - 1,
}
MOST = {"log": 0.51, "log1p": 0.75, "exp": 0.501, "expm1": 1.0, "power": 0.53}
"""The largest errors that are allowed, in units of the last place."""


def error(found: float, exact: Decimal) -> float:
    unit = Decimal(float(np.spacing(abs(float(exact)))))
    return float(abs(Decimal(found) - exact) / unit)


def largest_error(name: str) -> float:
    function = getattr(numerics, name)
    with localcontext(prec=50):
        return max(error(function(float(x)), EXACT[name](Decimal(float(x)))) for x in POINTS[name])


def largest_error_of_powers() -> float:
    rng = np.random.default_rng(12)
    largest = 0.0
    with localcontext(prec=50):
        for x, y in zip(10 ** rng.uniform(-3, 9, 1500), rng.uniform(-3, 4, 1500), strict=True):
            found = numerics.power(float(x), float(y))
            exact = (Decimal(float(x)).ln() * Decimal(float(y))).exp()
            largest = max(largest, error(found, exact))
    return largest


@pytest.mark.parametrize("name", EXACT)
def test_the_error_is_about_half_a_unit_of_the_last_place(name: str) -> None:
    assert largest_error(name) < MOST[name]


def test_powers_are_as_good() -> None:
    assert largest_error_of_powers() < MOST["power"]


def test_ends_of_the_range() -> None:
    inf, nan = math.inf, math.nan
    assert [numerics.log(x) for x in (0.0, 1.0, inf)] == [-inf, 0.0, inf]
    assert [numerics.exp(x) for x in (-inf, -746.0, 0.0, 710.0, inf)] == [0.0, 0.0, 1.0, inf, inf]
    assert [numerics.expm1(x) for x in (-inf, 0.0, inf)] == [-1.0, 0.0, inf]
    assert [numerics.log1p(x) for x in (-1.0, 0.0, inf)] == [-inf, 0.0, inf]
    assert numerics.exp(-745.0) == 5e-324
    assert numerics.exp(709.75) == float(Decimal("709.75").exp())
    assert [numerics.power(0.0, y) for y in (2.0, 0.0, -1.0)] == [0.0, 1.0, inf]
    assert [numerics.power(10.0, y) for y in (400.0, -400.0, 3.0)] == [inf, 0.0, 1000.0]
    for function in (numerics.log, numerics.log1p, numerics.exp, numerics.expm1):
        assert math.isnan(function(nan))
    assert math.isnan(numerics.log(-1.0))


def test_log_gamma_at_factorials_and_halves() -> None:
    factorial = 1.0
    for n in range(1, 150):
        assert numerics.log_gamma(float(n)) == pytest.approx(
            math.log(factorial), abs=1e-14, rel=1e-14
        )
        factorial *= n
    assert numerics.log_gamma(0.5) == pytest.approx(math.log(math.pi) / 2, rel=1e-14)
    assert numerics.log_gamma(1e-6) == pytest.approx(math.lgamma(1e-6), rel=1e-14)
    assert numerics.log_gamma(1e9) == pytest.approx(math.lgamma(1e9), rel=1e-14)


@part
def product_less_itself(a: float, b: float) -> float:
    return a * b - (a * b)


@part
def falls(which: int, x: float, count: int) -> int:
    """How often a function falls from one float to the next."""
    found = 0
    before = -math.inf
    for _ in range(count):
        value = numerics.expm1(x) if which == 0 else numerics.log(x)
        if value < before:
            found += 1
        before = value
        x = np.nextafter(x, math.inf)
    return found


@pytest.mark.parametrize(
    "start",
    [-40.0, -3.0, -math.log(2) - 1e-12, -0.6 - 1e-12, -0.5, -0.1, -0.03125 - 1e-13, -0.01, -1e-6],
)
def test_expm1_never_falls_below_0(start: float) -> None:
    assert falls(0, start, 100_000) == 0


@pytest.mark.parametrize("start", [0.6875 - 1e-12, 0.99999, 1.0, 1.375 - 1e-12, 2.0, 1e5])
def test_log_does_not_fall_either(start: float) -> None:
    assert falls(1, start, 100_000) == 0


def test_products_and_sums_are_not_fused() -> None:
    """A fused a·b − c would show the rounding error of a·b."""
    for a in RNG.uniform(0.5, 1, 100):
        assert product_less_itself(float(a), 1 / 3) == 0.0


if __name__ == "__main__":
    for name in EXACT:
        print(f"{name}: {largest_error(name):.4f} units of the last place")
    print(f"power: {largest_error_of_powers():.4f} units of the last place")
