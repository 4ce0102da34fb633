"""Discount sequences know their weights, and whether they are proper."""

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copyproof.game import NO_DISCOUNT, Constant, Discount, Explicit, Geometric


def test_weights() -> None:
    assert [NO_DISCOUNT.at(t) for t in (1, 2, 10**9)] == [1.0, 1.0, 1.0]
    assert [Geometric(0.5).at(t) for t in (1, 2, 3)] == [1.0, 0.5, 0.25]
    assert [Explicit([1, 0.7, 0]).at(t) for t in (1, 2, 3)] == [1.0, 0.7, 0.0]
    assert Constant() == NO_DISCOUNT
    assert all(isinstance(d, Discount) for d in (Constant(), Geometric(1), Explicit([1])))


@pytest.mark.parametrize("discount", [Constant(), Geometric(0.9), Explicit([1.0])])
def test_rounds_start_at_one(discount: Discount) -> None:
    with pytest.raises(ValueError, match=r"^t = 0 is not a whole number >= 1$"):
        discount.at(0)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: Geometric(0), "factor = 0.0 is not in (0, 1]"),
        (lambda: Geometric(1.1), "factor = 1.1 is not in (0, 1]"),
        (lambda: Explicit([]), "weights is empty: at least one is needed"),
        (lambda: Explicit([1, float("nan")]), "weights[1] = nan is not a finite number"),
        (lambda: Explicit([1, 0.5, -0.1]).check_proper(1), "weights[2] = -0.1 is not >= 0"),
        (
            lambda: Explicit([0.5, 0.6, -1]).check_proper(1),
            "weights[1] = 0.6 is not <= weights[0] = 0.5",
        ),
        (
            lambda: Explicit([1, 0.5, 0]).check_proper(3),
            "weights has 2 non-zero of 3 entries: 3 agents need 3 non-zero weights",
        ),
        (
            lambda: Geometric(1e-300).check_proper(3),
            "factor = 1e-300 is too small: factor^(t-1) is 0 in floating point at t = 3, "
            "and 3 agents need 3 non-zero weights",
        ),
        (
            lambda: Explicit([1, 1]).check_horizon(3),
            "discount.weights has 2 entries: too few for 3 rounds",
        ),
        (lambda: Explicit([1, 1]).at(3), "discount.weights has 2 entries: too few for 3 rounds"),
    ],
)
def test_refusals(call: Callable[[], object], said: str) -> None:
    with pytest.raises(ValueError, match=rf"^{re.escape(said)}\Z"):
        call()


def test_what_is_proper_passes() -> None:
    Constant().check_proper(10**6)
    Constant().check_horizon(10**12)
    Geometric(0.999).check_proper(5)
    Geometric(0.5).check_horizon(10**12)
    Explicit([1, 1, 0.5, 0]).check_proper(3)
    Explicit([1, 1, 0.5, 0]).check_horizon(4)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_proper_means_sorted_and_enough_above_zero(weights: list[float]) -> None:
    falling = sorted(weights, reverse=True)
    above = sum(weight > 0 for weight in weights)
    if above:
        Explicit(falling).check_proper(above)
    with pytest.raises(ValueError, match="non-zero"):
        Explicit(falling).check_proper(above + 1)
