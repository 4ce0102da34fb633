"""The real program, in a process of its own."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PROGRAM = str(Path(sys.executable).with_name("copyproof"))

MARKET = """
[[agents]]
name = "ann"
arms = [{ mean = 0.5, copies = 10 }, { mean = 0.2 }, { mean = 0.1, copies = 0 }]
[[agents]]
name = "bob"
arms = [{ mean = 0.9 }]
[[agents]]
name = "hidden"
arms = [{ mean = 0.7, copies = 0 }]
"""

Run = Callable[..., subprocess.CompletedProcess[str]]
Start = Callable[..., subprocess.Popen[str]]


def _started(*arguments: str | Path, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [PROGRAM, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**_plain_environment(), **environment},
        # Tests may run in the background, where interrupts are ignored and children inherit it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def _plain_environment() -> dict[str, Any]:
    drop = ("COLUMNS", "FORCE_COLOR", "COPYPROOF_DEBUG", "PYTHONIOENCODING")
    kept = {key: value for key, value in os.environ.items() if key not in drop}
    return {**kept, "PYTHONUTF8": "1"}


@pytest.fixture(scope="session")
def start() -> Start:
    """Start the program and return at once."""
    return _started


@pytest.fixture(scope="session")
def run() -> Run:
    """Run the program to its end."""

    def run(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
        process = _started(*arguments, **environment)
        try:
            out, err = process.communicate(timeout=120)
        finally:
            process.kill()
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    return run


@pytest.fixture(scope="session", autouse=True)
def compiled(run: Run) -> None:
    """Have the engine compiled before the tests, which then expect silence."""
    done = run("simulate", "paper:1a", "--policy", "h-ucb", "--horizon", "10")
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session")
def market(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A market file: an agent with copies, an honest one, and one that hides its only arm."""
    path = tmp_path_factory.mktemp("market") / "market.toml"
    path.write_text(MARKET)
    return path
