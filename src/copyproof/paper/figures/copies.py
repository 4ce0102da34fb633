"""Figures 1a and 1b: what copies buy."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from copyproof.game import Agent
from copyproof.pages import PageTable
from copyproof.paper.claim import LEVEL
from copyproof.paper.figure import (
    StudyFigure,
    arms_by_agent,
    check_results,
    estimate_columns,
    key_parts,
)
from copyproof.paper.measures import means_and_stds
from copyproof.paper.study import FigureResults, Run, RunKey, Settings
from copyproof.plots import canvas, with_error
from copyproof.plots.labels import End, label_ends
from copyproof.plots.palette import name_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# A gap between lines that takes more than this share of the axis is cut out.
_GAP = 0.3


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """The copying agent's revenue under one policy, by its number of copies.

    The lowest and the highest point are those of its band.
    """

    copies: NDArray[np.int64]
    mean: NDArray[np.float64]
    std: NDArray[np.float64]
    low: float
    high: float


def _copier(results: FigureResults) -> tuple[int, Agent]:
    """The agent that has as many arms as the largest of the results' keys says, and its place."""
    key = max(results, key=lambda one: int(one[0]))
    agents = enumerate(results[key].market.agents)
    return next((place, one) for place, one in agents if one.registered == int(key[0]))


def copies_lines(results: FigureResults) -> dict[str, Line]:
    """The lines of figure 1a or 1b, by policy."""
    place, _ = _copier(results)
    lines = {}
    for policy in key_parts(results, 1):
        copies = sorted(int(key[0]) for key in results if key[1] == policy)
        revenue = [results[c, policy].agents[place].revenue for c in copies]
        mean, std = means_and_stds(revenue)
        half = np.nan_to_num(std)
        ends = float((mean - half).min()), float((mean + half).max())
        lines[policy] = Line(np.array(copies), mean, std, *ends)
    return lines


def plot_copies(
    results: FigureResults, *, axes: "Axes | Sequence[Axes] | None" = None
) -> "tuple[Axes, ...]":
    """Draw the copying agent's revenue against its number of copies, a line for each policy.

    Parameters
    ----------
    results : mapping of (copies, policy) to Result
        Those of ``fig1a`` or ``fig1b``.
    axes : Axes, or two of them, optional
        Where to draw. On two, an upper and a lower one, the widest gap between the lines is cut
        out; a new figure has two where that gap takes a large part of the axis.

    Returns
    -------
    tuple of Axes
        One or two, the upper one first.

    Examples
    --------
    >>> from copyproof.paper import Settings, play, runs_of
    >>> runs = runs_of("fig1b", Settings(horizon=200, repetitions=3))
    >>> (*_, lowest) = plot_copies({key: play(run) for key, run in runs.items()})
    >>> lowest.lines[0].get_xdata().tolist()
    [1, 100, 200, 300, 400, 500]
    """
    check_results(results, 2)
    lines = copies_lines(results)
    low, high = _widest_gap(lines)
    if axes is None:
        is_wide = high - low > _GAP * max(line.high for line in lines.values())
        axes = canvas.new_axes(4.4, 2, share=True) if is_wide else canvas.new_axes(3.6)
    panels = tuple(axes) if isinstance(axes, Sequence) else (axes,)
    middle = (low + high) / 2
    for ax in panels:
        here = {
            policy: line
            for policy, line in lines.items()
            if len(panels) == 1 or (line.mean[0] > middle) == (ax is panels[0])
        }
        _draw(ax, here, from_zero=ax is panels[-1])
    who = _copier(results)[1].name
    panels[0].set_ylabel(f"revenue of the {who}\n(sum of rewards)", y=0.0 if panels[1:] else 0.5)
    panels[-1].set_xlabel(f"arms that the {who} registers")
    if len(panels) == 2:
        _break(*panels)
    return panels


def _draw(ax: "Axes", lines: Mapping[str, Line], *, from_zero: bool) -> None:
    for policy, line in lines.items():
        canvas.draw_curve(ax, policy, line.copies, line.mean, line.std)
    copies = next(iter(lines.values())).copies
    ax.set_xlim(0, int(copies[-1]))
    ax.set_xticks(copies.tolist())
    ax.margins(y=0.08)
    if from_zero:
        ax.set_ylim(0, 1.12 * max(line.high for line in lines.values()))
    canvas.plain(ax)
    canvas.in_thousands(ax)
    label_ends(ax, [End.of(policy, copies[-1], line.mean[-1]) for policy, line in lines.items()])


def _widest_gap(lines: Mapping[str, Line]) -> tuple[float, float]:
    """The ends of the widest part of the axis that no line's band touches; (0, 0) if none."""
    gap = (0.0, 0.0)
    ordered = sorted(lines.values(), key=lambda line: line.low)
    top = ordered[0].high
    for line in ordered[1:]:
        if line.low - top > gap[1] - gap[0]:
            gap = (top, line.low)
        top = max(top, line.high)
    return gap


def _break(upper: "Axes", lower: "Axes") -> None:
    """Mark the place where a part of the axis is cut out."""
    upper.spines["bottom"].set_visible(False)
    upper.tick_params(bottom=False, labelbottom=False)
    slash: dict[str, Any] = {"marker": [(-1, -0.6), (1, 0.6)], "markersize": 9, "color": "black"}
    for ax, y in ((upper, 0), (lower, 1)):
        ax.plot([0], [y], transform=ax.transAxes, linestyle="none", clip_on=False, **slash)


def copier_revenue(results: FigureResults, copies: int, policy: str) -> NDArray[np.float64]:
    """The copying agent's revenue in every repetition."""
    place, _ = _copier(results)
    return np.asarray(results[copies, policy].revenue[:, place])


def copies_rows(results: FigureResults) -> list[dict[str, Any]]:
    """The data of a figure of revenue by copies: a row per number of copies and policy."""
    place, _ = _copier(results)
    return [
        {"copies": copies, "policy": policy}
        | estimate_columns("revenue", result.agents[place].revenue)
        for (copies, policy), result in results.items()
    ]


def copies_numbers(results: FigureResults) -> PageTable:
    """The table of a figure of revenue by copies: a row per policy."""
    place, who = _copier(results)
    copies = sorted({int(key[0]) for key in results})
    rows = [
        [name_of(p), *(with_error(results[c, p].agents[place].revenue) for c in copies)]
        for p in key_parts(results, 1)
    ]
    caption = f"Revenue of the {who.name} by the number of its copies: mean ± standard error."
    return PageTable(["Policy", *(f"{c:,}" for c in copies)], rows, caption)


def _alt_text(results: FigureResults) -> str:
    parts = []
    for policy, line in copies_lines(results).items():
        first, last = float(line.mean[0]), float(line.mean[-1])
        moved = float(abs(line.mean - first).max()) > LEVEL * abs(first)
        told = f"goes from {first:,.0f} to {last:,.0f}" if moved else f"stays at {first:,.0f}"
        parts.append(f"{name_of(policy)} {told}")
    copies = line.copies
    return (
        f"Lines of the revenue of the {_copier(results)[1].name} against its number of copies, "
        f"{copies[0]} to {copies[-1]}: {'; '.join(parts)}."
    )


def copies_markets(heading: str) -> Callable[[FigureResults], dict[str, dict[str, str]]]:
    """A column of the page's table of markets: the copying agent's copies are a range there."""

    def columns(results: FigureResults) -> dict[str, dict[str, str]]:
        market, (_, who) = list(results.values())[-1].market, _copier(results)
        copies = {who.name: f"{who.best_mean:g} × 1 … {who.registered:,}"}
        return {heading: arms_by_agent(market) | copies}

    return columns


def copies_runs(figure: str) -> Callable[[Settings], dict[RunKey, Run]]:
    """The runs of a figure by (copies, policy)."""
    return lambda settings: {
        (int(run.name.rpartition(":")[2]), run.policy): run for run in settings.runs(figure)
    }


def _figure(market: str, subject: str, caption: str) -> StudyFigure:
    heading = f"Figure {market}"
    return StudyFigure(
        name=f"fig{market}",
        heading=heading,
        title=f"{heading}: {subject}",
        caption=caption,
        runs=copies_runs(f"fig{market}"),
        rows=copies_rows,
        numbers=copies_numbers,
        plot=plot_copies,
        alt_text=_alt_text,
        markets=copies_markets(heading),
        in_paper=True,
    )


FIG1A = _figure(
    "1a",
    "what the worst agent earns with copies",
    "Five agents with one arm each, of means 0.5 to 0.9. The 0.5-agent registers its arm 1, 100, "
    "200, 300, 400 or 500 times; the figure shows what it earns. Where a line is level, copies buy "
    "nothing.",
)
FIG1B = _figure(
    "1b",
    "what the best agent earns with copies",
    "The same five agents, and it is the 0.9-agent that copies. Where the axis is cut, no line "
    "runs, and the parts above and below the cut have scales of their own.",
)
