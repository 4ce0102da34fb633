"""What is sent over HTTP, as records: the bodies of requests and of answers.

The OpenAPI document is made from these. Requests for decisions and rewards come thousands of times
a second and are read by hand (``hot``); their records here say the same, and a test holds the two
against each other.
"""

from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
)

from copyproof.live import MarketConfig
from copyproof.service.roles import Role

__all__ = [
    "AgentIn",
    "AgentStatisticsOut",
    "ArmIn",
    "ArmsIn",
    "AskIn",
    "DecisionsOut",
    "ErrorOut",
    "KeyIn",
    "KeyOut",
    "KeysOut",
    "MarketIn",
    "MarketOut",
    "MarketsOut",
    "NewKeyOut",
    "PolicyIn",
    "RewardIn",
    "RewardsIn",
    "RotateIn",
    "StateOut",
    "StatisticsOut",
    "ToldOut",
    "check_path_name",
]


def check_path_name(text: str) -> str:
    """Refuse names that cannot be part of a path.

    Examples
    --------
    >>> len(check_path_name("ann"))
    3
    """
    if not text.isprintable() or "/" in text or text in (".", ".."):
        raise ValueError("must be printable, without '/', and not '.' or '..'")
    return text


def _check_printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("must be printable")
    return text


_Text = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_check_printable)]
_PathName = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(check_path_name)]
_Seconds = Annotated[StrictFloat | StrictInt, Field(ge=0, le=1e10)]
_CONFIG = MarketConfig()
_Unit = Annotated[StrictFloat | StrictInt, Field(ge=0, le=1)]


class _In(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class _Out(BaseModel):
    pass


# --- markets --------------------------------------------------------------------------------------


class MarketIn(_In):
    """A market to create."""

    policy: Annotated[str, Field(min_length=1, max_length=1000)] = _CONFIG.policy
    seed: Annotated[StrictInt, Field(ge=0, lt=2**64)] = _CONFIG.seed
    horizon: Annotated[StrictInt, Field(ge=1, le=2**47)] | None = _CONFIG.horizon
    reward_window: _Seconds = _CONFIG.reward_window
    default_reward: _Unit = _CONFIG.default_reward
    late: Literal["refuse", "correct"] = _CONFIG.late
    rewards: Literal["first", "last", "sum", "max"] = _CONFIG.rewards
    correction_window: _Seconds = _CONFIG.correction_window
    most_arms: Annotated[StrictInt, Field(ge=1, le=2**31)] | None = _CONFIG.most_arms


class MarketOut(_Out):
    """A market: what it was created with, and whether this process serves it now."""

    market: str
    config: dict[str, Any]
    served_here: bool


class MarketsOut(_Out):
    """All markets."""

    markets: list[MarketOut]


class PolicyIn(_In):
    """The policy to go on with."""

    policy: Annotated[str, Field(min_length=1, max_length=1000)]


class StateOut(_Out):
    """What was done."""

    done: str


# --- agents and arms ------------------------------------------------------------------------------


class AgentIn(_In):
    """An agent to register."""

    agent: _PathName


class ArmsIn(_In):
    """Arms to register."""

    arms: Annotated[list[_Text], Field(min_length=1, max_length=1000)]


class ArmIn(_In):
    """One arm of an agent."""

    arm: _Text


# --- decisions and rewards ------------------------------------------------------------------------


class AskIn(_In):
    """How many decisions, among what.

    ``eligible`` is a list of agents, or an object that lists arms for each agent. With ``slate``
    the decisions are of different arms.
    """

    count: Annotated[StrictInt, Field(ge=1, le=1000)] = 1
    eligible: dict[str, list[str]] | list[str] | None = None
    slate: StrictBool = False


class DecisionOut(_Out):
    """One decision: show this arm of this agent."""

    id: str
    agent: str
    arm: str
    round: int


class DecisionsOut(_Out):
    """Decisions in the order in which they were made."""

    decisions: list[DecisionOut]


class RewardIn(_In):
    """The reward of one decision."""

    decision: Annotated[str, Field(min_length=1, max_length=300)]
    reward: _Unit


class RewardsIn(_In):
    """The rewards of several decisions."""

    rewards: Annotated[list[RewardIn], Field(min_length=1, max_length=1000)]


class OneToldOut(_Out):
    """What became of one reward: its status, and what the play is worth now."""

    decision: str
    status: Literal["counted", "ignored", "corrected", "refused-late"]
    reward: float | None


class ToldOut(_Out):
    """What became of the rewards, in their order."""

    told: list[OneToldOut]


# --- statistics -----------------------------------------------------------------------------------


class ArmOut(_Out):
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


class AgentOut(_Out):
    """What is known of one agent."""

    agent: str
    suspended: bool
    arms: int
    plays: int
    answered: int
    pending: int
    revenue: float
    play_share: float
    revenue_share: float


class AgentStatisticsOut(_Out):
    """One agent and its arms; shares are null for the agent itself."""

    agent: str
    suspended: bool
    plays: int
    answered: int
    pending: int
    revenue: float
    play_share: float | None
    revenue_share: float | None
    arms: list[ArmOut]


class SuspicionOut(_Out):
    """Arms, as pairs of agent and arm, that were paid the same rewards in the same order."""

    arms: list[tuple[str, str]]
    answers: int
    chance: float


class StatisticsOut(_Out):
    """A market at one moment."""

    market: str
    policy: str
    round: int
    plays: int
    answered: int
    pending: int
    revenue: float
    agents: list[AgentOut]
    arms: list[ArmOut]
    suspected: list[SuspicionOut]


# --- keys -----------------------------------------------------------------------------------------


class KeyIn(_In):
    """An API key to make."""

    role: Role
    markets: Annotated[list[_PathName], Field(max_length=1000)] = []
    agent: _PathName | None = None
    note: Annotated[str, Field(max_length=200), AfterValidator(_check_printable)] = ""


class RotateIn(_In):
    """How long the old secret still works, in seconds."""

    overlap: Annotated[StrictFloat | StrictInt, Field(ge=0, le=86400)] = 300.0


class KeyOut(_Out):
    """An API key, without its secret."""

    id: str
    role: Role
    markets: list[str]
    agent: str | None
    note: str
    created: float
    revoked: float | None


class KeysOut(_Out):
    """All API keys, revoked ones too."""

    keys: list[KeyOut]


class NewKeyOut(KeyOut):
    """An API key with its text, which is shown only now."""

    key: str


# --- errors ---------------------------------------------------------------------------------------


class WrongOut(_Out):
    """What is wrong."""

    field: str
    message: str


class ErrorOut(_Out):
    """The body of every answer that is not a success."""

    error: WrongOut
