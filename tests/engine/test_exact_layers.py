"""The hash tables of exact computations: nothing is lost, and sums keep their last digits."""

import random

import numpy as np
import pytest

from copyproof.engine.exact_layers import Layer, copy_layer, new_layer, put, tally
from copyproof.engine.exact_transitions import KeyLayout


def contents(layer: Layer) -> dict[tuple[int, ...], float]:
    used = np.flatnonzero(layer.chance)
    return {tuple(layer.keys[place].tolist()): float(layer.chance[place]) for place in used}


@pytest.mark.parametrize("words", [1, 2, 5])
def test_a_table_is_a_dictionary(words: int) -> None:
    rng = random.Random(words)
    keys = [tuple(rng.choice([0, 1, 7, 8, 2**61]) for _ in range(words)) for _ in range(300)]
    keys += [tuple(rng.getrandbits(62) for _ in range(words)) for _ in range(300)]
    layer = new_layer(1024, words)
    expected: dict[tuple[int, ...], float] = {}
    for key in keys:
        chance = rng.choice([0.0, 0.25, 0.5])
        put(layer, np.array(key, np.int64), chance)
        if chance:
            expected[key] = expected.get(key, 0.0) + chance
    assert contents(layer) == expected
    assert layer.count[0] == len(expected)
    larger = new_layer(4096, words)
    copy_layer(layer, larger)
    assert contents(larger) == expected
    assert larger.count[0] == len(expected)


def test_a_sum_of_many_chances_keeps_its_last_digits() -> None:
    # One agent, one arm: n in the upper bits is free to tell states of equal successes apart.
    bits = 20
    index = np.arange(2)
    layout = KeyLayout(bits, index[:1], index[:1], index, index, index[1:], np.ones(1))
    layer = new_layer(2**18, 1)
    for n in range(100_000):
        put(layer, np.array([n << bits], np.int64), 0.1)
    sums = np.zeros((1, 1, 2))
    tally(layout, layer, sums)
    assert sums[0, 0, 0] == 10_000.0
    assert sum([0.1] * 100_000) != 10_000.0
