"""The report of the study: figures and data as files, and one page that shows them all."""

import io
import json
from collections.abc import Sequence
from pathlib import Path

from copyproof._files import write_atomically
from copyproof.paper.claims import ClaimVerdict
from copyproof.paper.figures import FIGURES, draw_figure, table
from copyproof.paper.page import render_page
from copyproof.paper.study import Settings, StudyResults
from copyproof.plots import FORMATS, save_figure


def write_report(
    folder: Path, figures: StudyResults, verdicts: Sequence[ClaimVerdict], settings: Settings
) -> None:
    """Write figures, data, ``claims.json`` and ``index.html`` into a folder.

    Parameters
    ----------
    folder : Path
        It is made if it is missing; files of the same names are replaced.
    figures : mapping of str to results by key
        All figures that are complete; at least one.
    verdicts : sequence of ClaimVerdict
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
    ...     sorted(path.name for path in Path(name).glob("figures/*"))
    ['fig2a.pdf', 'fig2a.png', 'fig2a.svg']
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


def _write_data(folder: Path, name: str, figures: StudyResults) -> None:
    frame = table(name, figures)
    text = frame.to_csv(index=False, lineterminator="\n")
    write_atomically(folder / f"{name}.csv", text.encode())
    memory = io.BytesIO()
    frame.to_parquet(memory, index=False)
    write_atomically(folder / f"{name}.parquet", memory.getvalue())
