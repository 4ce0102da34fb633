"""Exact gains: where all runs of a game can be enumerated, nothing is left to luck.

The limits of an exact gain are its value with an allowance for the rounding of floating point.
"""

import math
from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np

from copyproof.auditing.comparisons import smallest_advantage
from copyproof.auditing.dominance import exact_advantage
from copyproof.auditing.result import Difference, Gain
from copyproof.auditing.trials import DeviationTrial
from copyproof.exact_values import Exact, exact, states, why_not_exact
from copyproof.external import ExternalPolicy
from copyproof.game import Market
from copyproof.policy import Policy
from copyproof.simulation import Interval
from copyproof.validation import FieldError

# Of all the games of an audit together, for the exact method to be taken unasked.
MOST_STATES = 2_000_000
_ROUNDING = 1e-11


def is_small(markets: Iterable[Market], policy: Policy | ExternalPolicy, horizon: int) -> bool:
    """Whether all these games can be computed exactly, in a few seconds."""
    if isinstance(policy, ExternalPolicy):
        return False
    if (horizon + 1) * (horizon + 2) // 2 > MOST_STATES:
        return False  # one arm alone has so many, and counting takes T² steps
    total = 0
    for market in markets:
        if why_not_exact(market, policy) is not None:
            return False
        total += states(market, policy, horizon)
        if total > MOST_STATES:
            return False
    return True


def compute(
    trials: Sequence[DeviationTrial], policy: Policy | ExternalPolicy, horizon: int
) -> tuple[list[Gain], list[tuple[float, float]]]:
    """The gains of all trials, and the reference's revenue and worth for each, exactly."""
    if isinstance(policy, ExternalPolicy):
        said = (
            f"= 'exact' enumerates what the policy may do, which is not known of {policy}; "
            "'sampling' takes any policy"
        )
        raise FieldError("method", "exact", "for any policy", said)

    @cache
    def solved(market: Market) -> Exact:
        return exact(market, policy, horizon=horizon)

    gains, worths = [], []
    for trial in trials:
        reference = solved(trial.reference)
        deviated = solved(trial.deviated)
        before = reference.agents[trial.position]
        loss = _around(float(deviated.regret) - float(reference.regret), float(reference.regret))
        fees = trial.reference.fee * trial.reference.agents[trial.position].registered
        worth = float(before.utility) + fees
        over, advantages = [], []
        for market in trial.references:
            own, after = (one.agents[trial.position] for one in (solved(market), deviated))
            gain = _around(float(after.utility) - float(own.utility), float(own.utility))
            over.append(Difference(trial.strategy(market), gain))
            if own.distribution is not None and after.distribution is not None:
                pair = np.array(own.distribution, float), np.array(after.distribution, float)
                advantages.append(exact_advantage(*pair))
        gain = min((one.gain for one in over), key=lambda one: one.mean)
        advantage = smallest_advantage(advantages) if len(advantages) == len(over) else None
        verdict = trial.judged(gain, worth)
        gains.append(Gain(trial.deviation, gain, loss, advantage, verdict, 0, over=tuple(over)))
        worths.append((float(before.revenue), worth))
    return gains, worths


def _around(value: float, scale: float) -> Interval:
    """A value with an allowance for rounding; what is no more than that is 0."""
    rounding = _ROUNDING * max(1.0, abs(scale))
    if math.fabs(value) <= rounding:
        return Interval(0.0, 0.0, 0.0)
    return Interval(value, value - rounding, value + rounding)
