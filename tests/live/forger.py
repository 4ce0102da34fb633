"""A forger: every change of an exported journal that looks as if it were legal.

It goes through the fields that a file has, so that a new field is covered as soon as it is there.
It knows all that the file shows, such as the key of the salts, and makes all hashes anew where it
can. It has genuine heads, but not the key that signed them.
"""

import copy
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from copyproof.live.stores.chain import digest, digests, link, opening, pieces

Lines = list[dict[str, Any]]
Forgery = tuple[str, Lines]
Path = tuple[int | str, ...]


def mutations(value: Any) -> Iterator[Any]:
    """Other values for a field, of its kind and of others."""
    return (other for other in _others(value) if repr(other) != repr(value))


def _others(value: Any) -> Iterator[Any]:
    yield None
    match value:
        case bool():
            yield not value
        case int():
            yield from (value + 1, value - 1, 0, -1, 10**9, str(value), value == 1)
        case float():
            yield from (value + 0.25, 0.0, -value, str(value))
        case str():
            yield from (value + "0", value[:-1], value[1:] + value[:1], "", value.upper(), 7)
        case list():
            yield from ([], value[::-1], value[:-1], value[1:], [*value, *value[-1:]], {})
        case dict():
            yield from ({}, {**value, "more": 1}, [])
        case _:
            yield from (0, 1.5, "x", [])


def paths(value: Any, here: Path = ()) -> Iterator[Path]:
    """The places of all fields, however deep."""
    items: Any = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for name, inner in items:
        yield (*here, name)
        yield from paths(inner, (*here, name))


def written(value: Any) -> str:
    """A value as text, in which 1, 1.0 and true differ and the order of fields does not count."""
    return json.dumps(value, sort_keys=True)


def at(value: Any, path: Path) -> Any:
    """The value at a place."""
    for name in path:
        value = value[name]
    return value


def fields_changed(lines: Lines, number: int) -> Iterator[Forgery]:
    """Every field of a line changed, left out, and one added."""
    for path in paths(lines[number]):
        for value in mutations(at(lines[number], path)):
            forged = copy.deepcopy(lines)
            at(forged[number], path[:-1])[path[-1]] = value
            yield f"line {number}: {path} = {value!r}", forged
        if isinstance(path[-1], str):
            forged = copy.deepcopy(lines)
            del at(forged[number], path[:-1])[path[-1]]
            yield f"line {number}: without {path}", forged
    yield f"line {number}: a field more", _with(lines, number, {**lines[number], "more": 1})


def _with(lines: Lines, number: int, line: dict[str, Any]) -> Lines:
    return [*lines[:number], line, *lines[number + 1 :]]


def histories(lines: Lines) -> Iterator[Forgery]:
    """Events left out, repeated, exchanged and moved to where a file may begin or end."""
    first, *events, end = lines
    for n, event in enumerate(events):
        yield f"without event {n + 1}", [first, *events[:n], *events[n + 1 :], end]
        yield f"event {n + 1} twice", [first, *events[: n + 1], *events[n:], end]
        for other in range(n):
            some = list(events)
            some[n], some[other] = some[other], event
            yield f"events {other + 1} and {n + 1} exchanged", [first, *some, end]
    for count in range(1, len(events) + 1):
        cut = {**first, "after": first["after"] + count}
        yield f"cut at the front, {count}", [cut, *events[count:], end]
        yield f"cut at the end, {count}", [first, *events[:-count], end]
        yield f"moved by {count}", [{**first, "after": count}, *events, end]
    yield "bytes after the end", [*lines, events[-1]]
    yield "two ends", [*lines, end]
    yield "no end", lines[:-1]


def audit_forgeries(lines: Lines) -> Iterator[Forgery]:
    """Every forgery of an audit file, as it is and with all hashes made anew."""
    for why, forged in _of_fields_and_histories(lines):
        yield why, forged
        for renumbered in (False, True):
            again = _attempt(partial(rechained, forged, renumber=renumbered))
            if again is not None and written(again) != written(lines):
                yield f"{why}, chained anew", again
    yield from _front_cuts(lines, audit_commitments(lines[0]))


def agent_forgeries(lines: Lines) -> Iterator[Forgery]:
    """Every forgery of an agent's file, as it is and with all hashes made anew."""
    for why, forged in _of_fields_and_histories(lines):
        if not _is_only_hidden(forged, lines):
            yield why, forged
        again = _attempt(partial(rechained, forged, commitments=agent_commitments))
        if again is not None and not _is_only_hidden(again, lines):
            yield f"{why}, chained anew", again
    yield from _front_cuts(lines, agent_commitments)


def _of_fields_and_histories(lines: Lines) -> Iterator[Forgery]:
    for number in range(len(lines)):
        yield from fields_changed(lines, number)
    yield from histories(lines)


def _is_only_hidden(forged: Lines, lines: Lines) -> bool:
    """Whether pieces became digests: what an agent's file cannot show to be left out."""
    return written(_attempt(lambda: [*map(_hidden, forged)])) == written([*map(_hidden, lines)])


def _hidden(line: dict[str, Any]) -> dict[str, Any]:
    if "pieces" not in line:
        return line
    return {**line, "pieces": [piece_digest(piece).hex() for piece in line["pieces"]]}


def _attempt(make: Callable[[], Lines]) -> Lines | None:
    """What is made, unless the change leaves nothing that could be chained."""
    try:
        return make()
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError):
        return None


def audit_commitments(first: Mapping[str, Any]) -> Callable[[dict[str, Any]], list[bytes]]:
    """How an audit file's events are committed to."""
    key = bytes.fromhex(first["key"])

    def commitments(line: dict[str, Any]) -> list[bytes]:
        event = {name: value for name, value in line.items() if name != "number"}
        return digests(pieces(event), line["number"], key)

    return commitments


def agent_commitments(line: dict[str, Any]) -> list[bytes]:
    """How an agent's events are committed to."""
    return [piece_digest(piece) for piece in line["pieces"]]


def piece_digest(piece: Any) -> bytes:
    """The digest of a piece, shown or not."""
    if isinstance(piece, str):
        return bytes.fromhex(piece)
    return digest(bytes.fromhex(piece[0]), piece[1])


def rechained(
    lines: Sequence[dict[str, Any]],
    *,
    renumber: bool = False,
    commitments: Callable[[dict[str, Any]], list[bytes]] | None = None,
) -> Lines:
    """The file with its opening, its head and its end made to fit what stands between them."""
    first, *events, end = copy.deepcopy([*lines])
    if commitments is None:
        key = bytes.fromhex(first["key"])
        head = opening(first["market"], first["chain"], first["config"], key)
        commitments = audit_commitments(first)
    else:
        head = link(b"", map(piece_digest, first["opening"]))
    first["head"] = head.hex()
    for number, event in enumerate(events, first["after"] + 1):
        if renumber:
            event["number"] = number
        head = link(head, commitments(event))
    return [first, *events, {**end, "end": first["after"] + len(events), "head": head.hex()}]


def _front_cuts(
    lines: Lines, commitments: Callable[[dict[str, Any]], list[bytes]]
) -> Iterator[Forgery]:
    """A file that begins later, with the genuine head of that place."""
    first, *events, end = lines
    head = bytes.fromhex(first["head"])
    for count, event in enumerate(events, 1):
        head = link(head, commitments(event))
        cut = {**first, "after": count, "head": head.hex()}
        yield f"cut after {count} with its head", [cut, *events[count:], end]
