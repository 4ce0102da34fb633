"""Upper confidence bounds and posterior draws: the formulas that the rules' indices are made of."""

import math

import numpy as np

from copyproof.engine.cache import part
from copyproof.engine.streams import POSTERIOR, two_uniforms


@part
def power_law(tau: float, a: float, b: float, c: float) -> float:
    """f(τ) = a·τ^b·(ln τ)^c, for τ ≥ 1; the paper's exponents need no general power."""
    value = a
    if b == 0.5:
        value *= math.sqrt(tau)
    elif b != 0.0:
        value *= math.pow(tau, b)
    if c == 1.0:
        value *= math.log(tau)
    elif c == 1.5:
        log = math.log(tau)
        value *= log * math.sqrt(log)
    elif c != 0.0:
        value *= math.pow(math.log(tau), c)
    return value


@part
def beta_draw(
    alpha: float, beta: float, key0: np.uint64, key1: np.uint64, k: int, arm: int, repetition: int
) -> float:
    """A draw from Beta(α, β), α, β ≥ 1, by rejection (algorithm BB of Cheng 1978)."""
    u, v = two_uniforms(key0, key1, k, POSTERIOR, arm, repetition)
    if alpha == 1.0:
        return 1.0 - math.pow(1.0 - u, 1.0 / beta)
    if beta == 1.0:
        return math.pow(u, 1.0 / alpha)
    a = min(alpha, beta)
    b = max(alpha, beta)
    total = a + b
    spread = math.sqrt((total - 2.0) / (2.0 * a * b - total))
    shape = a + 1.0 / spread
    attempt = 0
    while True:
        log_odds = spread * math.log(u / (1.0 - u))
        w = a * math.exp(log_odds)
        r = shape * log_odds - math.log(4.0)
        if r + total * math.log(total / (b + w)) >= math.log(u * u * v):
            break
        attempt += 1
        u, v = two_uniforms(key0, key1, k, POSTERIOR + attempt, arm, repetition)
    return w / (b + w) if alpha == a else b / (b + w)


@part
def bernoulli_kl(p: float, q: float) -> float:
    """kl(p, q) of two Bernoulli distributions, 0 < q < 1."""
    divergence = 0.0
    if p > 0.0:
        divergence += p * math.log(p / q)
    if p < 1.0:
        divergence += (1.0 - p) * math.log((1.0 - p) / (1.0 - q))
    return divergence


@part
def kl_index(mean: float, level: float) -> float:
    """The largest q with kl(mean, q) ≤ level: Newton's method, from above.

    kl(mean, ·) is convex above the mean, so that the steps from any point above the solution go
    down to it without overshooting. Two upper bounds give the start: Pinsker's inequality, and
    kl(p, q) ≥ −H(p) − (1 − p) ln(1 − q), H the entropy.
    """
    if mean >= 1.0:
        return 1.0
    if level <= 0.0:
        return mean
    if mean <= 0.0:
        return -math.expm1(-level)
    entropy = -mean * math.log(mean) - (1.0 - mean) * math.log1p(-mean)
    q = min(mean + math.sqrt(level / 2.0), -math.expm1(-(level + entropy) / (1.0 - mean)))
    while mean < q < 1.0:
        step = (bernoulli_kl(mean, q) - level) * q * (1.0 - q) / (q - mean)
        if q - step >= q:
            break
        q -= step
    return q
