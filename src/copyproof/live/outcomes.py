"""What became of operations: the arms that were decided for, and the rewards that were told."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from copyproof.client.records import Status
from copyproof.engine.live import OUTCOME
from copyproof.live.records import STATUSES


class CarriedOut:
    """The outcomes of operations, to be taken one after another in their order.

    Parameters
    ----------
    outcomes : array
        One for each operation; that of a decision says nothing.
    arms : list of int
        What was decided for, of all decisions.
    """

    def __init__(self, outcomes: Any, arms: list[int]) -> None:
        self._outcomes = outcomes
        self.arms = arms
        self._operation = self._play = 0

    def decisions(self, count: int) -> list[int]:
        """Take the arms of one request for decisions."""
        self._operation += 1
        self._play += count
        return self.arms[self._play - count : self._play]

    def rewards(self, count: int) -> list[list[Any]]:
        """Take status and worth of rewards."""
        self._operation += count
        return self._told[self._operation - count : self._operation]

    @cached_property
    def _told(self) -> list[list[Any]]:
        return answers_of(self._outcomes)


def answers_of(outcomes: Any) -> list[list[Any]]:
    """Status and worth of told rewards, ready for JSON; None for a play that is forgotten."""
    assert outcomes.dtype == OUTCOME
    told = outcomes.tolist()
    return [[STATUSES[status], value if value == value else None] for status, value in told]


def told_as(
    rewards: Sequence[tuple[str, float]], answers: Sequence[Sequence[Any]]
) -> list[tuple[str, Status, float | None]]:
    """The fields of what became of rewards, each with the id that it was told under."""
    both = zip(rewards, answers, strict=True)
    return [(decision, status, value) for (decision, _), (status, value) in both]
