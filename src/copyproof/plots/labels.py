"""Labels at the ends of lines or beside dots, in the place of a legend."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from copyproof.plots.palette import INK, colour_of, name_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Points.
_TEXT = 8.0
# Of the size of the text.
_LINE = 1.3
_STROKE: dict[str, Any] = {"arrowstyle": "-", "linewidth": 1.2, "shrinkA": 1.0, "shrinkB": 0.0}
# From a dot to its label; further ones have a stroke.
_DISTANCES = (3.0, 8.0, 14.0, 22.0, 32.0, 44.0, 58.0)
_STROKE_FROM = 8.0
_DIRECTIONS = ((1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
# Left, bottom, right, top.
Box: TypeAlias = tuple[float, float, float, float]
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


@dataclass(frozen=True, slots=True)
class PointLabel:
    """What is to be written beside a dot of a radius in points; a text may have several lines."""

    x: float
    y: float
    text: str
    colour: str = INK
    bold: bool = False
    radius: float = 4.0


def label_points(
    ax: "Axes", labels: Sequence[PointLabel], line: Sequence[tuple[float, float]] = ()
) -> None:
    """Write a text near every dot, where it covers no dot, no other text and not the given line.

    The first labels have the first choice of their places; where none is free, a text may cover
    something. Limits, scales and the place of the axes must be settled before.
    """
    figure = ax.get_figure(root=True)
    assert figure is not None
    points = 72 / figure.dpi
    dots = [_in_points(ax, points, (label.x, label.y)) for label in labels]
    around = [_around(dot, label.radius) for dot, label in zip(dots, labels, strict=True)]
    taken = [_around(_in_points(ax, points, place), 1.0) for place in line]
    left, bottom, right, top = (points * float(end) for end in ax.get_window_extent().extents)
    for place, (label, dot) in enumerate(zip(labels, dots, strict=True)):
        size, others = _size_of(label), [*taken, *around[:place], *around[place + 1 :]]
        for far, direction in itertools.product(_DISTANCES, _DIRECTIONS):
            box = _beside(dot, label.radius + far, direction, size)
            inside = left < box[0] and box[2] < right and bottom < box[1] and box[3] < top
            if inside and not any(_overlap(box, other) for other in others):
                break
        taken.append(box)
        _write(ax, label, ((box[0] + box[2]) / 2 - dot[0], (box[1] + box[3]) / 2 - dot[1]), far)


def _write(ax: "Axes", label: PointLabel, offset: tuple[float, float], far: float) -> None:
    """Write a label so many points away from its dot."""
    stroke = _STROKE | {"color": label.colour, "relpos": (0.5, 0.5), "linewidth": 0.6}
    ax.annotate(
        label.text,
        xy=(label.x, label.y),
        xytext=offset,
        textcoords="offset points",
        ha="center",
        va="center",
        fontsize=_TEXT,
        fontweight="bold" if label.bold else "normal",
        linespacing=1.1,
        color=label.colour,
        arrowprops=stroke if far > _STROKE_FROM else None,
    )


def _in_points(ax: "Axes", points: float, place: tuple[float, float]) -> tuple[float, float]:
    """A place in the data, in points from the corner of the figure."""
    x, y = ax.transData.transform(place)
    return points * float(x), points * float(y)


def _size_of(label: PointLabel) -> tuple[float, float]:
    """Width and height of a text, in points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    lines = label.text.split("\n")
    font = FontProperties(weight="bold" if label.bold else "normal")
    widths = [TextPath((0, 0), line, size=_TEXT, prop=font).get_extents().width for line in lines]
    return max(widths) + 2.0, _TEXT * (1.15 * len(lines)) + 1.0


def _around(dot: tuple[float, float], half: float) -> Box:
    return dot[0] - half, dot[1] - half, dot[0] + half, dot[1] + half


def _beside(
    dot: tuple[float, float], far: float, direction: tuple[int, int], size: tuple[float, float]
) -> Box:
    """Where a text lies that is so far from a dot, in one of eight directions."""
    across, up = direction
    reach = 0.7 * far if across and up else far
    x = dot[0] + across * (reach + size[0] / 2)
    y = dot[1] + up * (reach + size[1] / 2)
    return x - size[0] / 2, y - size[1] / 2, x + size[0] / 2, y + size[1] / 2


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


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
