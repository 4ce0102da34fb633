"""What is sent over HTTP, as records: this is the one definition of every request.

Requests are read by pydantic, and the OpenAPI document is made from the same types. Those for
decisions and rewards come thousands of times a second: they are dictionaries with types, which
pydantic's compiled validator makes straight from the bytes. An answer that the client hands on is
defined with the client (``copyproof.client.records``), the others are here.
"""

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, TypeAlias, final

import pydantic
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, GetCoreSchemaHandler, with_config
from pydantic_core import CoreSchema, core_schema
from typing_extensions import TypedDict

from copyproof.client.records import ApiKey, ArmStatistics, Decision, Role, Told
from copyproof.defaults import MOST_ARMS, MOST_OVERLAP_SECONDS, OVERLAP_SECONDS
from copyproof.live import MarketConfig
from copyproof.live.records import MOST_DECISIONS, Late, Rewards, SeenBy, Unanswered
from copyproof.service.lookalikes import require_one_look
from copyproof.validation import LONGEST_NAME, name, require, text


@dataclass(frozen=True)
class Accepted:
    """What a value has to be, as a refusal says it: ``count = 0 is not a whole number from …``."""

    what: str

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Have pydantic say this instead of its own words, also for what lies within."""
        return core_schema.custom_error_schema(
            handler(source), custom_error_type="accepted", custom_error_message=self.what
        )


def path_name(field: str, value: str) -> str:
    r"""Return a name that can be part of a path, also if a proxy reads or writes it anew.

    U+FFFD stands for bytes that could not be read: many names would become one.

    Examples
    --------
    >>> path_name("agent", "%20")
    Traceback (most recent call last):
    copyproof.validation.FieldError: agent = '%20' is not a name without / \ % ? # U+FFFD or a...
    """
    found = name(field, value)
    fits = (
        not set(found) & set("/%?#\\\ufffd") and found not in (".", "..") and found == found.strip()
    )
    accepted = r"a name without / \ % ? # U+FFFD or a blank at its ends, other than . and .."
    require(fits, field, value, accepted)
    require_one_look(field, found)
    return found


def _note(value: str) -> str:
    return text("note", value) if value else value


_STRICT = ConfigDict(extra="forbid", allow_inf_nan=False)
_LENGTH = Field(min_length=1, max_length=LONGEST_NAME)
Name = Annotated[str, _LENGTH, AfterValidator(partial(name, "name"))]
_PathName = Annotated[str, _LENGTH, AfterValidator(partial(path_name, "name"))]
PolicyText = Annotated[str, Field(min_length=1, max_length=1000)]
_Seconds = Annotated[float, Field(strict=True, ge=0, le=1e10)]
Unit = Annotated[float, Field(strict=True, ge=0, le=1)]
_Agents = Annotated[list[str], Accepted("a list of agents or an object of lists of arms")]
_Arms = Annotated[list[str], Accepted("a list of texts")]
_Decisions = Annotated[list[str], Accepted("a list of decisions or an object of lists of arms")]
_BATCH = Field(min_length=1, max_length=MOST_DECISIONS)


class In(BaseModel):
    """A body, with no other fields than these."""

    model_config = _STRICT


# --- decisions and rewards ------------------------------------------------------------------------


@with_config(_STRICT)
class AskIn(TypedDict, total=False):
    """How many decisions, among what.

    ``eligible`` is a list of agents, or an object that lists arms for each agent. Which agents a
    visitor may see does not depend on copies; a list of arms does, and pays an agent for each copy
    on it. ``seen`` is what this visitor has had, as a list of decisions or an object that lists
    arms for each agent: neither that is shown again, nor anything of the same agents or of the same
    content, as the market is configured. ``segment`` is what this visitor is, such as "de/mobile":
    each segment is a game of its own. With ``slate`` the decisions are of different arms, at most
    ``per_agent`` of one agent.

    What is not known of ``eligible`` and ``seen``, and a segment beyond those that the market may
    have, is left out; the answer lists it under ``unknown``. With ``strict`` it is refused. A retry
    may come with another ``seen``.
    """

    count: Annotated[
        int,
        Field(strict=True, ge=1, le=MOST_DECISIONS, json_schema_extra={"default": 1}),
        Accepted(f"a whole number from 1 to {MOST_DECISIONS}"),
    ]
    eligible: dict[str, _Arms] | _Agents | None
    seen: dict[str, _Arms] | _Decisions | None
    segment: Annotated[str, _LENGTH, Accepted(f"a text of 1 to {LONGEST_NAME} characters")] | None
    slate: Annotated[
        bool, Field(strict=True, json_schema_extra={"default": False}), Accepted("true or false")
    ]
    strict: Annotated[
        bool, Field(strict=True, json_schema_extra={"default": False}), Accepted("true or false")
    ]


@final
@with_config(_STRICT)
class RewardIn(TypedDict):
    """The reward of one decision."""

    decision: Annotated[
        str, Field(min_length=1, max_length=300), Accepted("a text of 1 to 300 characters")
    ]
    reward: Annotated[Unit, Accepted("a number in [0, 1]")]


@final
@with_config(_STRICT)
class RewardsIn(TypedDict):
    """The rewards of several decisions."""

    rewards: Annotated[list[RewardIn], _BATCH]


TellIn: TypeAlias = RewardIn | RewardsIn


@with_config(_STRICT)
class UnknownNames(TypedDict, total=False):
    """What of a request for decisions is not known."""

    eligible: list[str] | dict[str, list[str]]
    seen: list[str] | dict[str, list[str]]
    segment: str


@dataclass(slots=True)
class Decisions:
    """Decisions in the order in which they were made.

    ``missing`` says how many places of a slate are empty, as nothing was left to fill them.
    ``unknown`` is there if something of the request was left out; it lists that, in the form in
    which it came. The answer to a retry does not have it.
    """

    decisions: list[Decision]
    missing: int = 0
    unknown: UnknownNames | None = None


@dataclass(slots=True)
class RewardsTold:
    """What became of the rewards, in their order."""

    told: list[Told]


# --- markets --------------------------------------------------------------------------------------

_CONFIG = MarketConfig.from_dict(MarketConfig().to_dict())


class MarketIn(In):
    """A market to create; ``most_arms`` null sets no limit to an agent's arms."""

    policy: PolicyText = _CONFIG.policy
    seed: Annotated[int, Field(strict=True, ge=0, lt=2**64)] | None = _CONFIG.seed
    horizon: Annotated[int, Field(strict=True, ge=1, le=2**47)] | None = _CONFIG.horizon
    reward_window: _Seconds = _CONFIG.reward_window
    default_reward: Unit = _CONFIG.default_reward
    late: Late = _CONFIG.late
    rewards: Rewards = _CONFIG.rewards
    correction_window: _Seconds = _CONFIG.correction_window
    most_arms: Annotated[int, Field(strict=True, ge=1, le=2**31)] | None = MOST_ARMS
    per_agent: Annotated[int, Field(strict=True, ge=1, le=MOST_DECISIONS)] | None = (
        _CONFIG.per_agent
    )
    seen: SeenBy = _CONFIG.seen
    most_segments: Annotated[int, Field(strict=True, ge=0, le=10_000)] = _CONFIG.most_segments
    unanswered: Unanswered = _CONFIG.unanswered
    # Not choices, but parts of a configuration that was read and is sent again.
    numerics: Annotated[int, Field(strict=True, ge=_CONFIG.numerics, le=_CONFIG.numerics)] = (
        _CONFIG.numerics
    )
    rules: Annotated[int, Field(strict=True, ge=_CONFIG.rules, le=_CONFIG.rules)] = _CONFIG.rules


@dataclass(frozen=True)
class MarketOut:
    """A market: what it was created with, and whether this process serves it now."""

    market: str
    config: dict[str, Any]
    served_here: bool


@dataclass(frozen=True)
class CandidateOut:
    """A policy beside the first one, and how many of the decisions it makes."""

    policy: str
    share: float


@dataclass(frozen=True)
class MarketReport(MarketOut):
    """A market, the policy that it runs now, and what that promises about copies.

    ``policy`` is null if another process serves the market, which then knows. ``candidate`` is the
    policy beside it, ``paused`` why it decides nothing now.
    """

    policy: str | None
    guarantee: str
    candidate: CandidateOut | None = None
    paused: str | None = None


@dataclass(frozen=True)
class MarketsPage:
    """Markets in order of their names; ``next`` is there if there are more."""

    markets: list[MarketOut]
    next: str | None


@dataclass(frozen=True)
class Deletion:
    """A market, or an agent of it, that is gone now."""

    market: str
    agent: str | None
    deleted: bool


class ClockIn(In):
    """The time to set a market's clock to, in seconds since 1970; the machine's if it is null."""

    at: Annotated[float, Field(strict=True, gt=0, le=1e11)] | None = None


@dataclass(frozen=True)
class ClockSetting:
    """What a market's clock was set to, in seconds since 1970."""

    market: str
    at: float


# --- agents and arms ------------------------------------------------------------------------------


class AgentIn(In):
    """An agent to register, and the group that it is bound to, if it is one of several names."""

    agent: _PathName
    group: Name | None = None


# The principal says what is wrong with one, by its kind.
_Print: TypeAlias = str | dict[str, str | list[str] | list[float]]
_Prints: TypeAlias = dict[Name, pydantic.SkipValidation[_Print]]


class ArmsIn(In):
    """Arms to register.

    ``content`` says what some of them are: for the name of an arm a hash of the operator's choice,
    equal for what a visitor would call the same. An arm that has one keeps it. ``fingerprints`` say
    what they are made of: a fingerprint in its text form, or an object with one key: ``hash`` (64
    bits in 16 hex digits), ``hashes`` (a list of texts) or ``vector`` (a list of numbers).
    """

    arms: Annotated[list[Name], _BATCH]
    content: Annotated[dict[Name, Name], Field(max_length=MOST_DECISIONS)] = {}
    fingerprints: Annotated[_Prints, Field(max_length=MOST_DECISIONS)] = {}


class AgentLine(In):
    """One line of ``PUT /v1/markets/M/agents``: an agent, its arms, and maybe its group."""

    agent: _PathName
    arms: Annotated[list[Name], Field(max_length=MOST_DECISIONS)] = []
    group: Name | None = None
    content: Annotated[dict[Name, Name], Field(max_length=MOST_DECISIONS)] = {}


class ArmIn(In):
    """One arm of an agent."""

    arm: Name


@dataclass(frozen=True)
class AgentRegistration:
    """An agent that is registered now; ``changed`` says whether it was not before."""

    agent: str
    registered: bool
    changed: bool


@dataclass(frozen=True)
class ArmsRegistration:
    """How many of the arms were not registered before."""

    registered: int


@dataclass(frozen=True)
class BulkRegistration:
    """How many agents were named, and how many of them and of their arms were not registered."""

    agents: int
    new_agents: int
    new_arms: int


@dataclass(frozen=True)
class Retirement:
    """An arm that is retired now; ``changed`` says whether it was not before."""

    agent: str
    arm: str
    retired: bool
    changed: bool


@dataclass(frozen=True)
class Suspension:
    """Whether an arm, or an agent with all its arms, is kept out now; and whether that is new."""

    agent: str
    arm: str | None
    suspended: bool
    changed: bool


@dataclass(frozen=True)
class AgentReport:
    """One agent and its arms; shares are null for the agent itself.

    ``next`` is there if there are more arms.
    """

    agent: str
    suspended: bool
    plays: int
    answered: int
    pending: int
    revenue: float
    play_share: float | None
    revenue_share: float | None
    arms: tuple[ArmStatistics, ...]
    next: str | None
    group: str | None = None


# --- what operators did ---------------------------------------------------------------------------


@dataclass(frozen=True)
class ActionOut:
    """What an operator did: with which key, or from the command line, and with which answer.

    ``said`` is the body, where it is short and not about arms. ``status`` is null if the request
    was broken off.
    """

    id: str
    at: float
    key: str
    role: str
    what: str
    market: str | None
    agent: str | None
    said: Any
    status: int | None


@dataclass(frozen=True)
class ActionsPage:
    """Actions, the oldest first; ``next`` is there if there may be more."""

    actions: list[ActionOut]
    next: str | None


# --- keys -----------------------------------------------------------------------------------------


class KeyIn(In):
    """An API key to make.

    Without ``markets`` an operator or an auditor has all. ``rate`` and ``burst`` are limits of its
    own, in place of its role's; ``expires`` is when it stops working, in seconds since 1970.
    """

    role: Role
    markets: Annotated[list[_PathName], Field(max_length=MOST_DECISIONS)] = []
    agent: _PathName | None = None
    note: Annotated[str, Field(max_length=LONGEST_NAME), AfterValidator(_note)] = ""
    rate: Annotated[float, Field(strict=True, ge=0.001, le=1e6)] | None = None
    burst: Annotated[int, Field(strict=True, ge=1, le=1_000_000)] | None = None
    expires: (
        Annotated[
            float, Field(strict=True, gt=0, le=1e11), Accepted("a time in seconds since 1970")
        ]
        | None
    ) = None


@dataclass(frozen=True)
class KeysPage:
    """Keys in order of their age; ``next`` is there if there are more."""

    keys: list[ApiKey]
    next: str | None


class RotateIn(In):
    """How long the old secret still works, in seconds."""

    overlap: Annotated[float, Field(strict=True, ge=0, le=MOST_OVERLAP_SECONDS)] = OVERLAP_SECONDS
