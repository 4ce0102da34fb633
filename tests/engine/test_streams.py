"""The random streams: published vectors, one number for one purpose, uniformity."""

from typing import Any

import numpy as np
import pytest

from copyproof.engine import streams
from copyproof.engine.cache import kernel
from tests import reference

# Known answers of Random123 (Salmon and others), philox4x32 with 10 rounds.
KNOWN = [
    ([0] * 4, [0] * 2, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    ([0xFFFFFFFF] * 4, [0xFFFFFFFF] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    (
        [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
        [0xA4093822, 0x299F31D0],
        [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
    ),
]


@kernel
def many(
    seed: np.uint64, owner: int, purpose: int, arm: int, repetition: int, out: np.ndarray
) -> None:
    key0, key1 = streams.stream_key(seed, owner, 0)
    for k in range(out.shape[0]):
        out[k] = streams.uniform(key0, key1, k, purpose, arm, repetition)


def numbers(
    count: int,
    *,
    seed: int = 1,
    owner: int = 0,
    purpose: int = 0,
    arm: int = 0,
    repetition: int = 0,
) -> np.ndarray:
    out = np.zeros(count)
    many(np.uint64(seed), owner, purpose, arm, repetition, out)
    return out


@pytest.mark.parametrize(("counter", "key", "expected"), KNOWN)
def test_known_answers(counter: list[int], key: list[int], expected: list[int]) -> None:
    words = streams.philox(*(np.uint64(word) for word in counter + key))
    assert [int(word) for word in words] == expected
    assert reference.philox(counter, key) == expected


def test_the_reference_streams_are_the_same() -> None:
    for seed, owner, repetition in [(0, 0, 0), (2**64 - 1, 5, 7), (123456789, 10**6, 2**32 - 1)]:
        stream = reference.Stream(seed, owner, repetition)
        expected = [stream.one(k, 3, 11) for k in range(50)]
        got = numbers(50, seed=seed, owner=owner, purpose=3, arm=11, repetition=repetition)
        assert got.tolist() == expected


def test_every_part_of_the_key_matters() -> None:
    base = numbers(200)
    for change in ("seed", "owner", "purpose", "arm", "repetition"):
        other = numbers(200, **{change: 2})
        assert len(np.intersect1d(base, other)) == 0
    assert len(np.unique(base)) == 200


def test_uniform_and_open() -> None:
    values = numbers(200_000)
    assert values.min() > 0
    assert values.max() < 1
    counts = np.histogram(values, bins=100, range=(0, 1))[0]
    chi2 = float(((counts - 2000) ** 2 / 2000).sum())
    assert 99 - 4 * np.sqrt(198) < chi2 < 99 + 4 * np.sqrt(198)
    correlation = np.corrcoef(values[:-1], values[1:])[0, 1]
    assert abs(correlation) < 4 / np.sqrt(len(values))


def test_long_counters_do_not_collide() -> None:
    first, second = (np.uint64(word) for word in streams.stream_key(np.uint64(1), 0, 0))
    uniform: Any = streams.uniform  # the kernels' integers are NumPy's
    low = uniform(first, second, 5, 0, 0, 0)
    high = uniform(first, second, 5 + 2**32, 0, 0, 0)
    other = uniform(first, second, 5, 1, 0, 0)
    assert len({low, high, other}) == 3


def test_nth_of_stays_below_m() -> None:
    largest = 1 - 2.0**-53
    for m in (1, 2, 3, 7, 10**6, 10**9 + 7):
        assert streams.nth_of(largest, m) == m - 1
        assert streams.nth_of(2.0**-53, m) == 0
