"""What a live market is told and what it answers: plain records, and the errors of bad input.

A market has one policy at a time and a seed; every play is a *decision* with an id, and waits for
its reward up to ``reward_window`` seconds. A play without a reward by then takes the default one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, TypeAlias, get_args

from copyproof_client.records import Status

from copyproof.engine.version import NUMERICS
from copyproof.policy import parse_policy
from copyproof.validation import FieldError, known, number, require, shown, text, whole_in

Late: TypeAlias = Literal["refuse", "correct"]
Rewards: TypeAlias = Literal["first", "last", "sum", "max"]
Unanswered: TypeAlias = Literal["estimated", "omitted"]

STATUSES: tuple[Status, ...] = get_args(Status)
# What new markets run if nothing is said, and what that was in versions before.
DEFAULT = "default-anytime"
FORMER_DEFAULTS = ("grace-anytime",)
# Most decisions, and most rewards, of one request.
MOST_DECISIONS = 1000


class Unknown(LookupError):
    """An agent, an arm or a decision that this market does not have.

    ``field`` says which: "agent", "arm", "eligible", "decision", "rewards[3].decision".
    """

    def __init__(self, field: str, value: object) -> None:
        super().__init__(field, value)
        self.field = field

    def __str__(self) -> str:
        """Give one line that names the field and the value."""
        return f"{self.field} = {shown(self.args[1])} is not known"


class KeyReused(ValueError):
    """An idempotency key that came with another request before."""


class NoArm(ValueError):
    """There is nothing to choose: no arm is registered, or none of those that are eligible."""


@dataclass(frozen=True, slots=True)
class MarketConfig:
    """How a live market is run; it is fixed when the market is created (the policy is not).

    Parameters
    ----------
    policy : str
        The policy at the start, in its text form. Another name for it (``default-anytime``) is
        replaced by its own, so that the market keeps it whatever the default is one day.
    seed : int
        Below 2^64; equal seeds, requests and rewards give equal decisions.
    horizon : int, optional
        T, for policies that need it.
    reward_window : float
        Seconds that a decision waits for its reward.
    default_reward : float
        What a play is worth that got no reward within the window.
    late : {"refuse", "correct"}
        A reward after the window is refused, or corrects the play.
    rewards : {"first", "last", "sum", "max"}
        What counts when several rewards come for one decision; a sum is capped at 1.
    correction_window : float
        Seconds after the reward window within which late rewards still correct (30 days); the
        principal forgets decisions that are older.
    unanswered : {"estimated", "omitted"}, optional
        What a play counts for until its reward comes. Estimated, as new markets have it: what such
        plays have come to be worth so far, and the default reward for arms of which little is
        known. Omitted: it narrows the width, and the mean is that of the answered ones alone, 1/2
        before the first; markets of earlier versions keep that. If it is not given, a market that
        exists has what it has.
    most_arms : int, optional
        How many arms one agent may ever register, retired ones included: all are remembered, so
        that without it an agent can fill the memory. No limit if it is not given.
    numerics : int
        The version of the engine's numerics that the market began under. It is not a choice: new
        markets begin under the present one, and a journal of an earlier one is replayed by the
        decisions that it holds.

    Examples
    --------
    >>> MarketConfig(policy="h-ucb").reward_window
    86400.0
    """

    policy: str = DEFAULT
    seed: int = 0
    horizon: int | None = None
    reward_window: float = 86400.0
    default_reward: float = 0.0
    late: Late = "refuse"
    rewards: Rewards = "first"
    correction_window: float = 30 * 86400.0
    most_arms: int | None = None
    unanswered: Unanswered | None = field(default=None, compare=False)
    numerics: int = field(default=NUMERICS, compare=False)
    # Whether the policy was not named, or as the default, whatever that is.
    is_default: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "is_default", self.policy == DEFAULT)
        object.__setattr__(self, "policy", str(parse_policy(text("policy", self.policy))))
        object.__setattr__(self, "seed", whole_in("seed", self.seed, 0, 2**64 - 1))
        if self.horizon is not None:
            object.__setattr__(self, "horizon", whole_in("horizon", self.horizon, 1, 2**47))
        if self.most_arms is not None:
            object.__setattr__(self, "most_arms", whole_in("most_arms", self.most_arms, 1, 2**31))
        for name in ("reward_window", "correction_window"):
            seconds = number(name, getattr(self, name))
            require(0 <= seconds <= 1e10, name, seconds, "a number of seconds from 0 to 1e10")
            object.__setattr__(self, name, seconds)
        object.__setattr__(
            self, "default_reward", unit_reward("default_reward", self.default_reward)
        )
        if self.unanswered is not None:
            known("unanswered", self.unanswered, get_args(Unanswered))
        known("late", self.late, get_args(Late))
        known("rewards", self.rewards, get_args(Rewards))
        accepted = f"a version that this one knows, 1 to {NUMERICS}"
        is_known = type(self.numerics) is int and 1 <= self.numerics <= NUMERICS
        require(is_known, "numerics", self.numerics, accepted)

    @property
    def estimates(self) -> bool:
        """Whether unanswered plays are estimated."""
        return self.unanswered != "omitted"

    def agrees_with(self, stored: "MarketConfig") -> bool:
        """Whether a market that was made with ``stored`` can be opened with this one.

        They are equal, except that the default, which names no policy, may stand for the one that
        new markets got when the market was made, and so for what is done with unanswered plays.

        Examples
        --------
        >>> stored = MarketConfig("grace-anytime", seed=3)
        >>> MarketConfig(seed=3).agrees_with(stored)
        True
        >>> MarketConfig("trial-anytime", seed=3).agrees_with(stored)
        False
        """
        wanted = self
        if self.is_default and stored.policy in FORMER_DEFAULTS:
            wanted = replace(self, policy=stored.policy)
        says_the_same = self.unanswered is None or self.estimates == stored.estimates
        return wanted == stored and says_the_same

    def to_dict(self) -> dict[str, Any]:
        """Write the configuration as plain data, ready for JSON.

        The first numerics, and unanswered plays omitted, are written as they were then: not at all.
        """
        data = {name: getattr(self, name) for name in _names()}
        if self.numerics == 1:
            del data["numerics"]
        del data["unanswered"]
        if self.estimates:
            data["unanswered"] = "estimated"
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "MarketConfig":
        """Read what ``to_dict`` writes.

        Any fields may be left out: ``numerics`` is 1 then, and unanswered plays are omitted.

        Examples
        --------
        >>> MarketConfig.from_dict({"seed": 3}).seed
        3
        """
        for name in data:
            known("config", name, sorted(_names()))
        return cls(**{"numerics": 1, "unanswered": "omitted", **data})


def _names() -> list[str]:
    """What a configuration is made of."""
    return [field.name for field in fields(MarketConfig) if field.init]


def unit_reward(field: str, value: object, place: int | None = None) -> float:
    """Return ``value`` as a reward; ``field`` may have a blank for its place in a list.

    Examples
    --------
    >>> unit_reward("rewards[{}].reward", 1.5, place=2)
    Traceback (most recent call last):
    copyproof.validation.FieldError: rewards[2].reward = 1.5 is not in [0, 1]
    """
    if type(value) is float and 0.0 <= value <= 1.0:  # the short way for most
        return value + 0.0  # −0.0 becomes 0.0: equal rewards have equal bits
    field = field.format(place)
    reward = number(field, value)
    require(0.0 <= reward <= 1.0, field, value, "in [0, 1]")
    return reward + 0.0


def checked_pairs(field: str, given: object, of: str) -> Sequence[tuple[Any, Any]]:
    """Return a list of pairs; what is in them is checked when they are read."""
    if not isinstance(given, Sequence) or isinstance(given, str | bytes):
        raise FieldError(field, given, f"a list of {of}")
    for n, pair in enumerate(given):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise FieldError(f"{field}[{n}]", pair, of)
    return given


def plain_eligible(eligible: object) -> Any:
    """Return what is eligible as lists and dicts of texts, ready for JSON.

    Whether a text is the name of anything is seen when it is looked up.
    """
    if isinstance(eligible, Mapping):
        return {
            _text("eligible", agent): _texts(f"eligible[{shown(agent)}]", arms)
            for agent, arms in eligible.items()
        }
    return list(dict.fromkeys(_texts("eligible", eligible)))


def _texts(field: str, names: object) -> list[str]:
    if not isinstance(names, Sequence) or isinstance(names, str | bytes):
        raise FieldError(field, names, "a list of names")
    return [_text(field, one) for one in names]


def _text(field: str, value: object) -> str:
    if not isinstance(value, str):
        raise FieldError(field, value, "a name")
    return value
