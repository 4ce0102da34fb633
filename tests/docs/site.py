"""The documentation, built once for a run of the tests, however many workers it has."""

import fcntl
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from tests.programs import not_there

ROOT = Path(__file__).parents[2]
SITE = ROOT / "out" / "site"


def built() -> Path:
    """The folder with the pages; whoever comes first builds them, without a single warning."""
    if find_spec("sphinx") is None:
        not_there("Sphinx is not here, and `make docs` brings it")
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", f"alone-{os.getpid()}")
    SITE.parent.mkdir(exist_ok=True)
    stamp = SITE / ".run"
    with (SITE.parent / ".site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if stamp.exists() and stamp.read_text() == run:
            return SITE
        shutil.rmtree(SITE, ignore_errors=True)
        command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-j", "2", "-b"]
        doctrees = SITE.parent / ".site-doctrees"  # what has not changed is not read again
        done = subprocess.run(
            [*command, "html", "-d", str(doctrees), str(ROOT / "docs"), str(SITE)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-4000:]
        stamp.write_text(run)
    return SITE
