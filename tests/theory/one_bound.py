"""One of the bounds, by its name."""

from typing import Any

from copyproof import Market
from copyproof.theory import Bound, bounds


def of(market: Market, policy: str, theorem: str, horizon: int = 10**5, **assumed: Any) -> Bound:
    """What one theorem says of a market under a policy."""
    found = bounds(market, policy, horizon, **assumed)
    return {bound.theorem: bound for bound in found}[theorem]


def value(bound: Bound) -> float:
    """The number of a theorem that applies and has one."""
    assert bound.applies, bound.why
    assert bound.value is not None
    return bound.value
