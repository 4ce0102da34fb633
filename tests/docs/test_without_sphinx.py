"""The tests run in parts, also where Sphinx is not installed: they say what they did not check."""

import os
import subprocess
import sys
from pathlib import Path


def test_without_sphinx(tmp_path: Path) -> None:
    (tmp_path / "without_sphinx.py").write_text("import sys\n\nsys.modules['sphinx'] = None\n")
    root = Path(__file__).parents[2]
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider"]
    command += ["-p", "without_sphinx", "tests/docs/test_api.py", "-k", "built"]
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path, "CI": "false"}
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert "UNCHECKED: Sphinx is not here, and `make docs` brings it (tests: 1)" in done.stdout
