"""``copyproof verify``: check a journal that was exported, without the service or its store."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from copyproof.cli import options
from copyproof.cli.opening import require_libraries
from copyproof.cli.output import emit, emit_json
from copyproof.validation import FieldError

if TYPE_CHECKING:
    from copyproof.live.heads import SignedHead
    from copyproof.live.verification import Verdict


def verify(
    journal: Annotated[
        Path, typer.Argument(metavar="JOURNAL", show_default=False, help="An exported journal.")
    ],
    head: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="A signed head that was stored; may be repeated."),
    ] = None,
    public_key: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The public key that must have signed the heads."),
    ] = None,
    agent: Annotated[
        str | None, options.optional("The agent whose own journal it must be.", "NAME")
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Check an exported journal: its chain, every decision, and signed heads that were stored.

    The file comes from `copyproof store export`, or from the service. The exit status is 0 if all
    holds, 1 if anything does not, and 3 if nothing is wrong but decisions could not be made again.
    """
    require_libraries("cryptography")
    from copyproof.live.heads import read_public_key
    from copyproof.live.verification import verify as check

    signed = [_head(path) for path in head or []]
    key = None if public_key is None else read_public_key(public_key)
    try:
        verdict = check(_lines(journal), signed, public_key=key, agent=agent)
    except FieldError as error:
        raise error if error.field == "head" else _about("JOURNAL", journal, error) from None
    if as_json:
        emit_json(asdict(verdict))
    else:
        emit(_in_words(verdict, is_pinned=key is not None))
    if not verdict.holds:
        raise typer.Exit(3 if verdict.holds is None else 1)


def _lines(path: Path) -> Iterator[Any]:
    """The lines of a file of JSON objects."""
    try:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                try:
                    found = json.loads(line)
                except (ValueError, RecursionError):
                    found = None
                    if line[0] == "{" and line[-1] != "\n":
                        said = f"is cut off in line {number}"
                        raise FieldError("journal", None, "complete", said) from None
                if not isinstance(found, dict):
                    raise FieldError(
                        f"line {number}", None, "JSON", "is not a JSON object", str(path)
                    )
                yield found
    except UnicodeDecodeError:
        said = "is no file of JSON lines: it is not text"
        raise FieldError("journal", None, "an exported file", said) from None
    except OSError as error:
        said = f"cannot be read: {error.strerror}"
        raise FieldError("journal", None, "a file", said) from None


def _head(path: Path) -> "SignedHead":
    """Read a head as the service gave it."""
    from copyproof.live.heads import SignedHead

    try:
        return SignedHead.from_dict(next(_lines(path), {}))
    except FieldError as error:
        raise _about("--head", path, error) from None


def _about(option: str, path: Path, error: FieldError) -> FieldError:
    """Return an error with the file that it is about, or in which it is."""
    if error.field != "journal":
        return error.found_in(str(path))
    return FieldError(option, str(path), error.accepted, f"= {path} {error.said}")


def _in_words(verdict: "Verdict", *, is_pinned: bool) -> str:
    """The verdict in words."""
    lines = [
        f"{verdict.kind} of market {verdict.market!r}, chain {verdict.chain}: "
        f"{verdict.events} events, {verdict.decisions} decisions",
        f"head: {verdict.head}",
        _signatures(verdict, is_pinned),
    ]
    if verdict.sums is not None:
        plays, answered, revenue = verdict.sums.values()
        lines.append(f"plays: {plays}, answered: {answered}, revenue: {revenue:.12g}")
    lines += [f"not confirmed: {why}" for why in verdict.unconfirmed]
    if verdict.not_replayed is not None:
        lines.append(f"not replayed: {verdict.not_replayed}")
    violation = verdict.first_violation
    if violation is not None:
        place = "" if violation.round is None else f", round {violation.round}"
        arms = ""
        if violation.rule is not None:
            arms = f": arm {violation.decided}, by the rule arm {violation.rule}"
        lines.append(f"does not hold: event {violation.event}{place}: {violation.why}{arms}")
    elif verdict.holds:
        lines.append("holds: every event is in the chain, and every decision follows the rule")
    elif verdict.sums is not None:
        lines.append("every piece shown is in the chain; a play that is left out cannot be seen")
    else:
        lines.append("every event is in the chain; whether decisions follow the rule is not known")
    return "\n".join(lines) + "\n"


def _signatures(verdict: "Verdict", is_pinned: bool) -> str:
    """How many signed heads confirm the file, and by which key."""
    if not verdict.keys:
        return "signed heads: none was given, so anyone could have written this file"
    by = " and ".join(verdict.keys)
    pin = "as --public-key says" if is_pinned else "compare it with the operator's published key"
    return f"signed heads confirmed: {verdict.heads}, by the key {by} ({pin})"
