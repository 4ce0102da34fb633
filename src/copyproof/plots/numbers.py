"""Numbers as people read them: with their error, with their limits, or brief."""

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from copyproof.simulation import Estimate, Interval


def with_error(estimate: "Estimate") -> str:
    """A mean and its standard error.

    Examples
    --------
    >>> from copyproof.simulation import Estimate
    >>> with_error(Estimate(mean=1234.5, std=30.0, stderr=3.0))
    '1,234 ± 3'
    """
    digits = 1 if abs(estimate.mean) < 1000 else 0
    if math.isnan(estimate.stderr):  # one repetition has no error
        return f"{estimate.mean:,.{digits}f}"
    return f"{estimate.mean:,.{digits}f} ± {estimate.stderr:,.{digits}f}"


def brief(value: float) -> str:
    """A number with three digits, or all those before the point.

    Examples
    --------
    >>> brief(12345.678), brief(0.012345)
    ('12,346', '0.0123')
    """
    if not math.isfinite(value):
        return "?"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def limits(interval: "Interval") -> str:
    """A mean and its limits, to two digits of their distance or four; exact values stand alone.

    Examples
    --------
    >>> from copyproof.simulation import Interval
    >>> limits(Interval(mean=3.14159, low=3.12, high=3.16))
    '3.142 [3.120, 3.160]'
    >>> limits(Interval(mean=3.14159e14, low=3.12e14, high=3.16e14))
    '3.142e+14 [3.12e+14, 3.16e+14]'
    """
    mean, low, high = interval.mean, interval.low, interval.high
    if not math.isfinite(mean):
        return "not known"
    half = (high - low) / 2
    if 0 < half <= 1e-9 * max(1.0, abs(mean)):
        return f"{mean:,.6g}"
    if half == 0 or not math.isfinite(half):
        ends = f"{low:,.6g}, {high:,.6g}" if half == 0 else "?, ?"
        return f"{mean:,.6g} [{ends}]"
    if half > 1e12:
        return f"{mean:.4g} [{low:.4g}, {high:.4g}]"
    digits = min(6, max(0, 1 - math.floor(math.log10(half))))
    return f"{mean:z,.{digits}f} [{low:z,.{digits}f}, {high:z,.{digits}f}]"
