"""What happens in a market: a closed set of records, and the journal's lines that they are.

The state of a market is a function of its events, and of nothing else. A record is made once, with
everything that is written, and never changed; its fields stand in the order in which they are
written. ``encode`` and ``decode`` are the only places that know the journal's words:

==========  ===================  ===============================================================
kind        record               what it says beside ``at``, its time in seconds since 1970
==========  ===================  ===============================================================
policy      PolicyChanged        the policy from now on, statistics kept
agent       AgentRegistered      the agent's name
arms        ArmsRegistered       arms = [[agent, arm], …]; one that is known comes back
retire      ArmRetired           agent, arm
suspend     Suspended            the agent, or one of its arms: agent, arm
resume      Resumed              the same
asked       Asked                round = the first one, arms = what was decided, as numbers in order
                                 of registration; eligible and slate as asked for
told        Told                 rounds, rewards
expired     Expired              upto: what waits up to this round takes the default; forgotten
kept        Unchanged            nothing but the answer to a request that changed nothing
==========  ===================  ===============================================================

Any event may carry an idempotency key, with a digest of the request that it came with and, where
the event does not tell it, the answer. Decisions are numbered by rounds 1, 2, 3, …; their ``Ids``
are what callers know them by, and a format like the journal's.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias, get_args

from copyproof.live.records import Unknown

Eligible: TypeAlias = Mapping[str, Sequence[str]] | Sequence[str]
"""The agents that may be chosen, or arms by agent."""


class Diverged(RuntimeError):
    """The journal holds what this version does not understand or would not have decided."""


@dataclass(frozen=True, slots=True)
class Key:
    """An idempotency key, the digest of its request, and the answer if the event has none."""

    key: str
    request: str
    answer: bool | int | None = None


@dataclass(frozen=True, slots=True)
class DecisionRequest:
    """A request for decisions, as it is carried out; ``Asked`` is what it becomes."""

    count: int
    eligible: Eligible | None
    slate: bool
    at: float
    key: Key | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyChanged:
    """Another policy takes over."""

    kind: ClassVar[str] = "policy"
    policy: str
    at: float
    key: Key | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRegistered:
    """An agent joins."""

    kind: ClassVar[str] = "agent"
    agent: str
    at: float
    key: Key | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmsRegistered:
    """Arms join, or come back."""

    kind: ClassVar[str] = "arms"
    arms: Sequence[Sequence[str]]
    at: float
    key: Key | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmRetired:
    """An arm is withdrawn."""

    kind: ClassVar[str] = "retire"
    agent: str
    arm: str
    at: float
    key: Key | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspended:
    """An agent, or one of its arms, is kept out of all choices."""

    kind: ClassVar[str] = "suspend"
    agent: str
    arm: str | None = None
    at: float
    key: Key | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed:
    """An agent, or one of its arms, is let back in."""

    kind: ClassVar[str] = "resume"
    agent: str
    arm: str | None = None
    at: float
    key: Key | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Decisions, from ``round`` on."""

    kind: ClassVar[str] = "asked"
    round: int
    eligible: Eligible | None = None
    slate: bool = False
    at: float
    key: Key | None = None
    arms: Sequence[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """Rewards of decisions, one after another."""

    kind: ClassVar[str] = "told"
    rounds: Sequence[int]
    rewards: Sequence[float]
    at: float
    key: Key | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Expired:
    """Decisions whose reward window is over."""

    kind: ClassVar[str] = "expired"
    upto: int
    forgotten: int
    at: float
    key: Key | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unchanged:
    """A request with a key that had nothing to change."""

    kind: ClassVar[str] = "kept"
    at: float
    key: Key


MarketEvent: TypeAlias = (
    Asked
    | Told
    | Expired
    | AgentRegistered
    | ArmsRegistered
    | ArmRetired
    | Suspended
    | Resumed
    | PolicyChanged
    | Unchanged
)
_RECORDS: dict[str, type[MarketEvent]] = {record.kind: record for record in get_args(MarketEvent)}


def encode(event: MarketEvent) -> dict[str, Any]:
    """Return an event as the journal keeps it; what is None or False is left out.

    Examples
    --------
    >>> encode(Suspended(agent="ann", at=0.5, key=Key("mine", "9f", True)))
    {'kind': 'suspend', 'agent': 'ann', 'at': 0.5, 'key': 'mine', 'request': '9f', 'answer': True}
    """
    data: dict[str, Any] = {"kind": event.kind}
    for name in event.__slots__:
        value = getattr(event, name)
        if value is None or value is False:
            continue
        if name == "key":
            data["key"], data["request"] = value.key, value.request
            if value.answer is not None:
                data["answer"] = value.answer
        else:
            data[name] = value
    return data


def decode(data: Mapping[str, Any]) -> MarketEvent:
    """Read what ``encode`` wrote.

    Raises
    ------
    Diverged
        If the kind, or a field, is not known, or one is missing.

    Examples
    --------
    >>> decode({"kind": "told", "rounds": [7], "rewards": [0.5], "at": 3.0}).rounds
    [7]
    """
    values = dict(data)
    kind = values.pop("kind", None)
    record = _RECORDS.get(kind)
    if record is None:
        raise Diverged(f"the journal holds an event of kind {kind!r}, which is not known")
    try:
        if "key" in values:
            request, answer = values.pop("request"), values.pop("answer", None)
            values["key"] = Key(values["key"], request, answer)
        return record(**values)
    except (KeyError, TypeError):
        known = [*(name for name in record.__slots__ if name != "key"), "key", "request", "answer"]
        raise Diverged(
            f"the journal holds an event of kind {kind!r} with the fields {', '.join(values)}; "
            f"known are {', '.join(known)}"
        ) from None


# --- decisions, as callers know them -----------------------------------------------------------

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class Ids:
    """Ids of one market's decisions: its name, the round in base 36, and a check.

    Only this market makes the check, so that an id that is mistyped, or of another market, does not
    name a decision here. It is no secret: who may tell rewards is decided by who calls.

    Examples
    --------
    >>> ids = Ids("m", seed=0)
    >>> ids.round(ids.id(12345), last=20000)
    12345
    """

    def __init__(self, market: str, seed: int) -> None:
        self._market = market
        self._start = hashlib.blake2b(f"{market} {seed}".encode(), digest_size=5)

    def id(self, round_: int) -> str:
        """The id of a decision."""
        return f"{self._market}-{_base36(round_)}-{self._check(round_)}"

    def round(
        self, decision: object, last: int, field: str = "decision", place: int | None = None
    ) -> int:
        """The round of a decision, at most ``last``; Unknown if this is no id of this market.

        ``field`` may have a blank for a place in a list, as ``rewards[{}].decision`` has.
        """
        if isinstance(decision, str) and len(decision) < 1000:
            name, _, _ = decision.rpartition("-")
            market, _, digits = name.rpartition("-")
            if market == self._market and 0 < len(digits) <= 12 and set(digits) <= set(_DIGITS):
                number = int(digits, 36)
                if 0 < number <= last and decision == self.id(number):
                    return number
        raise Unknown(field.format(place), decision)

    def _check(self, round_: int) -> str:
        digest = self._start.copy()
        digest.update(round_.to_bytes(8, "little"))
        return digest.hexdigest()


def _base36(number: int) -> str:
    """A number of at least 1 in base 36."""
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return digits
