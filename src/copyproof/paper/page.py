"""The report of the study: figures and data as files, and one page that shows them all.

Equal results give an equal page; the time that the games took stands on a line of its own.
"""

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from copyproof._files import write_atomically
from copyproof.pages import Link, PageTable, Picture, anchor, render
from copyproof.paper.claims import ClaimVerdict
from copyproof.paper.figure import StudyFigure
from copyproof.paper.figures import FIGURES, draw_figure, table
from copyproof.paper.study import OURS, Settings, StudyResults
from copyproof.paper.theorems import bounds_table, theorems_table
from copyproof.plots import FORMATS, save_figure
from copyproof.plots.palette import name_of
from copyproof.policy import PAPER_POLICIES
from copyproof.simulation import Result


@dataclass(frozen=True, slots=True)
class FigureSection:
    """A figure with its picture, its claims and its numbers."""

    figure: StudyFigure
    picture: Picture
    claims: tuple[ClaimVerdict, ...]
    numbers: PageTable


@dataclass(frozen=True, slots=True)
class StudyPage:
    """All that ``study.html.j2`` is given."""

    title: str
    verdicts: tuple[ClaimVerdict, ...]
    paper_claims: PageTable
    our_claims: PageTable
    claims_without_figure: tuple[ClaimVerdict, ...]
    size: str
    reduced: str | None
    paper_policies: str
    other_policies: str
    default: str
    versions: tuple[str, ...]
    minutes: float
    markets: PageTable
    figures: tuple[FigureSection, ...]
    theorems: PageTable
    bounds: PageTable
    horizon: int


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
    ...     write_report(Path(name), figures, judge(figures, settings), settings)
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


def render_page(
    figures: StudyResults,
    verdicts: Sequence[ClaimVerdict],
    settings: Settings,
    pictures: Mapping[str, bytes],
) -> str:
    """The whole page as text.

    Parameters
    ----------
    figures : mapping of str to results by key
        All figures that are complete; at least one.
    verdicts : sequence of ClaimVerdict
        What ``judge`` says about them.
    settings : Settings
        The size of the study.
    pictures : mapping of str to bytes
        The figures as SVG files, by name.
    """
    found = _games(figures)
    page = StudyPage(
        title="Bandits against strategic replication, claim by claim",
        verdicts=tuple(verdicts),
        paper_claims=_claims_table([one for one in verdicts if not one.beyond]),
        our_claims=_claims_table([one for one in verdicts if one.beyond]),
        claims_without_figure=_claims_under(None, verdicts, figures),
        size=_size(figures, found, settings),
        reduced=settings.reduced,
        paper_policies=_policies(found, papers=True),
        other_policies=_policies(found, papers=False),
        default=name_of(OURS),
        versions=tuple({f"{name} {v}": None for one in found for name, v in one.versions.items()}),
        minutes=sum(one.seconds for one in found) / 60,
        markets=_markets_table(figures),
        figures=tuple(
            FigureSection(
                figure,
                Picture(pictures[name], figure.alt_text(figures[name]), figure.caption),
                _claims_under(name, verdicts, figures),
                figure.numbers(figures[name]),
            )
            for name, figure in FIGURES.items()
            if name in figures
        ),
        theorems=theorems_table(),
        bounds=bounds_table(figures),
        horizon=settings.horizon,
    )
    return render("copyproof.paper", "study.html.j2", page)


def figure_of(verdict: ClaimVerdict, figures: StudyResults) -> str | None:
    """The figure under which a verdict is shown: the last of those it rests on."""
    resting = [name for name in FIGURES if name in verdict.figures and name in figures]
    if resting:
        return resting[-1]
    return "samples" if "samples" in figures else None


def _games(figures: StudyResults) -> list[Result]:
    """All results, each once: figures share some."""
    return list({id(one): one for runs in figures.values() for one in runs.values()}.values())


def _claims_table(verdicts: Sequence[ClaimVerdict]) -> PageTable:
    rows = [
        (Link(f"#claim-{anchor(one.claim)}", one.claim), one.badge, one.text) for one in verdicts
    ]
    return PageTable(("Claim", "Verdict", "Statement"), rows, numbers=False)


def _claims_under(
    figure: str | None, verdicts: Sequence[ClaimVerdict], figures: StudyResults
) -> tuple[ClaimVerdict, ...]:
    return tuple(one for one in verdicts if figure_of(one, figures) == figure)


def _size(figures: StudyResults, found: Sequence[Result], settings: Settings) -> str:
    rounds = sum(one.horizon * one.repetitions for one in found)
    size = (
        f"T = {settings.horizon:,} rounds, {settings.repetitions:,} repetitions, seed "
        f"{settings.seed}; {len(found)} combinations of market, policy and length, {rounds:,} "
        "rounds in all"
    )
    for name, results in figures.items():
        repetitions = {one.horizon: one.repetitions for one in results.values()}
        if len(repetitions) > 1:
            least, most = min(repetitions), max(repetitions)
            size += f". {name.capitalize()}: T from {least:,} to {most:,}, "
            size += f"{repetitions[most]} repetitions where T > {settings.horizon:,}"
    return size


def _policies(found: Sequence[Result], *, papers: bool) -> str:
    """The policies as they were played, l and L included: the paper's six, or the others."""
    six = {policy.partition("(")[0] for policy in PAPER_POLICIES}
    chosen = [one for one in found if (str(one.policy).partition("(")[0] in six) == papers]
    return ", ".join(dict.fromkeys(str(one.resolved_policy) for one in chosen))


def _markets_table(figures: StudyResults) -> PageTable:
    columns: dict[str, Mapping[str, str]] = {}
    for name, figure in FIGURES.items():
        if name in figures:
            columns |= figure.markets(figures[name])
    agents = dict.fromkeys(agent for column in columns.values() for agent in column)
    rows = [[one, *(column.get(one, "–") for column in columns.values())] for one in agents]
    caption = "Markets: the means of each agent's arms × copies."
    return PageTable(["Agent", *columns], rows, caption, numbers=False)
