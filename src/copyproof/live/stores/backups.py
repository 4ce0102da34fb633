"""Backups in a folder: files that are named by their time, so that the newest is the last."""

import calendar
import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from copyproof.live.stores.contract import Store
from copyproof.live.stores.open import open_store
from copyproof.live.stores.sqlite import SqliteStore

_NAME = re.compile(r"copyproof-[0-9]{8}T[0-9]{6}\.[0-9]{6}Z\.db")


def backup_name(now: float) -> str:
    """Return the name of a backup: in UTC, to the microsecond, in order of time, never one twice.

    Examples
    --------
    >>> backup_name(1.5)
    'copyproof-19700101T000001.500000Z.db'
    """
    at = time.strftime("%Y%m%dT%H%M%S", time.gmtime(now)) + f".{int(now % 1 * 1e6):06d}Z"
    return f"copyproof-{at}.db"


def backups_in(folder: Path) -> list[Path]:
    """Return the backups of a folder, the newest last: only what has a name of ``backup_name``."""
    return sorted(one for one in folder.iterdir() if _NAME.fullmatch(one.name))


def copies_in(folder: Path, of: Store) -> list[Path]:
    """Return all files of a folder that may be copies of a store, whatever they are called.

    The store itself may lie in the same folder, and is none.
    """
    own = of.path.resolve() if isinstance(of, SqliteStore) else None
    return sorted(one for one in folder.glob("*.db") if one.resolve() != own)


def made_at(path: Path) -> float:
    """Return when a backup with a name of ``backup_name`` was made, whatever was done to it since.

    Examples
    --------
    >>> made_at(Path(backup_name(1.5)))
    1.5
    """
    seconds, _, parts = path.stem.removeprefix("copyproof-").removesuffix("Z").partition(".")
    return calendar.timegm(time.strptime(seconds, "%Y%m%dT%H%M%S")) + int(parts) / 1e6


def check_backup(path: Path) -> None:
    """Check a backup without changing it; StoreError if it is none, or damaged."""
    with SqliteStore(path, read_only=True) as found:
        found.check()


@contextmanager
def opened_backup(path: Path) -> Iterator[Store]:
    """Open a backup as the store that it is, and leave it as one file; StoreError if it is none."""
    with open_store(f"sqlite:{quote(str(path))}", create=False) as found:
        yield found
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("PRAGMA journal_mode = DELETE")
