"""Examples in docstrings and pages show a value worth knowing."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
LENGTH = re.compile(r"^\s*>>> len\(")


def test_no_example_ends_in_a_length() -> None:
    files = [
        path
        for folder in ("src", "docs")
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in (".py", ".md") and "_build" not in path.parts
    ]
    assert files
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in [*files, ROOT / "README.md"]
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if LENGTH.match(line)
    ]
    assert found == []
