"""The links of pages on the disk, and which of them lead nowhere."""

from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Anchors(HTMLParser):
    """What a page links to, and the places on it."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value is not None:
                self.links.append(value)
            if name in ("id", "name") and value:
                self.places.add(value)


@cache
def anchors(page: Path) -> Anchors:
    return Anchors(page)


def broken(page: Path) -> list[str]:
    """The links of a page that lead nowhere."""
    found = []
    for link in anchors(page).links:
        parts = urlsplit(link)
        if parts.scheme in ("http", "https", "mailto", "data"):
            if parts.scheme == "http" or (parts.scheme == "https" and "." not in parts.netloc):
                found.append(f"{page.name}: {link}")
            continue
        target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        # What is set to a value behind the # is a state of the page, such as the game's.
        place = unquote(parts.fragment) if "=" not in parts.fragment else ""
        if not target.is_file() or (
            place and target.suffix == ".html" and place not in anchors(target).places
        ):
            found.append(f"{page.name}: {link}")
    return found
