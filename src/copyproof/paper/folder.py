"""Where a study's runs are kept: a folder in which a study can be resumed.

Every finished run is one file, named by the digest of what it depends on, and written beside and
renamed into place. A study that was broken off, by Ctrl-C or by kill -9, goes on with the runs that
are missing; a finished one is read back without playing a round. The marker file
``copyproof-paper.json`` says that the folder is a study's; a folder that holds something else is
refused, and so is a folder that another process is working in.
"""

import fcntl
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from copyproof._files import write_atomically
from copyproof.paper.study import Run
from copyproof.simulation import NUMERICS, Result, simulate

MARKER = "copyproof-paper.json"
_LOCK = ".lock"


def play(run: Run, progress: Callable[[int], None] | None = None) -> Result:
    """Play one run."""
    found: Result = simulate(run.market, run.policy, **run.size, progress=progress)
    return found


@contextmanager
def open_study(folder: Path) -> Iterator["StudyFolder"]:
    """Open or begin a study's folder, for one process at a time.

    Raises
    ------
    ValueError
        If the folder holds something else, is in use, or cannot be written.
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
        (folder / "runs").mkdir(parents=True, exist_ok=True)
        with open(folder / _LOCK, "w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise ValueError(f"{folder} is in use by another process") from None
            for left_over in (folder / "runs").glob(".*.tmp"):  # of a process that was killed
                left_over.unlink()
            text = json.dumps({"format": 1, "about": "a study made by `copyproof paper`"})
            write_atomically(folder / MARKER, (text + "\n").encode())
            yield StudyFolder(folder)
    except OSError as error:
        raise ValueError(f"{folder} cannot be written: {error.strerror}") from None


class StudyFolder:
    """The runs of a study, on disk."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, run: Run) -> Path:
        """The file of a run."""
        return self.folder / "runs" / f"{run.digest}.npz"

    def load(self, run: Run) -> Result | None:
        """The result of a run, or None if it was not played, or its file is damaged."""
        try:
            result = Result.load(self.path(run))
        except ValueError:
            return None  # it is played, and the file written or replaced
        is_this_run = (
            result.market == run.market
            and str(result.policy) == run.policy
            and result.numerics == NUMERICS
        )
        return result if is_this_run else None

    def found(self, runs: list[Run]) -> dict[Run, Result]:
        """The results of the runs that were played before."""
        loaded = {run: self.load(run) for run in runs}
        return {run: result for run, result in loaded.items() if result is not None}

    def keep(self, run: Run, result: Result) -> None:
        """Write the result of a run, whole or not at all."""
        result.save(self.path(run))
