"""Arms whose means change during the game, with its round t and with nothing else.

Such an arm is Bernoulli: it pays 1 with probability μ_t(a) in round t, else 0. The mean is a
function of the round of the *game*, the same for all copies of the arm, whoever is played; it is
not a function of how often the arm was played (an arm that wears out would be).

==============================  ================================================================
arm                             its mean μ_t(a) in round t
==============================  ================================================================
``Piecewise([(1, μ), …])``      that of the last pair (round, mean) whose round is at most t
``Drift(start, end, T1, T2)``   ``start`` up to round T1, ``end`` from round T2 on, and between
                                them on the straight line
==============================  ================================================================

The regret is then dynamic: Σ_t (μ*_t − μ_t(A_t)), where μ*_t is the best mean of round t, over all
originals. No policy can bring it below a rate that depends on how often the best arm changes, and
rules that never forget (most of the catalogue) do not even try.

An agent with such an arm beside others has no best arm: which one is the best depends on the round.
So ``best_mean``, ``best_arm`` and what is computed from them are refused; theorems about agents who
know their best arm say nothing about it. The pathwise theorem needs, too, that a play that comes
earlier pays no less, which is not so here.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, TypeAlias, get_args

from copyproof.game._fields import set_fields, set_number
from copyproof.validation import FieldError, items, number, require, whole_in

_LAST = 2**47


@dataclass(frozen=True, slots=True, init=False)
class Piecewise:
    """A Bernoulli arm whose mean is constant but for some rounds, at which it jumps.

    Parameters
    ----------
    means : iterable of (int, float)
        Pairs (from round, mean): the first from round 1, and each later than the one before; means
        in [0, 1].

    Examples
    --------
    >>> arm = Piecewise([(1, 0.9), (5000, 0.1)])
    >>> arm.mean_at(4999), arm.mean_at(5000)
    (0.9, 0.1)
    """

    support: ClassVar[tuple[float, float]] = (0.0, 1.0)
    means: tuple[tuple[int, float], ...]

    def __init__(self, means: Iterable[tuple[int, float]]) -> None:
        said = "pairs of a round and a mean"
        found: list[tuple[int, float]] = []
        for k, given in enumerate(items("means", means, said)):
            field = f"means[{k}]"
            pair = items(field, given, "a round and a mean")
            require(len(pair) == 2, field, list(pair), "two numbers, a round and a mean")
            begin, mean = whole_in(f"{field}[0]", pair[0], 1, _LAST), number(f"{field}[1]", pair[1])
            require(0 <= mean <= 1, f"{field}[1]", mean, "in [0, 1]")
            if k == 0:
                require(begin == 1, f"{field}[0]", begin, "1: the first mean is that of round 1")
            else:
                before = found[-1][0]
                require(begin > before, f"{field}[0]", begin, f"later than round {before}")
            found.append((begin, mean))
        if not found:
            raise FieldError("means", (), "at least one", "is empty: at least one is needed")
        set_fields(self, means=tuple(found))

    @property
    def mean(self) -> float:
        """Refused: there is none (``FieldError``)."""
        raise _no_mean(self)

    @property
    def knots(self) -> tuple[tuple[int, float, float], ...]:
        """From which round on the mean is which line: (round, mean, slope)."""
        return tuple((begin, mean, 0.0) for begin, mean in self.means)

    @property
    def reach(self) -> tuple[float, float]:
        """The least and the largest mean."""
        means = [mean for _, mean in self.means]
        return min(means), max(means)

    def mean_at(self, t: int) -> float:
        """The mean μ_t in round t."""
        return _mean_at(self.knots, t)


@dataclass(frozen=True, slots=True)
class Drift:
    """A Bernoulli arm whose mean moves along a straight line, from one round to another.

    Parameters
    ----------
    start, end : float
        The mean up to round ``first`` and from round ``last`` on, in [0, 1].
    first, last : int
        Rounds, 1 <= first < last.

    Examples
    --------
    >>> arm = Drift(start=0.2, end=0.8, first=1000, last=3000)
    >>> arm.mean_at(1), arm.mean_at(2000), arm.mean_at(9000)
    (0.2, 0.5, 0.8)
    """

    support: ClassVar[tuple[float, float]] = (0.0, 1.0)
    start: float
    end: float
    first: int
    last: int

    def __post_init__(self) -> None:
        for field in ("start", "end"):
            set_number(self, field, lambda mean: 0 <= mean <= 1, "in [0, 1]")
        for field in ("first", "last"):
            set_fields(self, **{field: whole_in(field, getattr(self, field), 1, _LAST)})
        require(self.last > self.first, "last", self.last, f"later than first = {self.first}")

    @property
    def mean(self) -> float:
        """Refused: there is none (``FieldError``)."""
        raise _no_mean(self)

    @property
    def knots(self) -> tuple[tuple[int, float, float], ...]:
        """From which round on the mean is which line: (round, mean, slope)."""
        slope = (self.end - self.start) / (self.last - self.first)
        return (1, self.start, 0.0), (self.first, self.start, slope), (self.last, self.end, 0.0)

    @property
    def reach(self) -> tuple[float, float]:
        """The least and the largest mean."""
        return min(self.start, self.end), max(self.start, self.end)

    def mean_at(self, t: int) -> float:
        """The mean μ_t in round t."""
        return _mean_at(self.knots, t)


Changing: TypeAlias = Piecewise | Drift

# By the names that market files call them.
CHANGING: dict[str, type[Changing]] = {kind.__name__.lower(): kind for kind in get_args(Changing)}


def _no_mean(arm: Changing) -> FieldError:
    """The error of who asks for the mean of such an arm."""
    said = "has no value of its own: it changes during the game, and mean_at(t) is that of round t"
    return FieldError("mean", arm, "asked for with a round", said)


def _mean_at(knots: tuple[tuple[int, float, float], ...], t: int) -> float:
    """The mean in round t, in the arithmetic of the engine."""
    begin, mean, slope = [knot for knot in knots if knot[0] <= t][-1]
    return min(max(mean + slope * (t - begin), 0.0), 1.0)
