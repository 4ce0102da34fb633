"""``copyproof cite``: one source of the citation, which the other places repeat."""

import json
from pathlib import Path
from typing import Any

import yaml

from copyproof.cli.cite import entries
from tests.cli.conftest import Run

ROOT = Path(__file__).parents[2]


def test_the_citation_file_says_the_same() -> None:
    cff = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    software, paper = (entry.fields for entry in entries())
    assert (software["title"], software["version"]) == (cff["title"], cff["version"])
    assert software["author"] == f"{{{cff['authors'][0]['name']}}}"
    assert cff["abstract"].startswith(software["note"])
    (told,) = cff["references"]
    names = [f"{one['family-names']}, {one['given-names']}" for one in told["authors"]]
    assert paper["author"] == " and ".join(names)
    assert paper["booktitle"] == told["collection-title"]
    assert paper["pages"] == f"{told['start']}--{told['end']}"
    assert paper["publisher"] == told["publisher"]["name"]
    for field in ("title", "year", "volume", "url"):
        assert paper[field] == str(told[field])


def test_the_readme_repeats_both_entries() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for entry in entries():
        assert entry.bibtex in readme


def test_the_command_prints_them(run: Run) -> None:
    software, paper = entries()
    assert run("cite").stdout == f"{software.bibtex}\n\n{paper.bibtex}\n"
    found: dict[str, Any] = json.loads(run("cite", "--json").stdout)
    assert [entry["key"] for entry in found["entries"]] == [software.key, paper.key]
    assert found["entries"][1]["year"] == "2022"
    assert found["bibtex"] == f"{software.bibtex}\n\n{paper.bibtex}"
