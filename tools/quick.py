"""What a change touches, checked in two minutes: ``make quick``.

A change is what differs from the branch ``main``, in commits, in the working tree and in new files.
Tests of a module are those that bear its name or import it, else those of its package, and its own
examples. Types and imports are checked meanwhile. Tests that have not begun after ``LIMIT`` seconds
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

PACKAGES = {"src/copyproof": "copyproof", "client/src/copyproof_client": "copyproof_client"}
FOLDERS = {
    "client": "tests/client",
    "deploy": "tests/deploy",
    "docs": "tests/docs/test_blocks.py",
    "examples": "tests/examples",
    "proofs": "tests/proofs",
    "studies": "tests/studies",
}
"""Tests of what is no module of the package."""


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
    """The tests and examples of changed files, as pytest takes them."""
    tests = {path: path.read_text("utf-8") for path in sorted((root / "tests").rglob("*.py"))}
    found = {test for path in paths for test in _tests_of(Path(path), root, tests)}
    folders = {test for test in found if (root / test).is_dir()}
    inside = {test for test in found for folder in folders if test.startswith(f"{folder}/")}
    return sorted(found - inside)


def _tests_of(path: Path, root: Path, tests: dict[Path, str]) -> Iterator[str]:
    """The tests of one file, and its examples."""
    there = (root / path).exists()
    if path.suffix == ".md" and there and path.parts[0] in ("docs", "README.md"):
        yield str(path)
    package = next((each for each in PACKAGES if path.is_relative_to(each)), None)
    if package is not None:
        yield from _of_module(path, package, root, tests)
        if there and path.suffix == ".py":
            yield str(path)
    elif path.parts[0] in ("tests", "tools"):
        yield from _of_helper(path, root, tests)
    elif (folder := FOLDERS.get(path.parts[0])) is not None and (root / folder).exists():
        yield folder


def _of_module(path: Path, package: str, root: Path, tests: dict[Path, str]) -> Iterator[str]:
    inside = path.relative_to(package).with_suffix("")
    parts = inside.parts[:-1] if inside.name == "__init__" else inside.parts
    module = re.escape(".".join((PACKAGES[package], *parts)))
    parent, _, name = module.rpartition(r"\.")
    imported = re.compile(rf"\b{module}\b(?!\.)|from {parent} import [^\n]*\b{name}\b")
    is_module = path.suffix == ".py" and inside.name != "__init__"
    named = root / "tests" / inside.with_name(f"test_{inside.name}.py")
    matching = [
        test
        for test, text in tests.items()
        if test.name.startswith("test_") and is_module and (test == named or imported.search(text))
    ]
    if matching:
        yield from (str(test.relative_to(root)) for test in matching)
        return
    folder = Path("tests", "client" if package.startswith("client") else parts[0] if parts else "")
    if folder != Path("tests") and (root / folder).is_dir():
        yield str(folder)


def _of_helper(path: Path, root: Path, tests: dict[Path, str]) -> Iterator[str]:
    """A file of tests itself, or those that import a helper; all of a folder with a conftest."""
    if path.name == "conftest.py" and len(path.parts) > 2:
        yield str(path.parent)
    elif path.name.startswith("test_"):
        if (root / path).exists():
            yield str(path)
    elif path.suffix == ".py":
        parent, name = ".".join(path.parts[:-1]), path.stem
        imported = re.compile(rf"\b{re.escape(parent)}(\.| import [^\n]*\b){name}\b")
        for test, text in tests.items():
            if test.name.startswith("test_") and imported.search(text):
                yield str(test.relative_to(root))


def main() -> int:
    """Check format, style, types, imports and the tests of the change; the worst exit status."""
    paths = changed()
    tests = selected(paths)
    if paths:
        print(f"{len(paths)} files differ from main; tests: {' '.join(tests) or 'none'}")
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
