"""Thompson sampling among many arms: only draws above a bar are looked at, and none else is made.

Of an arm with a posterior Beta(α, β), α = 1 + S and β = 1 + n − S, the draw exceeds a bar b with
probability p. Its density f is log-concave, so that above b an envelope lies over it: the tangent
f(b)·e^(−s(θ − b)) of ln f where f falls, with s = (β − 1)/(1 − b) − (α − 1)/b, or the constant
f(mode) where the mode is above b. With M ≥ p the envelope's mass between b and 1, an arm is

- *low* if M < 1/2. It is *opened* with probability M; then a point θ is drawn from the envelope and
  kept with probability f(θ)/envelope(θ). So with probability p there is a point, and it has the law
  of a draw above b. Which low arms are opened is found without asking each: on a line along which
  each has the length −ln(1 − M), points are put down with exponential steps (a Poisson process of
  rate 1), and an arm is opened if a point falls on it, which has probability M.
- *high* otherwise: its posterior is drawn from, always.

The largest draw above the bar is the largest of all. If there is none, all draws are below: those
of high arms are known, and low arms are drawn from until they are not above b, which costs a scan.
All of it is exact in distribution, whatever the bar; the bar only says what it costs. A tree over
the pool's places keeps sums of the low arms' lengths (``height``), numbers of high arms (``count``)
and sums of a rough −ln(1 − p) of theirs (``slope``). About e^−L of the rounds find nothing above
the bar, where L is the last sum and most of the first one; where L leaves [ln(m/2), ln(m/2) + 6]
for m arms in play, the bar is moved, and all arms are weighed anew. The bar is ``x`` of the pool, 0
before the first choice.

Numbers are keyed by (pool, play, arm): that of a low arm's first trial or a high arm's draw is
POSTERIOR, draws that have to be below the bar come after. Pools of few arms are scanned.
"""

from typing import Any

import numpy as np
from numba import uint64

from copyproof.engine.bounds import beta_draw
from copyproof.engine.cache import inlined, part
from copyproof.engine.numerics import exp, expm1, log, log1p, log_gamma
from copyproof.engine.state import State
from copyproof.engine.streams import OPENED, POSTERIOR, two_uniforms, uniform

FEW = 32  # arms of a pool that is scanned
_RANGE = 6.0  # L may be so much above its least
_SAFE = 2.0, 4.0  # above its least, where L is brought to
_SHARE_KEPT = 0.8  # about: of the points of envelopes
_REDRAW = 64  # numbers that are set aside for one draw by rejection
_MULTIPLY = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(32)


@inlined
def _parameters(item: Any) -> tuple[float, float]:
    """α − 1 = S and β − 1 = n − S."""
    return item.total, item.answers - item.total


@inlined
def _slope(rising: float, falling: float, bar: float) -> float:
    """The s of the envelope; 0 for a constant one."""
    return max(0.0, falling / (1.0 - bar) - rising / bar)


@inlined
def _log_density(rising: float, falling: float, at: float) -> float:
    """Ln of θ^(α − 1)·(1 − θ)^(β − 1)."""
    value = 0.0
    if rising > 0.0:
        value += rising * log(at)
    if falling > 0.0:
        value += falling * log1p(-at)
    return value


@part
def weigh(rising: float, falling: float, bar: float) -> tuple[float, float, int]:
    """Of one posterior: its length on the line if it is low, a rough −ln(1 − p) if high, and 1."""
    s = _slope(rising, falling, bar)
    top = bar
    if s == 0.0 and rising > 0.0:
        top = rising / (rising + falling)
    density = _log_density(rising, falling, top)
    scale = log_gamma(rising + falling + 2.0) - log_gamma(rising + 1.0)
    scale -= log_gamma(falling + 1.0)
    width = 1.0 - bar if s == 0.0 else -expm1(-s * (1.0 - bar)) / s
    mass = exp(density + scale) * width
    if mass < 0.5:
        return -log1p(-mass), 0.0, 0
    return 0.0, 0.5 + density - _log_density(rising, falling, bar), 1


@part
def _set(leaf: Any, item: Any, bar: float) -> None:
    """Write the weights of an item into its leaf."""
    rising, falling = _parameters(item)
    leaf.height, leaf.slope, leaf.count = weigh(rising, falling, bar)


@inlined
def _sum_up(nodes: Any, base: int, k: int) -> None:
    node = nodes[base + k]
    left = nodes[base + 2 * k]
    right = nodes[base + 2 * k + 1]
    node.height = left.height + right.height
    node.slope = left.slope + right.slope
    node.count = left.count + right.count


@part
def count_posterior(state: State, pool: int, place: int, number: int) -> None:
    """Weigh one item in play anew; the pool's tree is modified in place."""
    here = state.pools[pool]
    if here.x == 0.0:
        return
    k = here.cap + place
    _set(state.nodes[here.base + k], state.items[number], here.x)
    while k > 1:
        k >>= 1
        _sum_up(state.nodes, here.base, k)


@inlined
def _slot(item: Any, cap: int) -> Any:
    """Where equals of an item are looked for, among ``cap`` slots."""
    word = np.float64(item.total).view(np.uint64) + uint64(item.answers) * _MULTIPLY
    return ((word * _MULTIPLY) >> _SHIFT) & uint64(cap - 1)


@part
def weigh_all(state: State, pool: int) -> None:
    """Weigh all items in play, at the pool's bar if it has one; the tree is modified in place.

    Of equals one is weighed; the scratch remembers which, and is modified, too.
    """
    here = state.pools[pool]
    if here.x == 0.0:
        return
    nodes = state.nodes
    leaves = here.base + here.cap
    state.members[: here.cap] = -1
    for place in range(here.cap):
        leaf = nodes[leaves + place]
        if place >= here.size:
            leaf.height, leaf.slope, leaf.count = 0.0, 0.0, 0
            continue
        item = state.items[leaf.link]
        slot = _slot(item, here.cap)
        known = state.members[slot]
        if known >= 0:
            other = nodes[leaves + known]
            twin = state.items[other.link]
            if twin.total == item.total and twin.answers == item.answers:
                leaf.height, leaf.slope, leaf.count = other.height, other.slope, other.count
                continue
        _set(leaf, item, here.x)
        state.members[slot] = place
    for k in range(here.cap - 1, 0, -1):
        _sum_up(nodes, here.base, k)


@inlined
def _surety(height: float, slope: float) -> float:
    """L: about −ln of the chance that no draw is above the bar."""
    return _SHARE_KEPT * height + slope


@part
def _surety_at(state: State, pool: int, bar: float, most: float) -> float:
    """L at a bar, or some number above ``most``; the scratch is modified in place."""
    here = state.pools[pool]
    leaves = here.base + here.cap
    state.members[: here.cap] = -1
    found = 0.0
    for place in range(here.size):
        number = state.nodes[leaves + place].link
        item = state.items[number]
        slot = _slot(item, here.cap)
        known = state.members[slot]
        new = known < 0
        if not new:
            twin = state.items[known]
            new = twin.total != item.total or twin.answers != item.answers
        if new:
            rising, falling = _parameters(item)
            height, slope, _ = weigh(rising, falling, bar)
            state.values[slot] = _surety(height, slope)
            state.members[slot] = number
        found += state.values[slot]
        if found > most:
            break
    return found


@part
def _move_bar(state: State, pool: int, least: float) -> None:
    """Find a bar for which L is where it is wanted, and weigh all; modified in place.

    From the bar there was in steps that double, then halving.
    """
    here = state.pools[pool]
    low, high = 0.0, 1.0
    bar = here.x if here.x > 0.0 else 0.5
    wanted, most = least + _SAFE[0], least + _SAFE[1]
    step = 0.05
    for _ in range(60):
        surety = _surety_at(state, pool, bar, most)
        if surety < wanted:
            high = bar
        elif surety > most:
            low = bar
        else:
            break
        step = min(2.0 * step, 0.5)
        if low == 0.0:
            bar -= step * bar
        elif high == 1.0:
            bar += step * (1.0 - bar)
        else:
            bar = 0.5 * (low + high)
    here.x = bar
    weigh_all(state, pool)


@part
def _nth_high(nodes: Any, base: int, cap: int, nth: int) -> int:
    """Place of the nth high arm."""
    k = 1
    while k < cap:
        k *= 2
        if nth >= nodes[base + k].count:
            nth -= nodes[base + k].count
            k += 1
    return k - cap


@part
def _opened(nodes: Any, base: int, cap: int, y: float) -> int:
    """Place of the arm on which a point y of the line falls."""
    k = 1
    while k < cap:
        k *= 2
        if y >= nodes[base + k].height:
            y -= nodes[base + k].height
            k += 1
    return k - cap


@part
def _trial(rising: float, falling: float, bar: float, u: float, v: float) -> float:
    """The draw of a low arm that is opened; −1 if it is not above the bar."""
    s = _slope(rising, falling, bar)
    top = bar
    if s == 0.0:
        theta = bar + u * (1.0 - bar)
        if rising > 0.0:
            top = rising / (rising + falling)
    else:
        theta = bar - log1p(u * expm1(-s * (1.0 - bar))) / s
    if theta >= 1.0:
        return -1.0
    lost = _log_density(rising, falling, theta) - _log_density(rising, falling, top)
    return theta if log(v) <= lost + s * (theta - bar) else -1.0


@part
def _draw(state: State, pool: int, number: int, k: int, repetition: int, first: int) -> float:
    """A draw from a posterior."""
    rising, falling = _parameters(state.items[number])
    key0, key1 = state.keys[pool, 0], state.keys[pool, 1]
    arm = number - state.pools[pool].first
    return beta_draw(1.0 + rising, 1.0 + falling, key0, key1, k, arm, repetition, first)


@part
def _largest_below(state: State, pool: int, k: int, repetition: int) -> int:
    """Place of the largest draw where all are below the bar."""
    here = state.pools[pool]
    best = -1.0
    winner = 0
    for place in range(here.size):
        leaf = state.nodes[here.base + here.cap + place]
        value = 2.0
        first = 0 if leaf.count == 1 else _REDRAW
        while value > here.x:
            value = _draw(state, pool, leaf.link, k, repetition, first)
            first += _REDRAW
        if value > best:
            best = value
            winner = place
    return winner


@part
def draw_largest(state: State, pool: int, k: int, repetition: int, scan: int) -> int:
    """Place of the largest draw of the posteriors in play; ``state`` is modified in place."""
    here = state.pools[pool]
    nodes, base, cap = state.nodes, here.base, here.cap
    if scan:
        weigh_all(state, pool)
    root = nodes[base + 1]
    least = log(0.5 * here.size)
    if here.x == 0.0 or not 0.0 <= _surety(root.height, root.slope) - least <= _RANGE:
        _move_bar(state, pool, least)
    best = here.x
    winner = -1
    for nth in range(root.count):
        place = _nth_high(nodes, base, cap, nth)
        value = _draw(state, pool, nodes[base + cap + place].link, k, repetition, 0)
        if value > best:
            best = value
            winner = place
    key0, key1 = state.keys[pool, 0], state.keys[pool, 1]
    y = 0.0
    point = 0
    while True:
        y -= log(uniform(key0, key1, k, OPENED, point, repetition))
        if y >= root.height:
            break
        point += 1
        place = _opened(nodes, base, cap, y)
        leaf = nodes[base + cap + place]
        if place == winner or leaf.height == 0.0:
            continue
        rising, falling = _parameters(state.items[leaf.link])
        u, v = two_uniforms(key0, key1, k, POSTERIOR, leaf.link - here.first, repetition)
        value = _trial(rising, falling, here.x, u, v)
        if value > best:
            best = value
            winner = place
    return _largest_below(state, pool, k, repetition) if winner < 0 else winner
