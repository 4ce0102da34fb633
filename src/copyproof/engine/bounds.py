"""Upper confidence bounds and posterior draws: the formulas that the rules' indices are made of."""

import math

import numpy as np

from copyproof.engine.cache import inlined
from copyproof.engine.numerics import exp, expm1, log, log1p, power
from copyproof.engine.numerics_tables import LEAST_TILT, TILTS, TILTS_PER_OCTAVE
from copyproof.engine.streams import POSTERIOR, two_uniforms

_LAST = len(TILTS) - 1
_LN_2 = 0.6931471805599453
_ALMOST = 1.0 - 2.0**-40


@inlined
def power_law(tau: float, a: float, b: float, c: float) -> float:
    """f(τ) = a·τ^b·(ln τ)^c, for τ ≥ 1; the paper's exponents need no general power."""
    value = a
    if b == 0.5:
        value *= math.sqrt(tau)
    elif b != 0.0:
        value *= power(tau, b)
    if c == 1.0:
        value *= log(tau)
    elif c == 1.5:
        clock = log(tau)
        value *= clock * math.sqrt(clock)
    elif c != 0.0:
        value *= power(log(tau), c)
    return value


@inlined
def beta_draw(
    alpha: float,
    beta: float,
    key0: np.uint64,
    key1: np.uint64,
    k: int,
    arm: int,
    repetition: int,
    attempt: int,
) -> float:
    """A draw from Beta(α, β), α, β ≥ 1, by rejection (algorithm BB of Cheng 1978).

    Its numbers are those of the attempts from ``attempt`` on.
    """
    u, v = two_uniforms(key0, key1, k, POSTERIOR + attempt, arm, repetition)
    if alpha == 1.0:
        return 1.0 - power(1.0 - u, 1.0 / beta)
    if beta == 1.0:
        return power(u, 1.0 / alpha)
    a = min(alpha, beta)
    b = max(alpha, beta)
    total = a + b
    spread = math.sqrt((total - 2.0) / (2.0 * a * b - total))
    shape = a + 1.0 / spread
    while True:
        log_odds = spread * log(u / (1.0 - u))
        w = a * exp(log_odds)
        r = shape * log_odds - log(4.0)
        if r + total * log(total / (b + w)) >= log(u * u * v):
            break
        attempt += 1
        u, v = two_uniforms(key0, key1, k, POSTERIOR + attempt, arm, repetition)
    return w / (b + w) if alpha == a else b / (b + w)


@inlined
def bernoulli_kl(p: float, q: float) -> float:
    """kl(p, q) of two Bernoulli distributions, 0 < q < 1."""
    divergence = 0.0
    if p > 0.0:
        divergence += p * log(p / q)
    if p < 1.0:
        divergence += (1.0 - p) * log((1.0 - p) / (1.0 - q))
    return divergence


@inlined
def kl_index(mean: float, level: float) -> float:
    """The largest q with kl(mean, q) ≤ level, or a little more; it never falls where either grows.

    The largest q is the least value of F(s) = (1 − e^−(level + s·mean))/(1 − e^−s) over s > 0:
    q ≥ F(s) says that level ≤ −s·mean − ln(1 − q + q e^−s), and kl(mean, q) is the largest such
    right side (Chernoff). So the set of s with F(s) ≤ q is an interval, whatever q: F falls, then
    rises. The index is the least F(s) over the s of a fixed table, 32 to an octave, which is at
    most 6·10^−5 of the width q − mean too large.

    For each s, a sum, a product, ``expm1`` and a quotient give F(s), and none of them ever falls
    where the mean or the level grows; nor does the least of such values. So equal numbers of plays
    with rewards that are nowhere larger have an index that is not larger, to the last bit.
    """
    return tilted_index(mean, level)[0]


@inlined
def tilted_index(mean: float, level: float) -> tuple[float, float]:
    """``kl_index``, and the s at which F(s) is least; 0 where it was not asked for."""
    if mean >= 1.0 or level >= 64.0:
        return 1.0, 0.0
    if level <= 0.0:
        return mean, 0.0
    if mean <= 0.0:
        return -expm1(-level), 0.0
    place = _place_of(_tilt(mean, level))
    start = place
    least = _bound_at(place, mean, level)
    while place < _LAST:
        value = _bound_at(place + 1, mean, level)
        if value >= least:
            break
        least = value
        place += 1
    if place == start:
        while place > 0:
            value = _bound_at(place - 1, mean, level)
            if value >= least:
                break
            least = value
            place -= 1
    return max(mean, min(least, 1.0)), TILTS[place, 0]


@inlined
def kl_index_is_below(mean: float, level: float, bar: float) -> bool:
    """Whether one place of the table shows that ``kl_index`` is below ``bar``; 0 < mean < bar < 1.

    The s at which F(s) is least, if its least value is the bar, is tried: where this says no, the
    index may still be below.
    """
    return _bound_at(_place_to_try(mean, bar), mean, level) < bar


@inlined
def line_below(mean: float, bar: float) -> tuple[float, float]:
    """Return s and c such that any index is below ``bar`` whose level + s·mean is below c.

    F(s) < bar says that level + s·mean < −ln(1 − bar·(1 − e^−s)), of which the last bits are not
    relied on. The s is the one to try for this mean and the bar, 0 < mean < bar < 1.
    """
    place = _place_to_try(mean, bar)
    return TILTS[place, 0], -log1p(-bar * _ALMOST * TILTS[place, 1])


@inlined
def level_line(mean: float, level: float, s: float) -> float:
    """Return the c of ``line_below`` for the index of a mean itself, with the s that gave it.

    F(s) grows with level + s·mean, so that whoever has less of it has a smaller index; the last
    bits are not relied on. 0, a line that is below none, where F(s) hardly grows any more.
    """
    most = (level + s * mean) * _ALMOST
    return most if s > 0.0 and most < 4.0 else 0.0


@inlined
def _place_to_try(mean: float, bar: float) -> int:
    """The place of the s at which F(s) is least, if its least value is the bar."""
    return _place_of(log((bar * (1.0 - mean)) / (mean * (1.0 - bar))))


@inlined
def _bound_at(place: int, mean: float, level: float) -> float:
    """F(s) for the s at a place of the table."""
    return -expm1(-(level + TILTS[place, 0] * mean)) / TILTS[place, 1]  # type: ignore[no-any-return]


@inlined
def _place_of(s: float) -> int:
    """The place in the table that is next to an s > 0."""
    place = int((log(s) * (1.0 / _LN_2) - LEAST_TILT) * TILTS_PER_OCTAVE + 0.5)
    return min(max(place, 0), _LAST)


@inlined
def _tilt(mean: float, level: float) -> float:
    """About the s at which F(s) is least: ψ(s) = ln(1 − mean + mean·e^s) − s·mean = level.

    Where s is small, by ψ to its third order, within half a per cent; else a guess within some 20 %
    and one step of Newton's method. Only how long the search in the table takes depends on it.
    """
    s = math.sqrt(2.0 * level / (mean * (1.0 - mean)))
    if s < 0.25:
        return s * (1.0 + (2.0 * mean - 1.0) * s / 6.0)
    most = min((level - log(mean)) / (1.0 - mean), 16.0)
    if mean < 0.5:
        y = level / mean
        s = log(1.0 + math.sqrt(2.0 * y) + y) * (1.0 + 0.5 * mean)
    else:
        s *= 1.0 + (2.0 * mean - 1.0) * s / 6.0
    s = max(min(s, most), 1e-9)
    more = mean * expm1(s)
    slope = (1.0 - mean) * more / (1.0 + more)
    s -= (log1p(more) - s * mean - level) / slope
    return max(min(s, most), 1e-9)
