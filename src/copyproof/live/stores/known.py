"""What is known of an SQLite store beside its file: which log is its own, how far journals went.

SQLite replays whatever log lies beside a file, and has no means to know whose it is. A process that
serves the store therefore puts a random number into the file (a row of ``changes``), and into
``FILE.known``. A file with another number, such as a backup, is not opened beside that log.

The same file has the last event of each market and the head of its chain after it, as of a second
ago at most. A store that ends before them has lost what was acknowledged, and is not opened either.
"""

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple, TypeAlias

from copyproof.live.stores.chain import identity_of
from copyproof.live.stores.errors import Damaged, StoreError
from copyproof.live.stores.new_file import sync_folder

# A market's last event, the head after it, and the identity of its chain.
Head: TypeAlias = tuple[int, str, str]

SERVING = "SELECT number FROM changes WHERE name = 'serving'"
SERVE = (
    "INSERT INTO changes (name, number) VALUES ('serving', ?)"
    " ON CONFLICT (name) DO UPDATE SET number = excluded.number"
)
UNSERVE = "DELETE FROM changes WHERE name = 'serving'"
HEADS = "SELECT name, last, head, secret FROM markets ORDER BY name"


class Known(NamedTuple):
    """What is known of a store: numbers, one of which its file has, and heads by market."""

    servings: list[int]
    heads: dict[str, Head]


def known_file(path: Path) -> Path:
    """Return where it is kept."""
    return path.with_name(f"{path.name}.known")


def read_known(path: Path) -> Known:
    """Return what is known of a store; nothing if nobody served it, or the power failed."""
    try:
        text = known_file(path).read_text("utf-8")
        fields = json.loads(text) if text else {"servings": [], "heads": {}}
        heads = {str(name): (int(n), str(head), str(m)) for name, (n, head, m) in fields["heads"]}
        return Known([int(number) for number in fields["servings"]], heads)
    except FileNotFoundError:
        return Known([], {})
    except OSError as error:
        raise StoreError(f"{known_file(path)}: cannot be read ({error.strerror})") from error
    except (ValueError, KeyError, TypeError) as error:
        said = "is not what was written: remove it to go on without it"
        raise Damaged(f"{known_file(path)}: {said}") from error


def write_known(path: Path, known: Known, *, sync: bool) -> None:
    """Write what is known of a store, in place of what was there."""
    target = known_file(path)
    beside = target.with_name(f"{target.name}.tmp")
    text = json.dumps({"servings": known.servings, "heads": [*known.heads.items()]})
    try:
        with open(beside, "w", encoding="utf-8", opener=_private) as file:
            file.write(text)
            if sync:
                file.flush()
                os.fsync(file.fileno())
        os.replace(beside, target)
        if sync:
            sync_folder(path.parent)
    except OSError as error:
        raise StoreError(f"{target}: cannot be written ({error.strerror})") from error


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def heads_of(rows: Iterable[tuple[str, int, str, str]]) -> dict[str, Head]:
    """Return heads by market, given the rows of ``HEADS``."""
    return {name: (last, head, identity_of(secret)) for name, last, head, secret in rows}


def refuse_foreign_log(path: Path, log: Path) -> None:
    """Refuse to open a file beside the log of another one, which SQLite would replay or delete.

    Raises
    ------
    StoreError
        If there is no store yet, and what belongs to one; or a log that is not the file's.
    """
    others = (log, path.with_name(f"{path.name}-shm"), known_file(path))
    beside = [one for one in others if one.exists()]  # in this order: another process may be new
    if not path.exists() or path.stat().st_size == 0:
        if beside:
            names = ", ".join(one.name for one in beside)
            raise StoreError(
                f"{path}: there is no store, but files of one that was here: {names}. Move them "
                "to where that store is now; its log may hold what it has stored last"
            )
        return
    if log not in beside or log.stat().st_size == 0:
        return
    servings = read_known(path).servings
    if servings and _serving(path) not in servings:
        raise StoreError(
            f"{path}: the log beside it ({log.name}) is not its own, and may hold what another "
            f"store has stored last. Move it, with {path.name}-shm and {known_file(path).name}, "
            "to where that store is now"
        )


def _serving(path: Path) -> int | None:
    """Return the number that a file has, without its log; None if it has none."""
    uri = f"{path.as_uri()}?mode=ro&immutable=1"
    with contextlib.closing(sqlite3.connect(uri, uri=True)) as raw:
        try:
            found = raw.execute(SERVING).fetchall()
        except sqlite3.Error:  # no such table, or not a database, which is said later
            return None
    return int(found[0][0]) if found else None


def compare_heads(raw: sqlite3.Connection, path: Path) -> None:
    """Hold a store against the heads that are known of it.

    Raises
    ------
    Damaged
        If it lacks events that it had, or has others.
    """
    known = read_known(path).heads
    there = heads_of(raw.execute(HEADS)) if known else {}
    for market, (last, head, identity) in known.items():
        if market not in there:
            raise Damaged(_lost(path, market, f"it had {last} events, and is not there"))
        number, newest, of = there[market]
        if of != identity:  # it was deleted, and made again
            continue
        if number < last:
            raise Damaged(_lost(path, market, f"event {last} was stored, and {number} is the last"))
        row = "SELECT mark FROM events WHERE market = ? AND number = ? AND mark IS NOT NULL"
        for (begin,) in [(newest,)] if number == last else raw.execute(row, (market, last)):
            if not head.startswith(begin):
                raise Damaged(_lost(path, market, f"event {last} is not the one that was stored"))


def _lost(path: Path, market: str, what: str) -> str:
    return (
        f"{path}: market {market!r}: {what}: the file is an older one, or its log is missing or "
        "damaged. Put back the files that belong together, or a backup; to go on with what is "
        f"there, remove {known_file(path).name}"
    )
