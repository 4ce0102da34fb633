"""What the study's figures have in common: their size, their axes, and their bands."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_band", "in_thousands", "new_axes", "plain"]

_WIDTH = 5.2
"""Inches: with text of 8 to 9 points legible from 3.4 inches on."""
_DPI = 200


def new_axes(height: float, rows: int = 1, *, share: bool = False) -> "tuple[Axes, ...]":
    """Axes below each other on a new figure, as high in all as is said, in inches.

    Examples
    --------
    >>> len(new_axes(3.0, rows=2))
    2
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDTH, height), dpi=_DPI, layout="constrained")
    return tuple(figure.subplots(rows, 1, squeeze=False, sharex=share)[:, 0])


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


def draw_band(
    ax: "Axes",
    x: NDArray[Any],
    mean: NDArray[np.float64],
    std: NDArray[np.float64],
    colour: str,
    *,
    least: float = 0.0,
) -> None:
    """Draw a band of one standard deviation around a line, nowhere below ``least``.

    One repetition has no deviation, and gets no band.
    """
    if np.isfinite(std).all():
        low = np.maximum(mean - std, least)
        ax.fill_between(x, low, mean + std, color=colour, alpha=0.18, linewidth=0)
