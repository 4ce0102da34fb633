"""Layers of an exact computation: the states after t rounds, each with its probability.

Forward dynamic programming: a state of probability p is left through every arm that may be chosen,
with probability P(arm | state), to the state with one more play, and one more success with the
arm's mean μ. States reached in several ways are merged in a hash table. A place of the table is
free while its probability is 0, so that a table begins as plain zeros.

Sums over millions of states are compensated (Kahan 1965): what rounding has cut off a sum is kept
beside it and added back, so that the number of states does not show in the result.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import int64, uint64

from copyproof.engine.cache import inlined, kernel
from copyproof.engine.exact_transitions import (
    KeyLayout,
    Options,
    Workspace,
    find_options,
    write_child,
)

_MULTIPLY = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(32)


class Layer(NamedTuple):
    """A hash table from keys to probabilities; its size is a power of two."""

    keys: Any  # A row of words for each place
    chance: Any  # 0 where the place is free
    count: Any  # one number: the places in use


def new_layer(places: int, words: int) -> Layer:
    """Return an empty table; ``places`` is a power of two, and 8 at least."""
    return Layer(np.zeros((places, words), np.int64), np.zeros(places), np.zeros(1, np.int64))


@inlined
def _first_place(key: Any, places: int) -> int:
    """Where the search for a key begins.

    The last three bits of the key are kept: states that differ in the last slot's successes only
    are neighbours, their children are so, too, and share cache lines.
    """
    low = key[0] & 7
    mixed = uint64(key[0] >> 3)
    for word in range(1, key.shape[0]):
        mixed = (mixed * _MULTIPLY) ^ (mixed >> _SHIFT) ^ uint64(key[word])
    mixed *= _MULTIPLY
    mixed ^= mixed >> _SHIFT
    mixed *= _MULTIPLY
    return int(((int64(mixed >> _SHIFT) << 3) | low) & (places - 1))


@inlined
def _add(layer: Layer, key: Any, chance: float) -> None:
    """Add to the probability of a key; ``layer`` is modified in place."""
    if chance == 0.0:
        return
    places = layer.chance.shape[0]
    place = _first_place(key, places)
    while layer.chance[place] != 0.0:
        equal = True
        for word in range(key.shape[0]):
            if layer.keys[place, word] != key[word]:
                equal = False
                break
        if equal:
            layer.chance[place] += chance
            return
        place = (place + 1) & (places - 1)
    layer.chance[place] = chance
    for word in range(key.shape[0]):
        layer.keys[place, word] = key[word]
    layer.count[0] += 1


@inlined
def _sum_up(sums: Any, place: int, value: float) -> None:
    """Add to ``sums[place, 0]``; ``sums[place, 1]`` keeps what rounding cut off."""
    exact = value - sums[place, 1]
    total = sums[place, 0] + exact
    sums[place, 1] = (total - sums[place, 0]) - exact
    sums[place, 0] = total


@kernel
def put(layer: Layer, key: np.ndarray, chance: float) -> None:
    """Put a state into a layer, which is modified in place."""
    _add(layer, key, chance)


@kernel
def copy_layer(layer: Layer, into: Layer) -> None:
    """Add all states of a layer to another, larger one, which is modified in place."""
    for place in range(layer.chance.shape[0]):
        if layer.chance[place] != 0.0:
            _add(into, layer.keys[place], layer.chance[place])


@kernel
def expand(
    work: Workspace,
    options: Options,
    t: int,
    here: Layer,
    start: int,
    after: Layer,
    plays: np.ndarray,
) -> int:
    """Play round t from all states of ``here``, from place ``start`` on, into ``after``.

    ``plays`` gets the expected plays of each original. Returns the place to go on from with more
    room in ``after``, or the number of places once all is done.
    """
    pools, layout = work.state.pools, work.layout
    places = here.chance.shape[0]
    room = after.chance.shape[0] * 5 // 8 - 2 * options.fields.shape[0]
    for place in range(start, places):
        chance = here.chance[place]
        if chance == 0.0:
            continue
        if after.count[0] > room:
            return place
        key = here.keys[place]
        find_options(work, t, key, options)
        if work.plan.is_flat:
            originals = (0, layout.copies.shape[0])
            _leave(work, options, originals, options.arm_coins[0], chance, key, after, plays)
            continue
        equals = 0
        present = 0
        for agent in range(options.plays.shape[0]):
            equals += options.agents[agent]
            present += int(pools[agent + 1].items > 0)
        coin = options.agent_coin[0]
        for agent in range(options.plays.shape[0]):
            if pools[agent + 1].items == 0:
                continue
            share = coin / present
            if options.agents[agent] > 0:
                share += (1.0 - coin) / equals
            if share > 0.0:
                originals = (layout.agents[agent], layout.agents[agent + 1])
                arm_coin = options.arm_coins[agent]
                _leave(work, options, originals, arm_coin, chance * share, key, after, plays)
    return int(places)


@inlined
def _leave(
    work: Workspace,
    options: Options,
    originals: tuple[int, int],
    coin: float,
    chance: float,
    key: Any,
    after: Layer,
    plays: Any,
) -> None:
    """Play the arms of one pool, from one original up to another, that is chosen with a chance."""
    layout, child = work.layout, work.child
    first, last = originals
    equals = 0
    present = 0
    for slot in range(layout.slots[first], layout.slots[last]):
        equals += options.arms[slot]
        present += options.in_play[slot]
    for original in range(first, last):
        mean = layout.means[original]
        for slot in range(layout.slots[original], layout.slots[original + 1]):
            share = 0.0
            if options.arms[slot] > 0:
                share = (1.0 - coin) * options.arms[slot] / equals
            if coin > 0.0:
                share += coin * options.in_play[slot] / present
            if share == 0.0:
                continue
            _sum_up(plays, original, chance * share)
            for reward, part in ((1, mean), (0, 1.0 - mean)):
                if part > 0.0:
                    write_child(layout, options, original, slot, reward, key, child)
                    _add(after, child, chance * share * part)


@kernel
def tally(layout: KeyLayout, layer: Layer, sums: np.ndarray) -> None:
    """Fill ``sums[i, v, 0]`` with the probability that agent i has v successes."""
    mask = (1 << layout.bits) - 1
    for place in range(layer.chance.shape[0]):
        chance = layer.chance[place]
        if chance == 0.0:
            continue
        for agent in range(sums.shape[0]):
            successes = 0
            first = layout.slots[layout.agents[agent]]
            last = layout.slots[layout.agents[agent + 1]]
            for slot in range(first, last):
                word = layer.keys[place, layout.words[slot]]
                successes += (word >> layout.shifts[slot]) & mask
            _sum_up(sums[agent], successes, chance)
