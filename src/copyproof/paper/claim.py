"""What a claim is: a function that judges it, and whose docstring is its text.

Words that the paper leaves open ("almost linear", "far smaller") are given a number, which the
claim's text repeats. A claim that holds only in part, or whose words can be read in two ways, is
split, and every part is judged. Nothing is tuned to pass.

A verdict is True if the 95 % interval lies wholly where the claim says, False if it lies wholly
elsewhere, and None, *undecided*, otherwise.

The paper's claims are in ``judges``, ours in ``beyond``. Both are judged by the same intervals.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from copyproof.paper.study import StudyResults
from copyproof.simulation import Interval

# Whether a claim holds; None if the study does not decide it.
Verdict: TypeAlias = bool | None
# A verdict, and the evidence.
Judged: TypeAlias = tuple[Verdict, str]
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


def above(interval: Interval, value: float) -> Verdict:
    """Whether a quantity is above a value, by its interval.

    Examples
    --------
    >>> [above(Interval(2, low, high), 1) for low, high in [(1.5, 2.5), (0.5, 3.5)]]
    [True, None]
    >>> above(Interval(0, 0, 0), 0)
    False
    """
    return True if interval.low > value else False if interval.high <= value else None


def below(interval: Interval, value: float) -> Verdict:
    """Whether a quantity is below a value, by its interval.

    Examples
    --------
    >>> below(Interval(2, 1.5, 2.5), 3), below(Interval(2, 1.5, 2.5), 2)
    (True, None)
    """
    return True if interval.high < value else False if interval.low >= value else None


def every(verdicts: Iterable[Verdict]) -> Verdict:
    """Whether all parts of a claim hold: False if one fails, else None if one is undecided.

    Examples
    --------
    >>> every([True, None]), every([True, None, False]), every([True, True])
    (None, False, True)
    """
    parts = list(verdicts)
    return False if False in parts else None if None in parts else True


def some(verdicts: Iterable[Verdict]) -> Verdict:
    """Whether a part of a claim holds: True if one does, else None if one is undecided.

    Examples
    --------
    >>> some([False, None]), some([False, None, True]), some([False, False])
    (None, True, False)
    """
    parts = list(verdicts)
    return True if True in parts else None if None in parts else False


def all_hold(parts: Iterable[Judged]) -> Judged:
    """The verdict on a claim of several parts, with the evidence of each.

    Examples
    --------
    >>> all_hold([(True, "fig2a: b = 0.4"), (False, "fig2c: b = 1.1")])
    (False, 'fig2a: b = 0.4; fig2c: b = 1.1')
    """
    verdicts, evidence = zip(*parts, strict=True)
    return every(verdicts), "; ".join(evidence)
