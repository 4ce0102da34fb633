"""The programs of others that tests need, from Debian's packages, without touching the system.

``python -m tools.programs`` looks for nginx, haproxy, promtool and prometheus. What is not there
is downloaded with apt, with the libraries that are missing for it, and unpacked below
``.venv/programs``; each gets a script in ``.venv/programs/bin`` that starts it with these
libraries. That takes no rights. Where there is no apt, or no way to its packages, a line says so;
the tests then say which program they lack (``tests/programs.py``).
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".venv" / "programs"
BIN = FOLDER / "bin"
# Programs, and the packages that they are in.
PACKAGES = {
    "nginx": "nginx",
    "haproxy": "haproxy",
    "promtool": "prometheus",
    "prometheus": "prometheus",
}
_SECONDS = 300.0  # that apt may take
_SCRIPT = """#!/bin/sh
{also}LD_LIBRARY_PATH={libraries}${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}} exec {program} "$@"
"""


def find(name: str) -> str | None:
    """Return the path of a program: the machine's own, also one for root, or the one from here."""
    return shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:{BIN}")


def main() -> None:
    missing = sorted({package for name, package in PACKAGES.items() if find(name) is None})
    if not missing:
        return
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        sys.exit(f"no apt here, so these cannot be had: {', '.join(missing)}")
    print(f"Unpacking {', '.join(missing)} below {FOLDER.relative_to(ROOT)}", flush=True)
    try:
        unpack(missing)
    except (OSError, subprocess.SubprocessError) as error:
        sys.exit(f"apt has failed: {last_line(error)}")
    for name in PACKAGES:
        found = [
            path for each in ("usr/sbin", "usr/bin") if (path := FOLDER / each / name).exists()
        ]
        if find(name) is None and found:
            write_script(name, found[0])


def last_line(error: OSError | subprocess.SubprocessError) -> str:
    """What a command that failed said last."""
    said = (getattr(error, "stderr", None) or str(error)).strip().splitlines()
    return str(said[-1] if said else error)


def unpack(packages: list[str], *, without: tuple[str, ...] = ("libjs",)) -> None:
    """Download packages, and the libraries that the system lacks for them, and unpack all.

    Libraries whose names begin with one of ``without`` are left out.
    """
    lists, cache, archives = (FOLDER / name for name in ("lists", "cache", "archives"))
    for each in (lists / "partial", cache / "archives" / "partial", archives):
        each.mkdir(parents=True, exist_ok=True)
    _apt("update")
    install = _apt("install", "--simulate", "--no-install-recommends", *packages)
    wanted = [line.split()[1] for line in install.splitlines() if line.startswith("Inst ")]
    libraries = [each for each in wanted if each.startswith("lib") and not each.startswith(without)]
    _apt("download", *packages, *libraries)
    for archive in archives.glob("*.deb"):
        subprocess.run(
            ["dpkg-deb", "--extract", archive, FOLDER], check=True, capture_output=True, text=True
        )
    for each in (lists, cache, archives):
        shutil.rmtree(each)


def _apt(*arguments: str) -> str:
    """Run apt with lists and a cache of its own; what it says."""
    options = {
        "Dir::State::Lists": FOLDER / "lists",
        "Dir::Cache": FOLDER / "cache",
        "APT::Sandbox::User": "root",  # else another user, who may not write here, would download
    }
    given = [f"-o{name}={value}" for name, value in options.items()]
    done = subprocess.run(
        ["apt-get", "-qq", *given, *arguments],
        check=True,
        capture_output=True,
        text=True,
        cwd=FOLDER / "archives",
        timeout=_SECONDS,
    )
    return done.stdout


def write_script(name: str, program: Path, *, also: str = "") -> None:
    """Make a script in BIN that starts a program with the libraries that came with it."""
    libraries = {str(path.parent) for path in FOLDER.glob("usr/lib/**/*.so*")}
    BIN.mkdir(exist_ok=True)
    script = BIN / name
    joined = ":".join(sorted(libraries))
    script.write_text(_SCRIPT.format(also=also, libraries=joined, program=program))
    script.chmod(0o755)


if __name__ == "__main__":
    main()
