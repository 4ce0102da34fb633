"""What is sent over HTTP about identities: groups of agents, and the review of suspicions."""

from dataclasses import dataclass
from typing import Literal

from copyproof.client.records import IdentitySuspicion
from copyproof.service.messages import In, Name


class GroupIn(In):
    """The group that an agent is bound to; null frees it."""

    group: Name | None


@dataclass(frozen=True)
class Binding:
    """The group that an agent is bound to now; ``changed`` says whether it was not before."""

    agent: str
    group: str | None
    changed: bool


class ConfirmIn(In):
    """What the principal of a confirmed suspicion is called; null for a name of the service's."""

    group: Name | None = None


@dataclass(frozen=True)
class Suspicions:
    """Arms of several agents that are alike, the oldest first; ``next`` if there are more."""

    suspicions: list[IdentitySuspicion]
    next: str | None


@dataclass(frozen=True)
class SuspicionReview:
    """What an operator said of a suspicion; ``changed`` says whether that is new."""

    id: str
    status: Literal["confirmed", "dismissed"]
    changed: bool
