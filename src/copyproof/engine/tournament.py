"""The kinetic tournament: the largest of many lines h + s·x while x only grows.

A UCB index r + √(f(t)/n) is a straight line in x = √f(t), with height h = r and slope s = 1/√n, and
x never decreases. So "the best arm" is the upper envelope of lines at a moving x. A complete binary
tree keeps it: every node holds the winning line among its leaves, how many leaves are exactly tied
with it, and the x up to which this result is certain to hold. A play changes one line and re-plays
one path to the root; the passing of time re-plays only the nodes whose result has expired.

Results are those of a scan, to the last bit: every match compares the same floating-point values h
+ s·x that a scan would, and a result expires before the lead of the winner comes into the range of
the comparison's rounding error, so that close calls are always decided on the actual values.

Layout: the root is node 1, the children of k are 2k and 2k + 1, and leaf p of a tree with room for
``cap`` leaves is node cap + p. A node is 32 bytes, and siblings share one cache line.
A leaf's ``link`` is the item it stands for; an inner node's ``link`` is the place p of one winner.
Leaves that are not there have height −∞ and count 0; unplayed ones have height +∞.
"""

from typing import Any

import numpy as np
from numba import int64, uint64

from copyproof.engine.cache import inlined, part

NODE = np.dtype(
    [("height", "f8"), ("slope", "f8"), ("expire", "f8"), ("count", "i4"), ("link", "i4")]
)

_ONE = np.uint64(1)
_CACHE_LINE = 64
# Bounds the rounding error of comparing two values h + s·x, relative to |h| + s·x of both.
_SAFETY = 4e-15
_CLEAR = 1e-6  # A lead of this size, relative to the same, that does not shrink ..
_LONG = 1e8  # ... is certain until x is this many times larger: _SAFETY · _LONG < _CLEAR.


def allocate_nodes(count: int) -> Any:
    """``count`` zeroed nodes, aligned so that two siblings share a cache line."""
    line = _CACHE_LINE // 8
    words = count * NODE.itemsize // 8
    memory = np.zeros(words + line)
    first = (-memory.ctypes.data // 8) % line
    return memory[first : first + words].view(NODE)


@part
def set_leaf(nodes: Any, leaf: int, height: float, slope: float, count: int, link: int) -> None:
    """Write one leaf; ``nodes`` is modified in place."""
    node = nodes[leaf]
    node.height = height
    node.slope = slope
    node.expire = np.inf
    node.count = count
    node.link = link


@inlined
def _lasts_until(
    x: float, height: float, slope: float, other_height: float, other_slope: float
) -> float:
    """The x up to which a line that is ahead at x is certain to be found ahead of another one.

    Its lead, less what may be rounding, shrinks by the difference of the slopes and by the growth
    of the rounding error. Where nothing is certain, the answer is x itself: look again next time.
    """
    if height == np.inf or other_height == -np.inf:
        return np.inf
    slopes = slope + other_slope
    if slopes == 0.0:
        return np.inf  # two constants, compared without rounding
    faster = other_slope - slope
    lead = (height + slope * x) - (other_height + other_slope * x)
    size = abs(height) + abs(other_height) + slopes * x
    if faster <= 0.0:
        if lead > _CLEAR * size:
            return _LONG * x
        faster = 0.0
    return x + max(0.0, lead - _SAFETY * size) / (faster + _SAFETY * slopes)


@part
def _replay(nodes: Any, base: int, cap: int, k: int, x: float) -> None:
    """Play the match at inner node k again, at x; ``nodes`` is modified in place."""
    side = 2 * k
    winner = nodes[base + side]
    loser = nodes[base + side + 1]
    ahead = winner.height + winner.slope * x
    behind = loser.height + loser.slope * x
    count = winner.count
    lasts = np.inf  # for equal lines, which tie for ever
    if behind == ahead:
        count += loser.count
        if winner.slope != loser.slope or winner.height != loser.height:
            lasts = x  # different lines that meet right here part at once
    else:
        if behind > ahead:
            side += 1
            winner, loser = loser, winner
            count = winner.count
        lasts = _lasts_until(x, winner.height, winner.slope, loser.height, loser.slope)
    node = nodes[base + k]
    node.height = winner.height
    node.slope = winner.slope
    node.expire = min(lasts, min(winner.expire, loser.expire))
    node.count = count
    node.link = side - cap if side >= cap else winner.link


@part
def build(nodes: Any, base: int, cap: int, x: float) -> None:
    """Play all matches; ``nodes`` is modified in place."""
    for k in range(cap - 1, 0, -1):
        _replay(nodes, base, cap, k, x)


@inlined
def replay_path(nodes: Any, base: int, cap: int, place: int, x: float) -> None:
    """Play again the matches above one leaf; ``nodes`` is modified in place.

    The same matches as ``_replay``'s, with the line that climbs kept in hand: each level then costs
    one look at its sibling. Unsigned numbers spare the check for negative indices.
    """
    tree = uint64(base)
    leaves = uint64(cap)
    k = leaves + uint64(place)
    climber = nodes[tree + k]
    height = climber.height
    slope = climber.slope
    expire = climber.expire
    count = climber.count
    link = int64(place)
    while k > _ONE:
        sibling = nodes[tree + (k ^ _ONE)]
        value = height + slope * x
        other = sibling.height + sibling.slope * x
        expire = min(expire, sibling.expire)
        if other == value:
            count += sibling.count
            if sibling.slope != slope or sibling.height != height:
                expire = x
        elif other > value:
            lasts = _lasts_until(x, sibling.height, sibling.slope, height, slope)
            expire = min(expire, lasts)
            height = sibling.height
            slope = sibling.slope
            count = sibling.count
            link = int64((k ^ _ONE) - leaves) if k >= leaves else int64(sibling.link)
        else:
            lasts = _lasts_until(x, height, slope, sibling.height, sibling.slope)
            expire = min(expire, lasts)
        k >>= _ONE
        node = nodes[tree + k]
        node.height = height
        node.slope = slope
        node.expire = expire
        node.count = count
        node.link = link


@part
def advance(nodes: Any, base: int, cap: int, x: float) -> None:
    """Let x grow: play again what has expired; ``nodes`` is modified in place."""
    if cap == 1 or nodes[base + 1].expire >= x:
        return
    k = 1
    while True:
        if 2 * k < cap:
            if nodes[base + 2 * k].expire < x:
                k = 2 * k
                continue
            if nodes[base + 2 * k + 1].expire < x:
                k = 2 * k + 1
                continue
        _replay(nodes, base, cap, k, x)
        if k == 1:
            return
        k >>= 1


@part
def nth_winner(nodes: Any, base: int, cap: int, x: float, nth: int) -> int:
    """Place of the nth leaf, in order, among those tied for the first rank at x."""
    tree = uint64(base)
    leaves = uint64(cap)
    k = _ONE
    while k < leaves:
        if nodes[tree + k].count == 1:
            return int(nodes[tree + k].link)
        k += k
        left = nodes[tree + k]
        right = nodes[tree + k + _ONE]
        left_value = left.height + left.slope * x
        right_value = right.height + right.slope * x
        if right_value > left_value:
            k += _ONE
        elif right_value == left_value and nth >= left.count:
            nth -= left.count
            k += _ONE
    return int(int64(k - leaves))
