"""What the service answers with, as plain records.

This is their one definition: the live principal returns these, the service writes them, its OpenAPI
document describes them, and the client reads them.
"""

from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias, TypeVar

# What became of a reward.
Status: TypeAlias = Literal["counted", "ignored", "corrected", "refused-late"]

# What the bearer of an API key may do.
Role: TypeAlias = Literal["operator", "application", "agent", "auditor"]

Record = TypeVar("Record", "Decision", "Told", "ApiKey")


@dataclass(frozen=True, slots=True)
class Decision:
    """One play: which arm to show, and whose it is."""

    id: str
    agent: str
    arm: str
    round: int


@dataclass(frozen=True, slots=True)
class Told:
    """What became of a reward.

    ``status`` is "counted" (within the window), "ignored" (another one counts: the first),
    "corrected" (after the window), or "refused-late". ``reward`` is what the play is worth now,
    None if the principal has forgotten it.
    """

    decision: str
    status: Status
    reward: float | None


@dataclass(frozen=True, slots=True)
class ArmStatistics:
    """What is known of one arm; ``pending`` plays have no reward yet."""

    agent: str
    arm: str
    registered: bool
    suspended: bool
    in_play: bool
    plays: int
    answered: int
    pending: int
    revenue: float


@dataclass(frozen=True, slots=True)
class AgentStatistics:
    """What is known of one agent, and its shares of all plays and of all revenue.

    ``arms`` counts those that are registered now, suspended ones left out. ``group`` is the
    principal that the agent is bound to.
    """

    agent: str
    suspended: bool
    arms: int
    plays: int
    answered: int
    pending: int
    revenue: float
    play_share: float
    revenue_share: float
    group: str | None = None


@dataclass(frozen=True, slots=True)
class GroupStatistics:
    """What names that are bound to one group come to, and their shares of all plays and revenue.

    To the policy they are one agent.
    """

    group: str
    agents: tuple[str, ...]
    plays: int
    answered: int
    pending: int
    revenue: float
    play_share: float
    revenue_share: float


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Arms that were paid the same rewards in the same order, beyond chance.

    ``arms`` are pairs (agent, arm), and ``answers`` says how many of their first rewards agree.
    ``chance`` bounds how many such groups independent arms would be expected to show. ``more`` arms
    of the group are left out of a list that would be too long. ``segment`` is where they agree,
    None for visitors without one.
    """

    arms: tuple[tuple[str, str], ...]
    answers: int
    chance: float
    more: int = 0
    segment: str | None = None


@dataclass(frozen=True, slots=True)
class ArmName:
    """An arm, and whose it is."""

    agent: str
    arm: str


@dataclass(frozen=True, slots=True)
class IdentitySuspicion:
    """Arms of several agents that are alike: one person may stand behind the names.

    ``similarity`` is the least of an arm to the first. It is "open" until an operator confirms it,
    which binds the agents to one group, or dismisses it. If another arm joins, it is another one.
    """

    id: str
    agents: tuple[str, ...]
    arms: tuple[ArmName, ...]
    evidence: str
    similarity: float
    status: Literal["open", "confirmed", "dismissed"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a policy's decisions are worth on average, with 95 % limits that hold at any time.

    ``mean`` is None where it cannot be known: nobody has seen what the decisions pay that were not
    shown.
    """

    mean: float | None
    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class CandidateStatistics:
    """A second policy beside the first one, since its share was last set.

    ``share`` is the probability with which it is drawn to decide; ``since`` the first round of
    that. Of the ``decisions`` so far it was drawn for ``drawn``, and both policies wanted the same
    in ``agreed``. Estimates are over the first ``known`` of them, up to the first whose worth is
    not known yet: of the candidate's own decisions (``value``), of those of the first policy, and
    of how much more the candidate's are worth (``difference``).
    """

    policy: str
    share: float
    since: int
    decisions: int
    drawn: int
    agreed: int
    known: int
    value: Estimate
    value_of_first: Estimate
    difference: Estimate


@dataclass(frozen=True, slots=True)
class RailStatistics:
    """A guard rail, how many decisions or plays it has ``seen`` of its ``last``, and their value.

    ``measured`` is the share of ``agent`` in what was seen so far, the largest share of any agent
    if none is named, or the mean reward.
    """

    measure: Literal["share", "reward"]
    last: int
    at_most: float | None
    at_least: float | None
    then: Literal["pause", "fall-back"]
    seen: int
    measured: float
    agent: str | None = None


@dataclass(frozen=True, slots=True)
class RailCrossing:
    """A guard rail that was left: what was measured, whose share it was, and when."""

    measure: Literal["share", "reward"]
    last: int
    at_most: float | None
    at_least: float | None
    then: Literal["pause", "fall-back"]
    measured: float
    agent: str | None
    at: float


@dataclass(frozen=True, slots=True)
class Statistics:
    """A market, or one agent's part of it, at one moment.

    ``arms`` are those of the one agent that was asked for; empty if none was. ``next`` is there if
    the list of agents, or of arms, goes on: the name to ask for the next page with. What is said of
    the whole is on every page, ``suspected`` and ``segments`` only on the first. ``segment`` is the
    one that was asked for, "" for visitors without one; None if it is all of them together.
    ``segments`` are those that visitors have been in. ``candidate`` is a second
    policy beside this one, ``paused`` why there are no decisions now, ``crossed`` the guard rail
    that was left last. ``open_suspicions`` counts those that wait for an operator.
    ``groups`` are the principals to which agents are bound; like ``suspected`` on the first page.
    """

    market: str
    policy: str
    round: int
    plays: int
    answered: int
    pending: int
    revenue: float
    agents: tuple[AgentStatistics, ...]
    arms: tuple[ArmStatistics, ...]
    suspected: tuple[Suspicion, ...]
    next: str | None = None
    segment: str | None = None
    segments: tuple[str, ...] = ()
    candidate: CandidateStatistics | None = None
    rails: tuple[RailStatistics, ...] = ()
    crossed: RailCrossing | None = None
    paused: str | None = None
    open_suspicions: int = 0
    groups: tuple[GroupStatistics, ...] = ()


@dataclass(frozen=True, slots=True)
class ApiKey:
    """An API key; its ``key`` is there only when it was just made or rotated.

    ``rate`` and ``burst`` are its requests a second and at once, None if they are its role's;
    ``expires`` is when it stops working by itself, in seconds since 1970.
    """

    id: str
    role: Role
    markets: tuple[str, ...]
    agent: str | None
    note: str
    created: float
    revoked: float | None
    rate: float | None = None
    burst: int | None = None
    expires: float | None = None
    key: str | None = None

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "ApiKey":
        """Read a key from an answer."""
        return read(cls, {**data, "markets": tuple(data["markets"])})


def read(kind: type[Record], data: dict[str, Any]) -> Record:
    """Read a record; what a later version of the service says beyond it is left out.

    Examples
    --------
    >>> read(Told, {"decision": "m-1-0", "status": "counted", "reward": 0.5, "new": 1}).reward
    0.5
    """
    known = {field.name for field in fields(kind)}
    return kind(**{name: value for name, value in data.items() if name in known})


class ApiError(Exception):
    """The service refused a request: its status, the field, and what is wrong with it.

    Examples
    --------
    >>> ApiError(422, "count", "count = 0 is not a whole number from 1 to 1000").status
    422
    """

    def __init__(self, status: int, field: str, message: str) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status
        self.field = field
        self.message = message


class Unavailable(ApiError):
    """The service could not be reached, or could not serve, in all attempts."""
