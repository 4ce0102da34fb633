"""Labels at the ends of lines, in the place of a legend."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from copyproof.plots.palette import INK, colour_of, name_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Points.
_TEXT = 8.0
# Of the size of the text.
_LINE = 1.3
_STROKE: dict[str, Any] = {"arrowstyle": "-", "linewidth": 1.2, "shrinkA": 1.0, "shrinkB": 0.0}
_BESIDE: dict[str, Any] = {"fontsize": _TEXT, "color": INK, "va": "center"}


@dataclass(frozen=True, slots=True)
class End:
    """The end of a line, and what is to be written beside it."""

    x: float
    y: float
    text: str
    colour: str

    @classmethod
    def of(cls, policy: str, x: float, y: float, told: str | None = None) -> "End":
        """The end of a policy's line, with its name and, if nothing else is told, its height."""
        text = f"{name_of(policy)}  {f'{y:,.0f}' if told is None else told}"
        return cls(float(x), float(y), text, colour_of(policy))


def label_ends(ax: "Axes", ends: Sequence[End]) -> None:
    """Write a text to the right of the axes for every line, with a stroke from the line's end.

    Texts that would overlap are moved apart, in the order of the ends, and none is moved below the
    axes; limits and scales of the axes must be settled before.
    """
    figure = ax.get_figure(root=True)
    assert figure is not None
    height = 72 * figure.get_figheight() * ax.get_position().height
    ax.get_xlim(), ax.get_ylim()  # settles limits that are still automatic
    places = ax.transAxes.inverted()
    ordered = sorted(ends, key=lambda end: end.y)
    at = [float(places.transform(ax.transData.transform((end.x, end.y)))[1]) for end in ordered]
    least, lowest = _TEXT * _LINE / height, 0.0
    for end, wanted in zip(ordered, spread(at, least), strict=True):
        place = max(wanted, lowest)
        lowest = place + least
        ax.annotate(
            end.text,
            xy=(end.x, end.y),
            xytext=(1.05, place),
            textcoords="axes fraction",
            annotation_clip=False,
            arrowprops=_STROKE | {"color": end.colour, "relpos": (0.0, 0.5)},
            **_BESIDE,
        )


def spread(places: Sequence[float], least: float) -> list[float]:
    """Move ascending places apart, as little as needed for gaps of ``least``.

    Neighbours that are too close form a group that is centred where its members wanted to be;
    groups that meet are joined.

    Examples
    --------
    >>> spread([0.0, 0.0, 5.0], 1.0)
    [-0.5, 0.5, 5.0]
    """
    groups: list[list[float]] = []
    for place in places:
        groups.append([place])
        while len(groups) > 1 and _low(groups[-1], least) < _high(groups[-2], least) + least:
            last = groups.pop()
            groups[-1] += last
    return [_low(group, least) + least * step for group in groups for step in range(len(group))]


def _low(group: list[float], least: float) -> float:
    return sum(group) / len(group) - least * (len(group) - 1) / 2


def _high(group: list[float], least: float) -> float:
    return _low(group, least) + least * (len(group) - 1)
