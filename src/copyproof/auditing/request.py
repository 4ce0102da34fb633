"""What ``audit``, ``equilibrium`` and ``attacks`` have in common, checked in one place."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from copyproof._progress import Progress, shown
from copyproof.auditing.paired_games import PairedGames
from copyproof.defaults import BUDGET, EXTERNAL_BUDGET
from copyproof.external import AnyPolicy, ExternalPolicy, any_policy
from copyproof.game import Market
from copyproof.policy import Policy
from copyproof.simulation.run import checked_device, checked_game
from copyproof.validation import number, require, whole_in


@dataclass(frozen=True, slots=True)
class Request:
    """A policy to be examined, and how thoroughly."""

    games: PairedGames
    confidence: float
    budget: int
    begin: float = field(default_factory=time.perf_counter)

    @property
    def policy(self) -> Policy | ExternalPolicy:
        """The policy, as a record."""
        return self.games.policy

    @property
    def alpha(self) -> float:
        """The error rate 1 − confidence."""
        return 1 - self.confidence

    @contextmanager
    def watched(self, progress: Progress) -> Iterator[None]:
        """Tell the rounds played, or show them on a bar, in the context; at most the budget."""
        with shown(progress, self.budget) as tell:
            self.games.progress = tell
            yield

    def summary(self) -> dict[str, Any]:
        """What was asked and what it took up to now, as all three results tell it."""
        return {
            "policy": str(self.policy),
            "horizon": self.games.horizon,
            "seed": self.games.seed,
            "confidence": self.confidence,
            "rounds": self.games.rounds,
            "seconds": time.perf_counter() - self.begin,
        }


def checked_request(
    market: Market,
    policy: AnyPolicy | str,
    horizon: int,
    seed: int,
    confidence: float,
    budget: int | None,
    workers: int | None,
    device: str = "cpu",
) -> Request:
    """Check what was asked, and make the games for it; none is played yet.

    Examples
    --------
    >>> from copyproof import paper_market
    >>> checked_request(paper_market("1a"), "ucb1", 10, 1, 0.95, None, None).budget
    300000000
    """
    horizon, seed, workers = checked_game(horizon, seed, workers)
    asked = any_policy(policy)
    market.discount.check_horizon(horizon)
    confidence, rounds = checked_effort(confidence, budget)
    chosen = checked_device(device, asked, horizon, len(market.agents))
    games = PairedGames(asked, horizon=horizon, seed=seed, workers=workers, device=chosen)
    return Request(games, confidence, usual_budget(asked) if rounds is None else rounds)


def checked_effort(confidence: float, budget: int | None) -> tuple[float, int | None]:
    """How sure the limits are to be, and how many rounds may be played, None where not said.

    Examples
    --------
    >>> checked_effort(95, None)
    Traceback (most recent call last):
    copyproof.validation.FieldError: confidence = 95.0 is not in (0, 1)
    """
    confidence = number("confidence", confidence)
    require(0 < confidence < 1, "confidence", confidence, "in (0, 1)")
    return confidence, None if budget is None else whole_in("budget", budget, 1, 10**18)


def usual_budget(policy: Policy | ExternalPolicy) -> int:
    """The rounds that a policy may play if nothing was said.

    Examples
    --------
    >>> from copyproof import parse_policy
    >>> usual_budget(parse_policy("ucb1"))
    300000000
    """
    return BUDGET if isinstance(policy, Policy) else EXTERNAL_BUDGET


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
