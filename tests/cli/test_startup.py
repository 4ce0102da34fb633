"""The program starts fast and says what it is."""

import subprocess
import sys

from copyproof import __version__
from tests.cli.conftest import Run

HEAVY = ("numba", "pandas", "matplotlib", "pydantic", "rich", "copyproof.simulation")


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from copyproof.cli import main\n"
        "sys.argv = ['copyproof', '--help']\n"
        "assert main() == 0\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
    assert "simulate" in done.stdout


def test_version(run_process: Run) -> None:
    done = run_process("--version")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"copyproof {__version__}\n"


def test_without_arguments_there_is_help(run: Run, run_process: Run) -> None:
    done = run_process()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == run("--help").stdout
    assert done.stdout.startswith("Usage: copyproof")


def test_help_of_a_command(run: Run) -> None:
    done = run("simulate", "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    assert "--repetitions R" in done.stdout
