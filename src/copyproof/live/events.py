"""What happens in a market: a closed set of records, and the journal's lines that they are.

The state of a market is a function of its events, and of nothing else. A record is made once, with
everything that is written, and never changed. ``encode`` and ``decode`` are the only places that
know the journal's words:

==========  ===================  ===============================================================
kind        record               what it says beside ``at``, its time in seconds since 1970
==========  ===================  ===============================================================
policy      PolicyChanged        the policy from now on, statistics kept
agent       AgentRegistered      the agent's name; group = the principal that it is a name of
arms        ArmsRegistered       arms = [[agent, arm], …], or [agent, arm, content]; one that is
                                 known comes back
retire      ArmRetired           agent, arm
suspend     Suspended            the agent, or one of its arms: agent, arm
resume      Resumed              the same
asked       Asked                round = the first one, arms = what was decided, as numbers in order
                                 of registration; eligible and slate as asked for; seen = the
                                 arms that the visitor has had, as numbers; segment = what the
                                 visitor is; and beside a candidate: shadow = what the policy would
                                 have decided that was not drawn, propensities = with which
                                 probability each decision came to be shown
told        Rewarded             rounds, rewards
expired     Expired              upto: what waits up to this round takes the default; forgotten
clock       ClockSet             ``at`` is the time from now on, also if it lies before
candidate   CandidateSet         policy, share: a second policy decides in so many rounds, and is
                                 the shadow of the others
dropped     CandidateDropped     there is no second policy any more
rails       RailsSet             rails = guard rails, fallback = the policy to fall back to
crossed     RailCrossed          rail = which one by its place, measured, owner = whose share it is
                                 by number: the market pauses or falls back
pause       Paused               reason: there are no decisions until it is resumed
continue    Continued            there are decisions again
prints      Fingerprinted        arms = [[arm by number, fingerprint], …]: what arms are made of
group       Bound                members = agents by number, group = their principal, which the
                                 policy takes for one agent from here on; none frees
reviewed    Reviewed             suspicion, review = confirmed or dismissed by an operator
kept        Unchanged            nothing: a name was forgotten
==========  ===================  ===============================================================

Any event may carry an idempotency key, with a digest of the request that it came with and, where
the event does not tell it, the answer. Decisions are numbered by rounds 1, 2, 3, …; callers know
them by their ``ids``.

Records are named tuples: a journal has millions of them, and a frozen dataclass takes three times
as long to make.
"""

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

# The agents that may be chosen, or arms by agent.
Eligible: TypeAlias = Mapping[str, Sequence[str]] | Sequence[str]
# What a visitor has had: decisions, or arms by agent.
Seen: TypeAlias = Mapping[str, Sequence[str]] | Sequence[str]


class Diverged(RuntimeError):
    """The journal holds what this version does not understand or would not have decided."""


class IdempotencyKey(NamedTuple):
    """An idempotency key, the digest of its request, and the answer if the event has none."""

    key: str
    request: str
    answer: float | bool | None = None


class PolicyChanged(NamedTuple):
    """Another policy takes over."""

    policy: str
    at: float
    key: IdempotencyKey | None = None


class AgentRegistered(NamedTuple):
    """An agent joins."""

    agent: str
    at: float
    key: IdempotencyKey | None = None
    group: str | None = None


class ArmsRegistered(NamedTuple):
    """Arms join, or come back."""

    arms: Sequence[Sequence[str]]
    at: float
    key: IdempotencyKey | None = None


class ArmRetired(NamedTuple):
    """An arm is withdrawn."""

    agent: str
    arm: str
    at: float
    key: IdempotencyKey | None = None


class Suspended(NamedTuple):
    """An agent, or one of its arms, is kept out of all choices."""

    agent: str
    at: float
    arm: str | None = None
    key: IdempotencyKey | None = None


class Resumed(NamedTuple):
    """An agent, or one of its arms, is let back in."""

    agent: str
    at: float
    arm: str | None = None
    key: IdempotencyKey | None = None


class Asked(NamedTuple):
    """Decisions, from ``round`` on."""

    round: int
    arms: Sequence[int]
    at: float
    eligible: Eligible | None = None
    slate: bool = False
    key: IdempotencyKey | None = None
    seen: Sequence[int] | None = None
    segment: str | None = None
    shadow: Sequence[int] | None = None
    propensities: Sequence[float] | None = None


class Rewarded(NamedTuple):
    """Rewards of decisions, one after another."""

    rounds: Sequence[int]
    rewards: Sequence[float]
    at: float
    key: IdempotencyKey | None = None


class Expired(NamedTuple):
    """Decisions whose reward window is over."""

    upto: int
    forgotten: int
    at: float
    key: IdempotencyKey | None = None


class ClockSet(NamedTuple):
    """The market's clock is set, forward or back."""

    at: float
    key: IdempotencyKey | None = None


class CandidateSet(NamedTuple):
    """A second policy decides beside the first, and some of its decisions are shown."""

    policy: str
    share: float
    at: float
    key: IdempotencyKey | None = None


class CandidateDropped(NamedTuple):
    """There is no second policy any more."""

    at: float
    key: IdempotencyKey | None = None


class RailsSet(NamedTuple):
    """Guard rails, in place of those before."""

    rails: Sequence[Mapping[str, Any]]
    at: float
    fallback: str | None = None
    key: IdempotencyKey | None = None


class RailCrossed(NamedTuple):
    """What a guard rail watches has left its limits."""

    rail: int
    measured: float
    at: float
    owner: int | None = None
    key: IdempotencyKey | None = None


class Paused(NamedTuple):
    """The market decides nothing from now on."""

    reason: str
    at: float
    key: IdempotencyKey | None = None


class Continued(NamedTuple):
    """The market decides again."""

    at: float
    key: IdempotencyKey | None = None


class Fingerprinted(NamedTuple):
    """Arms have fingerprints."""

    arms: Sequence[Sequence[Any]]
    at: float
    key: IdempotencyKey | None = None


class Bound(NamedTuple):
    """Agents are names of one principal; or of none, and each is its own."""

    members: Sequence[int]
    at: float
    group: str | None = None
    key: IdempotencyKey | None = None


class Reviewed(NamedTuple):
    """An operator has said what becomes of a suspicion."""

    suspicion: str
    review: str
    at: float
    key: IdempotencyKey | None = None


class Unchanged(NamedTuple):
    """Nothing has changed but a name, which was forgotten; or there was a request, with a key."""

    at: float
    key: IdempotencyKey | None = None


# What happens in the games that are played in a market.
GameEvent: TypeAlias = (
    Asked
    | Rewarded
    | Expired
    | AgentRegistered
    | ArmsRegistered
    | ArmRetired
    | Suspended
    | Resumed
    | PolicyChanged
    | ClockSet
    | Fingerprinted
    | Bound
    | Reviewed
    | Unchanged
)
# What is said of the market as a whole: who decides in it, and whether.
SwitchEvent: TypeAlias = (
    CandidateSet | CandidateDropped | RailsSet | RailCrossed | Paused | Continued
)
MarketEvent: TypeAlias = GameEvent | SwitchEvent

_OF_REQUEST = ("round", "eligible", "slate", "seen", "segment")
# The tag of each record, and its fields in the order in which they are written.
_WRITTEN: dict[type[MarketEvent], tuple[str, tuple[str, ...]]] = {
    Asked: ("asked", (*_OF_REQUEST, "at", "key", "arms", "shadow", "propensities")),
    Rewarded: ("told", ("rounds", "rewards", "at", "key")),
    Expired: ("expired", ("upto", "forgotten", "at", "key")),
    AgentRegistered: ("agent", ("agent", "group", "at", "key")),
    ArmsRegistered: ("arms", ("arms", "at", "key")),
    ArmRetired: ("retire", ("agent", "arm", "at", "key")),
    Suspended: ("suspend", ("agent", "arm", "at", "key")),
    Resumed: ("resume", ("agent", "arm", "at", "key")),
    PolicyChanged: ("policy", ("policy", "at", "key")),
    ClockSet: ("clock", ("at", "key")),
    CandidateSet: ("candidate", ("policy", "share", "at", "key")),
    CandidateDropped: ("dropped", ("at", "key")),
    RailsSet: ("rails", ("rails", "fallback", "at", "key")),
    RailCrossed: ("crossed", ("rail", "measured", "owner", "at", "key")),
    Paused: ("pause", ("reason", "at", "key")),
    Continued: ("continue", ("at", "key")),
    Fingerprinted: ("prints", ("arms", "at", "key")),
    Bound: ("group", ("members", "group", "at", "key")),
    Reviewed: ("reviewed", ("suspicion", "review", "at", "key")),
    Unchanged: ("kept", ("at", "key")),
}


# How a line is read: the record, and what takes its needed fields from a line that has no others.
_Reader: TypeAlias = tuple[type[MarketEvent], Callable[[Mapping[str, Any]], Any], int]


def _reader(record: type[MarketEvent]) -> _Reader:
    needed = [name for name in record._fields if name not in record._field_defaults]
    if len(needed) == 1:  # of which itemgetter would make no tuple
        [only] = needed
        return record, lambda data: (data[only],), 2
    return record, itemgetter(*needed), 1 + len(needed)


# The tag of each record, and its fields with their places in it, in the order they are written in.
_WRITERS = {
    record: (kind, [(name, record._fields.index(name)) for name in names])
    for record, (kind, names) in _WRITTEN.items()
}
_READERS = {kind: _reader(record) for record, (kind, _) in _WRITTEN.items()}


def kind_of(record: type[MarketEvent]) -> str:
    """Return the tag of a record in the journal."""
    return _WRITTEN[record][0]


def encode(event: MarketEvent) -> dict[str, Any]:
    """Return an event as the journal keeps it; what is None or False is left out.

    Examples
    --------
    >>> encode(Suspended("ann", 0.5, key=IdempotencyKey("mine", "9f", True)))
    {'kind': 'suspend', 'agent': 'ann', 'at': 0.5, 'key': 'mine', 'request': '9f', 'answer': True}
    """
    kind, fields = _WRITERS[type(event)]
    data: dict[str, Any] = {"kind": kind}
    for name, place in fields:
        value: Any = event[place]
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
    kind = data.get("kind", "")
    reader = _READERS.get(kind)
    if reader is None:
        raise Diverged(f"the journal holds an event of kind {kind!r}, which is not known")
    record, fields, size = reader
    try:
        if len(data) == size:
            return record(*fields(data))
        values = {name: value for name, value in data.items() if name != "kind"}
        if "key" in values:
            request, answer = values.pop("request"), values.pop("answer", None)
            values["key"] = IdempotencyKey(values["key"], request, answer)
        return record(**values)
    except (KeyError, TypeError):
        found = ", ".join(name for name in data if name != "kind")
        known = ", ".join(_WRITTEN[record][1])
        raise Diverged(
            f"the journal holds an event of kind {kind!r} with the fields {found}; known are "
            f"{known} (with a key also request and answer)"
        ) from None
