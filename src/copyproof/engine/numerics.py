"""Logarithm, exponential and power of our own: the same bits on every machine.

A decision compares indices, and an index holds logarithms and powers. The functions of a C library
differ in their last bits from one machine to the next, and now and then a decision with them. The
functions here are made of additions, subtractions, multiplications and divisions of 64-bit floats,
square roots, comparisons and integer operations alone. IEEE 754 fixes the result of each; Numba's
fast-math is off and products and sums are not fused, so that the order in which they are written is
the order in which they are rounded.

- ln x: with x = 2^k m and c ≈ 1/m from a table, ln x = k ln 2 − ln c + ln(1 + r), r = m c − 1,
  which is known exactly as the sum of two floats.
- e^x: with m the whole number next to 512 x/ln 2, e^x = 2^(m/512) e^r, |r| ≤ ln 2/1024.
- x^y = e^(y ln x) with ln x and the product as sums of two floats.

``tests/engine/test_numerics.py`` compares them with 50 correct digits. ``expm1`` never falls where
x ≤ 0 grows: its value before the last rounding is off by less than 2^−61, or 2^−55 of what is
added to x for |x| ≤ 1/32, while the true value grows by more from one float to the next; and
rounding keeps order.
"""

import math
from typing import Any

import numpy as np
from numba import float64, int64, uint64

from copyproof.engine.cache import inlined, part
from copyproof.engine.numerics_tables import (
    EXPONENTIAL,
    LN_2_HIGH,
    LN_2_LOW,
    LOGARITHM,
    STEP_HIGH,
    STEP_LOW,
    STEP_MIDDLE,
    STEPS_PER_UNIT,
)

_FIRST = 0x3FE6000000000000  # 11/16 as bits: where the logarithm's parts begin
_UPPER = 0xFFFFFFFFF8000000 - (1 << 64)  # all but the last 27 bits
_SMALLEST = 2.0**-1022  # numbers below have fewer digits
_ROUND = 1.5 * 2.0**52  # added and subtracted, it leaves the nearest whole number
_SPLIT = 2.0**27 + 1.0
_HALF_LN_2_PI = 0.9189385332046728


@inlined
def _bits(x: float) -> Any:
    return np.float64(x).view(np.int64)


@inlined
def _float(bits: Any) -> float:
    return np.int64(bits).view(np.float64)


@inlined
def _power_of_two(k: int) -> float:
    """2^k, −1022 ≤ k ≤ 1023."""
    return _float((int64(k) + 1023) << 52)


@inlined
def _product(a: float, b: float) -> tuple[float, float]:
    """a·b as the sum of two floats (Dekker 1971)."""
    p = a * b
    t = _SPLIT * a
    a_high = t - (t - a)
    a_low = a - a_high
    t = _SPLIT * b
    b_high = t - (t - b)
    b_low = b - b_high
    return p, ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low


@inlined
def _log(x: float) -> tuple[float, float]:
    """Give ln x as the sum of two floats, 0 < x < ∞."""
    k = int64(0)
    if x < _SMALLEST:
        x *= 2.0**54
        k = int64(-54)
    bits = _bits(x)
    above = bits - _FIRST
    exponent = above >> 52
    k += exponent
    m = _float(bits - (exponent << 52))
    part_ = uint64(above >> 44) & uint64(255)
    c = LOGARITHM[part_, 0]
    p = m * c
    m_high = _float(_bits(m) & _UPPER)
    rest = (m_high * c - p) + (m - m_high) * c  # m c = p + rest, exactly: c has 13 digits
    r = p - 1.0
    high = float64(k) * LN_2_HIGH + LOGARITHM[part_, 1]  # exact
    low = float64(k) * LN_2_LOW + LOGARITHM[part_, 2]
    q = r * r
    series = q * ((r * (1 / 3) - 0.5) + q * ((r * 0.2 - 0.25) + q * (r * (1 / 7) - 1 / 6)))
    total = high + r
    return total, ((high - total) + r) + ((low + (rest - rest * r)) + series)


@inlined
def log(x: float) -> float:
    """Ln x."""
    if not 0.0 < x < math.inf:
        if x == 0.0:
            return -math.inf
        return x if x > 0.0 else math.nan
    high, low = _log(x)
    return high + low


@inlined
def log1p(x: float) -> float:
    """Ln(1 + x)."""
    if not -1.0 < x < math.inf:
        return log(1.0 + x)
    y = 1.0 + x
    lost = x - (y - 1.0) if x < 1.0 else 1.0 - (y - x)
    high, low = _log(y)
    return high + (low + lost / y)


@inlined
def _exp(x: float, x_low: float) -> tuple[float, float, Any]:
    """e^(x + x_low) as (h + l)·2^k, for |x| ≤ 746 and x_low in its last digits."""
    whole = (x * STEPS_PER_UNIT + _ROUND) - _ROUND
    near = x - whole * STEP_HIGH  # exact
    shift = whole * STEP_MIDDLE  # exact
    r = near - shift
    r_low = ((near - r) - shift) - whole * STEP_LOW + x_low
    m = np.int64(whole)
    j = uint64(m) & uint64(511)
    q = r * r
    series = r_low + q * ((0.5 + r * (1 / 6)) + q * (1 / 24 + r * (1 / 120)))
    h = EXPONENTIAL[j, 0]
    return h, EXPONENTIAL[j, 1] + h * (r + series), m >> 9


@inlined
def _scaled(x: float, x_low: float) -> float:
    """e^(x + x_low)."""
    if not x < 710.0:
        return x if x != x else math.inf
    if x < -746.0:
        return 0.0
    h, l, k = _exp(x, x_low)
    if -1022 < k < 1024:
        return (h + l) * _power_of_two(k)
    half = k >> 1
    return (h + l) * _power_of_two(half) * _power_of_two(k - half)


@inlined
def exp(x: float) -> float:
    """e^x."""
    return _scaled(x, 0.0)


@inlined
def expm1(x: float) -> float:
    """e^x − 1; it never falls where x ≤ 0 grows."""
    if -0.03125 <= x <= 0.03125:
        q, rest = _product(x, x)
        first = (1 / 6 + x * (1 / 24)) + q * (1 / 120 + x * (1 / 720))
        series = x * q * (first + (q * q) * (1 / 5040 + x * (1 / 40320)))
        return x + (0.5 * q + (0.5 * rest + series))
    if -0.6 <= x <= 0.6:
        h, l, k = _exp(x, 0.0)
        scale = _power_of_two(k)
        return (h * scale - 1.0) + l * scale  # the difference is exact
    return _scaled(x, 0.0) - 1.0


@part
def power(x: float, y: float) -> float:
    """x^y for 0 ≤ x < ∞."""
    if y == 0.0 or x == 1.0:
        return 1.0
    if x == 0.0:
        return 0.0 if y > 0.0 else math.inf
    high, low = _log(x)
    head = high + low
    tail = (high - head) + low
    if abs(y * head) > 1000.0:
        return math.inf if y * head > 0.0 else 0.0
    p, rest = _product(y, head)
    return _scaled(p, rest + y * tail)


@part
def log_gamma(x: float) -> float:
    """Ln Γ(x), x > 0: Stirling's series from 8 on, and Γ(x) = Γ(x + 1)/x below."""
    product = 1.0
    while x < 8.0:
        product *= x
        x += 1.0
    z = 1.0 / (x * x)
    series = -691 / 360360 + z * (1 / 156 + z * (-3617 / 122400 + z * (43867 / 244188)))
    series = 1 / 1260 + z * (-1 / 1680 + z * (1 / 1188 + z * series))
    series = (1 / 12 + z * (-1 / 360 + z * series)) / x
    return ((x - 0.5) * log(x) - x - log(product)) + (_HALF_LN_2_PI + series)
