"""A study's folder: what is in it, who may work in it, and what is refused.

=========================  ====================================================================
``copyproof-study.json``   says that the folder is a study's
``study.db``               what was found so far (``store``); written by one process at a time
``results.parquet``        one row for each cell, once all were tried (``results``)
``report.html``            a page about it (``report``); a run removes it, as it is of before
``arrays/CELL.npz``        every repetition of a cell, where that was asked for
``slices/``                arrays of unfinished cells
=========================  ====================================================================

A folder that holds something else is refused, and so is one that another process is working in.
"""

import fcntl
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from copyproof._files import write_atomically

MARKER = "copyproof-study.json"
DATABASE = "study.db"
RESULTS = "results.parquet"
REPORT = "report.html"
_LOCK = ".lock"
_FORMAT = 1


@contextmanager
def open_folder(folder: Path) -> Iterator[Path]:
    """Open or begin a study's folder, for one process at a time.

    Raises
    ------
    ValueError
        If the folder holds something else, is in use, or cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as name, open_folder(Path(name) / "study") as folder:
    ...     (folder / MARKER).is_file()
    True
    """
    try:
        if folder.exists() and not folder.is_dir():
            raise ValueError(f"{folder} is not a folder")
        if folder.is_dir() and not (folder / MARKER).is_file():
            found = sorted(entry.name for entry in folder.iterdir() if entry.name != _LOCK)
            if found:
                raise ValueError(
                    f"{folder} holds something else ({found[0]}): give an empty or a new folder"
                )
        folder.mkdir(parents=True, exist_ok=True)
        with open(folder / _LOCK, "w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise ValueError(f"{folder} is in use by another process") from None
            if not (folder / MARKER).is_file():
                about = {"format": _FORMAT, "about": "a study made by copyproof"}
                write_atomically(folder / MARKER, (json.dumps(about) + "\n").encode())
            _check_format(folder)
            yield folder
    except OSError as error:
        raise ValueError(f"{folder} cannot be written: {error.strerror or error}") from None


def known_folder(folder: Path) -> Path:
    """Return a folder that is a study's, to look at; refuse any other."""
    if not folder.exists():
        raise ValueError(f"{folder} is not the folder of a study: it does not exist (yet)")
    begun = (folder / MARKER).is_file() or {one.name for one in folder.glob("*")} == {_LOCK}
    if begun and not (folder / DATABASE).is_file():
        raise ValueError(f"{folder} is the folder of a study with nothing in it yet")
    if not begun:
        raise ValueError(f"{folder} is not the folder of a study")
    _check_format(folder)
    return folder


def is_in_use(folder: Path) -> bool:
    """Whether a process is working in a study's folder now."""
    try:
        with open(folder / _LOCK) as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _check_format(folder: Path) -> None:
    try:
        found = json.loads((folder / MARKER).read_bytes())["format"]
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"{folder / MARKER} is damaged") from None
    if found != _FORMAT:
        raise ValueError(f"{folder} is of format {found!r}: this version knows {_FORMAT}")
