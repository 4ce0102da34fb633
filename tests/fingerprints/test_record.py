"""Fingerprints of texts, hashes and vectors."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copyproof.fingerprints import (
    Fingerprint,
    of_hash,
    of_hashes,
    of_text,
    of_vector,
    similarity,
)
from copyproof.fingerprints.shingles import plain_words, shingles
from copyproof.validation import FieldError

MADE = [
    of_text("Fresh coffee"),
    of_hashes([1, 2, 3]),
    of_hash(2**64 - 1),
    of_vector([0.1, -2.0, 5.0]),
]


@pytest.mark.parametrize("made", MADE, ids=lambda made: made.kind)
def test_text_form_round_trips(made: Fingerprint) -> None:
    assert Fingerprint.parse(str(made)) == made
    assert similarity(made, made) == pytest.approx(1.0)


def test_values_are_those_of_earlier_versions() -> None:
    """Fingerprints are stored: they must not change with a library."""
    assert of_text("Fresh coffee").numbers[:4].tolist() == [
        153778527,
        41857874,
        1361299373,
        345051307,
    ]


@given(st.text(), st.text())
def test_texts_that_read_the_same_are_the_same(one: str, other: str) -> None:
    if not shingles(one):
        with pytest.raises(FieldError, match="with a letter or a digit"):
            of_text(one)
    elif shingles(one) == shingles(other):
        assert of_text(one) == of_text(other)


def test_case_accents_punctuation_and_order_do_not_matter() -> None:
    assert plain_words("  Ærø — CAFÉ\n№5") == ["ærø", "cafe", "no5"]
    assert of_text("Café Río, open late") == of_text("OPEN late: cafe rio!")


@pytest.mark.parametrize("shared", [20, 50, 80])
def test_minhash_estimates_the_jaccard_index(shared: int) -> None:
    J = shared / (200 - shared)
    estimates = [
        similarity(
            of_hashes(f"{run}.{n}" for n in range(100)),
            of_hashes(f"{run}.{n}" for n in range(100 - shared, 200 - shared)),
        )
        for run in range(200)
    ]
    error = math.sqrt(J * (1 - J) / 128)
    assert np.mean(estimates) == pytest.approx(J, abs=5 * error / math.sqrt(200))
    assert np.std(estimates) == pytest.approx(error, rel=0.25)


def test_hash_counts_bits() -> None:
    one, other = of_hash("ffffffffffffffff"), of_hash("fffffffffffffff0")
    assert similarity(one, other) == 60 / 64


def test_vector_is_a_direction() -> None:
    assert similarity(of_vector([1, 0]), of_vector([1, 1])) == pytest.approx(math.sqrt(0.5))
    assert similarity(of_vector([1, 0]), of_vector([-5, 0])) == pytest.approx(-1.0)


@pytest.mark.parametrize("value", [-1, 2**64, True, 1.5, "xyz", "12", None, "-00000000000000f"])
def test_bad_hash(value: object) -> None:
    with pytest.raises(FieldError, match=r"hash = .* is not a 64-bit hash"):
        of_hash(value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "values", [[], [0.0, 0.0], [math.nan], [math.inf], ["a"], 5, [1.0] * 10_001]
)
def test_bad_vector(values: object) -> None:
    with pytest.raises(FieldError, match=r"vector = .* is not 1 to 10,000 finite numbers"):
        of_vector(values)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["", "text:", "text:AAAA", "picture:AAAA", "hash:1", "vector:A"])
def test_bad_text_form(text: str) -> None:
    with pytest.raises(FieldError, match=r"fingerprint = .* is not a fingerprint"):
        Fingerprint.parse(text)


def test_no_hashes() -> None:
    with pytest.raises(FieldError, match="at least one hash"):
        of_hashes([])


def test_kinds_do_not_compare() -> None:
    with pytest.raises(FieldError, match="fingerprint = 'hashes' is not comparable with a text"):
        similarity(MADE[0], MADE[1])
    with pytest.raises(FieldError, match="vector of 2 numbers"):
        similarity(MADE[3], of_vector([1, 2]))
