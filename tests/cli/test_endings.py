"""Every way a command ends before its time: Ctrl-C, a reader that leaves, a full disk."""

import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.conftest import PROGRAM, Start
from tests.patience import PATIENCE

LONG = ("--policy", "h-ucb", "--horizon", str(10**9), "--repetitions", "100")


def interrupt(process: subprocess.Popen[str]) -> str:
    """Send Ctrl-C to work that takes hours, and return the rest of standard error."""
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert out == ""
    return err


def wait_for_threads(process: subprocess.Popen[str]) -> None:
    """Wait until the process has played for a moment."""
    tasks = Path(f"/proc/{process.pid}/stat")
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        # Fields 14 and 15 are the processor's ticks: start-up takes less than 2.5 s of it.
        fields = tasks.read_text().rpartition(")")[2].split()
        if int(fields[11]) + int(fields[12]) > 250:
            return
        time.sleep(0.05)
    pytest.fail("the process does not work")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_ctrl_c_while_playing(start: Start, market: Path, tmp_path: Path) -> None:
    files = ("--plot", tmp_path / "a.png", "--save", tmp_path / "a.npz")
    process = start("simulate", market, *LONG, *files)
    wait_for_threads(process)
    said = interrupt(process)
    assert process.returncode == 130
    assert said == "interrupted\n"
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_while_compiling(start: Start, market: Path, tmp_path: Path) -> None:
    process = start("simulate", market, *LONG, NUMBA_CACHE_DIR=str(tmp_path))
    assert process.stderr is not None
    assert process.stderr.readline().startswith("compiling the engine")
    time.sleep(0.5)
    said = interrupt(process)
    assert process.returncode == 130
    assert said == "interrupted\n"


@pytest.mark.parametrize(
    "arguments", ["simulate paper:2a --horizon 100", "policies", "policies --json"]
)
def test_a_reader_that_leaves(arguments: str) -> None:
    command = f"{PROGRAM} {arguments} | true"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.stderr == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk() -> None:
    command = f"{PROGRAM} policies > /dev/full"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "No space left" in done.stderr


def test_a_terminal_that_knows_few_letters() -> None:
    command = f"PYTHONUTF8=0 PYTHONIOENCODING=ascii {PROGRAM} policies"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.isascii()
