"""The kernel in Numba's CUDA simulator: decisions equal to the engine's, to the last one."""

import os
import subprocess
import sys
from pathlib import Path

from copyproof.devices import launch
from copyproof.devices.cuda_source import FOUND, GIVEN, SCRATCH

CASES = Path(__file__).parent / "on_simulator.py"


def test_all_that_is_played_in_the_simulator() -> None:
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(CASES)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_is_launched_is_what_was_compiled() -> None:
    compiled = {**GIVEN, **FOUND, **SCRATCH}
    dimensions = {name: dimensions for name, (_, dimensions) in compiled.items()}
    assert list(dimensions.items()) == list(launch.ARGUMENTS.items())


def test_games_with_numbers_of_their_own_decide_the_same() -> None:
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "PYTHONPATH": "."}
    command = [sys.executable, str(Path(__file__).with_name("simulated_rules.py"))]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[] 3\n"  # none differs, and all three are games of their own
