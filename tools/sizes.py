"""How large the code is: ``make sizes``.

Counted are the lines of Python that are neither blank, comment nor docstring, and the lines of
templates and style sheets that are not blank. Listed are functions of more than 60 such lines. The
signature of a command is its list of options, and not counted.
"""

import ast
import io
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
SOURCES = ("src/copyproof",)
PAGES = (".j2", ".css")
MOST_FUNCTION = 60
_NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


class Size(NamedTuple):
    """One file: its lines of code, and its functions with their lines of code."""

    path: Path
    code: int
    functions: dict[str, int]


def size_of(path: Path) -> Size:
    """The size of one file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return Size(path, sum(bool(line.strip()) for line in text.splitlines()), {})
    tree = ast.parse(text)
    code = _lines_of_code(text, tree)
    functions = {
        f"{node.name} (line {node.lineno})": len(code.intersection(_counted(node, path)))
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    return Size(path, len(code), functions)


def _counted(node: ast.FunctionDef | ast.AsyncFunctionDef, path: Path) -> range:
    first = node.body[0].lineno if "cli" in path.parts else node.lineno
    return range(first, (node.end_lineno or first) + 1)


def _lines_of_code(text: str, tree: ast.Module) -> set[int]:
    code: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            code.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if first is not None and ast.get_docstring(node, clean=False) is not None:
                end = first.end_lineno or first.lineno
                code.difference_update(range(first.lineno, end + 1))
    return code


def sizes() -> Iterator[Size]:
    """The sizes of all files that are counted."""
    for source in SOURCES:
        for path in sorted((ROOT / source).rglob("*")):
            if path.suffix in (".py", *PAGES):
                yield size_of(path)


def total() -> int:
    """All lines of code."""
    return sum(size.code for size in sizes())


def long_functions() -> list[str]:
    """Functions over the limit."""
    return [
        f"{size.path.relative_to(ROOT)}: {function} has {lines} lines; at most {MOST_FUNCTION}"
        for size in sizes()
        for function, lines in size.functions.items()
        if lines > MOST_FUNCTION
    ]


def main() -> None:
    """Print the lines by package, their total, and the functions that are too long."""
    by_package: Counter[str] = Counter()
    for size in sizes():
        folders = size.path.relative_to(ROOT).parent.parts
        by_package[".".join(folders[folders.index("src") + 1 :][:2])] += size.code
    for package, lines in by_package.most_common():
        print(f"{lines:7,} {package}")
    print(f"{total():7,} in all")
    for line in long_functions():
        print(line)


if __name__ == "__main__":
    main()
