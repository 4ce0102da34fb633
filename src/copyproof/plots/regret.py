"""Regret over the rounds, a line for each policy.

Nothing touches pyplot's global state: give an ``ax`` of your own, or take the one that is returned.
"""

import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from copyproof.plots.canvas import (
    add_title_and_note,
    draw_band,
    in_thousands,
    new_axes,
    plain,
    settle,
)
from copyproof.plots.labels import End, label_ends
from copyproof.plots.palette import PrintedLine, line_styles, names_of, printed_lines
from copyproof.validation import items, require

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from copyproof.simulation import Result

# Inches of a figure of a few policies; more lines make it higher, and long names wider.
_WIDTH, _HEIGHT = 5.2, 3.6
_LINE, _LINES = 0.17, 14
_LETTER, _LETTERS = 0.065, 10
# Letters of one line of a legend, and of the note below a figure, for each inch.
_LABEL_LETTERS = 24
_NOTE_LETTERS = 20


def plot_regret(results: "Result | Sequence[Result]", *, ax: "Axes | None" = None) -> "Axes":
    """Draw the mean regret over the rounds, a line for each policy.

    Bands are one standard deviation of a single repetition wide on either side. On a new figure
    every line has its policy's name and its regret at its end, and the market, T and the seed stand
    below; on given axes there is a legend beside the data, in the order of the lines' ends.

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
    >>> results = [
    ...     simulate(paper_market("2a"), p, horizon=100, repetitions=4, seed=1)
    ...     for p in ("ucb1", "h-ucb")
    ... ]
    >>> ax = plot_regret(results)
    >>> [text.get_text() for text in ax.texts]
    ['H-UCB  14', 'UCB1  40']
    """
    import matplotlib as mpl

    given: Any = results  # whatever a caller may give
    found: Sequence[Result] = [given] if _is_result(given) else items("results", given, "results")
    for place, one in enumerate(found):
        require(_is_result(one), f"results[{place}]", one, "a Result")
    looks = printed_lines([str(result.policy) for result in found])
    if ax is not None:
        draw_regret(ax, found, looks)
        _add_legend(ax, found)
        return ax
    names = names_of([str(result.policy) for result in found])
    room = _LETTER * max(0, max(map(len, names)) - _LETTERS)
    height = _HEIGHT + _LINE * max(0, len(found) - _LINES)
    note = "\n".join(textwrap.wrap(_note(found), int(_NOTE_LETTERS * (_WIDTH + room))))
    with mpl.rc_context({"font.size": 9}):
        (ax,) = new_axes(height, width=_WIDTH + room)
        draw_regret(ax, found, looks)
        plain(ax)
        in_thousands(ax)
        figure = ax.get_figure(root=True)
        assert figure is not None
        add_title_and_note(figure, "Regret over the rounds", note)
        settle(ax)
        ends = zip(found, names, looks, strict=True)
        label_ends(ax, [_end(result, name, look.colour) for result, name, look in ends])
    return ax


def _end(result: "Result", name: str, colour: str) -> End:
    """The end of a line, with the policy's name and its regret."""
    regret = result.regret.mean
    return End(result.stop, regret, f"{name}  {regret:,.0f}".replace("$", r"\$"), colour)


def _note(results: "Sequence[Result]") -> str:
    """What was played: the market, T, repetitions and the seed, and what the bands are."""
    first = results[0]
    agents, arms = len(first.market.agents), first.market.registered
    size = f"{agents} agent{'s' * (agents > 1)}, {arms:,} registered arm{'s' * (arms > 1)}"
    called = f"{first.market.name}: " if first.market.name else ""
    same = all(result.market == first.market for result in results)
    said = f"{called}{size}" if same else "Several markets"
    T, games, seeds = (
        _several(getattr(result, field) for result in results)
        for field in ("horizon", "repetitions", "seed")
    )
    banded = any(result.repetitions > 1 for result in results)
    bands = " Bands: one standard deviation." if banded else ""
    plural = "" if games == "1" else "s"
    return f"{said}; T = {T}, {games} repetition{plural}, seed {seeds}.{bands}".replace("$", r"\$")


def _several(values: Iterable[int]) -> str:
    """Different numbers, in order."""
    return ", ".join(f"{value:,}" for value in sorted(set(values)))


def draw_regret(
    ax: "Axes", results: "Sequence[Result]", looks: Sequence[PrintedLine] | None = None
) -> None:
    """Draw the lines and bands of ``plot_regret``, by default in colours alone."""
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    styles = line_styles([str(result.policy) for result in results])
    looks = looks or [PrintedLine(colour, dash, "") for colour, dash in styles]
    for place, (result, look) in enumerate(zip(results, looks, strict=True)):
        curve = result.curve
        rounds, mean, std = (np.concatenate([[0], a]) for a in (curve.round, curve.mean, curve.std))
        style: dict[str, Any] = {"color": look.colour, "linestyle": look.dash, "linewidth": 1.6}
        if look.marker:
            every = max(1, len(rounds) // 8)
            style |= {"marker": look.marker, "markersize": 4, "markevery": (place % every, every)}
        ax.plot(rounds, mean, label=_label(result), **style)
        draw_band(ax, rounds, mean, std, look.colour)
    ax.set_xlabel("round")
    ax.set_ylabel("regret (reward lost so far)")
    if ax.get_xscale() == "linear":
        ax.set_xlim(0, max(result.stop for result in results))
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
