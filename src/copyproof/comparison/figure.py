"""A comparison drawn: differences with their limits on one market, ranks across several.

Across markets it is the critical-difference plot of Demšar (2006): policies on an axis of average
ranks, and bars that join runs of policies of which no two are told apart; told apart by the
signed-rank test with Holm's correction in the place of a critical difference (``ranks``). Names,
numbers and marks say everything without colours, too.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from copyproof.comparison.ranks import Ranking
from copyproof.comparison.result import Comparison, Difference
from copyproof.comparison.tables import capital, in_order, key_of, words_of
from copyproof.plots import canvas, limits
from copyproof.plots.palette import INK, QUIET, line_styles, names_of
from copyproof.validation import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTH = 6.4
# Pairs on one market that a figure shows; of more, those with the best policy alone.
_MOST_PAIRS = 15
# Inches: of a row of a pair or a policy, and of all that is above and below them.
_ROW, _FRAME = 0.32, 1.1
# In rows: from the axis of ranks to the first bar, from bar to bar, and on to the first name.
_TO_BARS, _BAR, _TO_NAMES = 0.55, 0.42, 0.4
_MARKS = "osD^vP*Xhp<>"


def plot_comparison(comparison: Comparison, *, ax: "Axes | None" = None) -> "Axes":
    """Draw a comparison: differences with limits on one market, average ranks across several.

    On one market a row is a pair of policies, the better mean first, with the limits of the
    difference; a full mark is certain, an empty one is open. Across markets, bars join policies of
    which no two are told apart.

    Parameters
    ----------
    comparison : Comparison
        What ``compare`` found.
    ax : Axes, optional
        Where to draw; a new figure by default, with a title and a note.

    Returns
    -------
    Axes
        What was drawn on.

    Examples
    --------
    >>> from copyproof import compare, paper_market, simulate
    >>> market, size = paper_market("2a"), {"horizon": 500, "repetitions": 50, "seed": 1}
    >>> found = compare([simulate(market, policy, **size) for policy in ("ucb1", "h-ucb")])
    >>> [text.get_text() for text in plot_comparison(found).get_yticklabels()]
    ['H-UCB vs. UCB1']
    """
    require(isinstance(comparison, Comparison), "comparison", comparison, "what compare returns")
    import matplotlib as mpl

    with mpl.rc_context({"font.size": 9, "axes.labelsize": 9}):
        if comparison.ranking is not None:
            return plot_ranking(comparison.ranking, measured=comparison.measured, ax=ax)
        return _draw_differences(comparison, ax)


def plot_ranking(found: Ranking, *, measured: str = "regret", ax: "Axes | None" = None) -> "Axes":
    """Draw average ranks with bars that join policies which are not told apart.

    Parameters
    ----------
    found : Ranking
        What ``ranking`` found.
    measured : str
        What was ranked, for the title.
    ax : Axes, optional
        Where to draw; a new figure by default, with a title and a note.

    Examples
    --------
    >>> from copyproof.comparison import ranking
    >>> found = ranking([[1.0, 2.0], [3.0, 5.0]], ["h-ucb", "ucb1"])
    >>> plot_ranking(found).get_figure().get_suptitle()
    'Regret: average ranks'
    """
    policies, groups = found.policies, found.groups
    top = _TO_BARS + _BAR * len(groups) + _TO_NAMES  # the row of the first names
    rows = top + math.ceil(len(policies) / 2) - 0.5
    if ax is None:
        (ax,) = canvas.new_axes(_FRAME + _ROW * rows, width=_WIDTH)
        note = (
            f"Over {found.markets:,} markets; 1 is the best. Bars join policies that are not told "
            f"apart\n(Wilcoxon's signed-rank test, Holm's correction, "
            f"{100 * (1 - found.alpha):g} %)."
        )
        _add_words(ax, f"{capital(measured)}: average ranks", note)
    last = len(policies)
    room = 0.42 * (last - 1)  # for the names, on either side
    ax.set_xlim(1 - room, last + room)
    ax.set_ylim(rows, -0.9)
    ax.axis("off")
    ax.hlines(0, 1, last, color=INK, linewidth=1.2)
    for rank in range(1, last + 1):
        ax.vlines(rank, -0.14, 0, color=INK, linewidth=1.2)
        ax.text(rank, -0.24, str(rank), ha="center", va="bottom", fontsize=9, color=INK)
    ax.text(1 - 0.05 * last, -0.24, "best", ha="right", va="bottom", fontsize=8, color=QUIET)
    ax.text(last + 0.05 * last, -0.24, "worst", ha="left", va="bottom", fontsize=8, color=QUIET)
    places = dict(zip(policies, found.ranks, strict=True))
    for row, group in enumerate(groups):
        y = _TO_BARS + _BAR * row
        ends = (places[group[0]], places[group[-1]])
        ax.plot(ends, (y, y), color=INK, linewidth=4.5, solid_capstyle="round", zorder=2)
    _draw_names(ax, found, top, room)
    return ax


def _draw_names(ax: "Axes", found: Ranking, top: float, room: float) -> None:
    """A line from each policy's rank to its name: the better half to the left."""
    policies, last = found.policies, len(found.policies)
    half = math.ceil(last / 2)
    labelled = zip(policies, found.ranks, names_of(policies), line_styles(policies), strict=True)
    for place, (_, rank, name, (colour, dash)) in enumerate(labelled):
        left = place < half
        y = top + (place if left else last - 1 - place)
        end = 1 - 0.3 * room if left else last + 0.3 * room
        ax.plot((rank, rank, end), (0, y, y), color=colour, linestyle=dash, linewidth=1.4, zorder=3)
        mark = _MARKS[place % len(_MARKS)]
        ax.plot([rank], [0], mark, color=colour, markersize=6, clip_on=False, zorder=4)
        away, side = (-4, "right") if left else (4, "left")
        text = f"{name}  {rank:.2f}" if left else f"{rank:.2f}  {name}"
        small: dict[str, Any] = {"va": "center", "ha": side, "fontsize": 9}
        canvas.write_beside(ax, text, (end, y), (away, 0), **small)


def _draw_differences(comparison: Comparison, ax: "Axes | None") -> "Axes":
    pairs, left_out = _shown_pairs(comparison)
    if ax is None:
        (ax,) = canvas.new_axes(_FRAME + _ROW * (1 + len(pairs)), width=_WIDTH)
        words = words_of(comparison)
        more = f"\nNot shown: {left_out:,} more pairs, without the best." if left_out else ""
        note = f"{words.notes[0]}\nFull marks are certain, empty ones open.{more}"
        _add_words(ax, capital(words.title), note)
    names = dict(zip(comparison.policies, names_of(comparison.policies), strict=True))
    styles = dict(zip(comparison.policies, line_styles(comparison.policies), strict=True))
    ax.axvline(0, color=QUIET, linewidth=0.9, zorder=1)
    known = [end for one in pairs for end in (one.by.low, one.by.high) if math.isfinite(end)]
    low, high = min([0.0, *known]), max([0.0, *(one.by.mean for one in pairs), *known])
    room = 0.04 * (high - low) or 1.0
    ax.set_xlim(low - room, high + room)
    for row, one in enumerate(pairs):
        colour, sure = styles[one.policy][0], one.verdict == "better"
        ends = [min(max(end, low - room), high + room) for end in (one.by.low, one.by.high)]
        ax.plot(ends, (row, row), "-" if sure else ":", color=colour, linewidth=2, zorder=2)
        face = colour if sure else "white"
        mark: dict[str, Any] = {"markersize": 7, "markeredgewidth": 1.6, "zorder": 3}
        ax.plot([one.by.mean], [row], "o", color=colour, markerfacecolor=face, **mark)
        right: dict[str, Any] = {"transform": ax.get_yaxis_transform(), "va": "center"}
        ax.text(1.02, row, limits(one.by), fontsize=8, color=INK, **right)
    canvas.plain(ax)
    ax.grid(axis="y", visible=False)
    ax.grid(axis="x", color="#e8e8e8", linewidth=0.6)
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    several = len(comparison.played) > 1
    labels = [
        f"{names[one.policy]} vs. {names[one.against]}"
        + (f"\nT = {one.played.horizon:,}, seed {one.played.seed}" if several else "")
        for one in pairs
    ]
    ax.set_yticks(range(len(pairs)), labels)
    ax.set_ylim(len(pairs) - 0.4, -0.6)
    ax.set_xlabel(_by_how_much(comparison))
    return ax


def _shown_pairs(comparison: Comparison) -> tuple[Sequence[Difference], int]:
    """The pairs in the order of the table, or those with the best policy; and how many are not."""
    pairs = in_order(comparison)
    if len(pairs) <= _MOST_PAIRS:
        return pairs, 0
    first: dict[tuple[str, int, int], str] = {}
    for one in pairs:
        first.setdefault(key_of(one.played), one.policy)
    best = [one for one in pairs if one.policy == first[key_of(one.played)]]
    return best, len(pairs) - len(best)


def _by_how_much(comparison: Comparison) -> str:
    words = {"regret": "less regret", "lost": "smaller share of lost games"}
    more = words.get(comparison.measure, f"more {comparison.measured}")
    return f"{more} of the first policy than of the second"


def _add_words(ax: "Axes", title: str, note: str) -> None:
    figure = ax.get_figure(root=True)
    assert figure is not None
    canvas.add_title_and_note(figure, title.replace("$", r"\$"), note.replace("$", r"\$"))
