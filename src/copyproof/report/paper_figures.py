"""The figures of the study: what copies buy, what they cost, and which part of a policy does what.

Every plot function takes the results of one figure, by key as ``copyproof.paper.runs_of`` names
them, and draws on axes of yours, or on a new figure. Bands and error bars are one standard
deviation of a single repetition wide on either side. Figures 2a, 2b and 2c are drawn by
``plot_regret``.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from copyproof.paper import Figure as Runs
from copyproof.paper import Figures
from copyproof.report.canvas import in_thousands, new_axes, plain
from copyproof.report.copies_figure import plot_copies
from copyproof.report.figures import plot_regret
from copyproof.report.growth_figure import plot_growth
from copyproof.report.looks import INK, QUIET, End, colour_of, label_ends, name_of
from copyproof.report.markets_figure import plot_markets
from copyproof.report.parts_figures import plot_ablation, plot_samples
from copyproof.report.words import TITLES, note

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "draw_figure",
    "plot_ablation",
    "plot_copies",
    "plot_growth",
    "plot_markets",
    "plot_samples",
]


def draw_figure(name: str, figures: Figures) -> "Figure":
    """Draw one figure of the study whole, with its title and a note on what was played.

    Parameters
    ----------
    name : str
        One of ``copyproof.paper.FIGURES``.
    figures : mapping of str to results by key
        The study's results; the named figure's are enough.

    Raises
    ------
    ValueError
        If there are no results of that name.

    Examples
    --------
    >>> from copyproof.paper import Settings, play, runs_of
    >>> runs = runs_of("fig2a", Settings(horizon=200, repetitions=3))
    >>> figure = draw_figure("fig2a", {"fig2a": {key: play(run) for key, run in runs.items()}})
    >>> len(figure.axes)
    1
    """
    import matplotlib as mpl

    if name not in figures:
        raise ValueError(f"figure = {name!r} is not one of {', '.join(figures)}")
    with mpl.rc_context({"font.size": 9, "axes.titlesize": 9, "axes.labelsize": 9}):
        figure = _plot(name, figures[name])[0].get_figure(root=True)
        assert figure is not None
        figure.suptitle(TITLES[name], x=0.01, ha="left", fontsize=10, fontweight="bold", color=INK)
        about = note(name, figures[name])
        figure.supxlabel(about, x=0.01, ha="left", fontsize=7, color=QUIET)
    return figure


def _plot(name: str, runs: Runs) -> "Sequence[Axes]":
    match name:
        case "fig1a" | "fig1b":
            return plot_copies(runs)
        case "markets":
            return [plot_markets(runs)]
        case "ablation":
            return [plot_ablation(runs)]
        case "samples":
            return plot_samples(runs)
        case "growth":
            return plot_growth(runs)
        case _:
            return [_plot_curves(runs)]


def _plot_curves(runs: Runs) -> "Axes":
    """Regret over time, with names at the ends of the lines instead of a legend."""
    (ax,) = new_axes(3.6)
    plot_regret(list(runs.values()), ax=ax)
    legend = ax.get_legend()
    assert legend is not None
    legend.remove()
    plain(ax)
    in_thousands(ax)
    ends = []
    for (policy,), result in runs.items():
        name, y = str(policy), result.regret.mean
        text = f"{name_of(name)}  {y:,.0f}"
        ends.append(End(float(result.horizon), y, text, colour_of(name)))
    label_ends(ax, ends)
    return ax
