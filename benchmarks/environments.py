"""Private environments of the benchmark's peers, made when they are missing.

River, MABWiser and the plain NumPy loops share one environment; SMPyBandits, which needs an older
NumPy, has another. Both lie below ``.venv-bench`` in the root of the repository, and are made with
the interpreter that runs this module and the pinned versions of ``requirements-peers.txt`` and
``requirements-smpybandits.txt``. An environment is made anew when its pins or the interpreter's
version change, or when an earlier attempt was cut short.

Run ``python environments.py`` to make both.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
HOME = HERE.parent / ".venv-bench"
ENVIRONMENTS = {
    "numpy": "peers",
    "river": "peers",
    "mabwiser": "peers",
    "smpybandits": "smpybandits",
}


def interpreter(peer: str) -> Path:
    """Return the interpreter of a peer's environment, which is made first if it is missing.

    Parameters
    ----------
    peer
        One of the keys of `ENVIRONMENTS`.

    Returns
    -------
    Path
        The environment's Python.
    """
    name = ENVIRONMENTS[peer]
    home = HOME / name
    requirements = HERE / f"requirements-{name}.txt"
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp = home / "complete.txt"
    wanted = f"python {sys.version}\n{requirements.read_text(encoding='utf-8')}"
    if python.exists() and stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return python
    print(f"making the environment of {name} ...", file=sys.stderr, flush=True)
    shutil.rmtree(home, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
    (HOME / ".gitignore").write_text("*\n", encoding="utf-8")
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--requirement", str(requirements)], check=True)
    stamp.write_text(wanted, encoding="utf-8")
    return python


if __name__ == "__main__":
    for peer in ENVIRONMENTS:
        print(peer, interpreter(peer))
