"""How a policy is called and coloured in the figures, and labels at the ends of lines."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from copyproof.report.figures import _DASHES, _MORE_COLOURS, COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["INK", "QUIET", "End", "colour_of", "label_ends", "looks_of", "name_of", "names_of"]

INK = "#222222"
QUIET = "#666666"
"""Of notes, grids and whatever is no policy."""

_NAMES = {
    "ucb1": "UCB1",
    "s-ucb": "S-UCB",
    "fair": "Fair",
    "h-ucb": "H-UCB",
    "rh-ucb": "RH-UCB",
    "rh-ucb-all": "RH-UCB, all arms",
    "prh-ucb": "PRH-UCB",
    "grace": "Grace",
}
_MORE = {"rh-ucb-all": "#56B4E9"}  # sky blue, as plot_regret gives to the first other policy
_LONGEST = 26
"""Letters of a name."""
_TEXT = 8.0
"""Points."""
_LINE = 1.3
"""Of the size of the text."""


def name_of(policy: str) -> str:
    """The name of a policy as papers print it.

    Examples
    --------
    >>> len(name_of("rh-ucb(L=3)"))
    6
    """
    short = policy.partition("(")[0]
    return _NAMES.get(short, policy)


def colour_of(policy: str) -> str:
    """The colour of one of the study's policies, whatever its parameters.

    Examples
    --------
    >>> len({colour_of(name) for name in ("ucb1", "fair(ucb1)", "rh-ucb-all", "rh-ucb(L=3)")})
    4
    """
    short = policy.partition("(")[0]
    return (COLOURS | _MORE)[short]


def names_of(policies: Sequence[str]) -> list[str]:
    """Names that tell any policies apart: short ones, or the text where two have the same.

    Examples
    --------
    >>> len("".join(names_of(["h-ucb", "rh-ucb(L=1)", "rh-ucb(L=3)"])))
    27
    """
    short = [name_of(policy) for policy in policies]
    names = [n if short.count(n) == 1 else p for n, p in zip(short, policies, strict=True)]
    return [n if len(n) <= _LONGEST else f"{n[: _LONGEST - 1]}…" for n in names]


def looks_of(policies: Sequence[str]) -> list[tuple[str, str]]:
    """A colour and a dash for each of any policies; those of the study have their own.

    Examples
    --------
    >>> looks = looks_of(["ucb1", "river:UCB(delta=1)", "h-thompson", "h-ucb"])
    >>> len({colour for colour, _ in looks})
    4
    """
    own = COLOURS | _MORE
    taken: set[str] = set()
    found: list[tuple[str, str] | None] = []
    for policy in policies:
        colour = own.get(policy.partition("(")[0])
        found.append((colour, _DASHES[0]) if colour and colour not in taken else None)
        taken.add(colour or "")
    free = [(colour, _DASHES[0]) for colour in _MORE_COLOURS if colour not in taken]
    free += [(c, dash) for dash in _DASHES[1:] for c in (*_MORE_COLOURS, *COLOURS.values())]
    rest = itertools.cycle(free)
    return [look or next(rest) for look in found]


@dataclass(frozen=True, slots=True)
class End:
    """The end of a line, and what is to be written beside it."""

    x: float
    y: float
    text: str
    colour: str


def label_ends(ax: "Axes", ends: Sequence[End]) -> None:
    """Write a text to the right of the axes for every line, with a stroke from the line's end.

    Texts that would overlap are moved apart, in the order of the ends, and none is moved below the
    axes; limits and scales of the axes must be settled before.
    """
    if not ends:
        return
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
            xycoords="data",
            xytext=(1.05, place),
            textcoords="axes fraction",
            fontsize=_TEXT,
            color=INK,
            va="center",
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": end.colour,
                "linewidth": 1.2,
                "shrinkA": 1.0,
                "shrinkB": 0.0,
                "relpos": (0.0, 0.5),
            },
        )


def spread(places: Sequence[float], least: float) -> list[float]:
    """Move ascending places apart, as little as needed for gaps of ``least``.

    Neighbours that are too close form a group that is centred where its members wanted to be;
    groups that meet are joined.

    Examples
    --------
    >>> spread([0.0, 0.0, 5.0], 1.0)[1]
    0.5
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
