"""Checks a journal that was exported, without its store, and without trusting who exported it.

No field of the file is believed. The opening must follow from the file's market, chain and
configuration, and be the opening that every signed head names. Every event must be in the chain,
and lead to the head at the end and to every signed head. Where events were compacted away, a signed
head must say so.

An **audit** file is also replayed: every decision must be the one that the published rule makes,
given all that came before, and every play must expire when the terms say. Only such a file *holds*.

An **agent's** file cannot be replayed, as it does not show the other agents. Every piece shown is
checked to be part of the chain, in this order, and the agent's plays and rewards are added up. It
does not show whether a piece of the agent is left out.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from copyproof.live.agent_sums import AgentSums
from copyproof.live.events import (
    Asked,
    Bound,
    ClockSet,
    Diverged,
    Expired,
    Fingerprinted,
    MarketEvent,
    RailCrossed,
    Rewarded,
    decode,
)
from copyproof.live.exports import AGENT, AUDIT, VERSION
from copyproof.live.heads import SignedHead, fingerprint
from copyproof.live.rails import Crossing
from copyproof.live.records import VERSIONS, MarketConfig, NoArm
from copyproof.live.stores.blinding import token_of
from copyproof.live.stores.chain import digest, digests, link, opening, pieces
from copyproof.live.switch import SwitchState
from copyproof.validation import FieldError, known, require, shown

_PLACE = ("copyproof", "version", "market", "chain", "after", "head")
_HASH, _SALT = re.compile("[0-9a-f]{64}"), re.compile("[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Violation:
    """Something that a right journal does not have.

    ``decided`` and ``rule`` are arms, by number in order of registration, where a decision is not
    the one of the rule.
    """

    event: int
    why: str
    round: int | None = None
    decided: int | None = None
    rule: int | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of checking an exported journal.

    Attributes
    ----------
    kind : str
        "journal" or "agent's journal".
    market, chain : str
        Its market, and the identity of its chain.
    events, decisions : int
        How many there are; of an agent's journal only its own decisions.
    head : str
        The head to which the events lead.
    holds : bool or None
        True if nothing is wrong and every decision was made again. None if nothing is wrong and
        ``not_replayed`` says why decisions were not made again.
    first_violation : Violation or None
        The first thing that is wrong.
    not_replayed : str or None
        Why decisions were not made again.
    heads : int
        How many signed heads confirm events: those after the first event of the file.
    keys : list of str
        Fingerprints of the keys that signed the heads.
    sums : dict or None
        Plays, answered plays and revenue, of an agent's journal.
    unconfirmed : list of str
        Why the file does not confirm a signed head; ``holds`` is False then.
    """

    kind: str
    market: str
    chain: str
    events: int
    decisions: int
    head: str
    holds: bool | None
    first_violation: Violation | None
    not_replayed: str | None
    heads: int
    keys: list[str]
    sums: dict[str, float] | None = None
    unconfirmed: list[str] = field(default_factory=list)


def verify(
    lines: Iterable[Mapping[str, Any]],
    signed: Sequence[SignedHead] = (),
    *,
    public_key: str | None = None,
    agent: str | None = None,
) -> Verdict:
    """Check an exported journal.

    Parameters
    ----------
    lines : iterable of mapping
        The file's lines, read.
    signed : sequence of SignedHead
        Heads that were stored; the journal must lead to each.
    public_key : str, optional
        The key that must have signed them, in hexadecimal.
    agent : str, optional
        The name of the agent whose journal it must be.

    Raises
    ------
    FieldError
        If the lines are not an exported journal.

    Examples
    --------
    >>> from copyproof.live import Principal
    >>> from copyproof.live.exports import audit_lines
    >>> principal = Principal("h-ucb")
    >>> principal.register_arms([("ann", "a"), ("bob", "b")])
    2
    >>> decisions = principal.ask(100)
    >>> verdict = verify(audit_lines(principal.store, "default"))
    >>> verdict.holds, verdict.decisions
    (True, 100)
    """
    rest = iter(lines)
    first = next(rest, None)
    if first is None:
        raise FieldError("journal", None, "an exported journal", said="is empty")
    if "copyproof" not in first:
        said = "is not an exported journal: its first line does not say that it is one"
        raise FieldError("journal", None, "an exported journal", said=said)
    kind = known("copyproof", first.get("copyproof"), (AUDIT, AGENT))
    version = first.get("version")
    require(type(version) is int and version == VERSION, "version", version, f"{VERSION}")
    try:
        reader = _Audit(first) if kind == AUDIT else _Agent(first, agent)
        check = _Check(first, reader, signed)
        check.check_keys(public_key)
        return check.read(rest)
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError) as error:
        if isinstance(error, FieldError):
            raise
        said = f"is not as it is exported: {type(error).__name__}: {error}"
        raise FieldError("journal", None, "an exported journal", said=said) from None


class _Check:
    """The chain of a file, with its ends and the signed heads."""

    def __init__(
        self, first: Mapping[str, Any], reader: "_Audit | _Agent", signed: Sequence[SignedHead]
    ) -> None:
        _require_fields(first, reader.fields)
        self.reader = reader
        self.market, self.chain = first["market"], first["chain"]
        self.number = self.after = first["after"]
        require(type(self.after) is int and self.after >= 0, "after", self.after, "a count")
        self.kind = first["copyproof"]
        self.head = _hash(first["head"])
        self.opening = reader.opening()
        self.confirmed = 0
        self.violation = reader.violation
        self.unconfirmed: list[str] = []
        if self.after == 0 and self.opening != self.head:
            self._note(0, "the configuration is not the one that the chain began with")
        self.signed = [head for head in signed if self._is_of_this_chain(head)]
        self._check_cut()

    def _note(self, event: int, why: str) -> None:
        self.violation = self.violation or Violation(event, why)

    def _is_of_this_chain(self, head: SignedHead) -> bool:
        """Whether a head is about this file; a chain of another identity is another market."""
        if head.market != self.market:
            said = f"of event {head.number} is of market {shown(head.market)}, and the journal"
            said += f" of {shown(self.market)}"
            raise FieldError("head", head.number, "a head of this market", said)
        if not head.is_signed():
            said = f"of event {head.number} has no good signature: it is not as it was signed"
            raise FieldError("head", head.number, "a head with a good signature", said)
        if head.chain != self.chain:
            self.unconfirmed.append(
                f"head {head.number} is of another chain of market {shown(self.market)} "
                f"({head.chain}, and not {self.chain}): the market was deleted and made again"
            )
            return False
        if head.opening != self.opening.hex():
            self._note(0, "the opening is not the one of the signed head: market or configuration")
        return True

    def _check_cut(self) -> None:
        """Where events are missing at the front, a signed head must have said so."""
        if self.after and self.signed and self.after not in {head.cut for head in self.signed}:
            first = "event 1 is" if self.after == 1 else f"events 1 to {self.after} are"
            self._note(0, f"{first} missing, and no signed head says that they were compacted away")

    def check_keys(self, public_key: str | None) -> None:
        """Heads of one chain are signed by one key; and two of one number do not differ."""
        digests_of: dict[int, str] = {}
        for head in self.signed:
            if public_key is not None and head.public_key != public_key:
                why = f"a signed head is by the key {head.fingerprint}, and not by "
                self._note(head.number, why + fingerprint(public_key))
            if digests_of.setdefault(head.number, head.digest) != head.digest:
                why = f"two signed heads of event {head.number} differ: the past was rewritten"
                self._note(head.number, why)
        if len({head.public_key for head in self.signed}) > 1:
            self._note(0, "the signed heads of this chain are by different keys")

    def read(self, lines: Iterator[Mapping[str, Any]]) -> Verdict:
        self._confirm()
        end: Mapping[str, Any] = {}
        for line in lines:
            if "end" in line:
                end = line
                break
            self._event(dict(line))
        if "end" not in end:
            said = f"is cut off after event {self.number}: its last line is missing"
            raise FieldError("journal", None, "complete", said)
        if next(lines, None) is not None:
            raise FieldError("journal", None, "complete", "goes on after its last line")
        self._end(end)
        reader = self.reader
        is_right = self.violation is None and not self.unconfirmed
        return Verdict(
            self.kind,
            self.market,
            self.chain,
            self.number - self.after,
            reader.decisions,
            self.head.hex(),
            None if is_right and reader.not_replayed else is_right,
            self.violation,
            reader.not_replayed,
            self.confirmed,
            sorted({head.fingerprint for head in self.signed}),
            reader.sums,
            self.unconfirmed,
        )

    def _event(self, line: dict[str, Any]) -> None:
        number = line.pop("number")
        self.number += 1
        if type(number) is not int or number != self.number:
            raise FieldError("number", number, f"the next one, {self.number}")
        self.head = link(self.head, self.reader.commitments(number, line))
        self.reader.count(line)
        if self.violation is None:
            self.violation = self.reader.follow(number, line)
        self._confirm()

    def _confirm(self) -> None:
        for head in self.signed:
            if head.number != self.number:
                continue
            if head.digest == self.head.hex():
                self.confirmed += self.number > self.after  # before the first event: none of them
            else:
                why = "the signed head is another one: an event before was changed since"
                self._note(self.number, why)

    def _end(self, end: Mapping[str, Any]) -> None:
        _require_fields(end, ("end", "head"))
        if (end["end"], end["head"]) != (self.number, self.head.hex()):
            why = "the events do not lead to the head at the end: one is not as it was written"
            self._note(self.number, why)
        for head in self.signed:
            if head.number < self.after:
                place = f"before the beginning of this file (event {self.after})"
            elif head.number > self.number:
                place = f"after the end of this file (event {self.number})"
            else:
                continue
            self.unconfirmed.append(f"head {head.number} lies {place}")


class _Audit:
    """An audit file: everything is there, and made again."""

    fields = (*_PLACE, "config", "key")
    sums = None

    def __init__(self, first: Mapping[str, Any]) -> None:
        self._first = first
        self._key = _hash(first["key"])
        self.not_replayed = _why_not_replayed(first)
        self.decisions = 0
        self.violation: Violation | None = None
        if self.not_replayed is None:
            self._state = SwitchState(MarketConfig.from_dict(first["config"]))

    def opening(self) -> bytes:
        first = self._first
        return opening(first["market"], first["chain"], first["config"], self._key)

    def commitments(self, number: int, event: dict[str, Any]) -> list[bytes]:
        return digests(pieces(event), number, self._key)

    def count(self, event: dict[str, Any]) -> None:
        if event["kind"] == "asked":
            self.decisions += len(event["arms"])

    def follow(self, number: int, event: dict[str, Any]) -> Violation | None:
        """Carry an event out, as the rule would."""
        if self.not_replayed is not None:
            return None
        try:
            made, state = decode(event), self._state
        except Diverged as error:
            return Violation(number, f"it is not an event of this version: {error}")
        if made.at < state.at and not isinstance(made, ClockSet):
            return Violation(number, "its time is before the one of the event before")
        if isinstance(made, Asked | Rewarded | Expired):
            due = state.due(made.at)
            if due != ((made.upto, made.forgotten) if isinstance(made, Expired) else None):
                return Violation(number, "plays expire at another time than the terms say")
        if _crossing(made) != state.watch.crossing:
            return Violation(number, "a guard rail is left at another time than its limits say")
        if isinstance(made, Asked) and made.round != state.round + 1:
            return Violation(number, "its rounds are not the next ones", made.round)
        try:
            why = _what_kernels_would_not_see(made, state)
            if why is not None:
                return Violation(number, why)
            state.enter(made)
            state.settle()
        except Diverged:
            return self._difference(number, made)
        except (LookupError, ValueError, NoArm) as error:
            return Violation(number, f"it cannot be carried out: {error}")
        return None

    def _difference(self, number: int, made: Any) -> Violation:
        found = self._state.first_difference()
        if found is None:
            why = "what the shadow decided, or a propensity, is not what the rule says"
            return Violation(number, why, getattr(made, "round", None))
        place, decided, rule = found
        return Violation(
            number, "the decision is not the one of the rule", made.round + place, decided, rule
        )


def _why_not_replayed(first: Mapping[str, Any]) -> str | None:
    """Why decisions of an audit file cannot be made again."""
    if first["after"]:
        return f"events up to {first['after']} are not in the file"
    for name, ours in VERSIONS.items():
        version = first["config"][name]
        if version != ours:
            return f"its {name} are {shown(version)}, and this program has {ours}"
    return None


def _what_kernels_would_not_see(event: MarketEvent, state: SwitchState) -> str | None:
    """Why an event cannot be right, where a kernel would read or write beside its arrays.

    The service checks requests before it writes an event; this file may be anybody's.
    """
    registry = state.registry
    arms, agents = len(registry.arm_names), len(registry.agent_names)
    match event:
        case Rewarded():
            rounds = [round_ - 1 for round_ in event.rounds]
            if not _are_numbers(rounds, state.round) or len(rounds) != len(event.rewards):
                return "it has rewards of rounds that were not decided"
            if not all(type(reward) is float and 0 <= reward <= 1 for reward in event.rewards):
                return "its rewards are not numbers in [0, 1]"
        case Asked():
            for numbers in (event.arms, event.shadow or (), event.seen or ()):
                if not _are_numbers(numbers, arms):
                    return "it is about arms that there are not"
            places = registry.choosable(
                registry.among(event.eligible, event.seen), slate=event.slate
            )
            if not 1 <= len(event.arms) <= (places if event.slate else places * len(event.arms)):
                return "it decides among fewer arms than it shows"
        case Bound():
            if not _are_numbers(event.members, agents):
                return "it is about agents that there are not"
        case Fingerprinted():
            if not _are_numbers([pair[0] for pair in event.arms], arms):
                return "it is about arms that there are not"
        case _:
            pass
    return None


def _are_numbers(numbers: Sequence[Any], count: int) -> bool:
    """Whether all are whole numbers from 0 to below a count."""
    return all(type(number) is int and 0 <= number < count for number in numbers)


def _crossing(event: MarketEvent) -> Crossing | None:
    """The guard rail that an event says was left."""
    if not isinstance(event, RailCrossed):
        return None
    return Crossing(event.rail, event.measured, event.owner)


class _Agent:
    """An agent's file: some pieces, and digests of the others."""

    fields = (*_PLACE, "agent", "salt", "opening")
    not_replayed = "an agent's journal does not show the decisions for others"

    def __init__(self, first: Mapping[str, Any], agent: str | None) -> None:
        self._opening = first["opening"]
        self.violation: Violation | None = None
        terms: dict[str, Any] = {}
        for piece in self._opening:
            terms |= _read(piece) or {}
        if (terms.get("market"), terms.get("chain")) != (first["market"], first["chain"]):
            why = "market and chain are not those that the chain began with"
            self.violation = Violation(0, why)
        if agent is not None and token_of(_salt(first["salt"]), agent) != first["agent"]:
            self.violation = Violation(0, f"it is not the journal of agent {shown(agent)}")
        self._sums = AgentSums(first["agent"], terms, complete=first["after"] == 0)

    @property
    def decisions(self) -> int:
        return self._sums.plays

    @property
    def sums(self) -> dict[str, float]:
        return self._sums.to_dict()

    def opening(self) -> bytes:
        return link(b"", map(_digest, self._opening))

    def commitments(self, number: int, event: dict[str, Any]) -> list[bytes]:
        _require_fields(event, ("pieces",))
        return [_digest(piece) for piece in event["pieces"]]

    def count(self, event: dict[str, Any]) -> None:
        """Its sums do."""

    def follow(self, number: int, event: dict[str, Any]) -> Violation | None:
        """Add up what is shown."""
        common, *rest = event["pieces"]
        own = [piece for piece in map(_read, rest) if piece is not None]
        why = self._sums.add(_read(common), own)
        return None if why is None else Violation(number, why)


def _require_fields(line: Mapping[str, Any], fields: Sequence[str]) -> None:
    """Refuse a line with other fields: nothing in a file is left unchecked."""
    if {*line} != {*fields}:
        names = ", ".join(sorted({*line} ^ {*fields}))
        said = f"is not as it is exported: fields missing or unknown: {names}"
        raise FieldError("journal", None, "an exported journal", said=said)


def _hash(text: str) -> bytes:
    """Read 64 hexadecimal digits."""
    require(bool(_HASH.fullmatch(text)), "journal", text, "64 hexadecimal digits for a hash")
    return bytes.fromhex(text)


def _salt(text: str) -> bytes:
    """Read a salt. One of another length could take a part of the piece behind it."""
    require(bool(_SALT.fullmatch(text)), "journal", text, "32 hexadecimal digits for a salt")
    return bytes.fromhex(text)


def _digest(piece: Any) -> bytes:
    """The digest of a piece that is shown with its salt, or of which there is only the digest."""
    if isinstance(piece, str):
        return _hash(piece)
    salt, text = piece
    return digest(_salt(salt), text)


def _read(piece: Any) -> Any:
    """What a piece says, if it is shown."""
    return None if isinstance(piece, str) else json.loads(piece[1])
