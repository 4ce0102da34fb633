"""Memory does not grow with the horizon, and a million arms fit into a gigabyte.

The peak is read from ``/proc/self/status`` (``VmHWM``), which starts anew with the program that is
measured. ``getrusage`` would not do: its ``ru_maxrss`` begins at the size of the process that
started it, here a test worker of a gigabyte.
"""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import sys
from copyproof import Agent, Market, simulate
copies, horizon = int(sys.argv[1]), int(sys.argv[2])
market = Market([Agent("copies", [0.5], copies=[copies]), Agent("best", [0.9])])
simulate(market, sys.argv[3], horizon=horizon, repetitions=1, seed=1, workers=1)
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM:"))
print(peak.split()[1])
"""

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="the peak is read from Linux's /proc"
)


def peak_megabytes(copies: int, horizon: int, policy: str) -> float:
    command = [sys.executable, "-c", SCRIPT, str(copies), str(horizon), policy]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return int(done.stdout) / 1024


def test_memory_does_not_grow_with_the_horizon() -> None:
    for policy in ("h-ucb", "ucb1"):
        short = peak_megabytes(10, 10**4, policy)
        long = peak_megabytes(10, 10**7, policy)
        assert long < 1.05 * short


def test_a_million_arms_fit_into_a_gigabyte() -> None:
    assert peak_megabytes(1_000_000, 1_000_000, "ucb1") < 1000
    assert peak_megabytes(1_000_000, 1_000_000, "h-ucb") < 1000
