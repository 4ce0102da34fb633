"""Distribution functions and their inverses, of the families that have a density.

The quantile function F⁻¹(u) = min {x : F(x) ≥ u}, for u in (0, 1), and the distribution function
F(x) = P(X ≤ x) itself, which mixtures need. All in plain IEEE arithmetic (``numerics``), the same
on every machine.
"""

import math

from copyproof.engine.cache import part
from copyproof.engine.numerics import exp, expm1, log, log1p, log_gamma

# Families, by their codes.
BERNOULLI = 0
BETA = 1
GAUSSIAN = 2
EXPONENTIAL = 3
TABLE = 4
MIXTURE = 5
CHANGING = 6


@part
def quantile(family: int, first: float, second: float, u: float) -> float:
    """F⁻¹(u) of a family that has a density."""
    if family == BETA:
        return beta_quantile(u, first, second)
    if family == GAUSSIAN:
        return first + second * normal_quantile(u)
    return -first * log1p(-u)


@part
def probability(family: int, first: float, second: float, x: float) -> float:
    """F(x) of a family that has a density."""
    if family == BETA:
        return beta_probability(x, first, second)
    if family == GAUSSIAN:
        return normal_probability((x - first) / second)
    return -expm1(-x / first) if x > 0.0 else 0.0


@part
def normal_probability(z: float) -> float:
    """Φ(z) = 1/2 + φ(z) (z + z³/3 + z⁵/15 + …), with an error of a few 1e-15.

    G. Marsaglia: "Evaluating the normal distribution", Journal of Statistical Software 2004.
    """
    if abs(z) > 9.0:
        return 0.0 if z < 0.0 else 1.0
    term = z
    total = z
    odd = 1.0
    while total + term != total:
        odd += 2.0
        term *= z * z / odd
        total += term
    return 0.5 + total * exp(-0.5 * z * z - 0.91893853320467274178)


@part
def beta_probability(x: float, a: float, b: float) -> float:
    """I_x(a, b), by the continued fraction of the end of [0, 1] that x is nearer to."""
    if x <= 0.0 or x >= 1.0:
        return 0.0 if x <= 0.0 else 1.0
    log_beta = log_gamma(a) + log_gamma(b) - log_gamma(a + b)
    if x <= (a + 1.0) / (a + b + 2.0):
        return exp(_log_incomplete_beta(log(x), a, b, log_beta))
    return -expm1(_log_incomplete_beta(log1p(-x), b, a, log_beta))


@part
def normal_quantile(u: float) -> float:
    """Φ⁻¹(u) by rational functions (Wichura: "Algorithm AS 241", Applied Statistics 1988)."""
    q = u - 0.5
    if abs(q) <= 0.425:
        return _central_normal_quantile(q)
    z = _upper_normal_quantile(math.sqrt(-log(u if q < 0.0 else 1.0 - u)))
    return -z if q < 0.0 else z


@part
def _central_normal_quantile(q: float) -> float:
    """Φ⁻¹(1/2 + q), for |q| ≤ 0.425."""
    r = 0.180625 - q * q
    top = 2.5090809287301226727e3 * r + 3.3430575583588128105e4
    top = (top * r + 6.7265770927008700853e4) * r + 4.5921953931549871457e4
    top = (top * r + 1.3731693765509461125e4) * r + 1.9715909503065514427e3
    top = (top * r + 1.3314166789178437745e2) * r + 3.3871328727963666080
    low = 5.2264952788528545610e3 * r + 2.8729085735721942674e4
    low = (low * r + 3.9307895800092710610e4) * r + 2.1213794301586595867e4
    low = (low * r + 5.3941960214247511077e3) * r + 6.8718700749205790830e2
    low = (low * r + 4.2313330701600911252e1) * r + 1.0
    return top * q / low


@part
def _upper_normal_quantile(r: float) -> float:
    """The z with P(Z > z) = e^−r², for a probability below 0.075."""
    if r <= 5.0:
        r -= 1.6
        top = 7.74545014278341407640e-4 * r + 2.27238449892691845833e-2
        top = (top * r + 2.41780725177450611770e-1) * r + 1.27045825245236838258
        top = (top * r + 3.64784832476320460504) * r + 5.76949722146069140550
        top = (top * r + 4.63033784615654529590) * r + 1.42343711074968357734
        low = 1.05075007164441684324e-9 * r + 5.47593808499534494600e-4
        low = (low * r + 1.51986665636164571966e-2) * r + 1.48103976427480074590e-1
        low = (low * r + 6.89767334985100004550e-1) * r + 1.67638483018380384940
        low = (low * r + 2.05319162663775882187) * r + 1.0
        return top / low
    r -= 5.0
    top = 2.01033439929228813265e-7 * r + 2.71155556874348757815e-5
    top = (top * r + 1.24266094738807843860e-3) * r + 2.65321895265761230930e-2
    top = (top * r + 2.96560571828504891230e-1) * r + 1.78482653991729133580
    top = (top * r + 5.46378491116411436990) * r + 6.65790464350110377720
    low = 2.04426310338993978564e-15 * r + 1.42151175831644588870e-7
    low = (low * r + 1.84631831751005468180e-5) * r + 7.86869131145613259100e-4
    low = (low * r + 1.48753612908506148525e-2) * r + 1.36929880922735805310e-1
    low = (low * r + 5.99832206555887937690e-1) * r + 1.0
    return top / low


@part
def beta_quantile(u: float, a: float, b: float) -> float:
    """The x with I_x(a, b) = u, solved from the end of [0, 1] that it is nearer to."""
    log_beta = log_gamma(a) + log_gamma(b) - log_gamma(a + b)
    split = (a + 1.0) / (a + b + 2.0)
    if log(u) <= _log_incomplete_beta(log(split), a, b, log_beta):
        return _lower_beta_quantile(u, a, b, log_beta, split)
    return 1.0 - _lower_beta_quantile(1.0 - u, b, a, log_beta, 1.0 - split)


@part
def _lower_beta_quantile(u: float, a: float, b: float, log_beta: float, split: float) -> float:
    """The x ≤ split with I_x(a, b) = u: Newton's method on ln I as a function of ln x.

    Near 0, I_x is proportional to x^a, so that the function is a straight line there and one step
    from the line's own solution is enough. A bracket guards the steps elsewhere.
    """
    target = log(u)
    low, high = -750.0, log(split)  # e^−750 is 0 in floating point
    y = min(max((target + log(a) + log_beta) / a, low), high)
    for _ in range(100):
        level = _log_incomplete_beta(y, a, b, log_beta)
        if level < target:
            low = y
        else:
            high = y
        log_slope = a * y + (b - 1.0) * log1p(-exp(y)) - log_beta - level
        ahead = y - (level - target) * exp(-log_slope)
        if not low <= ahead <= high:
            ahead = 0.5 * (low + high)
        if abs(ahead - y) <= 1e-14:
            return exp(ahead)
        y = ahead
    return exp(y)


@part
def _log_incomplete_beta(y: float, a: float, b: float, log_beta: float) -> float:
    """Ln I_x(a, b) at x = e^y ≤ (a + 1) / (a + b + 2), where the fraction converges fast."""
    x = exp(y)
    return a * y + b * log1p(-x) - log_beta + log(_beta_fraction(x, a, b) / a)


@part
def _beta_fraction(x: float, a: float, b: float) -> float:
    """The continued fraction of I_x(a, b), by the modified method of Lentz."""
    tiny = 1e-300
    c = 1.0
    d = 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > tiny else tiny)
    value = d
    for m in range(1, 10_000):
        for even in range(2):
            if even == 0:
                term = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m))
            else:
                term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0))
            d = 1.0 + term * d
            d = 1.0 / (d if abs(d) > tiny else tiny)
            c = 1.0 + term / c
            c = c if abs(c) > tiny else tiny
            value *= c * d
        if abs(c * d - 1.0) < 4e-16:
            break
    return value
