"""What a live market is told and what it answers: plain records, and the errors of bad input.

A market has one policy at a time and a seed; every play is a *decision* with an id, and waits for
its reward up to ``reward_window`` seconds. A play without a reward by then takes the default one.
"""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal, TypeAlias, get_args

from copyproof.client.records import Status
from copyproof.engine.version import NUMERICS
from copyproof.policy import parse_policy
from copyproof.validation import FieldError, known, name, number, require, shown, text, whole_in

Late: TypeAlias = Literal["refuse", "correct"]
Rewards: TypeAlias = Literal["first", "last", "sum", "max"]
SeenBy: TypeAlias = Literal["agent", "content"]
Unanswered: TypeAlias = Literal["estimated", "patient", "omitted"]

STATUSES: tuple[Status, ...] = get_args(Status)
# The version of a live market's own rules: what unanswered plays count for, and how many agents
# share an epoch with one that comes while it lasts.
RULES = 1
# The numerics and rules of the markets that this version makes and opens.
VERSIONS = {"numerics": NUMERICS, "rules": RULES}
# What new markets run if nothing is said.
DEFAULT = "default-anytime"
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


class Undone(ValueError):
    """A decision that this market made, in a past that a restore has undone.

    ``field`` says where it was named, as in ``Unknown``.
    """

    def __init__(self, field: str, value: object) -> None:
        super().__init__(field, value)
        self.field = field

    def __str__(self) -> str:
        """Give one line that names the field and the value."""
        return (
            f"{self.field} = {shown(self.args[1])} is of a past that was undone: "
            "the market was restored to a time before it"
        )


class KeyReused(ValueError):
    """An idempotency key that came with another request before."""


class NoArm(ValueError):
    """There is nothing to choose: no arm is registered, or none of those that are eligible.

    ``field`` says what left nothing: "eligible" or "seen".
    """

    def __init__(self, message: str, field: str = "eligible") -> None:
        super().__init__(message)
        self.field = field


class TooManyPending(ValueError):
    """So many plays wait for their reward that no more decisions are made; how many may."""

    def __str__(self) -> str:
        """Give one line."""
        return (
            f"count: {self.args[0]:,} plays of this market may wait for their reward, and no more "
            "do: report rewards, or wait until the reward window of some is over"
        )


class MarketPaused(ValueError):
    """The market decides nothing until it is resumed; why."""

    def __str__(self) -> str:
        """Give one line."""
        return f"market is paused until it is resumed: {self.args[0]}"


@dataclass(frozen=True, slots=True)
class MarketConfig:
    """How a live market is run; it is fixed when the market is created (the policy is not).

    Parameters
    ----------
    policy : str
        The policy at the start, in its text form. Another name for it (``default-anytime``) is
        replaced by its own, so that the market keeps it whatever the default is one day.
    seed : int, optional
        Below 2^64; equal seeds, requests and rewards give equal decisions. A new market without
        one draws it at random, below 2^53, which every reader of JSON reads exactly, and keeps it:
        who knows the seed can foresee the coins of the policy.
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
    unanswered : {"estimated", "patient", "omitted"}
        What a play counts for until its reward is due. Estimated: what its
        agent's plays have come to be worth so far, and the default reward if little is known of
        them; an agent whose rewards come later than all others' is waited for as long as for those.
        Patient: the same, and each agent is waited for as long as its own rewards take, which
        hides it if they fall. Omitted: it narrows the width, and the mean is that of the answered
        ones alone, 1/2 before the first.
    most_arms : int, optional
        How many arms one agent may ever register, retired ones included: all are remembered, so
        that without it an agent can fill the memory. No limit if it is not given.
    per_agent : int, optional
        How many arms of one agent a slate may hold. One is what keeps copies worthless: more, or
        None for no limit, pay an agent for them.
    seen : {"agent", "content"}
        What a visitor's ``seen`` list rules out: every arm of the agents of the arms on it, or
        every arm of the same content. The first keeps copies worthless whatever they are called,
        the second if copies are registered with the same content.
    most_segments : int
        How many segments visitors may be in; each takes the memory of a market of its own.
    numerics, rules : int
        The versions of the engine's numerics and of a live market's own rules. They are not a
        choice: markets of other versions are refused.

    Examples
    --------
    >>> MarketConfig(policy="h-ucb").reward_window
    86400.0
    """

    policy: str = DEFAULT
    seed: int | None = None
    horizon: int | None = None
    reward_window: float = 86400.0
    default_reward: float = 0.0
    late: Late = "refuse"
    rewards: Rewards = "first"
    correction_window: float = 30 * 86400.0
    most_arms: int | None = None
    per_agent: int | None = 1
    seen: SeenBy = "agent"
    most_segments: int = 100
    unanswered: Unanswered = "estimated"
    numerics: int = NUMERICS
    rules: int = RULES

    def __post_init__(self) -> None:
        object.__setattr__(self, "policy", str(parse_policy(text("policy", self.policy))))
        if self.seed is not None:
            object.__setattr__(self, "seed", whole_in("seed", self.seed, 0, 2**64 - 1))
        if self.horizon is not None:
            object.__setattr__(self, "horizon", whole_in("horizon", self.horizon, 1, 2**47))
        if self.most_arms is not None:
            object.__setattr__(self, "most_arms", whole_in("most_arms", self.most_arms, 1, 2**31))
        if self.per_agent is not None:
            most = whole_in("per_agent", self.per_agent, 1, MOST_DECISIONS)
            object.__setattr__(self, "per_agent", most)
        segments = whole_in("most_segments", self.most_segments, 0, 10_000)
        object.__setattr__(self, "most_segments", segments)
        for window in ("reward_window", "correction_window"):
            seconds = number(window, getattr(self, window))
            require(0 <= seconds <= 1e10, window, seconds, "a number of seconds from 0 to 1e10")
            object.__setattr__(self, window, seconds)
        object.__setattr__(
            self, "default_reward", unit_reward("default_reward", self.default_reward)
        )
        known("unanswered", self.unanswered, get_args(Unanswered))
        known("late", self.late, get_args(Late))
        known("rewards", self.rewards, get_args(Rewards))
        known("seen", self.seen, get_args(SeenBy))
        for version, ours in VERSIONS.items():
            given = getattr(self, version)
            accepted = f"{ours}, the only version that this program opens"
            require(type(given) is int and given == ours, version, given, accepted)

    def agrees_with(self, stored: "MarketConfig") -> bool:
        """Whether a market that was made with ``stored`` can be opened with this one.

        They are equal, except that no seed stands for any.

        Examples
        --------
        >>> stored = MarketConfig("h-ucb", seed=3)
        >>> MarketConfig("h-ucb").agrees_with(stored)
        True
        >>> MarketConfig("trial-anytime", seed=3).agrees_with(stored)
        False
        """
        return self.meant_for(stored) == stored

    def meant_for(self, stored: "MarketConfig") -> "MarketConfig":
        """Fill in what this one leaves open of a market that was made with ``stored``.

        Examples
        --------
        >>> MarketConfig().meant_for(MarketConfig("h-ucb", seed=3)).seed
        3
        """
        return self if self.seed is not None else replace(self, seed=stored.seed)

    def seeded(self) -> "MarketConfig":
        """Return the configuration with a seed, drawn at random if it has none."""
        return self if self.seed is not None else replace(self, seed=secrets.randbelow(2**53))

    def to_dict(self) -> dict[str, Any]:
        """Write the configuration as plain data, ready for JSON.

        Examples
        --------
        >>> MarketConfig(per_agent=None).to_dict()["per_agent"] is None
        True
        """
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "MarketConfig":
        """Read what ``to_dict`` writes; what is left out has its default.

        Examples
        --------
        >>> MarketConfig.from_dict({"seed": 3}).per_agent
        1
        """
        names = sorted(one.name for one in fields(cls))
        for setting in data:
            known("config", setting, names)
        return cls(**data)


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


def checked_arms(given: object) -> list[list[str]]:
    """Return arms to register as lists [agent, arm] or [agent, arm, content].

    Examples
    --------
    >>> checked_arms([("ann", "a"), ("ann", "b", "9f86d081")])
    [['ann', 'a'], ['ann', 'b', '9f86d081']]
    """
    of = "(agent, arm) or (agent, arm, content)"
    if not isinstance(given, Sequence) or isinstance(given, str | bytes):
        raise FieldError("arms", given, f"a list of {of}")
    found = []
    for n, one in enumerate(given):
        if not isinstance(one, tuple | list) or len(one) not in (2, 3):
            raise FieldError(f"arms[{n}]", one, of)
        parts = zip(("agent", "arm", "content"), one, strict=False)
        found.append([name(f"arms[{n}].{part}", value) for part, value in parts])
    return found


def plain_eligible(named: object, field: str = "eligible") -> Any:
    """Return what is eligible, or seen, as lists and dicts of texts, ready for JSON.

    Whether a text is the name of anything is seen when it is looked up.
    """
    if isinstance(named, Mapping):
        return {
            _text(field, agent): _texts(f"{field}[{shown(agent)}]", arms)
            for agent, arms in named.items()
        }
    return list(dict.fromkeys(_texts(field, named)))


def _texts(field: str, names: object) -> list[str]:
    if not isinstance(names, Sequence) or isinstance(names, str | bytes):
        raise FieldError(field, names, "a list of names")
    return [_text(field, one) for one in names]


def _text(field: str, value: object) -> str:
    if not isinstance(value, str):
        raise FieldError(field, value, "a name")
    return value
