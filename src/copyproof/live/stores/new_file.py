"""Files of databases: new ones are there as a whole or not at all, and their owner's alone."""

import contextlib
import os
import secrets
import sqlite3
from collections.abc import Callable
from pathlib import Path

from copyproof.live.stores.errors import StoreError, exists_already

_PART = 2**20  # bytes


def make_private(path: Path) -> None:
    """Make an empty file that only its owner may read, if there is none: it will hold keys.

    What SQLite writes beside it is as private as the file itself.
    """
    with contextlib.suppress(OSError):  # it is there, or SQLite says what is wrong
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def write_anew(path: Path) -> None:
    """Write a file over itself and sync it, so that all that is read from it is on the disk."""
    with open(path, "r+b", buffering=0) as file:
        at = 0
        while part := file.read(_PART):
            file.seek(at)
            at += file.write(part)
            file.seek(at)
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Sync which names a folder has."""
    place = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(place)
    finally:
        os.close(place)


def into_new_file(path: Path, copy: Callable[[Path], None]) -> None:
    """Let ``copy`` write a file beside ``path``, sync it, and only then give it its name."""
    if path.exists():
        raise exists_already("path", path)
    beside = path.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        try:
            make_private(beside)
            copy(beside)
            with open(beside, "rb") as file:
                os.fsync(file.fileno())
            os.link(beside, path)
        except FileExistsError:
            raise exists_already("path", path) from None
        except (OSError, sqlite3.Error) as error:
            raise StoreError(f"{path}: the backup cannot be written: {error}") from error
        sync_folder(path.parent)
    finally:
        for suffix in ("", "-wal", "-shm", "-journal"):
            Path(f"{beside}{suffix}").unlink(missing_ok=True)
