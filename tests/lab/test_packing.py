"""The page as one file: small, and with nothing that lies elsewhere."""

import gzip
import re

from copyproof.lab import packing

MOST_BYTES = 300_000


def test_the_page_is_small_and_needs_no_other_file() -> None:
    page = packing.page()
    assert len(page.encode()) < MOST_BYTES
    assert len(gzip.compress(page.encode())) < MOST_BYTES / 4
    addresses = re.findall(r'(?:src|href)="([^"#]*)', page)
    assert set(addresses) <= {"data:,", ""}
    assert not re.search(r"@import|url\(|https?://(?!www\.w3\.org/2000/svg)", page)


def test_every_module_is_packed_once_after_those_that_it_needs() -> None:
    script = packing.script()
    made = re.findall(r"^const module_(\w+) = \(\(\) => \{$", script, re.M)
    assert len(made) == len(set(made))
    folder = packing._FOLDER
    names = {one.name.removesuffix(".js") for one in folder.iterdir() if one.name.endswith(".js")}
    assert set(made) == names
    assert made[-1] == "app"
    for place, name in enumerate(made):
        text = packing._text(f"{name}.js")
        needed = [one.removesuffix(".js") for _, one in packing._IMPORT.findall(text)]
        assert set(needed) <= set(made[:place])
        assert text.count("\nimport ") + text.startswith("import ") == len(needed)
    assert not re.search(r"^(?:import|export) ", script, re.M)


def test_what_is_put_into_the_head() -> None:
    assert '<meta name="x">' in packing.page('<meta name="x">').partition("</head>")[0]


def test_modules_are_short_enough_to_be_read() -> None:
    for one in packing._FOLDER.iterdir():
        lines = one.read_text(encoding="utf-8").count("\n")
        assert lines <= 400, f"{one.name} has {lines} lines"
