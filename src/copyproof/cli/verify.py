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
        typer.Option(metavar="FILE", help="A signed head that was kept; may be given again."),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Check an exported journal: its chain, every decision, and signed heads that were kept.

    The file comes from `copyproof store export`, or from the service. The status is 0 if all holds,
    and 1 if anything does not.
    """
    require_libraries("cryptography")
    from copyproof.live.verification import contradiction
    from copyproof.live.verification import verify as check

    signed = [_head(path) for path in head or []]
    try:
        verdict = check(_lines(journal), signed)
    except FieldError as error:
        raise error if error.field == "head" else _about("JOURNAL", journal, error) from None
    two = contradiction(signed)
    if as_json:
        emit_json({**asdict(verdict), "contradicting_heads": two})
    else:
        emit(_told(verdict, two))
    if not verdict.holds or two is not None:
        raise typer.Exit(1)


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


def _told(verdict: "Verdict", two: int | None) -> str:
    """The verdict in words."""
    lines = [
        f"{verdict.kind} of market {verdict.market!r}: {verdict.events} events, "
        f"{verdict.decisions} decisions, {verdict.heads} signed heads confirmed",
        f"head: {verdict.head}",
    ]
    if verdict.sums is not None:
        plays, answered, revenue = verdict.sums.values()
        lines.append(f"plays: {plays}, answered: {answered}, revenue: {revenue:.12g}")
    elif not verdict.replayed:
        lines.append("decisions were not made again: its beginning is gone, or of other numerics")
    if two is not None:
        lines.append(f"two signed heads of event {two} differ: the past was rewritten")
    lines += [f"{one}: not confirmed" for one in verdict.unconfirmed]
    found = verdict.first_violation
    if found is None:
        rule = ", and every decision follows the rule" if verdict.replayed else ""
        said = "not all is confirmed, but" if verdict.unconfirmed else "holds:"
        lines.append(f"{said} every event is in the chain{rule}")
    else:
        place = "" if found.round is None else f", round {found.round}"
        arms = "" if found.rule is None else f": arm {found.decided}, by the rule arm {found.rule}"
        lines.append(f"does not hold: event {found.event}{place}: {found.why}{arms}")
    return "\n".join(lines) + "\n"
