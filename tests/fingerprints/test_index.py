"""The index finds what a search through everything finds."""

import numpy as np
import pytest

from copyproof.fingerprints import (
    Fingerprint,
    Index,
    Near,
    Thresholds,
    of_hash,
    of_hashes,
    of_text,
    of_vector,
    similarity,
)
from copyproof.validation import FieldError


def searched(made: dict[int, Fingerprint], one: Fingerprint, least: float) -> dict[int, float]:
    """Everything that is near, found the slow way."""
    alike = {key: similarity(one, other) for key, other in made.items()}
    return {key: value for key, value in alike.items() if value >= least - 1e-6}


def found(index: Index[int], one: Fingerprint) -> dict[int, float]:
    return {near.key: near.similarity for near in index.near(one)}


@pytest.mark.parametrize("differing", [0, 1, 3, 8, 20])
def test_no_hash_is_missed(differing: int) -> None:
    rng = np.random.default_rng(1)
    centre = int(rng.integers(2**63))
    made = {}
    for key in range(300):
        bits = rng.choice(64, size=rng.integers(0, 30), replace=False)
        made[key] = of_hash(centre ^ sum(1 << int(bit) for bit in bits))
    thresholds = Thresholds(hash=1 - differing / 64)
    index: Index[int] = Index(thresholds)
    for key, one in made.items():
        index.add(key, one)
    assert found(index, of_hash(centre)) == pytest.approx(
        searched(made, of_hash(centre), thresholds.hash)
    )


def test_no_vector_is_missed() -> None:
    rng = np.random.default_rng(2)
    centre = rng.normal(size=16)
    made = {key: of_vector(centre + rng.normal(size=16) * key / 300) for key in range(300)}
    made[300] = of_vector([1.0, 2.0])  # another length: never a candidate
    index: Index[int] = Index()
    for key, one in made.items():
        index.add(key, one)
    del made[300]
    near = found(index, of_vector(centre))
    assert near == pytest.approx(searched(made, of_vector(centre), 0.95), abs=1e-6)
    assert 10 < len(near) < 290


def test_sets_are_found_as_often_as_the_bands_promise() -> None:
    """P = 1 − (1 − J⁴)³² of the sets with J of about 0.6, all of the equal ones."""
    index: Index[int] = Index()
    pairs = [
        (of_hashes(range(n, n + 100)), of_hashes(range(n + 25, n + 125)))
        for n in range(0, 200_000, 500)
    ]
    for key, (one, _) in enumerate(pairs):
        index.add(key, one)
    assert all(found(index, one) == {key: 1.0} for key, (one, _) in enumerate(pairs))
    hits = sum(key in found(index, other) for key, (_, other) in enumerate(pairs))
    likely = sum(similarity(*pair) >= 0.5 for pair in pairs)
    assert 0.97 * likely <= hits <= likely


def test_keys_come_and_go() -> None:
    index: Index[str] = Index()
    text = of_text("red wooden chair")
    index.add("a", text)
    index.add("b", text)
    index.add("b", of_text("green tea"))  # replaced
    assert len(index) == 2
    assert index.near(text) == (Near("a", 1.0),)
    index.remove("a")
    index.remove("a")
    assert index.near(text) == ()
    assert "a" not in index
    assert "b" in index
    index.add("h", of_hash(5))
    index.remove("h")
    index.add("v", of_vector([1.0]))
    index.remove("v")
    assert index.near(of_hash(5)) == () == index.near(of_vector([1.0]))


def test_nearest_first() -> None:
    index: Index[int] = Index(Thresholds(text=0.2))
    for key, text in enumerate(["red chair", "red wooden chair", "a red wooden chair today"]):
        index.add(key, of_text(text))
    assert index.near(of_text("red wooden chair"))[0].key == 1


@pytest.mark.parametrize("threshold", [0.0, 1.1, float("nan"), "high"])
def test_bad_threshold(threshold: object) -> None:
    with pytest.raises(FieldError, match="text = "):
        Thresholds(text=threshold)  # type: ignore[arg-type]
