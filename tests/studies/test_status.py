"""Status: how far a study is, while nothing that plays is loaded."""

import subprocess
import sys
from pathlib import Path

from copyproof import Study
from copyproof.studies.status import status_of, told


def test_status_of_a_finished_study(tmp_path: Path) -> None:
    Study(["ucb1", "h-ucb"], ["paper:1a"], horizons=10, repetitions=1, seed=1).run(tmp_path)
    found, failures = status_of(tmp_path)
    assert (found.cells, found.done, found.failed, found.open) == (2, 2, 0, 0)
    assert failures == []
    code = (
        "import sys\nfrom pathlib import Path\n"
        "from copyproof.studies.status import status_of\n"
        f"print(status_of(Path({str(tmp_path)!r}))[0].done)\n"
        "print(sorted({'numba', 'pandas', 'scipy'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.split("\n")[:2] == ["2", "[]"], done.stderr


def test_a_cell_in_words() -> None:
    cell = {"policy": "ucb1", "market": "2a", "strategy": "all copy", "horizon": 10}
    assert told(cell) == "ucb1 on 2a (all copy), T = 10"
