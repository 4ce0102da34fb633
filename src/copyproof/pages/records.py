"""What templates are given: links, badges, tables and pictures, as plain data."""

import base64
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Link:
    """A way to a file, a page, or a place on this page."""

    target: str
    text: str


@dataclass(frozen=True, slots=True)
class Badge:
    """A verdict in a word or two; its kind is ``holds``, ``fails`` or ``open``."""

    text: str
    kind: str


# What stands in a table; a text may have several lines.
Cell: TypeAlias = str | Link | Badge


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table, its first column in words.

    One of numbers can be scrolled sideways where it is too wide; one of words falls apart into one
    block for each row.

    Parameters
    ----------
    head : sequence of str
        The names of the columns.
    rows : sequence of sequences of cells
        As long as the head, each.
    caption : str
        What stands above the table.
    numbers : bool
        Whether it is a table of numbers.
    words : collection of str
        The columns of a table of numbers that hold words.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    caption: str = ""
    numbers: bool = True
    words: Collection[str] = ()

    def __post_init__(self) -> None:
        for place, row in enumerate(self.rows):
            if len(row) != len(self.head):
                raise ValueError(f"rows[{place}] has {len(row)} cells, its head {len(self.head)}")

    @property
    def kinds(self) -> list[str]:
        """Whether each column holds words or numbers."""
        return [
            "number" if self.numbers and place and name not in self.words else "word"
            for place, name in enumerate(self.head)
        ]


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure that travels within the page.

    Parameters
    ----------
    svg : bytes
        The figure as an SVG file.
    alt_text : str
        What one sees in it, for those who do not see it.
    caption : str
        What stands below it.
    broad : bool
        Whether it takes the whole width of the page.
    """

    svg: bytes
    alt_text: str
    caption: str
    broad: bool = False

    @property
    def source(self) -> str:
        """The file as the source of an image.

        Examples
        --------
        >>> Picture(b"<svg/>", "nothing", "An empty figure.").source
        'data:image/svg+xml;base64,PHN2Zy8+'
        """
        return f"data:image/svg+xml;base64,{base64.b64encode(self.svg).decode()}"
