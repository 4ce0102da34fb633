"""Regret over the rounds, a line for each policy.

Nothing touches pyplot's global state: give an ``ax`` of your own, or take the one that is returned.
"""

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from copyproof.plots.canvas import draw_band, new_axes
from copyproof.plots.palette import line_styles
from copyproof.validation import items, require

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from copyproof.simulation import Result

_WIDTH = 6.4
_LEAST_HEIGHT = 3.4
# Inches; a long legend makes a figure higher.
_LEGEND_LINE = 0.2
_LABEL_LETTERS = 24


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
    >>> [line.get_label() for line in plot_regret(results).lines]
    ['ucb1', 'h-ucb']
    """
    given: Any = results  # whatever a caller may give
    found: Sequence[Result] = [given] if _is_result(given) else items("results", given, "results")
    for place, one in enumerate(found):
        require(_is_result(one), f"results[{place}]", one, "a Result")
    if ax is None:
        lines = 2 + sum(_label(result).count("\n") + 1 for result in found)
        height = max(_LEAST_HEIGHT, _LEGEND_LINE * lines)
        (ax,) = new_axes(height, width=_WIDTH)
    draw_regret(ax, found)
    _add_legend(ax, found)
    return ax


def draw_regret(ax: "Axes", results: "Sequence[Result]") -> None:
    """Draw what ``plot_regret`` draws, without a legend."""
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    styles = line_styles([str(result.policy) for result in results])
    for result, (colour, dash) in zip(results, styles, strict=True):
        curve = result.curve
        rounds, mean, std = (np.concatenate([[0], a]) for a in (curve.round, curve.mean, curve.std))
        ax.plot(rounds, mean, color=colour, linestyle=dash, linewidth=1.6, label=_label(result))
        draw_band(ax, rounds, mean, std, colour)
    ax.set_xlabel("round")
    ax.set_ylabel("regret (reward lost so far)")
    if ax.get_xscale() == "linear":
        ax.set_xlim(0, max(result.horizon for result in results))
        ax.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.10g}"))
    if ax.get_yscale() == "linear":
        ax.set_ylim(bottom=0)
        ax.yaxis.set_major_formatter(StrMethodFormatter("{x:,.10g}"))
    ax.spines[["top", "right"]].set_visible(False)


def _is_result(one: object) -> bool:
    """Whether it is a ``Result``, whose class figures do not load."""
    return hasattr(one, "regret_curves") and hasattr(one, "resolved_policy")


def _label(result: "Result") -> str:
    """Return the policy's text, on several lines if it is long."""
    return "\n".join(textwrap.wrap(str(result.resolved_policy), _LABEL_LETTERS))


def _add_legend(ax: "Axes", results: "Sequence[Result]") -> None:
    """Put the legend to the right of the data, the line that ends highest first."""
    order = sorted(range(len(results)), key=lambda place: -results[place].regret.mean)
    handles, labels = ax.get_legend_handles_labels()
    own = len(handles) - len(results)  # lines that were there before
    banded = any(result.repetitions > 1 for result in results)
    beside: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0), "frameon": False}
    small: dict[str, Any] = {"fontsize": "small", "title_fontsize": "small"}
    ax.legend(
        [handles[own + place] for place in order],
        [labels[own + place] for place in order],
        title="mean ± std. deviation" if banded else None,
        alignment="left",
        **beside,
        **small,
    )
