"""Every link of the documentation leads somewhere: to a page, to a place on it, to a file."""

import re
from pathlib import Path
from urllib.parse import urlsplit

from tests.docs.site import ROOT, built
from tests.pages.links import broken


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        '<h1 id="a">A</h1><a href="#a">a</a><a href="#b">b</a><a href="c.html">c</a>'
        '<img src="d.png"><a href="page.html#a">a</a><a href="http://e.org">e</a>'
    )
    assert broken(page) == [
        f"page.html: {each}" for each in ("#b", "c.html", "d.png", "http://e.org")
    ]


def test_links_of_the_pages() -> None:
    site = built()
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 50
    assert [line for page in pages for line in broken(page)] == []


def test_links_of_files_in_the_source() -> None:
    """Readmes and the like, which are read where the source is."""
    files = [
        *ROOT.glob("*.md"),
        *(ROOT / "client").glob("*.md"),
        ROOT / "client" / "typescript" / "README.md",
    ]
    missing = []
    for file in files:
        text = re.sub(r"^```.*?^```$", "", file.read_text(encoding="utf-8"), flags=re.M | re.S)
        for link in re.findall(r"\]\(([^)\s]+)\)", text):
            parts = urlsplit(link)
            if not parts.scheme and parts.path and not (file.parent / parts.path).exists():
                missing.append(f"{file.relative_to(ROOT)}: {link}")
    assert missing == []
