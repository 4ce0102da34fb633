"""Pages about the clients: their code is run against a service, and the columns are what they say.

The pages about MABWiser and River are doctests, which pytest collects by itself.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any, NamedTuple

import pytest

from copyproof.live.stores import open_store
from tests.service.conftest import filled
from tests.service.serving import serving

DOCS = Path(__file__).parents[2] / "docs"
PERSONALIZER = DOCS / "how-to" / "coming-from-azure-personalizer.md"
LIBRARIES = {"mabwiser": "mab", "river": "bandit"}
PATHS = re.compile(
    r"/personalizer/v1\.(0|1-preview\.3)/((multislot/)?rank|configurations/(service|policy)|model"
    r"|(multislot/)?events/\w+/(reward|activate))"
)


class Block(NamedTuple):
    language: str
    code: str


def blocks(text: str) -> list[Block]:
    """The code of a text, whose lines may be further in."""
    found = re.findall(r"^( *)(?:\* - |  - )?```(\w+)\n(.*?)^ *```$", text, re.M | re.S)
    return [Block(language, dedent(code)) for _, language, code in found]


def rows(page: Path) -> list[tuple[list[Block], list[Block]]]:
    """The code of the left and of the right column of a page."""
    table = page.read_text(encoding="utf-8").partition(":::{list-table}")[2].partition("\n:::\n")[0]
    cells = [row.split("\n  - ") for row in re.split(r"^\* - ", table, flags=re.M)[1:]]
    assert all(len(row) == 2 for row in cells)
    return [(_cell(left), _cell(right)) for left, right in cells[1:]]


def _cell(text: str) -> list[Block]:
    return blocks(f"    {text}\n" if text.startswith("```") else f"{text}\n")


@pytest.fixture
def served() -> Iterator[tuple[str, str]]:
    """A service's address, and an operator's key."""
    store = open_store("memory:")
    key = filled(store)["operator"]
    with serving(store) as running:
        yield running.url, key


@pytest.mark.parametrize("library", list(LIBRARIES))
def test_libraries_stand_on_the_left_and_we_on_the_right(library: str) -> None:
    found = rows(DOCS / "how-to" / f"coming-from-{library}.md")
    assert len(found) >= 8
    for left, right in found:
        assert [block.language for block in left + right] == ["pycon", "pycon"]
        assert all(">>> " in block.code for block in left + right)
        assert re.search(r"\bmarket\b|Principal", right[0].code)
    lefts = "".join(left[0].code for left, _ in found)
    assert f"from {library}" in lefts
    assert LIBRARIES[library] in lefts
    assert not re.search(r"copyproof|Principal|\bmarket\b", lefts)


def test_personalizer_on_the_left() -> None:
    """The service is no more: its calls are checked for their shape."""
    lefts = [block for left, _ in rows(PERSONALIZER) for block in left]
    assert len(lefts) >= 10
    for language, code in lefts:
        assert language == "text"
        head, _, body = code.partition("\n\n")
        method, path = head.split()
        assert method in ("GET", "PUT", "POST", "DELETE")
        assert PATHS.fullmatch(path), path
        expected = method in ("PUT", "POST") and not path.endswith("/activate")
        assert bool(body.strip()) == expected, path
        assert not expected or isinstance(json.loads(body), dict)


def test_copyproof_on_the_right(served: tuple[str, str]) -> None:
    url, key = served
    names: dict[str, Any] = {"url": url, "operator_key": key}
    other = PERSONALIZER.read_text(encoding="utf-8").count("```python")
    every = [block for _, right in rows(PERSONALIZER) for block in right]
    assert [block.language for block in every] == ["python"] * other
    for number, block in enumerate(every, start=1):
        code = block.code.replace('"site"', '"moved"')
        exec(compile(code, f"{PERSONALIZER.name}, row {number}", "exec"), names)
    names["site"].close()
    names["operator"].close()
    assert names["decision"].arm in ("lakes", "rivers", "hills")
    assert names["other"].agent != names["decision"].agent
    assert names["hers"].agent == "ann"
    assert {names["top"].agent, names["side"].agent} == {"ann", "bob"}
    assert names["found"]["revenue"] == pytest.approx(2.2)
    assert [event["kind"] for event in names["events"]].count("asked") == 5


def test_the_reference_of_the_clients(
    served: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    url, key = served
    page = (DOCS / "reference" / "clients.md").read_text(encoding="utf-8")
    found = [block for block in blocks(page) if block.language == "python"]
    assert len(found) == 2
    for block in found:
        exec(compile(block.code, "clients.md", "exec"), {"url": url, "key": key})
    assert capsys.readouterr().out.startswith("422 count count = 0 is not")
