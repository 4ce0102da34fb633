"""The checks name the field, the value and what is accepted."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from copyproof.validation import items, number, shown, text, whole


@pytest.mark.parametrize("value", [1, 1.0, np.float32(1), np.int8(1), Fraction(1)])
def test_number_accepts_every_real(value: float) -> None:
    assert number("x", value) == 1.0
    assert type(number("x", value)) is float


@pytest.mark.parametrize("value", [True, "1", None, np.True_, [1], 1j])
def test_number_refuses_what_is_not_one(value: object) -> None:
    with pytest.raises(ValueError, match=r"^x = .* is not a number$"):
        number("x", value)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 10**400])
def test_number_refuses_what_is_not_finite(value: float) -> None:
    with pytest.raises(ValueError, match=r"^x = .* is not a finite number$"):
        number("x", value)


def test_whole_accepts_numpy_ints() -> None:
    assert whole("x", np.int64(3)) == 3
    assert type(whole("x", np.int64(3))) is int


@pytest.mark.parametrize("value", [True, 1.0, 1.5, "1", -1, None])
def test_whole_refuses(value: object) -> None:
    with pytest.raises(ValueError, match=r"^x = .* is not a whole number >= 0$"):
        whole("x", value)


def test_items() -> None:
    assert items("x", (n for n in (1, 2)), "numbers") == (1, 2)
    assert items("x", np.array([1, 2]), "numbers") == (1, 2)
    with pytest.raises(ValueError, match=r"^x is empty: at least one is needed$"):
        items("x", [], "numbers")


@pytest.mark.parametrize("value", ["ab", b"ab", {1, 2}, {1: 2}, 5, np.array(5)])
def test_items_refuses_what_has_no_order(value: Any) -> None:
    with pytest.raises(ValueError, match=r"^x = .* is not a list of numbers$"):
        items("x", value, "numbers")


@pytest.mark.parametrize("value", ["", " ", "a\nb", "a\u2028b", "\ud800", "\x00", 5])
def test_text_refuses(value: object) -> None:
    with pytest.raises(ValueError, match=r"^x = .* is not one line of text that is not blank$"):
        text("x", value)


def test_text_accepts_any_script() -> None:
    assert text("x", "Zoë 女 👩‍🔬") == "Zoë 女 👩‍🔬"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (np.float64(1.3), "1.3"),
        (np.int64(-1), "-1"),
        ("a\nb", r"'a\nb'"),
        (np.zeros((2, 1)), "array([[0.],        [0.]])"),
    ],
)
def test_shown_stays_on_one_line(value: object, said: str) -> None:
    assert shown(value) == said


def test_shown_does_not_write_out_endless_numbers() -> None:
    assert shown(-(10**5000)) == "-2**16609 or more"
