"""What is sent over HTTP about who decides in a market, and whether; the rest is ``messages``."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated

from pydantic import AfterValidator, Field

from copyproof.live.rails import LARGEST_WINDOW, MOST_RAILS, Measure, Then
from copyproof.service.messages import In, Name, PolicyText, Unit
from copyproof.validation import LONGEST_NAME, name

_LENGTH = Field(min_length=1, max_length=LONGEST_NAME)


class PolicyIn(In):
    """The policy to go on with, or, with a ``share``, to make so many of the decisions."""

    policy: PolicyText
    share: Unit | None = None


@dataclass(frozen=True)
class PolicyChange:
    """The policy that decides now, alone or with a ``share``; and whether that is new."""

    policy: str
    changed: bool
    share: float | None = None


@dataclass(frozen=True)
class MarketChange:
    """Whether something about a market was not so before."""

    market: str
    changed: bool


class RailIn(In):
    """A guard rail; ``at_least`` is for rewards, and for the share of one ``agent``."""

    measure: Measure
    last: Annotated[int, Field(strict=True, ge=1, le=LARGEST_WINDOW)]
    at_most: Unit | None = None
    at_least: Unit | None = None
    then: Then = "pause"
    agent: Name | None = None


class RailsIn(In):
    """Guard rails, and the policy to fall back to where no candidate has a share."""

    rails: Annotated[list[RailIn], Field(max_length=MOST_RAILS)]
    fallback: PolicyText | None = None


class PauseIn(In):
    """Why there are to be no decisions."""

    reason: Annotated[str, _LENGTH, AfterValidator(partial(name, "reason"))]


@dataclass(frozen=True)
class Pause:
    """Whether a market decides nothing now, and whether that is new."""

    market: str
    paused: bool
    changed: bool
