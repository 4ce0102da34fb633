"""The report of the study: figures and data as files, and one page that shows them all.

The page opens from disk, needs no network and no script, and has the figures within it. Equal
results give equal bytes; the time that the games took stands on a line of its own.
"""

import io
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from copyproof._files import write_atomically
from copyproof.paper import FIGURES, Figures, Settings, Verdict, table
from copyproof.report.figures import FORMATS, save_figure
from copyproof.report.html import Markup, document, element, link, svg_source
from copyproof.report.paper_figures import draw_figure
from copyproof.report.sections import (
    claims_section,
    figure_section,
    runs_section,
    summary,
    theorems_section,
)

__all__ = ["render_page", "write_report"]

_TITLE = "Bandits against strategic replication, claim by claim"
_PAPERS = ("fig1a", "fig1b", "fig2a", "fig2b", "fig2c")


def write_report(
    folder: Path, figures: Figures, verdicts: Sequence[Verdict], settings: Settings
) -> None:
    """Write figures, data, ``claims.json`` and ``index.html`` into a folder.

    Parameters
    ----------
    folder : Path
        It is made if it is missing; files of the same names are replaced.
    figures : mapping of str to results by key
        All figures that are complete; at least one.
    verdicts : sequence of Verdict
        What ``judge`` says about them.
    settings : Settings
        The size of the study.

    Raises
    ------
    ValueError
        If there is no figure, or a file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from copyproof.paper import judge, play, runs_of
    >>> settings = Settings(horizon=200, repetitions=3)
    >>> runs = runs_of("fig2a", settings)
    >>> figures = {"fig2a": {key: play(run) for key, run in runs.items()}}
    >>> with tempfile.TemporaryDirectory() as name:
    ...     write_report(Path(name), figures, judge(figures), settings)
    ...     len(list(Path(name).rglob("fig2a.*")))
    5
    """
    if not figures:
        raise ValueError("figures is empty: at least one is needed")
    names = [name for name in FIGURES if name in figures]
    try:
        for inner in ("figures", "data"):
            (folder / inner).mkdir(parents=True, exist_ok=True)
        for name in names:
            drawn = draw_figure(name, figures)
            for kind in FORMATS:
                save_figure(drawn, folder / "figures" / f"{name}.{kind}")
            _write_data(folder / "data", name, figures)
        claims = json.dumps([verdict.to_dict() for verdict in verdicts], indent=2)
        write_atomically(folder / "claims.json", f"{claims}\n".encode())
        pictures = {name: (folder / "figures" / f"{name}.svg").read_bytes() for name in names}
        page = render_page(figures, verdicts, settings, pictures)
        write_atomically(folder / "index.html", page.encode())
    except OSError as error:
        raise ValueError(f"{folder} cannot be written: {error.strerror}") from None


def _write_data(folder: Path, name: str, figures: Figures) -> None:
    frame = table(name, figures)
    text = frame.to_csv(index=False, lineterminator="\n")
    write_atomically(folder / f"{name}.csv", text.encode())
    memory = io.BytesIO()
    frame.to_parquet(memory, index=False)
    write_atomically(folder / f"{name}.parquet", memory.getvalue())


def render_page(
    figures: Figures,
    verdicts: Sequence[Verdict],
    settings: Settings,
    pictures: dict[str, bytes],
) -> str:
    """The whole page as text.

    Parameters
    ----------
    figures, verdicts, settings
        As for ``write_report``.
    pictures : dict of str to bytes
        The figures as SVG files, by name.
    """
    return document(_TITLE, _body(figures, verdicts, settings, pictures))


def _body(
    figures: Figures,
    verdicts: Sequence[Verdict],
    settings: Settings,
    pictures: dict[str, bytes],
) -> Iterator[Markup]:
    yield Markup("<main>")
    yield element("h1", _TITLE)
    yield from summary(figures, verdicts)
    yield from claims_section(figures, verdicts)
    yield from runs_section(figures, settings)
    groups = (
        ("The paper's figures", _PAPERS),
        ("Beyond the paper", tuple(name for name in FIGURES if name not in _PAPERS)),
    )
    for heading, names in groups:
        present = [name for name in names if name in figures]
        if present:
            yield element("h2", heading)
        for name in present:
            source = svg_source(pictures[name])
            yield from figure_section(name, figures, verdicts, source)
    yield from theorems_section(figures, settings)
    yield Markup("</main>")
    yield element(
        "footer",
        element(
            "p",
            "The verdicts as data: ",
            link("claims.json", "claims.json"),
            ". Made by copyproof; equal results give the same page, but for the time they took.",
            class_="quiet",
        ),
    )
