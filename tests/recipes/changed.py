"""A process in which some files of the package read otherwise: as after an edit, and without one.

The files are named from ``src/copyproof``; those that do not exist are new. All others are the real
ones, compiled kernels included.
"""

import ast
import json
import subprocess
import sys
from pathlib import Path

import copyproof

PACKAGE = Path(copyproof.__file__).parent

_BEGIN = """
import json, sys
from importlib.abc import MetaPathFinder
from importlib.machinery import SourceFileLoader
from importlib.util import spec_from_file_location

class Edited(SourceFileLoader):
    def get_code(self, name):
        return self.source_to_code(texts[name].encode(), self.path)

class Finder(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name in texts:
            return spec_from_file_location(name, files[name], loader=Edited(name, files[name]))

texts, files = json.loads(sys.stdin.readline())
sys.meta_path.insert(0, Finder())
"""


class Changed:
    """The package with some files changed.

    Parameters
    ----------
    files : dict of str to str
        The new texts, by name.
    """

    def __init__(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            ast.parse(text, name)
        modules = {name: "copyproof." + name[:-3].replace("/", ".") for name in files}
        self._message = json.dumps(
            [
                {modules[name]: text for name, text in files.items()},
                {modules[name]: str(PACKAGE / name) for name in files},
            ]
        )

    def start(self, script: str, *arguments: str) -> "subprocess.Popen[str]":
        """Start a script in a process of its own."""
        process = subprocess.Popen(
            [sys.executable, "-c", _BEGIN + script, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdin is not None
        process.stdin.write(self._message + "\n")
        process.stdin.close()
        return process

    def run(self, script: str, *arguments: str) -> list[str]:
        """The lines that a script prints."""
        with self.start(script, *arguments) as process:
            assert process.stdout is not None
            lines = process.stdout.read().splitlines()
        assert process.returncode == 0
        return lines


def text_of(name: str) -> str:
    """The text of a file as it is."""
    return (PACKAGE / name).read_text(encoding="utf-8")


def with_first_lines(text: str, function: str, lines: str) -> str:
    """The text of a module with lines before all others of a function."""
    [node] = [
        node
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef) and node.name == function
    ]
    first = node.body[1] if ast.get_docstring(node) is not None else node.body[0]
    before = text.splitlines(keepends=True)
    return "".join([*before[: first.lineno - 1], lines, *before[first.lineno - 1 :]])
