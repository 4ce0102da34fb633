"""Checks a journal that was exported, without its store, and without trusting who exported it.

An **audit** file is chained anew: every event must be there, and lead to the head at its end and to
every signed head that somebody kept. It is also replayed: every decision must be the one that the
published rule makes, given all that came before, and every play must expire when the terms say.

An **agent's** file cannot be replayed, as it does not show what the others did. That every piece
shown is part of the chain, in this order, is checked, and the agent's own plays and rewards are
added up. Whether a piece that is not shown should have been, it cannot tell.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from copyproof.live.agent_sums import AgentSums
from copyproof.live.events import (
    Asked,
    ClockSet,
    Diverged,
    Expired,
    MarketEvent,
    RailCrossed,
    Rewarded,
    decode,
)
from copyproof.live.exports import AGENT, AUDIT, VERSION
from copyproof.live.heads import SignedHead
from copyproof.live.rails import Crossing
from copyproof.live.records import MarketConfig, NoArm
from copyproof.live.stores.chain import digest, digests, link, opening, pieces
from copyproof.live.switch import SwitchState
from copyproof.validation import FieldError, known, require, shown


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
    """What was found in an exported journal.

    Attributes
    ----------
    kind : str
        "journal" or "agent's journal".
    market : str
        Its market.
    events, decisions : int
        How many there are; of an agent's journal only its own decisions.
    head : str
        The head to which the events lead.
    holds : bool
        Whether nothing is wrong.
    first_violation : Violation or None
        What is wrong first.
    replayed : bool
        Whether all decisions were made again: not of an agent's journal, nor of one whose beginning
        is gone.
    heads : int
        How many signed heads were confirmed.
    sums : dict or None
        Plays, answered plays and revenue, of an agent's journal.
    unconfirmed : list of str
        Of every signed head that lies outside of the journal, in words where; it cannot be
        confirmed then, and ``holds`` is False.
    """

    kind: str
    market: str
    events: int
    decisions: int
    head: str
    holds: bool
    first_violation: Violation | None
    replayed: bool
    heads: int
    sums: dict[str, float] | None = None
    unconfirmed: list[str] = field(default_factory=list)


def verify(lines: Iterable[Mapping[str, Any]], signed: Sequence[SignedHead] = ()) -> Verdict:
    """Check an exported journal.

    Parameters
    ----------
    lines : iterable of mapping
        The file's lines, read.
    signed : sequence of SignedHead
        Heads that were kept; the journal must lead to each.

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
    >>> verdict.holds, verdict.replayed, verdict.decisions
    (True, True, 100)
    """
    rest = iter(lines)
    first = next(rest, None)
    if first is None:
        raise FieldError("journal", None, "an exported journal", said="is empty")
    if "copyproof" not in first:
        said = "is no exported journal: its first line does not say that it is one"
        raise FieldError("journal", None, "an exported journal", said=said)
    kind = known("copyproof", first.get("copyproof"), (AUDIT, AGENT))
    require(first.get("version") == VERSION, "version", first.get("version"), f"{VERSION}")
    try:
        reader = _Audit(first) if kind == AUDIT else _Agent(first)
        return _Check(first, reader, signed).read(rest)
    except (KeyError, TypeError, AttributeError) as error:
        said = f"is not as it is exported: {type(error).__name__}: {error}"
        raise FieldError("journal", None, "an exported journal", said=said) from None


def contradiction(signed: Sequence[SignedHead]) -> int | None:
    """Return the event of which there are two good signed heads that differ: a proof by itself."""
    known: dict[tuple[str, int, str | None], str] = {}
    for one in signed:
        if one.is_signed():
            place = (one.market, one.number, one.public_key)
            if known.setdefault(place, one.digest) != one.digest:
                return one.number
    return None


class _Check:
    """The chain of a file, with its ends and the signed heads."""

    def __init__(
        self, first: Mapping[str, Any], reader: "_Audit | _Agent", signed: Sequence[SignedHead]
    ) -> None:
        self.reader, self.signed = reader, signed
        self.market, self.number, self.begins = first["market"], first["after"], first["begins"]
        self.kind = first["copyproof"]
        self.head = bytes.fromhex(first["head"])
        self.confirmed = 0
        self.violation = reader.violation
        if self.number <= self.begins and reader.opening() != self.head:
            self._note(Violation(0, "the configuration is not the one that the chain began with"))
        for one in signed:
            if one.market != self.market:
                said = f"of event {one.number} is of market {shown(one.market)}, and the journal"
                said += f" of {shown(self.market)}"
                raise FieldError("head", one.number, "a head of this market", said)
            if not one.is_signed():
                said = f"of event {one.number} has no good signature: it is not as it was signed"
                raise FieldError("head", one.number, "a head with a good signature", said)

    def _note(self, violation: Violation | None) -> None:
        self.violation = self.violation or violation

    def read(self, lines: Iterator[Mapping[str, Any]]) -> Verdict:
        after = self.number
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
        if (end["end"], end["head"]) != (self.number, self.head.hex()):
            why = "the events do not lead to the head at the end: one is not as it was written"
            self._note(Violation(self.number, why))
        for one in self.signed:
            if one.number > self.number and one.at <= end["at"]:
                why = f"a head of event {one.number} was signed before this journal was exported"
                self._note(Violation(self.number, why))
        unconfirmed = [
            f"head {one.number} lies before the beginning of this file (event {after})"
            if one.number < after
            else f"head {one.number} lies after the end of this file (event {self.number})"
            for one in self.signed
            if not after <= one.number <= self.number
        ]
        reader = self.reader
        return Verdict(
            self.kind,
            self.market,
            self.number - after,
            reader.decisions,
            self.head.hex(),
            self.violation is None and not unconfirmed,
            self.violation,
            reader.replayed,
            self.confirmed,
            reader.sums,
            unconfirmed,
        )

    def _event(self, line: dict[str, Any]) -> None:
        number = line.pop("number")
        self.number += 1
        if number != self.number:
            raise FieldError("number", number, f"the next one, {self.number}")
        if number > self.begins:
            self.head = link(self.head, self.reader.commitments(number, line))
        self.reader.count(line)
        if self.violation is None:
            self._note(self.reader.follow(number, line))
        self._confirm()

    def _confirm(self) -> None:
        for one in self.signed:
            if one.number == self.number:
                if one.digest == self.head.hex():
                    self.confirmed += 1
                else:
                    why = "the signed head is another one: an event before was changed since"
                    self._note(Violation(self.number, why))


class _Audit:
    """An audit file: everything is there, and made again."""

    sums = None

    def __init__(self, first: Mapping[str, Any]) -> None:
        self._first = first
        self._key = bytes.fromhex(first["key"])
        config = MarketConfig.from_dict(first["config"])
        self.replayed = first["after"] == 0
        self.decisions = 0
        self.violation: Violation | None = None
        self._state = SwitchState(config)

    def opening(self) -> bytes:
        first = self._first
        return opening(first["market"], first["config"], first["begins"], self._key)

    def commitments(self, number: int, event: dict[str, Any]) -> list[bytes]:
        return digests(pieces(event), number, self._key)

    def count(self, event: dict[str, Any]) -> None:
        if event["kind"] == "asked":
            self.decisions += len(event["arms"])

    def follow(self, number: int, event: dict[str, Any]) -> Violation | None:
        """Carry an event out, as the rule would."""
        if not self.replayed:
            return None
        made, state = decode(event), self._state
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


def _crossing(event: MarketEvent) -> Crossing | None:
    """The guard rail that an event says was left."""
    if not isinstance(event, RailCrossed):
        return None
    return Crossing(event.rail, event.measured, event.owner)


class _Agent:
    """An agent's file: some pieces, and digests of the others."""

    replayed = False

    def __init__(self, first: Mapping[str, Any]) -> None:
        self._opening = first["opening"]
        self.violation: Violation | None = None
        terms: dict[str, Any] = {}
        for piece in self._opening:
            terms |= _read(piece) or {}
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
        return [_digest(piece) for piece in event["pieces"]]

    def count(self, event: dict[str, Any]) -> None:
        """Its sums do."""

    def follow(self, number: int, event: dict[str, Any]) -> Violation | None:
        """Add up what is shown."""
        common, *rest = event["pieces"]
        shown = [found for found in map(_read, rest) if found is not None]
        why = self._sums.add(_read(common), shown)
        return None if why is None else Violation(number, why)


def _digest(piece: Any) -> bytes:
    """The digest of a piece that is shown with its salt, or of which there is only the digest."""
    if isinstance(piece, str):
        return bytes.fromhex(piece)
    salt, text = piece
    return digest(bytes.fromhex(salt), text)


def _read(piece: Any) -> Any:
    """What a piece says, if it is shown."""
    return None if isinstance(piece, str) else json.loads(piece[1])
