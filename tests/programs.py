"""Programs of others that check the files we hand to operators.

``make test`` brings those that it can (``tools.programs``): nginx, haproxy, promtool, prometheus.
A test without its program says so aloud and is skipped; where ``CI=true`` it fails, unless the
program is one of ``OPTIONAL``, which not every machine can have.
"""

import os
import subprocess
from pathlib import Path
from typing import NoReturn

import pytest

from tools import programs

DEPLOY = Path(__file__).parents[1] / "deploy"
# Programs that cannot be brought along, and why.
OPTIONAL = {
    "systemd-analyze": "it reads the units of a system that systemd has started or set up",
    "docker-compose": "it is a plugin of docker, or a program for the system's own Python",
}


def program(name: str, package: str) -> str:
    """The path of a program, or the end of the test."""
    found = programs.find(name)
    if found is None:
        said = f"{name} is not there (Debian: apt install {package})"
        not_there(said, required=name not in OPTIONAL)
    return found


def not_there(what: str, *, required: bool = True) -> NoReturn:
    """End a test that lacks its real part."""
    said = f"UNCHECKED: {what}"
    if required and os.environ.get("CI") == "true":
        pytest.fail(said)
    pytest.skip(said)  # the end of the run says it aloud: conftest.py


def checked(*command: str | Path, folder: Path = DEPLOY) -> subprocess.CompletedProcess[str]:
    """What came of a command, whatever its status."""
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
