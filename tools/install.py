"""Install packages into the environment that runs this, with a line that moves: part of ``make``.

uv installs in a fraction of pip's time. It asks the indexes that pip is set to ask. Where it cannot
be had, or fails, pip installs. The arguments are those of ``pip install``.
"""

import ast
import os
import subprocess
import sys
from pathlib import Path

PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check")
PINS = ("-c", str(Path(__file__).parents[1] / "constraints.txt"))
# Settings of pip, and the variables in which uv expects them.
SETTINGS = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "no-index": "UV_NO_INDEX",
    "cert": "SSL_CERT_FILE",
}


def indexes(listed: str) -> dict[str, str]:
    """uv's variables for what ``pip config list`` prints; pip's own variables come last, and win.

    Examples
    --------
    >>> indexes("global.index-url='https://pypi.example/simple'\\nglobal.timeout='60'\\n")
    {'UV_DEFAULT_INDEX': 'https://pypi.example/simple'}
    """
    found = {}
    order = ("global.", "install.", ":env:.")
    lines = [line.partition("=") for line in listed.splitlines()]
    for scope in order:
        for name, _, value in lines:
            variable = SETTINGS.get(name.removeprefix(scope)) if name.startswith(scope) else None
            if variable is not None:
                words = str(ast.literal_eval(value)).split()
                found[variable] = ("," if variable == "UV_FIND_LINKS" else " ").join(words)
    return found


def with_uv(arguments: list[str]) -> bool:
    """Install with uv, and say whether that worked."""
    if subprocess.run([*PIP, "install", "-qq", *PINS, "uv"], check=False).returncode:
        return False
    listed = subprocess.check_output([*PIP, "config", "list"], text=True)
    # As pip does: the best version of all indexes, not the first index that has any.
    uv = [sys.executable, "-m", "uv", "pip", "install", "--index-strategy", "unsafe-best-match"]
    command = [*uv, "--python", sys.executable, *arguments]
    return not subprocess.run(command, check=False, env=indexes(listed) | os.environ).returncode


def with_pip(arguments: list[str]) -> int:
    """Install with pip: a line for each package that it collects, and its status."""
    with subprocess.Popen([*PIP, "install", *arguments], stdout=subprocess.PIPE, text=True) as pip:
        assert pip.stdout is not None
        for line in pip.stdout:
            if line.startswith(("Collecting", "Building", "Installing", "Successfully")):
                print(line[:100].rstrip(), flush=True)
    return pip.returncode


def main() -> int:
    """Install, and return the exit status."""
    arguments = [*PINS, *sys.argv[1:]]
    if with_uv(arguments):
        return 0
    print("uv cannot install this here; pip does, which takes longer", flush=True)
    return with_pip(arguments)


if __name__ == "__main__":
    sys.exit(main())
