"""Property tests draw the same examples in every run, and are never judged by the clock."""

import asyncio
import gc
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.postgres import Server

settings.register_profile("copyproof", deadline=None, derandomize=True)
settings.load_profile("copyproof")

# A shell starts what runs in the background with SIGINT ignored, and so would be all programs that
# tests start, some of which are to be interrupted.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect tests without looking for garbage: modules and tests stay until the end."""
    gc.disable()
    result = yield
    gc.freeze()
    gc.enable()
    return result


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was not checked: what a test prints before it is skipped is not shown."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in skipped)
    for said, tests in reasons.items():
        if said.startswith("UNCHECKED"):
            terminalreporter.write_line(f"{said} (tests: {tests})", yellow=True, bold=True)


@pytest.fixture(scope="session")
def postgres() -> "Iterator[Server]":
    """A PostgreSQL server, started when a test first asks for it; ``new_url()`` for each."""
    from tests.postgres import running

    yield from running()


@pytest.fixture(scope="session")
def chromium() -> "Iterator[tuple[Browser, asyncio.AbstractEventLoop]]":
    """A Chromium for all tests of this process, with the event loop that drives it."""
    from tests.browser import own_loop, running

    for browser in running():
        loop = asyncio.get_running_loop()
        with own_loop(None):
            yield browser, loop


@pytest.fixture(scope="module")
def browser(chromium: "tuple[Browser, asyncio.AbstractEventLoop]") -> "Iterator[Browser]":
    """A real Chromium; ``tests.browser`` says how pages are opened and checked in it."""
    from tests.browser import own_loop

    browser, loop = chromium
    with own_loop(loop):
        yield browser


@pytest.fixture(scope="session")
def layer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A layer below a process that keeps, in the folder $SHADOW, only what was synced."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None or sys.platform != "linux":
        from tests.programs import not_there

        not_there("a C compiler on Linux is not there (Debian: apt install gcc)")
    library = tmp_path_factory.mktemp("layer") / "shadow.so"
    source = Path(__file__).parent / "live" / "stores" / "shadow.c"
    command = [compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(source), "-ldl"]
    subprocess.run(command, check=True)
    return library
