"""Programs of others that check the files we hand to operators.

They cannot be had with Python alone, so ``make test`` does not bring them. A test without its
program is skipped and says so; where ``REAL_PROGRAMS=required``, as in the workflow that installs
them, it fails.
"""

import os
import shutil
import subprocess
from pathlib import Path
from typing import NoReturn

import pytest

DEPLOY = Path(__file__).parents[1] / "deploy"


def program(name: str, package: str) -> str:
    """The path of a program, also of one for root, or the end of the test."""
    found = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")
    if found is None:
        not_there(f"{name} is not there (Debian: apt install {package})")
    return found


def not_there(what: str) -> NoReturn:
    """End a test that lacks its real part."""
    said = f"UNCHECKED: {what}"
    if os.environ.get("REAL_PROGRAMS") == "required":
        pytest.fail(said)
    pytest.skip(said)


def checked(*command: str | Path, folder: Path = DEPLOY) -> subprocess.CompletedProcess[str]:
    """What came of a command, whatever its status."""
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
