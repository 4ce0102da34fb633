"""Figures 2a, 2b and 2c: regret over time, with one, four and five replicators."""

from typing import TYPE_CHECKING, Any

from copyproof.pages import PageTable
from copyproof.paper.figure import StudyFigure
from copyproof.paper.study import FigureResults
from copyproof.plots import canvas, with_error
from copyproof.plots.labels import End, label_ends
from copyproof.plots.palette import name_of
from copyproof.plots.regret import draw_regret

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_COLUMNS = ["round", "regret_mean", "regret_std", "regret_stderr"]


def _rows(results: FigureResults) -> list[dict[str, Any]]:
    return [
        {"policy": policy, **{str(column): value for column, value in row.items()}}
        for (policy,), result in results.items()
        for row in result.curve_frame()[_COLUMNS].to_dict("records")
    ]


def _numbers(results: FigureResults) -> PageTable:
    rows = [
        [
            name_of(str(result.policy)),
            with_error(result.regret),
            f"{result.regret.std:,.0f}",
            f"{result.regret.mean / result.horizon:.4f}",
        ]
        for result in sorted(results.values(), key=lambda result: result.regret.mean)
    ]
    head = ["Policy", "Regret ± standard error", "Standard deviation", "Regret a round"]
    return PageTable(head, rows, "Regret after T rounds, smallest first.")


def _plot(results: FigureResults) -> "tuple[Axes]":
    """Regret over time, with names at the ends of the lines instead of a legend."""
    (ax,) = canvas.new_axes(3.6)
    draw_regret(ax, list(results.values()))
    canvas.plain(ax)
    canvas.in_thousands(ax)
    label_ends(ax, [End.of(str(r.policy), r.horizon, r.regret.mean) for r in results.values()])
    return (ax,)


def _alt_text(results: FigureResults) -> str:
    ends = sorted(((r.regret.mean, str(r.policy)) for r in results.values()), reverse=True)
    T = max(result.horizon for result in results.values())
    listed = ", ".join(f"{name_of(policy)} {regret:,.0f}" for regret, policy in ends)
    return f"Rising lines of the regret over {T:,} rounds. At the end, from the top: {listed}."


def _figure(market: str, subject: str, caption: str) -> StudyFigure:
    heading = f"Figure {market}"
    return StudyFigure(
        name=f"fig{market}",
        heading=heading,
        title=f"{heading}: {subject}",
        caption=caption,
        runs=lambda settings: {(run.policy,): run for run in settings.runs(f"fig{market}")},
        rows=_rows,
        numbers=_numbers,
        plot=_plot,
        alt_text=_alt_text,
        in_paper=True,
    )


FIG2A = _figure(
    "2a",
    "regret with one replicator",
    "One arm each; the 0.5-agent registers its arm 1000 times, the others once.",
)
FIG2B = _figure(
    "2b",
    "regret with four replicators",
    "One arm each; all but the 0.9-agent register their arm 1000 times.",
)
FIG2C = _figure(
    "2c",
    "regret with five replicators of three arms",
    "Three arms each: a best one, 0.2 and 0.1. The 0.5-, 0.6- and 0.7-agents register each of them "
    "1000 times, the 0.8- and 0.9-agents 10, 100 and 100 times.",
)
