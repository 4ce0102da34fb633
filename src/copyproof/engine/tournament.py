"""The kinetic tournament: the largest of many lines h + s·x while x only grows.

A UCB index r + √(f(t)/n) is a straight line in x = √f(t), with height h = r and slope s = 1/√n, and
x never decreases. So "the best arm" is the upper envelope of lines at a moving x. A complete binary
tree keeps it: every node holds the winning line among its leaves, how many leaves are exactly tied
with it, and the x up to which this result is certain to hold. A play changes one line and re-plays
one path to the root; the passing of time re-plays only the nodes whose result has expired.

Results are those of a scan, to the last bit: every match compares the same floating-point values
h + s·x that a scan would, and a result expires a little before the lines really cross (by more than
the rounding error of the comparison), so that close calls are always decided on the actual values.

Layout: the root is node 1, the children of k are 2k and 2k + 1, and leaf p of a tree with room for
``cap`` leaves is node cap + p. A node is 32 bytes, and siblings share one cache line.
A leaf's ``link`` is the item it stands for; an inner node's ``link`` is the place p of one winner.
Leaves that are not there have height −∞ and count 0; unplayed ones have height +∞.
"""

from typing import Any

import numpy as np

from copyproof.engine.cache import part

NODE = np.dtype(
    [("height", "f8"), ("slope", "f8"), ("expire", "f8"), ("count", "i4"), ("link", "i4")]
)

_CACHE_LINE = 64
_SAFETY = 4e-15
"""How much earlier than the crossing a result expires, relative to the values compared."""


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


@part
def _replay(nodes: Any, base: int, cap: int, k: int, x: float) -> None:
    """Play the match at inner node k again, at x; ``nodes`` is modified in place."""
    place = base + 2 * k
    winner = nodes[place]
    loser = nodes[place + 1]
    left = winner.height + winner.slope * x
    right = loser.height + loser.slope * x
    expire = min(winner.expire, loser.expire)
    count = winner.count
    side = 2 * k
    if right > left:
        winner, loser = loser, winner
        count = winner.count
        side += 1
    elif right == left:
        count += loser.count
        if winner.slope != loser.slope:
            expire = x  # different lines that meet right here part at once
    faster = loser.slope - winner.slope
    if faster > 0.0 and winner.height < np.inf:
        per_slope = 1.0 / faster
        crossing = (winner.height - loser.height) * per_slope
        value = abs(winner.height) + abs(loser.height) + loser.slope * crossing
        expire = min(expire, max(x, crossing - _SAFETY * value * per_slope))
    node = nodes[base + k]
    node.height = winner.height
    node.slope = winner.slope
    node.expire = expire
    node.count = count
    node.link = side - cap if side >= cap else winner.link


@part
def build(nodes: Any, base: int, cap: int, x: float) -> None:
    """Play all matches; ``nodes`` is modified in place."""
    for k in range(cap - 1, 0, -1):
        _replay(nodes, base, cap, k, x)


@part
def replay_path(nodes: Any, base: int, cap: int, place: int, x: float) -> None:
    """Play again the matches above one leaf; ``nodes`` is modified in place."""
    k = (cap + place) >> 1
    while k >= 1:
        _replay(nodes, base, cap, k, x)
        k >>= 1


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
    k = 1
    while k < cap:
        if nodes[base + k].count == 1:
            return int(nodes[base + k].link)
        left = nodes[base + 2 * k]
        right = nodes[base + 2 * k + 1]
        left_value = left.height + left.slope * x
        right_value = right.height + right.slope * x
        k = 2 * k
        if right_value > left_value:
            k += 1
        elif right_value == left_value and nth >= left.count:
            nth -= left.count
            k += 1
    return k - cap
