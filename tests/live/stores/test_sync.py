"""Every answer comes after its sync.

What a killed process wrote is still in the memory of the operating system, so a kill says nothing
about the loss of power. Two tests do, and both fail where the store does not sync:

- the order of system calls: between an acknowledgement and the last write into the log there is a
  sync of the log (strace);
- a disk that forgets whatever was not synced (a layer between the process and the C library): what
  it remembers when the process is killed is a store with everything that was acknowledged.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from copyproof.live.stores import open_store
from tests.live.stores.appender import MARKET

ROOT = Path(__file__).parents[3]

CALL = re.compile(r"^(?:\d+ +)?(\w+)\((\d+)<([^>]*)>.*= (-?\d+)")


def run_appender(
    url: str, limit: int, before: tuple[str, ...] = (), **environment: str
) -> list[int]:
    """Let the appender reach the limit, and be killed there; the numbers that it acknowledged."""
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [*before, sys.executable, "-m", "tests.live.stores.appender", url, str(limit)],
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    return [int(word) for word in done.stdout.split()]


def unsynced_answers(trace: str) -> tuple[int, int]:
    """How many acknowledgements there are, and how many come without a sync of what was written."""
    answers = wrong = 0
    written, synced = False, False
    for line in trace.splitlines():
        found = CALL.match(line)
        if found is None:
            continue
        call, file, path, result = found.groups()
        if path.endswith("-wal") and call == "pwrite64":
            written, synced = True, False
        elif path.endswith("-wal") and call in ("fsync", "fdatasync") and result == "0":
            synced = True
        elif call == "write" and file == "1":
            answers += 1
            wrong += not (written and synced)
            written, synced = False, False
    return answers, wrong


@pytest.mark.parametrize(
    ("synchronous", "limit"),
    [("full", 300), ("off", 300), pytest.param("full", 2500, marks=pytest.mark.slow)],
)
def test_the_log_is_synced_before_the_answer(tmp_path: Path, synchronous: str, limit: int) -> None:
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("strace is not there")
    trace = tmp_path / "trace"
    calls = "trace=write,pwrite64,fsync,fdatasync"
    # -y names files. The calls of one process come in the order in which they were made; 2500
    # events are enough for the log to be written back into the file, and to begin anew.
    said = run_appender(
        f"sqlite:{tmp_path}/live.db?synchronous={synchronous}",
        limit,
        (strace, "-f", "-y", "-e", calls, "-o", str(trace)),
    )
    answers, wrong = unsynced_answers(trace.read_text())
    assert answers == len(said)
    assert wrong == (0 if synchronous == "full" else answers)


def survivors(folder: Path, layer: Path, synchronous: str, limit: int) -> tuple[int, int]:
    """How many events were acknowledged, and how many of them a loss of power would leave."""
    disk = folder / "disk"
    disk.mkdir()
    said = run_appender(
        f"sqlite:{folder}/live.db?synchronous={synchronous}",
        limit,
        LD_PRELOAD=str(layer),
        SHADOW=str(disk),
    )
    assert said[-1] >= limit
    if not (disk / "live.db").exists():
        return said[-1], 0
    with open_store(f"sqlite:{disk}/live.db") as store:
        store.check()
        return said[-1], store.last(MARKET) if MARKET in store.markets() else 0


def test_what_was_acknowledged_survives_the_loss_of_power(tmp_path: Path, layer: Path) -> None:
    acknowledged, left = survivors(tmp_path, layer, "full", 300)
    assert left == acknowledged


def test_without_syncs_it_does_not(tmp_path: Path, layer: Path) -> None:
    acknowledged, left = survivors(tmp_path, layer, "off", 300)
    assert left < acknowledged


@pytest.mark.slow
@pytest.mark.parametrize("limit", [1100, 1200, 1300, 2500])
def test_it_survives_also_when_the_log_begins_anew(tmp_path: Path, layer: Path, limit: int) -> None:
    acknowledged, left = survivors(tmp_path, layer, "full", limit)
    assert left == acknowledged
