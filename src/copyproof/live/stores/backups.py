"""Backups in a folder: files that are named by their time, so that the newest is the last."""

import re
import time
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


def open_backup(path: Path) -> Store:
    """Open a backup as the store that it is; StoreError if it is none."""
    return open_store(f"sqlite:{quote(str(path))}", create=False)
