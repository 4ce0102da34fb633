"""Figures 1a and 1b: what copies buy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from copyproof.paper import Figure as Runs
from copyproof.report.canvas import draw_band, in_thousands, new_axes, plain
from copyproof.report.looks import End, colour_of, label_ends, name_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["copier", "copies_lines", "plot_copies"]

_GAP = 0.3
"""A gap between lines that takes more than this share of the axis is cut out."""


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """The copying agent's revenue under one policy, by its number of copies."""

    copies: NDArray[np.int64]
    mean: NDArray[np.float64]
    std: NDArray[np.float64]

    @property
    def low(self) -> float:
        """The lowest point of the band."""
        return float((self.mean - np.nan_to_num(self.std)).min())

    @property
    def high(self) -> float:
        """The highest point of the band."""
        return float((self.mean + np.nan_to_num(self.std)).max())


def copier(results: Runs) -> int:
    """The place of the agent that has as many arms as the results' keys say."""
    key = max(results, key=lambda one: int(one[0]))
    agents = results[key].market.agents
    return next(place for place, one in enumerate(agents) if one.registered == int(key[0]))


def copies_lines(results: Runs) -> dict[str, Line]:
    """The lines of figure 1a or 1b, by policy."""
    place = copier(results)
    lines = {}
    for policy in dict.fromkeys(str(key[1]) for key in results):
        copies = sorted(int(key[0]) for key in results if key[1] == policy)
        revenue = [results[c, policy].agents[place].revenue for c in copies]
        mean, std = (np.array([getattr(one, part) for one in revenue]) for part in ("mean", "std"))
        lines[policy] = Line(np.array(copies), mean, std)
    return lines


def plot_copies(
    results: Runs, *, axes: "Axes | Sequence[Axes] | None" = None
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
    >>> len(lowest.lines[0].get_xdata())
    6
    """
    lines = copies_lines(results)
    low, high = _widest_gap(lines)
    if axes is None:
        whole = max(line.high for line in lines.values())
        axes = new_axes(4.4, 2, share=True) if high - low > _GAP * whole else new_axes(3.6)
    panels = tuple(axes) if isinstance(axes, Sequence) else (axes,)
    groups = [lines]
    if len(panels) == 2:
        middle = (low + high) / 2
        groups = [
            {policy: line for policy, line in lines.items() if line.mean[0] > middle},
            {policy: line for policy, line in lines.items() if line.mean[0] <= middle},
        ]
    for ax, group in zip(panels, groups, strict=True):
        _draw(ax, group, from_zero=ax is panels[-1])
    who = next(iter(results.values())).market.agents[copier(results)].name
    panels[0].set_ylabel(f"revenue of the {who}\n(sum of rewards)", y=0.0 if panels[1:] else 0.5)
    panels[-1].set_xlabel(f"arms that the {who} registers")
    if len(panels) == 2:
        _break(*panels)
    return panels


def _draw(ax: "Axes", lines: Mapping[str, Line], *, from_zero: bool) -> None:
    for policy, line in lines.items():
        colour = colour_of(policy)
        ax.plot(
            line.copies,
            line.mean,
            "o-",
            color=colour,
            linewidth=1.6,
            markersize=3.5,
            clip_on=False,
            zorder=3,
            label=name_of(policy),
        )
        draw_band(ax, line.copies, line.mean, line.std, colour)
    copies = next(iter(lines.values())).copies
    ax.set_xlim(0, int(copies[-1]))
    ax.set_xticks(copies.tolist())
    ax.margins(y=0.08)
    if from_zero:
        ax.set_ylim(0, 1.12 * max(line.high for line in lines.values()))
    plain(ax)
    in_thousands(ax)
    label_ends(ax, [_end(policy, line) for policy, line in lines.items()])


def _end(policy: str, line: Line) -> End:
    y = float(line.mean[-1])
    return End(float(line.copies[-1]), y, f"{name_of(policy)}  {y:,.0f}", colour_of(policy))


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
    mark: dict[str, Any] = {
        "marker": [(-1, -0.6), (1, 0.6)],
        "markersize": 9,
        "linestyle": "none",
        "color": "black",
        "clip_on": False,
    }
    upper.plot([0], [0], transform=upper.transAxes, **mark)
    lower.plot([0], [1], transform=lower.transAxes, **mark)
