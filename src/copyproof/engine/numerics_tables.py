"""Tables of the engine's logarithm and exponential, made of whole numbers alone.

Everything here is computed with Python's integers, in fixed point with 160 binary digits, and then
rounded to floats: the tables come out the same on every machine, to the last bit.

- ``EXPONENTIAL[j]`` holds 2^(j/512), j = 0 … 511, as the sum of two floats.
- ``LOGARITHM[j]`` holds c, and −ln c as a sum of two floats, of which the first has no digits
  beyond 2^−42. The numbers from 11/16 to 11/8 are cut into 256 parts; c, a multiple of 2^−12, is
  about 1/m for the m of part j, and exactly 1 in the two parts beside 1.
- ln 2 is split the same way, and ln 2/512 into three floats of which two have 33 digits, so that
  their products with small whole numbers are exact.
- ``TILTS[j]`` holds s = 2^(j/32 − 24), j = 0 … 896, and 1 − e^−s, for ``bounds.kl_index``.
"""

import math
from typing import Any

import numpy as np

_DIGITS = 160
_ONE = 1 << _DIGITS
STEPS = 512
PARTS = 256
TILTS_PER_OCTAVE = 32
LEAST_TILT = -24  # as a power of two
MOST_TILT = 4


def _logarithm(numerator: int, denominator: int) -> int:
    """ln(numerator/denominator) = 2 artanh z, z = (p − q)/(p + q), in fixed point."""
    z = (abs(numerator - denominator) << _DIGITS) // (numerator + denominator)
    total, power, k = 0, z, 1
    while power > 0:
        total += power // k
        power = (power * z >> _DIGITS) * z >> _DIGITS
        k += 2
    return 2 * total if numerator > denominator else -2 * total


def _leading(value: int, digit: int) -> float:
    """A number without its binary digits beyond 2^−digit."""
    return float((value >> (_DIGITS - digit)) / (1 << digit))


def _rest(value: int, *taken: float) -> float:
    """What is left of a number, rounded to a float."""
    return float((value - sum(int(math.ldexp(one, _DIGITS)) for one in taken)) / _ONE)


def _exponential_table() -> Any:
    root = 2 << _DIGITS
    for _ in range(STEPS.bit_length() - 1):
        root = math.isqrt(root << _DIGITS)  # 2^(1/512) in the end
    table = np.empty((STEPS, 2))
    value = _ONE
    for j in range(STEPS):
        high = float(value / _ONE)
        table[j] = high, _rest(value, high)
        value = value * root >> _DIGITS
    return table


def _logarithm_table() -> Any:
    table = np.empty((PARTS, 3))
    for j in range(PARTS):
        # In 1/1024: parts are 2/1024 wide below 1, and 4/1024 above.
        middle = 705 + 2 * j if j < 160 else 1026 + 4 * (j - 160)
        c = 4096 if j in (159, 160) else (2 * 4096 * 1024 + middle) // (2 * middle)
        value = -_logarithm(c, 4096)
        high = _leading(value, 42)
        table[j] = c / 4096, high, _rest(value, high)
    return table


def _one_minus_exponential(s: float) -> float:
    """1 − e^−s, by the series of e^−t for t = s/2^k ≤ 1/32, squared k times."""
    halvings = max(0, math.frexp(s)[1] + 5)
    t = int(math.ldexp(s, _DIGITS - halvings))
    power, term, k = _ONE, _ONE, 1
    while term > 0:
        term = (term * t >> _DIGITS) // k
        power += term if k % 2 == 0 else -term
        k += 1
    for _ in range(halvings):
        power = power * power >> _DIGITS
    return float((_ONE - power) / _ONE)


def _tilt_table() -> Any:
    count = (MOST_TILT - LEAST_TILT) * TILTS_PER_OCTAVE + 1
    table = np.empty((count, 2))
    for j in range(count):
        octave, place = divmod(j, TILTS_PER_OCTAVE)
        s = math.ldexp(EXPONENTIAL[place * STEPS // TILTS_PER_OCTAVE, 0], octave + LEAST_TILT)
        table[j] = s, _one_minus_exponential(s)
    return table


_LN_2 = _logarithm(2, 1)
_STEP = _LN_2 // STEPS
EXPONENTIAL = _exponential_table()
LOGARITHM = _logarithm_table()
LN_2_HIGH = _leading(_LN_2, 40)
LN_2_LOW = _rest(_LN_2, LN_2_HIGH)
STEP_HIGH = _leading(_STEP, 42)
STEP_MIDDLE = _leading(_STEP - int(math.ldexp(STEP_HIGH, _DIGITS)), 74)
STEP_LOW = _rest(_STEP, STEP_HIGH, STEP_MIDDLE)
STEPS_PER_UNIT = float((STEPS << (2 * _DIGITS)) // _LN_2 / _ONE)  # 512/ln 2
TILTS = _tilt_table()
for _table in (EXPONENTIAL, LOGARITHM, TILTS):
    _table.flags.writeable = False
