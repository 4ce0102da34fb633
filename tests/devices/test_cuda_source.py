"""The kernel in Numba's CUDA simulator: decisions equal to the engine's, to the last one."""

import os
import subprocess
import sys
from pathlib import Path

from copyproof.devices import launch
from copyproof.devices.cuda_source import FOUND, GIVEN, SCRATCH

SCRIPT = Path(__file__).parent / "simulated.py"


def test_every_policy_of_the_catalogue_decides_the_same() -> None:
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}
    command = [sys.executable, str(SCRIPT), "60"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[]\n"


def test_what_is_launched_is_what_was_compiled() -> None:
    compiled = {**GIVEN, **FOUND, **SCRATCH}
    dimensions = {name: dimensions for name, (_, dimensions) in compiled.items()}
    assert list(dimensions.items()) == list(launch.ARGUMENTS.items())


def test_games_with_numbers_of_their_own_decide_the_same() -> None:
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "PYTHONPATH": "."}
    command = [sys.executable, str(SCRIPT.with_name("simulated_rules.py"))]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[] 3\n"  # none differs, and all three are games of their own
