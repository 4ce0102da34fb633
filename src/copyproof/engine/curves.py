"""The tournament of curves: the largest of many KL-UCB indices while their level only grows.

The index of an arm with n plays and mean r is the largest q with n·kl(r, q) ≤ x, and x = scale·ln τ
never falls. As in ``tournament`` a complete binary tree keeps the largest: every node holds the
winning curve (r as its height, n as its slope), how many leaves are exactly tied with it, and the x
up to which this result is certain to hold.

A curve that is ahead with index q at x stays ahead as long as the other's index is below q, since
its own never falls where x grows, not even in its last bit (``bounds.kl_index``). And an index is
certain to be below q while x/n + s·r is below a constant, for an s that fits (``bounds.
line_below``). So one straight line says at once that the other one is behind, and until when; only
where it does not, indices are computed and compared, as a scan does it. Results are those of a scan
to the last bit, ties included.
"""

from typing import Any

import numpy as np
from numba import int64, uint64

from copyproof.engine.bounds import kl_index, line_below
from copyproof.engine.cache import inlined, part
from copyproof.engine.numerics import log1p

_ONE = np.uint64(1)
_ALMOST = 1.0 - 2.0**-40
_CAUTION = 1.0 - 1e-9  # more than the rounding of a few products


@inlined
def curve(item: Any) -> tuple[float, float]:
    """Height and slope of an item's curve: mean and plays; an unplayed item is above all."""
    if item.plays == 0:
        return np.inf, 0.0
    mean = item.total / item.answers if item.answers > 0 else 0.5
    if mean >= 1.0:
        return 1.0, 1.0  # the index is 1, whatever the number of plays
    return mean, float(item.plays)


@part
def _value(height: float, slope: float, x: float) -> float:
    """The index of a curve at x."""
    if abs(height) == np.inf:
        return height
    return kl_index(height, x / slope)


@part
def _behind_until(x: float, height: float, slope: float, bar: float) -> float:
    """The x up to which a curve is certain to be below ``bar``; the given x if nothing is."""
    if height == -np.inf or bar == np.inf:
        return np.inf
    bar = min(bar, _ALMOST)
    if not height < bar * _ALMOST:
        return x
    if height <= 0.0:
        level = -log1p(-bar * _ALMOST)
    else:
        s, most = line_below(height, bar)
        level = most - s * height
    return max(x, slope * level * _CAUTION)


@part
def _replay(nodes: Any, base: int, cap: int, k: int, x: float) -> None:
    """Play the match at inner node k again, at x; ``nodes`` is modified in place."""
    side = 2 * k
    winner = nodes[base + side]
    loser = nodes[base + side + 1]
    count = winner.count
    lasts = np.inf
    if winner.height == loser.height and winner.slope == loser.slope:
        count += loser.count
    else:
        ahead = _value(winner.height, winner.slope, x)
        lasts = _behind_until(x, loser.height, loser.slope, ahead)
        if lasts <= x:
            behind = _value(loser.height, loser.slope, x)
            if behind == ahead:
                count += loser.count
            elif behind > ahead:
                side += 1
                winner, loser = loser, winner
                count = winner.count
                lasts = _behind_until(x, loser.height, loser.slope, behind)
    node = nodes[base + k]
    node.height = winner.height
    node.slope = winner.slope
    node.expire = min(lasts, min(winner.expire, loser.expire))
    node.count = count
    node.link = side - cap if side >= cap else winner.link


@part
def build_curves(nodes: Any, base: int, cap: int, x: float) -> None:
    """Play all matches; ``nodes`` is modified in place."""
    for k in range(cap - 1, 0, -1):
        _replay(nodes, base, cap, k, x)


@part
def replay_curves(nodes: Any, base: int, cap: int, place: int, x: float) -> None:
    """Play again the matches above one leaf; ``nodes`` is modified in place.

    The same matches as ``_replay``'s, with the curve that climbs and its index kept in hand.
    """
    k = cap + place
    climber = nodes[base + k]
    height = climber.height
    slope = climber.slope
    expire = climber.expire
    count = climber.count
    link = int64(place)
    value = _value(height, slope, x)
    while k > 1:
        sibling = nodes[base + (k ^ 1)]
        expire = min(expire, sibling.expire)
        if sibling.height == height and sibling.slope == slope:
            count += sibling.count
        else:
            lasts = _behind_until(x, sibling.height, sibling.slope, value)
            if lasts <= x:
                other = _value(sibling.height, sibling.slope, x)
                if other == value:
                    count += sibling.count
                elif other > value:
                    lasts = _behind_until(x, height, slope, other)
                    value = other
                    height = sibling.height
                    slope = sibling.slope
                    count = sibling.count
                    link = int64((k ^ 1) - cap) if k >= cap else int64(sibling.link)
            expire = min(expire, lasts)
        k >>= 1
        node = nodes[base + k]
        node.height = height
        node.slope = slope
        node.expire = expire
        node.count = count
        node.link = link


@part
def advance_curves(nodes: Any, base: int, cap: int, x: float) -> None:
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
def nth_curve(nodes: Any, base: int, cap: int, nth: int) -> int:
    """Place of the nth leaf, in order, among those tied for the first rank.

    A node's count is the sum of its children's if they are tied, and else that of the child whose
    curve it has; no index has to be computed.
    """
    tree = uint64(base)
    leaves = uint64(cap)
    k = _ONE
    while k < leaves:
        node = nodes[tree + k]
        if node.count == 1:
            return int(node.link)
        k += k
        left = nodes[tree + k]
        if left.count > 0 and node.count == left.count + nodes[tree + k + _ONE].count:
            if nth >= left.count:
                nth -= left.count
                k += _ONE
        elif left.height != node.height or left.slope != node.slope:
            k += _ONE
    return int(int64(k - leaves))
