"""Utilities never fall, and never touch what they are given."""

import re
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from copyproof.game import NEUTRAL, Custom, Neutral, RiskAverse, RiskSeeking, Utility


def test_values() -> None:
    revenue = [0.0, 1.0, 4.0]
    assert NEUTRAL.of(revenue).tolist() == [0.0, 1.0, 4.0]
    assert RiskAverse(0.5).of(revenue).tolist() == [0.0, 1.0, 2.0]
    assert RiskSeeking(2).of(revenue).tolist() == [0.0, 1.0, 16.0]
    assert Custom("log", np.log1p).of(revenue).tolist() == np.log1p(revenue).tolist()


def test_neutral_takes_losses_and_returns_a_new_array() -> None:
    revenue = np.array([[-1.0, 2.0]])
    worth = Neutral().of(revenue)
    worth[0, 0] = 9.0
    assert revenue.tolist() == [[-1.0, 2.0]]


def test_a_custom_function_cannot_write_to_the_revenue() -> None:
    def greedy(revenue: NDArray[np.float64]) -> NDArray[np.float64]:
        revenue += 1
        return revenue

    revenue = np.array([1.0, 2.0])
    assert Custom("greedy", greedy).of(revenue).tolist() == [2.0, 3.0]
    assert revenue.tolist() == [1.0, 2.0]


def test_customs_compare_by_name_and_function() -> None:
    assert Custom("log", np.log1p) == Custom("log", np.log1p)
    assert Custom("log", np.log1p) != Custom("ln", np.log1p)
    assert Custom("log", np.log1p) != Custom("log", np.sqrt)
    assert len({Custom("log", np.log1p), Custom("log", np.log1p)}) == 1


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: RiskAverse(1), "power = 1.0 is not in (0, 1)"),
        (lambda: RiskSeeking(1), "power = 1.0 is not > 1"),
        (lambda: Custom("", np.log1p), "name = '' is not one line of visible text"),
        (lambda: Custom("log", 3), "function = 3 is not callable"),  # type: ignore[arg-type]
        (lambda: NEUTRAL.of([0, np.nan]), "revenue[1] = nan is not a finite number"),
        (
            lambda: RiskAverse(0.5).of([1, -2]),
            "revenue[1] = -2.0 is not >= 0, as the power 0.5 needs",
        ),
        (
            lambda: RiskSeeking(100).of([1e5]),
            "revenue[0] = 100000.0 to the power 100.0 is too large",
        ),
        (
            lambda: Custom("sum", np.sum).of([1, 2]),
            "utility 'sum': shape () is not the given (2,)",
        ),
        (
            lambda: Custom("inf", lambda v: v * np.inf).of([1.0]),
            "utility 'inf': U(1.0) = inf is not a finite number",
        ),
        (
            lambda: Custom("minus", np.negative).of([3, 1, 2]),
            "utility 'minus': U(2.0) = -2.0 is not >= U(1.0) = -1.0",
        ),
    ],
)
def test_refusals(call: Callable[[], object], said: str) -> None:
    with pytest.raises(ValueError, match=rf"^{re.escape(said)}\Z"):
        call()


@given(arrays(float, st.integers(0, 20), elements=st.floats(0, 1e6)))
def test_no_utility_falls(revenue: NDArray[np.float64]) -> None:
    utilities: list[Utility] = [NEUTRAL, RiskAverse(0.3), RiskSeeking(2.5)]
    utilities.append(Custom("tanh", np.tanh))
    for utility in utilities:
        worth = utility.of(np.sort(revenue))
        assert worth.shape == revenue.shape
        assert (np.diff(worth) >= -1e-12 * np.max(worth, initial=0)).all()
