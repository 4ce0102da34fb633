"""What every question to the auditor has in common, checked in one place."""

from collections.abc import Callable
from dataclasses import dataclass

from copyproof._machine import processors
from copyproof.auditing.laboratory import Laboratory
from copyproof.external import ExternalPolicy, named_policy
from copyproof.game import Market
from copyproof.policy import Policy
from copyproof.simulation.run import MOST_ROUNDS
from copyproof.validation import number, require, whole_in

__all__ = ["DEFAULT_BUDGET", "DEFAULT_EXTERNAL_BUDGET", "Asked", "ask", "positive", "usual_budget"]

DEFAULT_BUDGET = 300_000_000
"""Rounds: about a minute on two processors."""
DEFAULT_EXTERNAL_BUDGET = 2_000_000
"""Rounds of a policy that is not ours, and plays some 50,000 a second."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A policy to be examined, and how thoroughly."""

    laboratory: Laboratory
    confidence: float
    budget: int

    @property
    def policy(self) -> Policy | ExternalPolicy:
        """The policy, as a record."""
        return self.laboratory.policy

    @property
    def alpha(self) -> float:
        """The error rate 1 − confidence."""
        return 1 - self.confidence


def ask(
    market: Market,
    policy: Policy | ExternalPolicy | str,
    *,
    horizon: int,
    seed: int,
    confidence: float,
    budget: int | None,
    workers: int | None,
    progress: Callable[[int], None] | None,
) -> Asked:
    """Check what was asked, and make the laboratory for it; no game is played yet.

    Examples
    --------
    >>> from copyproof import paper_market
    >>> ask(
    ...     paper_market("1a"),
    ...     "ucb1",
    ...     horizon=10,
    ...     seed=1,
    ...     confidence=0.95,
    ...     budget=None,
    ...     workers=None,
    ...     progress=None,
    ... ).budget
    300000000
    """
    if not isinstance(market, Market):
        raise ValueError(f"market = {market!r:.60} is not a Market")
    asked = policy if isinstance(policy, Policy | ExternalPolicy) else named_policy(policy)
    horizon = whole_in("horizon", horizon, 1, MOST_ROUNDS)
    market.discount.check_horizon(horizon)
    seed = whole_in("seed", seed, 0, 2**64 - 1)
    confidence = number("confidence", confidence)
    require(0 < confidence < 1, "confidence", confidence, "in (0, 1)")
    rounds = usual_budget(asked) if budget is None else whole_in("budget", budget, 1, 10**18)
    workers = processors() if workers is None else whole_in("workers", workers, 1, 1024)
    laboratory = Laboratory(asked, horizon=horizon, seed=seed, workers=workers, progress=progress)
    return Asked(laboratory, confidence, rounds)


def usual_budget(policy: Policy | ExternalPolicy) -> int:
    """The rounds that a policy may play if nothing was said.

    Examples
    --------
    >>> from copyproof import parse_policy
    >>> usual_budget(parse_policy("ucb1"))
    300000000
    """
    return DEFAULT_BUDGET if isinstance(policy, Policy) else DEFAULT_EXTERNAL_BUDGET


def positive(field: str, value: float | None) -> float | None:
    """The value as a number above 0, or None where none was given.

    Examples
    --------
    >>> positive("tolerance", 1)
    1.0
    """
    if value is None:
        return None
    found = number(field, value)
    require(found > 0, field, found, "a number > 0")
    return found
