"""Theorem D: a bound on the games that ``trial`` loses, as functions of plain numbers.

The theorem is ours, and proven in ``docs/explanation/trial-bound.md``. Let T be the horizon, n the
number of agents, q the plays that each has in turn, and ℓ(w) = max(0, ln(15 T/(n w))). Every arm of
a *good* agent has a mean of at least ρ, every arm of a *rival* one of at most b < ρ. For each θ
between b and ρ:

- a good agent's index falls below θ at some play with probability at most α(θ) = Σ_k e^{−a_k
  kl(y_k, ρ)}, where the slices [a_k, b_k] cover its plays after the first q, and y_k < θ solves
  kl(y, θ) = ℓ(b_k)/b_k (``falls_below``);
- a rival's index is at least θ just before its plays have cost their share of a lost game with
  probability at most β(θ): a sum over slices of its numbers of plays then and over its starts, each
  with Chernoff's bounds on the plays before and after it (``keeps_costing``).

A lost game takes one or the other, so that P(lost) ≤ α(θ) + Σ_j β_j(θ). Every θ and all slices give
a valid bound, so that the search for the best ones need not be exact.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from copyproof.policy.own_rules import GATE, SHARE

Numbers: TypeAlias = NDArray[np.float64]

_RATIOS = (1.05, 1.15, 1.4)  # of the ends of a slice: the best of these is taken
_HALVINGS = 60  # in the search for a root
_TRIES = 12  # of θ
_EXACT = 1e-12  # what a quotient of floats may be off


@dataclass(frozen=True, slots=True)
class TrialTerms:
    """What ``trial`` grants every agent in a game of T rounds and n agents.

    Attributes
    ----------
    unit : float
        T/n.
    starts : tuple of int
        The plays d_0 = q, d_1, …, after which an agent may forget what was before.
    """

    unit: float
    starts: tuple[int, ...]

    @classmethod
    def of(cls, in_turn: int, T: int, n: int) -> "TrialTerms":
        """Compute them as the engine does.

        Parameters
        ----------
        in_turn : int
            The plays that the policy asks for every agent, ``Trial.in_turn``.
        T, n : int
            The horizon, and the agents that take part.

        Examples
        --------
        >>> TrialTerms.of(80, T=10_000, n=5).starts
        (80, 98, 121, 149, 183, 226, 278, 342, 422, 519, 600)
        """
        parameters = (float(in_turn), SHARE, GATE)
        engine = _engine()
        limits = engine.limits_of.py_func(parameters, SimpleNamespace(unit=T / n))
        starts: list[int] = []
        for j in range(engine.LEVELS):
            starts.append(int(engine.start_of.py_func(limits, j)))
            if starts[-1] >= limits[1]:
                break
        return cls(T / n, tuple(starts))

    @property
    def in_turn(self) -> int:
        """The plays q that every agent has in turn."""
        return self.starts[0]

    def level(self, plays: Numbers) -> Numbers:
        """ℓ(w), for so many plays since a start."""
        return np.asarray(np.maximum(0.0, np.log(_engine()._WIDER * self.unit / plays)))

    def least_earned(self, plays: int, theta: float) -> float:
        """A sum of rewards below which no claim after so many plays is θ; ∞ if none ever is."""
        if self._claim(plays, float(plays)) < theta:
            return math.inf
        low, high = 0.0, float(plays)
        if self._claim(plays, low) >= theta:
            return 0.0
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (low, middle) if self._claim(plays, middle) >= theta else (middle, high)
        return low

    def _claim(self, plays: int, earned: float) -> float:
        return float(_engine()._claim.py_func(float(self.in_turn), plays, earned))


def theorem_d(
    best: float,
    lowest: float,
    rivals: Iterable[tuple[float, float]],
    T: int,
    in_turn: int,
    good: int = 1,
) -> float:
    """A bound on the probability that ``trial`` loses a game; 1 if the theorem says nothing.

    Parameters
    ----------
    best : float
        μ*.
    lowest : float
        ρ ≤ μ*: the lowest mean that the good agents register. The bound says nothing unless it is
        above the middle of μ* and the rivals' best mean.
    rivals : iterable of (float, float)
        The best and the lowest mean that each other agent registers.
    T : int
        The horizon.
    in_turn : int
        The plays in turn that the policy asks for, ``Trial.in_turn``.
    good : int, optional
        The good agents, each of which would have to fall. At least 1.

    Examples
    --------
    A rational agent of mean 0.9 against one of mean 0.8, and against four:

    >>> bound = theorem_d(0.9, 0.9, [(0.8, 0.8)], T=100_000, in_turn=100)
    >>> bound < 2e-5
    True
    >>> theorem_d(0.9, 0.9, [(0.8, 0.8)] * 4, T=100_000, in_turn=100) > bound
    True
    """
    from copyproof.simulation.lost import last_tenth  # loads the compiler

    others = Counter(rivals)
    count = sum(others.values())
    n = good + count
    terms = TrialTerms.of(in_turn, T, n)
    most = max((top for top, _ in others), default=0.0)
    spare = (T - last_tenth(T)) * (lowest - (best + most) / 2)
    if not others or not spare > 0 or n * terms.in_turn > last_tenth(T):
        return 1.0 if others else 0.0

    def bound(theta: float) -> tuple[float, float]:
        fall = falls_below(theta, lowest, T - n * terms.in_turn, terms)
        stay = sum(
            times * keeps_costing(theta, rival, lowest, spare / count, terms)
            for rival, times in others.items()
        )
        return float(fall**good), stay

    return _least_sum(bound, most, lowest)


def _least_sum(bound: Callable[[float], tuple[float, float]], low: float, high: float) -> float:
    """The least α + β found: α rises with θ, β falls, and where they meet is nearly best."""
    least = 1.0
    for _ in range(_TRIES):
        theta = (low + high) / 2
        fall, stay = bound(theta)
        least = min(least, fall + stay)
        low, high = (low, theta) if fall > stay else (theta, high)
    return least


def falls_below(theta: float, lowest: float, plays: int, terms: TrialTerms) -> float:
    """α(θ): how likely a good agent's index falls below θ in so many plays after its plays in turn.

    Examples
    --------
    >>> terms = TrialTerms.of(100, T=100_000, n=2)
    >>> falls_below(0.85, 0.9, 99_800, terms) < 1e-4
    True
    """
    if lowest >= 1 or plays < 1:
        return 0.0
    return min(1.0, *(_over_slices(theta, lowest, plays, terms, ratio) for ratio in _RATIOS))


def _over_slices(theta: float, lowest: float, plays: int, terms: TrialTerms, ratio: float) -> float:
    first, last = _slices(1, plays, ratio)
    _, y = _roots(theta, terms.level(last) / last)
    return float(np.sum(np.exp(-first * _kl(y, lowest))[y >= 0]))


def _slices(first: int, last: int, ratio: float) -> tuple[Numbers, Numbers]:
    """The first and the last numbers of plays of slices that cover first, …, last."""
    ends = [float(first - 1)]
    while ends[-1] < last:
        begin = ends[-1] + 1
        ends.append(min(float(last), max(begin, float(math.floor(begin * ratio)))))
    return np.array(ends[:-1]) + 1, np.array(ends[1:])


def keeps_costing(
    theta: float, rival: tuple[float, float], lowest: float, cost: float, terms: TrialTerms
) -> float:
    """β(θ): how likely a rival's index is θ or more just before its plays have cost so much.

    Parameters
    ----------
    theta : float
        θ.
    rival : (float, float)
        The best and the lowest mean that the rival registers.
    lowest : float
        ρ. A play of mean μ costs ρ − μ here; plays in turn are not counted.
    cost : float
        What all plays cost.
    terms : TrialTerms
        What the rival is granted.

    Examples
    --------
    >>> terms = TrialTerms.of(100, T=100_000, n=2)
    >>> [keeps_costing(0.85, (0.8, 0.1), 0.9, cost, terms) < 0.01 for cost in (40, 500)]
    [False, True]
    """
    top, low = rival
    fewest = math.ceil(cost / (lowest - low) * (1 - _EXACT)) - 1
    most = max(fewest, math.ceil(cost / (lowest - top) * (1 + _EXACT)) - 1)
    if fewest < 1:
        return 1.0
    first, last = (ends + terms.in_turn for ends in _slices(fewest, most, _RATIOS[0]))
    starts = np.array(terms.starts, np.float64)
    since_start = cost - (lowest - low) * (1 + starts - terms.in_turn)
    plays = np.maximum(last[:, None] - starts, 1.0)
    means = np.clip(lowest - since_start / plays, low, top)
    return _stays(theta, (first, last), means, top, terms)


def stays_above(theta: float, top: float, plays: int, terms: TrialTerms) -> float:
    """How likely the index of a rival, whose means are at most ``top``, is θ or more.

    Parameters
    ----------
    theta : float
        θ.
    top : float
        The best mean that the rival registers.
    plays : int
        N, its plays so far.
    terms : TrialTerms
        What it is granted.

    Examples
    --------
    >>> terms = TrialTerms.of(100, T=100_000, n=2)
    >>> [stays_above(0.85, 0.8, plays, terms) < 0.01 for plays in (500, 5000)]
    [False, True]
    """
    if plays < terms.in_turn:
        return 1.0
    number = np.array([float(plays)])
    return _stays(theta, (number, number), np.full((1, len(terms.starts)), top), top, terms)


def _stays(
    theta: float, slices: tuple[Numbers, Numbers], means: Numbers, top: float, terms: TrialTerms
) -> float:
    """The sum over slices of N and over starts; ``means`` bounds the mean since each start."""
    first, last = slices
    starts = np.array(terms.starts, np.float64)
    claims = [_tail(start, terms.least_earned(start, theta), top) for start in terms.starts]
    since = np.maximum(first[:, None] - starts, 0.0)
    later = np.maximum(since, 1.0)
    z, _ = _roots(theta, terms.level(later) / later)
    bounds = np.where(since > 0, _tails(since, np.maximum(z, 0.0), means), 1.0)
    total = float(np.sum(np.where(starts <= last[:, None], bounds, 0.0) * np.array(claims)))
    for begin, end in zip(first, last, strict=True):
        if begin < terms.starts[-1]:
            earned = terms.least_earned(int(begin), theta)
            total += _tail(min(int(end), terms.starts[-1]), earned, top)
    return min(1.0, total)


def _tail(plays: int, earned: float, top: float) -> float:
    """Chernoff's bound on the probability that so many plays pay at least ``earned``."""
    if earned > plays:
        return 0.0
    return float(_tails(np.array([float(plays)]), np.array([earned / plays]), top)[0])


def _tails(plays: Numbers, r: Numbers, top: Numbers | float) -> Numbers:
    """e^{−w kl(r, top)} where r > top, and 1 elsewhere."""
    return np.where(r > top, np.exp(-plays * _kl(np.maximum(r, top), top)), 1.0)


def _roots(theta: float, level: Numbers) -> tuple[Numbers, Numbers]:
    """Numbers just below and just above the y ≤ θ with kl(y, θ) = level; −1 if there is none."""
    low, high = np.zeros_like(level), np.full_like(level, theta)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        is_low = _kl(middle, theta) > level
        low, high = np.where(is_low, middle, low), np.where(is_low, high, middle)
    none = _kl(np.zeros_like(level), theta) < level
    return np.where(none, -1.0, low), np.where(none, -1.0, high)


def _kl(p: Numbers, q: Numbers | float) -> Numbers:
    """kl(p, q), elementwise."""
    with np.errstate(divide="ignore", invalid="ignore"):
        paid = np.where(p > 0, p * np.log(p / q), 0.0)
        not_paid = np.where(p < 1, (1 - p) * np.log((1 - p) / (1 - q)), 0.0)
    return np.asarray(paid + not_paid)


def _engine() -> Any:
    """The engine's rule, whose functions are taken as Python: horizons may be beyond 64 bits."""
    from copyproof.engine import trial  # loads the compiler

    return trial
