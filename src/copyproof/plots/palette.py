"""How policies are called and coloured in every figure.

A policy has one colour in every figure, from the palettes of Okabe and Ito (2008) and of Tol
(2021), which people with any kind of colour vision can tell apart.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

INK = "#222222"
# Of notes, grids and whatever is no policy.
QUIET = "#666666"

# Other policies, in the order in which they come: sky blue, grey, and indigo and olive of Tol's
# muted palette. After these, all colours come again with another dash.
MORE_COLOURS = ("#56B4E9", "#7F7F7F", "#332288", "#999933")
# The policies of the study: how papers print their names, and their colours.
_OWN = {
    "ucb1": ("UCB1", "#D55E00"),  # vermillion
    "s-ucb": ("S-UCB", "#E69F00"),  # orange
    "fair": ("Fair", "#000000"),
    "h-ucb": ("H-UCB", "#0072B2"),  # blue
    "rh-ucb": ("RH-UCB", "#009E73"),  # bluish green
    "prh-ucb": ("PRH-UCB", "#CC79A7"),  # reddish purple
    "trial": ("Trial", "#882255"),  # wine, of Tol's muted palette
    "rh-ucb-all": ("RH-UCB, all arms", MORE_COLOURS[0]),
}
# The six policies of the paper, and the default one.
COLOURS = {policy: colour for policy, (_, colour) in _OWN.items() if policy != "rh-ucb-all"}
_DASHES = ("-", "--", ":", "-.")
# What lines look like in grey print: strokes and gaps, in widths of the line; then markers, too.
Dash: TypeAlias = str | tuple[int, tuple[float, ...]]
_STROKES: tuple[Dash, ...] = (
    "-",
    (0, (5, 1.6)),
    (0, (1.2, 1.2)),
    (0, (6, 1.5, 1.2, 1.5)),
    (0, (10, 2.5)),
    (0, (4, 1.3, 1.2, 1.3, 1.2, 1.3)),
)
_MARKERS = ("", "o", "s", "^", "D", "v", "X", "P")

# Letters of a name.
_LONGEST = 26


def name_of(policy: str) -> str:
    """The name of a policy as papers print it.

    Examples
    --------
    >>> name_of("rh-ucb(L=3)")
    'RH-UCB'
    """
    return _OWN.get(policy.partition("(")[0], (policy,))[0]


def colour_of(policy: str) -> str:
    """The colour of one of the study's policies, whatever its parameters.

    Examples
    --------
    >>> colour_of("rh-ucb(L=3)") == colour_of("rh-ucb") == COLOURS["rh-ucb"]
    True
    """
    return _OWN[policy.partition("(")[0]][1]


def names_of(policies: Sequence[str]) -> list[str]:
    """Names that tell any policies apart: short ones, or the text where two have the same.

    Examples
    --------
    >>> names_of(["h-ucb", "rh-ucb(L=1)", "rh-ucb(L=3)"])
    ['H-UCB', 'rh-ucb(L=1)', 'rh-ucb(L=3)']
    """
    short = [name_of(policy) for policy in policies]
    names = [n if short.count(n) == 1 else p for n, p in zip(short, policies, strict=True)]
    cut = [n if len(n) <= _LONGEST else f"{n[: _LONGEST - 1]}…" for n in names]
    # Names that begin alike differ in what follows: of these both ends are kept.
    half = _LONGEST // 2
    return [
        c if c == n or cut.count(c) == 1 else f"{n[:half]}…{n[half + 1 - _LONGEST :]}"
        for c, n in zip(cut, names, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class PrintedLine:
    """A line that can be told from others in colour, and from most in grey print."""

    colour: str
    dash: Dash
    marker: str


def printed_lines(policies: Sequence[str]) -> list[PrintedLine]:
    """A look for each of any policies: the colours of ``line_styles``, with strokes and markers.

    No two of the first 48 have the same strokes and the same marker.

    Examples
    --------
    >>> [line.dash for line in printed_lines(["ucb1", "h-ucb"])]
    ['-', (0, (5, 1.6))]
    """
    colours = [colour for colour, _ in line_styles(policies)]
    return [
        PrintedLine(
            colour,
            _STROKES[place % len(_STROKES)],
            _MARKERS[place // len(_STROKES) % len(_MARKERS)],
        )
        for place, colour in enumerate(colours)
    ]


def line_styles(policies: Sequence[str]) -> list[tuple[str, str]]:
    """A colour and a dash for each of any policies; those of the study have their own.

    Examples
    --------
    >>> line_styles(["ucb1", "h-thompson", "ucb1"])
    [('#D55E00', '-'), ('#56B4E9', '-'), ('#7F7F7F', '-')]
    """
    taken: set[str] = set()
    found: list[tuple[str, str] | None] = []
    for policy in policies:
        colour = _OWN.get(policy.partition("(")[0], ("", ""))[1]
        found.append((colour, _DASHES[0]) if colour and colour not in taken else None)
        taken.add(colour)
    free = [(colour, _DASHES[0]) for colour in MORE_COLOURS if colour not in taken]
    free += [(c, dash) for dash in _DASHES[1:] for c in (*MORE_COLOURS, *COLOURS.values())]
    rest = itertools.cycle(free)
    return [style or next(rest) for style in found]
