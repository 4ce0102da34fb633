"""What a claim is: a function that judges it, and whose docstring is its text.

Words that the paper leaves open ("almost linear", "far smaller") are given a number, which the
claim's text repeats. A claim that holds only in part, or whose words can be read in two ways, is
split, and every part is judged. Nothing is tuned to pass.

The paper's claims stand in ``judges``; those of ours, about the default, a policy that the paper
does not know, in ``beyond``. They are marked as such, and judged by the same intervals.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from copyproof.paper.study import StudyResults

# Whether a claim holds, and the evidence.
Judged: TypeAlias = tuple[bool, str]
Judge: TypeAlias = Callable[[StudyResults], Judged]

# A regret that grows like T^0.9 or faster over the last half of a game is called almost linear.
ALMOST_LINEAR = 0.9
# A revenue that moves by less than this share of itself is called level.
LEVEL = 0.001
# A rise that strays from its chord by less than this share of itself is almost a line.
STRAIGHT = 0.1


@dataclass(frozen=True, slots=True)
class PaperClaim:
    """A statement of the paper, or beyond it one of ours, and the figures that judge it."""

    name: str
    text: str
    figures: tuple[str, ...]
    judge: Judge
    beyond: bool


def claim(name: str, *figures: str, beyond: bool = False) -> Callable[[Judge], PaperClaim]:
    """Make a claim of the function that judges it, with its docstring as the text.

    Parameters
    ----------
    name : str
        The number of the claim.
    *figures : str
        The figures that are needed to judge it.
    beyond : bool
        Whether it is beyond the paper: ours.
    """

    def made(judge: Judge) -> PaperClaim:
        text = " ".join((judge.__doc__ or "").split())
        numbers = {"level": f"{100 * LEVEL:.1f} %", "straight": f"{100 * STRAIGHT:.0f} %"}
        told = text.format(**numbers, almost_linear=ALMOST_LINEAR)
        return PaperClaim(name, told, figures, judge, beyond)

    return made


def all_hold(parts: Iterable[Judged]) -> Judged:
    """The verdict on a claim of several parts, with the evidence of each.

    Examples
    --------
    >>> all_hold([(True, "fig2a: b = 0.4"), (False, "fig2c: b = 1.1")])
    (False, 'fig2a: b = 0.4; fig2c: b = 1.1')
    """
    verdicts, evidence = zip(*parts, strict=True)
    return all(verdicts), "; ".join(evidence)
