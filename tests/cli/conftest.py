"""The program: in this process, where a test is about a command, and in a process of its own.

Most tests use ``run``, as a new process imports the package for a second. ``run_process`` and
``start`` are for what only a process can show: signals, pipes, an empty cache.
"""

import contextlib
import io
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from copyproof.cli import main

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


def _in_process(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    process = _started(*arguments, **environment)
    try:
        out, err = process.communicate(timeout=600)
    finally:
        process.kill()
    return subprocess.CompletedProcess(arguments, process.returncode, out, err)


def _here(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(2))
    variables = {**_plain_environment(), "COLUMNS": "80", **environment}
    with (
        open(os.devnull, encoding="utf-8") as nothing,
        mock.patch.dict(os.environ, variables, clear=True),
        mock.patch.object(sys, "argv", ["copyproof", *map(str, arguments)]),
        mock.patch.object(sys, "stdin", nothing),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        status = main()
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode())
    return subprocess.CompletedProcess(arguments, status, *texts)


@pytest.fixture(scope="session")
def run() -> Run:
    """Run a command in this process, to its end."""
    return _here


@pytest.fixture(scope="session")
def run_process() -> Run:
    """Run the program in a process of its own, to its end."""
    return _in_process


@pytest.fixture(scope="session", autouse=True)
def compiled(run_process: Run) -> None:
    """Have the engine compiled before the tests, which then expect silence."""
    done = run_process("simulate", "paper:1a", "--policy", "h-ucb", "--horizon", "10")
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session")
def market(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A market file: an agent with copies, an honest one, and one that hides its only arm."""
    path = tmp_path_factory.mktemp("market") / "market.toml"
    path.write_text(MARKET)
    return path
