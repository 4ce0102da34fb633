"""Figures for papers and screens.

A policy has one colour in every figure, from the palettes of Okabe and Ito (2008) and of Tol
(2021), which people with any kind of colour vision can tell apart. Nothing touches pyplot's global
state: give an ``ax`` of your own, or take the one that is returned. Files are written whole or not
at all, and equal figures give equal bytes.
"""

import io
import itertools
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from copyproof._files import write_or_refuse

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from copyproof.simulation import Result

__all__ = ["COLOURS", "FORMATS", "check_format", "plot_regret", "save_figure"]

FORMATS = ("png", "svg", "pdf")
"""The files that ``save_figure`` writes, by their suffix."""

COLOURS = {
    "ucb1": "#D55E00",  # vermillion
    "s-ucb": "#E69F00",  # orange
    "fair": "#000000",
    "h-ucb": "#0072B2",  # blue
    "rh-ucb": "#009E73",  # bluish green
    "prh-ucb": "#CC79A7",  # reddish purple
    "grace": "#882255",  # wine, of Tol's muted palette
}
"""The six policies of the paper, and the default one."""
_MORE_COLOURS = ("#56B4E9", "#7F7F7F", "#332288", "#999933")
"""Other policies, in the order in which they come: sky blue, grey, and indigo and olive of Tol's
muted palette. After these, all colours come again with another dash."""
_DASHES = ("-", "--", ":", "-.")

_WIDTH = 6.4
_LEAST_HEIGHT = 3.4
_LEGEND_LINE = 0.2
"""Inches; a long legend makes a figure higher."""
_LABEL_LETTERS = 24
_DPI = 200
_NO_DATES: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def plot_regret(results: "Result | Sequence[Result]", *, ax: "Axes | None" = None) -> "Axes":
    """Draw the mean regret over the rounds, a line for each policy.

    Bands are one standard deviation of a single repetition wide on either side. The legend stands
    beside the data, in the order of the lines' ends.

    Parameters
    ----------
    results : Result or sequence of Result
        What ``simulate`` found.
    ax : Axes, optional
        Where to draw; a new figure by default, ``plot_regret(...).figure``.

    Returns
    -------
    Axes
        What was drawn on.

    Raises
    ------
    ValueError
        If there are no results.

    Examples
    --------
    >>> from copyproof import paper_market, simulate
    >>> market = paper_market("2a")
    >>> results = [
    ...     simulate(market, p, horizon=100, repetitions=4, seed=1) for p in ("ucb1", "h-ucb")
    ... ]
    >>> len(plot_regret(results).lines)
    2
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    found = list(results) if isinstance(results, Sequence) else [results]
    if not found:
        raise ValueError("results is empty: at least one is needed")
    if ax is None:
        lines = 2 + sum(_label(result).count("\n") + 1 for result in found)
        height = max(_LEAST_HEIGHT, _LEGEND_LINE * lines)
        ax = Figure(figsize=(_WIDTH, height), dpi=_DPI, layout="constrained").subplots()
    for result, (colour, dash) in zip(found, _looks(found), strict=True):
        curve = result.curve
        rounds, mean, std = (np.concatenate([[0], a]) for a in (curve.round, curve.mean, curve.std))
        ax.plot(rounds, mean, color=colour, linestyle=dash, linewidth=1.6, label=_label(result))
        if result.repetitions > 1:
            low = np.maximum(mean - std, 0.0)
            ax.fill_between(rounds, low, mean + std, color=colour, alpha=0.18, linewidth=0)
    ax.set_xlabel("round")
    ax.set_ylabel("regret (reward lost so far)")
    if ax.get_xscale() == "linear":
        ax.set_xlim(0, max(result.horizon for result in found))
        ax.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.10g}"))
    if ax.get_yscale() == "linear":
        ax.set_ylim(bottom=0)
        ax.yaxis.set_major_formatter(StrMethodFormatter("{x:,.10g}"))
    ax.spines[["top", "right"]].set_visible(False)
    _add_legend(ax, found)
    return ax


def save_figure(figure: "Figure", path: str | Path) -> None:
    """Write a figure in the format of the file's suffix: .png, .svg or .pdf.

    The file appears whole or not at all, and holds no date, so that equal figures give equal files.

    Raises
    ------
    ValueError
        If the suffix is another one, or the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from matplotlib.figure import Figure
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "empty.png"
    ...     save_figure(Figure(), file)
    ...     file.stat().st_size > 100
    True
    """
    import matplotlib as mpl

    kind = check_format(path)
    memory = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "copyproof", "pdf.fonttype": 42}):
        figure.savefig(memory, format=kind, metadata=_NO_DATES[kind])
    write_or_refuse(Path(path), memory.getvalue())


def check_format(path: str | Path) -> str:
    """Return the format that a file's suffix asks for.

    Raises
    ------
    ValueError
        If it is none of ``FORMATS``.

    Examples
    --------
    >>> len(check_format("out/regret.PNG"))
    3
    """
    kind = Path(path).suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        raise ValueError(f"{path} does not end in .{', .'.join(FORMATS)}: no such figure is made")
    return kind


def _looks(results: "Sequence[Result]") -> Iterator[tuple[str, str]]:
    """Yield a colour and a dash for each policy, no pair of them twice among the first 40."""
    names = [str(result.policy).partition("(")[0] for result in results]
    solid = _DASHES[0]
    kept = {(COLOURS[name], solid) for name in names if name in COLOURS}
    others = [(colour, solid) for colour in _MORE_COLOURS]
    others += [(c, dash) for dash in _DASHES[1:] for c in (*_MORE_COLOURS, *COLOURS.values())]
    free = itertools.cycle(others)
    for name in names:
        own = (COLOURS.get(name, ""), solid)
        if own in kept:
            kept.remove(own)
            yield own
        else:
            yield next(free)


def _label(result: "Result") -> str:
    """Return the policy's text, on several lines if it is long."""
    return "\n".join(textwrap.wrap(str(result.resolved_policy), _LABEL_LETTERS))


def _add_legend(ax: "Axes", results: "Sequence[Result]") -> None:
    """Put the legend to the right of the data, the line that ends highest first."""
    ends = [result.regret.mean for result in results]
    order = sorted(range(len(results)), key=lambda place: -ends[place])
    handles, labels = ax.get_legend_handles_labels()
    own = len(handles) - len(results)  # lines that were there before
    banded = any(result.repetitions > 1 for result in results)
    ax.legend(
        [handles[own + place] for place in order],
        [labels[own + place] for place in order],
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        frameon=False,
        fontsize="small",
        title="mean ± std. deviation" if banded else None,
        title_fontsize="small",
        alignment="left",
    )
