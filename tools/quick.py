"""What a change touches, checked in two minutes: ``make quick``.

A change is what differs from the branch ``main``, in commits, in the working tree and in new files.
Tests of a module are its own examples, those that bear its name or import it, and then those of its
package. Types and imports are checked meanwhile. Tests that have not begun after ``LIMIT`` seconds
are left out, and the last lines say so; ``make test`` runs everything.
"""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
LIMIT = 90.0  # seconds
UNTIL = "COPYPROOF_QUICK_UNTIL"
SMOKE = (
    "tests/policy/test_text.py",
    "tests/game/test_market.py",
    "tests/simulation/test_run.py",
    "tests/live/test_ask_tell.py",
    "tests/cli/test_startup.py",
)
"""What runs where nothing has changed."""

PACKAGES = {"src/copyproof": "copyproof"}
FOLDERS = {
    "client": "tests/client",
    "deploy": "tests/deploy",
    "docs": "tests/docs/test_blocks.py",
    "examples": "tests/examples",
    "proofs": "tests/proofs",
    "studies": "tests/studies",
}
"""Tests of what is not a module of the big package."""


def _git(*arguments: str) -> list[str]:
    command = ["git", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.splitlines() if done.returncode == 0 else []


def changed() -> list[str]:
    """Files that differ from where this branch left ``main``, also those that git does not know.

    Raises
    ------
    SystemExit
        If there is no branch ``main``.
    """
    base = _git("merge-base", "HEAD", "main") or _git("merge-base", "HEAD", "origin/main")
    if not base:
        raise SystemExit("error: git knows no branch main to compare with; try: make test")
    known = _git("diff", "--name-only", "--relative", base[0])
    return sorted({*known, *_git("ls-files", "--others", "--exclude-standard")})


def selected(paths: Iterable[str], root: Path = ROOT) -> list[str]:
    """The tests and examples of changed files, as pytest takes them: the nearest ones first."""
    tests = {
        path.relative_to(root): path.read_text("utf-8")
        for path in sorted((root / "tests").rglob("*.py"))
        if path.name.startswith("test_")
    }
    near, far = dict[Path, None](), dict[Path, None]()
    for path in map(Path, paths):
        near.update(dict.fromkeys(_near(path, root, tests)))
        if (folder := _folder(path)) is not None:
            far.update(dict.fromkeys(each for each in tests if each.is_relative_to(folder)))
    # Modules last: pytest would put them in the place of functions of their names in packages that
    # no test has imported.
    return sorted(map(str, near | far), key=lambda path: not path.startswith("tests/"))


def _near(path: Path, root: Path, tests: dict[Path, str]) -> Iterator[Path]:
    """A file's own examples, the tests in it, and those that bear its name or import it."""
    if path in tests:
        yield path
        return
    package = next((each for each in PACKAGES if path.is_relative_to(each)), None)
    is_page = path.suffix == ".md" and path.parts[0] in ("docs", "README.md")
    if (is_page or (package and path.suffix == ".py")) and (root / path).exists():
        yield path
    if path.suffix != ".py" or not (package or path.parts[0] in ("tests", "tools")):
        return
    inside = path.relative_to(package) if package else path
    yield from {Path("tests", inside.with_name(f"test_{inside.name}"))} & tests.keys()
    if inside.stem in ("__init__", "conftest"):
        return  # everything imports them; the folder is enough
    *parents, name = (*([PACKAGES[package]] if package else []), *inside.with_suffix("").parts)
    parent = re.escape(".".join(parents))
    imported = re.compile(rf"\b{parent}(\.| import [^\n]*\b){name}\b(?!\.)")
    yield from (test for test, text in tests.items() if imported.search(text))


def _folder(path: Path) -> Path | None:
    """The folder, or the file, with the tests of a file's package."""
    if path.name == "conftest.py":
        return path.parent if len(path.parts) > 2 else None
    if path.parts[0] in FOLDERS:
        return Path(FOLDERS[path.parts[0]])
    inside = path.relative_to("src/copyproof") if path.is_relative_to("src/copyproof") else path
    return Path("tests", inside.parts[0]) if inside != path and len(inside.parts) > 1 else None


def main() -> int:
    """Check format, style, types, imports and the tests of the change; the worst exit status."""
    paths = changed()
    tests = selected(paths)
    if paths:
        print(f"{len(paths)} files differ from main; their tests are in {len(tests)} files")
    else:
        print("nothing differs from main: a few tests of everything")
        tests = list(SMOKE)
    for command in (["ruff", "format", "--check", "."], ["ruff", "check", "."]):
        if status := subprocess.run([BIN / command[0], *command[1:]], cwd=ROOT).returncode:
            return status
    beside = [
        subprocess.Popen([BIN / name], cwd=ROOT, stdout=subprocess.PIPE, text=True)
        for name in ("mypy", "lint-imports")
    ]
    statuses = [0]
    if tests:
        command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "-p", "tools.quick_limit"]
        environment = {**os.environ, UNTIL: str(time.time() + LIMIT)}
        statuses.append(subprocess.run([*command, *tests], cwd=ROOT, env=environment).returncode)
    for process in beside:
        said = process.communicate()[0].strip()
        print(said if process.returncode else said.rpartition("\n")[2])
        statuses.append(process.returncode)
    return max(statuses)


if __name__ == "__main__":
    sys.exit(main())
