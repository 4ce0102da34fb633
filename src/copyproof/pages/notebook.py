"""Records as notebooks show them: a title, a table and notes, every text of them as text.

It is what ``_repr_html_`` of a record returns. The template escapes everything, so that an agent
called ``<b>ann</b>`` is shown by these letters, and tells notebooks to leave dollar signs alone.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from copyproof.pages.environment import render
from copyproof.pages.records import Cell, PageTable

# Rows that a notebook shows.
MOST_ROWS = 20


@dataclass(frozen=True, slots=True)
class NotebookTable:
    """What the template ``notebook.html.j2`` is given."""

    title: str
    table: PageTable
    sides: Sequence[str]
    notes: Sequence[str]


def notebook_table(
    head: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    *,
    title: str = "",
    notes: Sequence[str] = (),
    words: Collection[str] = (),
    most: int = MOST_ROWS,
) -> str:
    """Return a table as HTML for a notebook.

    Parameters
    ----------
    head : sequence of str
        The names of the columns.
    rows : iterable of sequences of cells
        As long as the head, each: texts, badges and links.
    title : str
        What stands above the table.
    notes : sequence of str
        What stands below it, a paragraph each.
    words : collection of str
        The columns that hold words, besides the first; they stand on the left.
    most : int
        Rows that are shown; a note counts those that are not.

    Examples
    --------
    >>> page = notebook_table(["agent", "plays"], [["<b>ann</b>", "3"]], title="Plays & revenue")
    >>> "<b>" in page, "&lt;b&gt;ann&lt;/b&gt;" in page, "Plays &amp; revenue" in page
    (False, True, True)
    """
    every = list(rows)
    table = PageTable(head, every[:most], words=words)
    left_out = len(every) - most
    more = [f"{left_out:,} more row{'s' * (left_out > 1)}."] if left_out > 0 else []
    sides = ["right" if kind == "number" else "left" for kind in table.kinds]
    page = NotebookTable(title, table, sides, [*more, *notes])
    return render("copyproof.pages", "notebook.html.j2", page)
