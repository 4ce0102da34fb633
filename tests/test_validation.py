"""The checks name the field, the value and what is accepted."""

import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from copyproof.validation import (
    LONGEST_NAME,
    FieldError,
    did_you_mean,
    items,
    known,
    name,
    number,
    shown,
    text,
    whole,
    whole_in,
)


def test_an_error_is_read_by_its_parts_and_not_by_its_message() -> None:
    with pytest.raises(FieldError) as caught:
        whole("count", -1)
    error = caught.value.within("changes[3]").noted("(ann)").found_in("a.toml")
    assert (error.field, error.value, error.source) == ("changes[3].count", -1, "a.toml")
    assert error.accepted == "a whole number >= 0"
    assert str(error) == "a.toml: changes[3].count = -1 is not a whole number >= 0 (ann)"
    assert str(error.renamed("n")) == "a.toml: n = -1 is not a whole number >= 0 (ann)"


def test_places_join_with_a_dot_where_one_is_needed() -> None:
    for field, place in [("mean", "arms[0].mean"), ("[1]", "arms[0][1]"), ("", "arms[0]")]:
        assert FieldError(field, 2, "in [0, 1]").within("arms[0]").field == place
    assert FieldError("mean", 2, "in [0, 1]").within("").field == "mean"
    assert str(FieldError("", 2, "1", said="nobody is here")) == "nobody is here"


def test_errors_can_be_sent_to_another_process() -> None:
    error = FieldError("mean", 1.3, "in [0, 1]").noted("(ann)").found_in("a.toml")
    sent = pickle.loads(pickle.dumps(error))
    assert type(sent) is FieldError
    assert str(sent) == str(error)
    assert vars(sent) == vars(error)


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


@pytest.mark.parametrize("value", [True, 3.0, 0, 11, None])
def test_whole_in_refuses(value: object) -> None:
    assert whole_in("x", np.int8(10), 1, 10) == 10
    with pytest.raises(FieldError, match=r"^x = .* is not a whole number from 1 to 10$"):
        whole_in("x", value, 1, 10)


def test_items() -> None:
    assert items("x", (n for n in (1, 2)), "numbers") == (1, 2)
    assert items("x", np.array([1, 2]), "numbers") == (1, 2)
    with pytest.raises(ValueError, match=r"^x is empty: at least one is needed$"):
        items("x", [], "numbers")


@pytest.mark.parametrize("value", ["ab", b"ab", {1, 2}, {1: 2}, 5, np.array(5)])
def test_items_refuses_what_has_no_order(value: object) -> None:
    given: Any = value
    with pytest.raises(ValueError, match=r"^x = .* is not a list of numbers$"):
        items("x", given, "numbers")


@pytest.mark.parametrize("value", ["", " ", "a\nb", "a\u2028b", "\ud800", "\x00", 5])
def test_text_refuses(value: object) -> None:
    with pytest.raises(ValueError, match=r"^x = .* is not one line of visible text$"):
        text("x", value)


def test_text_accepts_any_script() -> None:
    assert text("x", "Zoë 女 👩‍🔬") == "Zoë 女 👩‍🔬"


def test_names_have_an_end_and_no_letters_that_cannot_be_seen() -> None:
    assert name("agent", "x" * LONGEST_NAME) == "x" * LONGEST_NAME
    for bad in ["x" * (LONGEST_NAME + 1), "ann\u200b", "\u202eann", "", 5]:
        with pytest.raises(FieldError, match=r"^agent = .* is not one line of "):
            name("agent", bad)


@pytest.mark.parametrize(
    ("word", "suggested"),
    [
        ("hucb", "h-ucb"),
        ("H_UCB", "h-ucb"),
        ("thomson", "thompson"),
        ("uniform", None),
        ("", None),
        ("--", None),
        (5, None),
    ],
)
def test_what_is_nearly_a_known_word_gets_a_suggestion(word: object, suggested: str | None) -> None:
    words = ["ucb1", "h-ucb", "thompson", "-"]
    tail = f"; did you mean {suggested!r}?" if suggested else ""
    assert did_you_mean(word, words) == tail
    with pytest.raises(FieldError) as caught:
        known("policy", word, words)
    assert str(caught.value).endswith(f"is not one of ucb1, h-ucb, thompson, -{tail}")


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
    assert shown([10**5000]) == "a list"
