"""Numbers as people read them, and what it costs to write them."""

import subprocess
import sys

import pytest

from copyproof.plots import brief, limits, with_error
from copyproof.simulation import Estimate, Interval


def test_numbers_and_limits() -> None:
    assert limits(Interval(3630.2, 3335.1, 3925.3)) == "3,630 [3,335, 3,925]"
    assert limits(Interval(0.0, 0.0, 0.0)) == "0 [0, 0]"
    assert limits(Interval(-0.3, -12.0, 11.0)) == "0 [-12, 11]"
    assert limits(Interval(0.25, 0.25 - 1e-11, 0.25 + 1e-11)) == "0.25"
    assert limits(Interval(0.1234, 0.1, 0.15)) == "0.123 [0.100, 0.150]"
    assert limits(Interval(1.5, float("-inf"), float("inf"))) == "1.5 [?, ?]"
    assert limits(Interval(float("nan"), float("-inf"), float("inf"))) == "not known"
    assert (brief(1234.5), brief(0.0), brief(float("nan"))) == ("1,234", "0", "?")


def test_means_with_their_error() -> None:
    assert with_error(Estimate(mean=999.94, std=9.0, stderr=0.25)) == "999.9 ± 0.2"
    assert with_error(Estimate(mean=1000.4, std=9.0, stderr=0.6)) == "1,000 ± 1"
    nan = float("nan")
    assert with_error(Estimate(mean=7.0, std=nan, stderr=nan)) == "7.0"


@pytest.mark.parametrize(
    "statement", ["from copyproof.plots.numbers import limits", "import copyproof.plots"]
)
def test_formatting_a_number_loads_no_compiler(statement: str) -> None:
    heavy = ("numba", "copyproof.engine", "copyproof.paper", "copyproof.simulation", "matplotlib")
    code = f"import sys; {statement}; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
