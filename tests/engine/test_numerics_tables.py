"""The tables of the logarithm and the exponential, against fifty digits of ``decimal``."""

import math
from decimal import Decimal, localcontext

import pytest

from copyproof.engine import numerics_tables as tables


def digits(value: float) -> Decimal:
    return Decimal(float(value))


def test_the_exponential_table_holds_roots_of_two() -> None:
    with localcontext(prec=60):
        for j, (high, low) in enumerate(tables.EXPONENTIAL):
            exact = (Decimal(2).ln() * j / 512).exp()
            assert high == float(exact)
            assert low == float(exact - digits(high))


def test_the_logarithm_table_holds_the_logarithms_of_its_factors() -> None:
    with localcontext(prec=60):
        for c, high, low in tables.LOGARITHM:
            exact = -digits(c).ln()
            assert c * 4096 == int(c * 4096)
            assert high * 2**42 == math.floor(exact * 2**42)
            assert low == float(exact - digits(high))


def test_a_factor_brings_every_number_of_its_part_close_to_1() -> None:
    edges = [1 - (160 - j) / 512 for j in range(160)] + [1 + j / 256 for j in range(97)]
    for j, c in enumerate(tables.LOGARITHM[:, 0]):
        assert abs(edges[j] * c - 1) <= 2.0**-8
        assert abs(edges[j + 1] * c - 1) <= 2.0**-8


def test_the_constants_are_those_of_the_natural_logarithm() -> None:
    with localcontext(prec=60):
        ln_2 = Decimal(2).ln()
        parts = [tables.STEP_HIGH, tables.STEP_MIDDLE, tables.STEP_LOW]
        assert abs(digits(tables.LN_2_HIGH) + digits(tables.LN_2_LOW) - ln_2) < 2.0**-100
        assert abs(sum(map(digits, parts)) - ln_2 / 512) < 2.0**-120
        assert float(512 / ln_2) == tables.STEPS_PER_UNIT
    for part in parts[:2]:  # times a whole number below 2^20 they are exact
        mantissa, _ = math.frexp(part)
        assert mantissa * 2**33 == int(mantissa * 2**33)


def test_the_tilts_are_32_to_an_octave() -> None:
    with localcontext(prec=60):
        for j in range(0, len(tables.TILTS), 7):
            s, rest = tables.TILTS[j]
            assert s == float((Decimal(2).ln() * (j - 24 * 32) / 32).exp())
            assert rest == float(1 - (-digits(s)).exp())
    assert tables.TILTS[-1, 0] == 16


def test_the_tables_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        tables.TILTS[0, 0] = 1.0
