"""Thompson sampling among more than 32 candidates a second time, slow and plain.

Only candidates whose draw may be above a bar are opened. Those with a small chance (at most M, the
mass of an envelope over the density above the bar) lie on a line with lengths −ln(1 − M), and are
opened by the points of a Poisson process on it; the others are always drawn. The engine keeps a
tree; here all is computed anew in every round, with sums in the tree's order.
"""

import functools
import math
from typing import TYPE_CHECKING, Any

from copyproof.engine import numerics

if TYPE_CHECKING:
    from tests.reference import Candidate, Draws

OPENED, POSTERIOR = 7, 16
FEW = 32


def log(x: float) -> float:
    return float(numerics.log(float(x)))


def log_density(s: float, f: float, at: float) -> float:
    """Ln θ^s (1 − θ)^f, s rewards and f what is missing of them."""
    return (s * log(at) if s > 0 else 0.0) + (f * numerics.log1p(-at) if f > 0 else 0.0)


def tangent(s: float, f: float, bar: float) -> tuple[float, float]:
    """How fast the envelope falls, and where it touches the density."""
    falls = max(0.0, f / (1 - bar) - s / bar)
    return falls, s / (s + f) if falls == 0 and s > 0 else bar


@functools.lru_cache(maxsize=1 << 16)
def weight(s: float, f: float, bar: float) -> tuple[float, float, int]:
    """Length on the line of a low one; how surely a high one is above the bar, and 1."""
    falls, touches = tangent(s, f, bar)
    top = log_density(s, f, touches)
    gammas = numerics.log_gamma(s + f + 2.0) - numerics.log_gamma(s + 1.0)
    height = numerics.exp(top + (gammas - numerics.log_gamma(f + 1.0)))
    mass = height * (1 - bar if falls == 0 else -numerics.expm1(-falls * (1 - bar)) / falls)
    if mass < 0.5:
        return -numerics.log1p(-mass), 0.0, 0
    return 0.0, 0.5 + top - log_density(s, f, bar), 1


def tree_of(values: list[float]) -> list[float]:
    """Sums of two, of four and so on; number k is the sum of 2k and 2k + 1, and 1 is all."""
    cap = 1 << max(len(values) - 1, 0).bit_length()
    tree = [0.0] * cap + values + [0.0] * (cap - len(values))
    for k in range(cap - 1, 0, -1):
        tree[k] = tree[2 * k] + tree[2 * k + 1]
    return tree


def surety(length: float, sure: float) -> float:
    return 0.8 * length + sure


def moved(bar: float, known: list[tuple[float, float]], least: float) -> float:
    """A bar at which the sum of the sureties is from 2 to 4 above the least."""
    low, high, step = 0.0, 1.0, 0.05
    bar = bar or 0.5
    for _ in range(60):
        found = 0.0
        for s, f in known:
            found += surety(*weight(s, f, bar)[:2])
            if found > least + 4:
                break
        if found < least + 2:
            high = bar
        elif found > least + 4:
            low = bar
        else:
            return bar
        step = min(2 * step, 0.5)
        if low == 0:
            bar -= step * bar
        elif high == 1:
            bar += step * (1 - bar)
        else:
            bar = 0.5 * (low + high)
    return bar


def trial(s: float, f: float, bar: float, u: float, v: float) -> float:
    """A point of the envelope, if it lies below the density; else −1."""
    falls, touches = tangent(s, f, bar)
    if falls == 0:
        theta = bar + u * (1 - bar)
    else:
        theta = bar - numerics.log1p(u * numerics.expm1(-falls * (1 - bar))) / falls
    if theta >= 1:
        return -1.0
    lost = log_density(s, f, theta) - log_density(s, f, touches)
    return theta if log(v) <= lost + falls * (theta - bar) else -1.0


def largest_draw(candidates: "list[Candidate]", draws: "Draws") -> "Candidate":
    stream: Any = draws.stream
    known = [(one.s, one.answers - one.s) for one in candidates]
    least = log(0.5 * len(candidates))

    def weighed() -> tuple[list[float], list[float]]:
        weights = [weight(s, f, stream.bar) for s, f in known]
        return tree_of([one[0] for one in weights]), tree_of([one[1] for one in weights])

    if stream.bar:
        lengths, sure = weighed()
    if not stream.bar or not 0 <= surety(lengths[1], sure[1]) - least <= 6:
        stream.bar = moved(stream.bar, known, least)
        lengths, sure = weighed()
    bar, cap = stream.bar, len(lengths) // 2
    drawn = {}
    for place, (s, f) in enumerate(known):
        if weight(s, f, bar)[2]:
            drawn[place] = draws.beta(1 + s, 1 + f, candidates[place].number)
    y, point = 0.0, 0
    while True:
        y -= log(stream.one(draws.k, OPENED, point))
        if y >= lengths[1]:
            break
        point += 1
        k, rest = 1, y
        while k < cap:
            k *= 2
            if rest >= lengths[k]:
                rest -= lengths[k]
                k += 1
        place = k - cap
        if lengths[k] > 0:
            u, v = stream.two(draws.k, POSTERIOR, candidates[place].number)
            drawn[place] = trial(*known[place], bar, u, v)
    if max(drawn.values(), default=0.0) <= bar:
        for place, (s, f) in enumerate(known):
            if weight(s, f, bar)[2]:
                continue
            drawn[place], first = 2.0, 64
            while drawn[place] > bar:
                drawn[place] = draws.beta(1 + s, 1 + f, candidates[place].number, first)
                first += 64
    assert not any(math.isnan(value) for value in drawn.values())
    return candidates[max(drawn, key=lambda place: drawn[place])]
