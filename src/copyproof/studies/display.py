"""A study as a notebook shows it: what is played, and once it was run, how policies compare."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from copyproof.pages import notebook_table
from copyproof.studies.generators import Generator
from copyproof.studies.parts import MarketSource, Part
from copyproof.studies.run import Summary
from copyproof.validation import shortened

if TYPE_CHECKING:
    import pandas as pd

# Tables, and letters of a row, that a notebook shows.
_MOST_TABLES = 4
_LONGEST = 200
_OWN = "of each market"


def study_html(
    title: str,
    parts: Sequence[Part],
    frame: "pd.DataFrame | None" = None,
    summary: Summary | None = None,
) -> str:
    """What a notebook shows of a study.

    Parameters
    ----------
    title : str
        What stands above it.
    parts : sequence of Part
        What it plays.
    frame : DataFrame, optional
        Its table, once it was run.
    summary : Summary, optional
        What the run did.

    Examples
    --------
    >>> from copyproof import Study
    >>> page = Study(["h-ucb"], ["paper:2a"], horizons=10, repetitions=2, seed=1)._repr_html_()
    >>> "paper:2a" in page, "Study: 1 cell, regret" in page
    (True, True)
    """
    rows = [row for part in parts for row in _rows(part, named=len(parts) > 1)]
    if summary is not None:
        status = summary.status
        told = f"{status.done:,} done, {status.failed:,} failed, {status.open:,} open"
        rows.append(["cells", told])
    shown = [notebook_table(["study", ""], rows, title=title, words=[""])]
    if frame is not None:
        shown += _compared(frame)
    return "\n".join(shown)


def _rows(part: Part, *, named: bool) -> list[list[str]]:
    many = {
        "policies": [one.text for one in part.policies] or [_OWN],
        "markets": [_told(one) for one in part.markets],
        "strategies": [one.name for one in part.strategies],
        "T": [f"{one:,}" for one in part.horizons] or [_OWN],
        "repetitions": [f"{part.repetitions:,}" if part.repetitions else _OWN],
        "seed": [str(one) for one in part.seeds] or [_OWN],
        "measure": list(part.terms.measure),
    }
    rows = [[name, shortened(", ".join(every), _LONGEST)] for name, every in many.items()]
    return [["part", part.name], *rows] if named else rows


def _told(source: MarketSource) -> str:
    if isinstance(source, Generator):
        return f"{source.count:,} of '{source.label}'"
    return ", ".join(case.name for case in source)


def _compared(frame: "pd.DataFrame") -> list[str]:
    """The tables of the report, the first ones if they are many."""
    from copyproof.studies.report import comparisons

    every = comparisons(frame)
    more = len(every) - _MOST_TABLES
    note = [f"{more:,} more table{'s' * (more > 1)}: copyproof study report."] if more > 0 else []
    first = every[:_MOST_TABLES]
    return [
        notebook_table(one.head, one.rows, title=one.title, notes=note if one is first[-1] else ())
        for one in first
    ]
