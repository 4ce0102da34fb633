"""What the figures have in common: their size, their axes, and their bands."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from copyproof.plots.palette import INK, QUIET, colour_of, name_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

Floats: TypeAlias = NDArray[np.float64]
Point: TypeAlias = tuple[float, float]

# Inches: with text of 8 to 9 points legible from 3.4 inches on.
_WIDTH = 5.2
_DPI = 200
_MOST_TICKS = 8
# Points of one letter of a tick's name, and of the gap on either side of it.
_LETTER_WIDTH, _TICK_GAP = 5.8, 1.5


def new_axes(
    height: float, rows: int = 1, columns: int = 1, *, width: float = _WIDTH, share: bool = False
) -> "tuple[Axes, ...]":
    """Axes on a new figure, row by row; the sizes of the figure are in inches.

    Examples
    --------
    >>> upper, lower = new_axes(3.0, rows=2)
    >>> upper.figure.get_size_inches().tolist()
    [5.2, 3.0]
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=_DPI, layout="constrained")
    return tuple(figure.subplots(rows, columns, squeeze=False, sharex=share).flat)


def plain(ax: "Axes") -> None:
    """Leave no more of the frame than is needed, and light lines across."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="y", color="#dddddd", linewidth=0.6)
    ax.set_axisbelow(True)


def in_thousands(ax: "Axes") -> None:
    """Write 20,000 instead of 20000 on the vertical axis."""
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    ax.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
    ax.yaxis.set_major_formatter(StrMethodFormatter("{x:,.10g}"))


def fix_ticks(axis: "Axis", places: Sequence[float], names: Sequence[str]) -> None:
    """Name these places of an axis, and no others."""
    from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

    axis.set_major_locator(FixedLocator(places))
    axis.set_major_formatter(FixedFormatter(names))
    axis.set_minor_locator(NullLocator())


def name_counts(ax: "Axes", counts: Sequence[int]) -> None:
    """Name all counts on a logarithmic axis, or only the powers of ten where they are many."""
    if len(counts) > _MOST_TICKS:
        counts = [10**k for k in range(20) if counts[0] <= 10**k <= counts[-1]]
    fix_ticks(ax.xaxis, counts, [_compact(count) for count in counts])


def settle(ax: "Axes") -> None:
    """Lay a new figure out, so that sizes and places of its axes are what they will be."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()


def thin_ticks(ax: "Axes") -> None:
    """Take names of the horizontal axis away that would touch; powers of ten stay first.

    The figure must be laid out before (``settle``).
    """
    axis, points = ax.xaxis, 72 / ax.figure.dpi
    places = [float(place) for place in axis.get_majorticklocs()]
    names = [label.get_text() for label in axis.get_majorticklabels()]
    at = [points * float(ax.transData.transform((place, 0))[0]) for place in places]
    room = [_LETTER_WIDTH * len(name) / 2 + _TICK_GAP for name in names]
    kept: list[int] = []
    for tick in sorted(range(len(places)), key=lambda k: (not _is_power(places[k]), -places[k])):
        if all(abs(at[tick] - at[other]) >= room[tick] + room[other] for other in kept):
            kept.append(tick)
    fix_ticks(axis, places, [name if k in kept else "" for k, name in enumerate(names)])


def _is_power(place: float) -> bool:
    """Whether a number is 1, 10, 100 and so on."""
    return place > 0 and math.log10(place).is_integer()


def _compact(count: int) -> str:
    for size, letter in ((1_000_000, "M"), (1000, "k")):
        if count >= size and count % size == 0:
            return f"{count // size}{letter}"
    return str(count)


def signed_log(ax: "Axes", low: float, high: float, linear: float, *, percent: bool) -> None:
    """A vertical axis for numbers of either sign: linear up to ±linear, logarithmic beyond."""
    start = 10.0 ** math.floor(math.log10(linear) + 1e-9)
    decades = [start * 10**k for k in range(20) if start * 10**k <= max(-low, high)]
    ticks = [-d for d in reversed(decades) if -d >= low] + [0.0] + [d for d in decades if d <= high]
    ax.set_yscale("symlog", linthresh=linear, linscale=0.7)
    fix_ticks(ax.yaxis, ticks, [_signed(tick, percent) for tick in ticks])
    below, above = (0.8 * linear if abs(end) <= linear else abs(end) for end in (low, high))
    ax.set_ylim(low - below, high + above)


def signed_linear(ax: "Axes", low: float, high: float, room: float, *, percent: bool) -> None:
    """A linear vertical axis for numbers of either sign, with some room on either side."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    ax.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda y, _: _signed(y, percent)))
    room = max(0.15 * (high - low), room)
    ax.set_ylim(low - room, high + room)


def _signed(value: float, percent: bool) -> str:
    number = 100 * value if percent else value
    text = "0" if abs(number) < 1e-12 else f"{number:+,.6g}".replace("-", "−")
    return f"{text} %" if percent else text


def legend_above(ax: "Axes", columns: int, *, up: float = 1.0, **options: Any) -> None:
    """Put the legend where no data can be, in so many columns."""
    place: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (-0.02, up), "ncols": columns}
    ax.legend(frameon=False, fontsize=8, **place, **options)


def write_beside(ax: "Axes", text: str, at: Point, offset: Point, **options: Any) -> None:
    """Write a small text some points away from a place in the data."""
    small: dict[str, Any] = {"fontsize": 7, "color": INK} | options
    ax.annotate(text, at, xytext=offset, textcoords="offset points", **small)


def write_in_corner(ax: "Axes", text: str, x: float, y: float, **options: Any) -> None:
    """Write a note inside the axes, at a place in shares of their width and height."""
    ax.text(x, y, text, transform=ax.transAxes, fontsize=7, color=QUIET, **options)


def add_title_and_note(figure: "Figure", title: str, note: str) -> None:
    """Write a title above a whole figure, and the small print below it."""
    figure.suptitle(title, x=0.01, ha="left", fontsize=10, fontweight="bold", color=INK)
    figure.supxlabel(note, x=0.01, ha="left", fontsize=7, color=QUIET)


def draw_curve(
    ax: "Axes", policy: str, x: NDArray[Any], mean: Floats, std: Floats, *, least: float = 0.0
) -> None:
    """Draw a line with dots in a policy's colour, and its band."""
    style: dict[str, Any] = {"linewidth": 1.6, "markersize": 3.5, "clip_on": False, "zorder": 3}
    colour = colour_of(policy)
    ax.plot(x, mean, "o-", color=colour, label=name_of(policy), **style)
    draw_band(ax, x, mean, std, colour, least=least)


def draw_band(
    ax: "Axes", x: NDArray[Any], mean: Floats, std: Floats, colour: str, *, least: float = 0.0
) -> None:
    """Draw a band of one standard deviation around a line, nowhere below ``least``.

    One repetition has no deviation, and gets no band.
    """
    if np.isfinite(std).all():
        low = np.maximum(mean - std, least)
        ax.fill_between(x, low, mean + std, color=colour, alpha=0.18, linewidth=0)
