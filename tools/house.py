"""The drawing of the house and the walks through it in CONTRIBUTING.md: ``make house``.

The drawing is made from the import graph: an arrow leads from a package to those that it imports,
and is left out where a longer way says the same. A walk lists the files that one call enters, as a
profiler sees them when everything is warm: from the top of the house down, and within a package in
the order in which they are first entered. A profiler does not see into compiled code; of a kernel
that is called, all files are listed that it is compiled from.
"""

import ast
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import grimp

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "CONTRIBUTING.md"
NAME = "copyproof"
WALKS = {
    "simulate": 'A simulation, `simulate(market, "h-ucb", …)`',
    "decision": "A decision over HTTP, `POST /v1/markets/{market}/decisions`",
    "audit": 'An audit by sampling, `audit(market, "ucb1", …)`',
}


class House:
    """The import graph, by package."""

    def __init__(self) -> None:
        self.graph = grimp.build_graph(NAME, exclude_type_checking_imports=True, cache_dir=None)
        self.rooms = sorted({room for module in self.graph.modules if (room := room_of(module))})
        self.arrows = {room: self._imported_by(room) for room in self.rooms}
        self.levels = {room: self._level(room) for room in self.rooms}

    def _imported_by(self, room: str) -> set[str]:
        found = {
            room_of(imported)
            for module in self.graph.modules
            if room_of(module) == room
            for imported in self.graph.find_modules_directly_imported_by(module)
        }
        return {each for each in found if each} - {room}

    def _level(self, room: str) -> int:
        return 1 + max((self._level(below) for below in self.arrows[room]), default=-1)

    def shortened(self, room: str) -> list[str]:
        """The arrows of a package that no longer way replaces."""
        below = self.arrows[room]
        reached = {far for near in below for far in self._all_below(near)}
        return sorted(below - reached)

    def _all_below(self, room: str) -> set[str]:
        below = self.arrows[room]
        return below.union(*(self._all_below(each) for each in below))


def room_of(module: str) -> str | None:
    """The public package or module at the top that a module belongs to."""
    name = module.partition(".")[2].partition(".")[0]
    return name if name and not name.startswith("_") else None


def first_sentence(module: str) -> str:
    """The first sentence of a module's docstring, on one line."""
    text = ast.get_docstring(ast.parse(path_of(module).read_text(encoding="utf-8"))) or ""
    paragraph = " ".join(text.partition("\n\n")[0].split())
    found = re.match(r".*?\.(?= |$)", paragraph)
    return (found.group() if found else paragraph).replace("``", "`")


def path_of(module: str) -> Path:
    """The file of a module."""
    path = (ROOT / "src").joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def products() -> dict[str, list[str]]:
    """The packages of the laboratory and of the live principal, as the contract has them."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    [contract] = [
        each for each in settings["tool"]["importlinter"]["contracts"] if each["id"] == "laboratory"
    ]
    return {
        "the laboratory": [name.partition(".")[2] for name in contract["source_modules"]],
        "the live principal": [name.partition(".")[2] for name in contract["forbidden_modules"]],
    }


def drawing(house: House) -> str:
    """The packages as a graph, and a table with what each is."""
    lines = ["```mermaid", "flowchart TD"]
    placed: set[str] = set()
    for number, (product, rooms) in enumerate(products().items()):
        lines.append(f'  subgraph product{number}["{product}"]')
        lines += [f"    {room}" for room in rooms]
        lines.append("  end")
        placed.update(rooms)
    ordered = sorted(house.rooms, key=lambda room: (-house.levels[room], room))
    lines += [f"  {room}" for room in ordered if room not in placed]
    for room in ordered:
        lines += [f"  {room} --> {below}" for below in house.shortened(room)]
    lines += ["```", "", "| package | what it is |", "|---|---|"]
    for room in ordered:
        lines.append(f"| `{room}` | {first_sentence(f'{NAME}.{room}')} |")
    return "\n".join(lines)


def walked(house: House, name: str) -> list[str]:
    """The modules of a walk, from the top of the house down."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tools.walk", name, folder]
        done = subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    entered = done.stdout.split()
    return sorted(dict.fromkeys(entered), key=lambda module: -_level(house, module))


def _level(house: House, module: str) -> int:
    room = room_of(module)
    return -1 if room is None else house.levels[room]


def walks(house: House) -> str:
    """The walks as lists of files, each with what it is."""
    parts = []
    for name, title in WALKS.items():
        lines = [f"{title}:", ""]
        for number, module in enumerate(walked(house, name), start=1):
            path = path_of(module)
            shown = "/".join(path.relative_to(ROOT / "src" / NAME).parts)
            lines.append(f"{number}. `{shown}`: {first_sentence(module)}")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def with_part(page: str, part: str, text: str) -> str:
    """The page with the text between the markers of a part."""
    begin, end = f"<!-- {part}: made by `make house` -->", f"<!-- end of {part} -->"
    before, found, rest = page.partition(begin)
    _, also, after = rest.partition(end)
    if not (found and also):
        raise ValueError(f"{PAGE.name} has no markers {begin!r} and {end!r}")
    return f"{before}{begin}\n\n{text}\n\n{end}{after}"


def made(parts: Iterable[str] = ("drawing", "walks")) -> str:
    """CONTRIBUTING.md with its parts made anew."""
    house = House()
    make: dict[str, Any] = {"drawing": drawing, "walks": walks}
    page = PAGE.read_text(encoding="utf-8")
    for part in parts:
        page = with_part(page, part, make[part](house))
    return page


if __name__ == "__main__":
    PAGE.write_text(made(), encoding="utf-8")
