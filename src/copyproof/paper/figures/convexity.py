"""Whether S-UCB's line in figure 1a is convex: more numbers of copies, and more games."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from copyproof.paper.figure import StudyFigure, check_results
from copyproof.paper.figures.copies import (
    copier_revenue,
    copies_lines,
    copies_markets,
    copies_numbers,
    copies_rows,
    copies_runs,
    plot_copies,
)
from copyproof.paper.study import CONVEXITY_COPIES, FigureResults
from copyproof.plots.palette import INK
from copyproof.simulation import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The ranges of copies that are judged begin at one copy and end here.
_ENDS = (125, CONVEXITY_COPIES[-1])


def chord_intervals(results: FigureResults) -> dict[int, Interval]:
    """How far S-UCB's line is below its chords, by the most copies of the chord.

    The revenue on the chord from one copy to that many, minus the revenue, on average over the
    numbers of copies between them, repetition by repetition. It is positive where the line is
    convex.

    Examples
    --------
    >>> from copyproof.paper import Settings, play, runs_of
    >>> runs = runs_of("convexity", Settings(horizon=200, repetitions=3))
    >>> list(chord_intervals({key: play(run) for key, run in runs.items()}))
    [125, 500]
    """
    copies = np.array(CONVEXITY_COPIES)
    revenue = np.stack([copier_revenue(results, c, "s-ucb") for c in CONVEXITY_COPIES], axis=1)
    intervals = {}
    for most in _ENDS:
        end = CONVEXITY_COPIES.index(most)
        share = (copies[1:end] - copies[0]) / (most - copies[0])
        chord = revenue[:, :1] + share * (revenue[:, end : end + 1] - revenue[:, :1])
        intervals[most] = Interval.of((chord - revenue[:, 1:end]).mean(axis=1))
    return intervals


def plot_convexity(
    results: FigureResults, *, axes: "Axes | Sequence[Axes] | None" = None
) -> "tuple[Axes, ...]":
    """Draw S-UCB's line of figure 1a at more numbers of copies, with the chords that are judged.

    Parameters
    ----------
    results : mapping of (copies, policy) to Result
        Those of ``convexity``.
    axes : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    tuple of Axes
        One.

    Examples
    --------
    >>> from copyproof.paper import Settings, play, runs_of
    >>> runs = runs_of("convexity", Settings(horizon=200, repetitions=3))
    >>> (ax,) = plot_convexity({key: play(run) for key, run in runs.items()})
    >>> [line.get_xdata().tolist() for line in ax.lines[1:]]
    [[1, 125], [1, 500]]
    """
    check_results(results, 2)
    (ax,) = plot_copies(results, axes=axes)
    (line,) = copies_lines(results).values()
    for most in _ENDS:
        ends = [0, line.copies.tolist().index(most)]
        ax.plot(line.copies[ends], line.mean[ends], "--", color=INK, linewidth=0.9)
    ax.set_xticks([CONVEXITY_COPIES[0], *_ENDS])
    return (ax,)


def _alt_text(results: FigureResults) -> str:
    sides = (
        f"from 1 to {most} copies it is {'below' if one.mean > 0 else 'above'} its chord"
        for most, one in chord_intervals(results).items()
    )
    return f"A rising line of S-UCB, with two chords: {' and '.join(sides)}."


CONVEXITY_FIGURE = StudyFigure(
    name="convexity",
    heading="Whether S-UCB's line is convex",
    title="S-UCB in figure 1a: what the worst agent earns with copies",
    caption=(
        "The market and the agent of figure 1a under S-UCB alone, with more numbers of copies and "
        "more games. The paper calls the line somewhat convex, and its text does not give the "
        "range of copies. Dashed lines are the chords of two ranges: a convex line is below them. "
        "Not in the paper."
    ),
    runs=copies_runs("convexity"),
    rows=copies_rows,
    numbers=copies_numbers,
    plot=plot_convexity,
    alt_text=_alt_text,
    markets=copies_markets("Convexity"),
)
