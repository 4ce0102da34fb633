"""Markets drawn at random: four kinds, each a function of its parameters, a seed and a number.

Market number k of a generator depends on its parameters, its seed and k alone, so that a study can
be given more markets without losing those that it has. Only raw bits of the generator (PCG64, whose
stream NumPy keeps) are used, so that a later NumPy draws the same. All arms are Bernoulli; means
have four decimals; agents are called ``agent 1``, ``agent 2``, ….

============  ===================================================================================
kind          what is drawn
============  ===================================================================================
``random``    n agents, evenly on a logarithmic scale; each has evenly many arms, evenly drawn
              means, and of each arm as many copies as one of a list
``mixed``     the best agent copies: one in ``one_in`` of its arms is good. Each of the others is
              rational (its best arm once), has three honest arms, or copies, too
``needles``   every agent has one good arm among many bad ones; the good ones differ by ``gap``
``zipf``      many agents; the i-th has about ``most``·i^(−``exponent``) arms, at least one
============  ===================================================================================
"""

import math
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from copyproof.game import Agent, Market
from copyproof.validation import FieldError, number, require, whole, whole_in
from copyproof.validation import name as checked_name


class _Draws:
    """Uniform numbers in [0, 1) from raw bits."""

    def __init__(self, *key: int) -> None:
        self._bits = np.random.PCG64(np.random.SeedSequence(key))

    def one(self) -> float:
        return float(self.many(1)[0])

    def many(self, count: int) -> NDArray[np.float64]:
        return np.asarray((self._bits.random_raw(count) >> np.uint64(11)) * 2.0**-53, np.float64)

    def means(self, count: int, low: float, high: float) -> list[float]:
        return [round(value, 4) for value in (low + (high - low) * self.many(count)).tolist()]

    def whole(self, low: int, high: int) -> int:
        return low + int(self.one() * (high + 1 - low))

    def size(self, low: int, high: int) -> int:
        """Evenly on a logarithmic scale."""
        return min(high, max(low, round(low * math.pow(high / low, self.one()))))


Range: TypeAlias = Sequence[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Generator:
    """What all generators have: how many markets, the seed of their draw, and a name."""

    count: int
    seed: int = 0
    name: str | None = None

    def __post_init__(self) -> None:
        whole_in("count", self.count, 1, 10**9)
        whole_in("seed", self.seed, 0, 2**32 - 1)
        if self.name is not None:
            checked_name("name", self.name)

    @property
    def kind(self) -> str:
        """The name of the generator in a study file."""
        return type(self).__name__.lower().removesuffix("markets")

    @property
    def label(self) -> str:
        """What tables call its markets, in front of their numbers: the name, or the kind."""
        return self.name or self.kind

    def __iter__(self) -> Iterator[tuple[str, Market]]:
        for place in range(self.count):
            yield f"{self.label} {place + 1}", self.market(place)

    def market(self, place: int) -> Market:
        """Market number ``place``, from 0."""
        key = zlib.crc32(self.kind.encode())
        rows = self._rows(_Draws(key, self.seed, place))
        return Market([Agent(f"agent {i + 1}", *row) for i, row in enumerate(rows)])

    def _rows(self, draws: _Draws) -> list[tuple[list[float], list[int]]]:
        """Means and copies of every agent."""
        raise NotImplementedError


def _wholes(field: str, value: Any, least: int) -> None:
    fits = isinstance(value, list | tuple) and len(value) > 0
    require(fits, field, value, "a list of whole numbers")
    for k, one in enumerate(value):
        whole(f"{field}[{k}]", one, least)


def _range(field: str, value: Any, least: int) -> None:
    fits = isinstance(value, list | tuple) and len(value) == 2
    require(fits, field, value, "two whole numbers, least and most")
    _wholes(field, value, least)
    if value[0] > value[1]:
        raise FieldError(field, value, "in order", f"= {list(value)} is not in order")


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomMarkets(_Generator):
    """Markets of all sizes, means and copies.

    Parameters
    ----------
    count, seed : int
        How many markets, and the seed of their draw.
    name : str, optional
        What tables call them, in front of their numbers; the kind of generator by default.
    agents, arms : pair of int
        Fewest and most agents, and arms of an agent.
    copies : sequence of int
        How often an arm may be registered; each is equally likely. 0 hides an arm but the first.
    low, high : float
        The range of the means.

    Examples
    --------
    >>> three, four = RandomMarkets(count=3, seed=1), RandomMarkets(count=4, seed=1)
    >>> [market for _, market in three] == [market for _, market in four][:3]
    True
    """

    agents: Range = (2, 20)
    arms: Range = (1, 5)
    copies: Sequence[int] = (1,)
    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        _Generator.__post_init__(self)
        _range("agents", self.agents, 1)
        _range("arms", self.arms, 1)
        _wholes("copies", self.copies, 0)
        _check_means(self.low, self.high)

    def _rows(self, draws: _Draws) -> list[tuple[list[float], list[int]]]:
        rows = []
        for _ in range(draws.size(*self.agents)):
            arms = draws.whole(*self.arms)
            means = draws.means(arms, self.low, self.high)
            choice = (draws.many(arms) * len(self.copies)).astype(int).tolist()
            copies = [self.copies[k] for k in choice]
            rows.append((means, [max(copies[0], 1), *copies[1:]]))
        return rows


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedMarkets(_Generator):
    """Rational agents beside agents that copy, and a best agent that does.

    Parameters
    ----------
    count, seed : int
        How many markets, and the seed of their draw.
    name : str, optional
        What tables call them, in front of their numbers; the kind of generator by default.
    agents : pair of int
        Fewest and most agents.
    one_in : sequence of int
        One in so many of a copying agent's arms is good; each is equally likely.
    best : pair of float
        The range of the best mean.
    gap : pair of float
        The range of what the next agent's best mean is less.

    Examples
    --------
    >>> ((_, market),) = MixedMarkets(count=1, agents=(3, 3), one_in=[8])
    >>> market.agents[0].copies[0] / market.agents[0].registered
    0.125
    """

    agents: Range = (2, 20)
    one_in: Sequence[int] = (3, 5, 8, 12, 21)
    best: Sequence[float] = (0.6, 0.98)
    gap: Sequence[float] = (0.05, 0.4)

    def __post_init__(self) -> None:
        _Generator.__post_init__(self)
        _range("agents", self.agents, 2)
        _wholes("one_in", self.one_in, 2)
        for name in ("best", "gap"):
            value: Any = getattr(self, name)
            fits = isinstance(value, list | tuple) and len(value) == 2
            require(fits, name, value, "two numbers, least and most")
            _check_means(value[0], value[1], name)
        fits = self.gap[1] <= self.best[0]
        require(fits, "gap", self.gap, f"at most the least best mean, {self.best[0]}")

    def _rows(self, draws: _Draws) -> list[tuple[list[float], list[int]]]:
        (best,) = draws.means(1, *self.best)
        (gap,) = draws.means(1, *self.gap)
        second = round(best - gap, 4)
        rows = [self._copier(draws, best, second)]
        for place in range(draws.size(*self.agents) - 1):
            mean = second if place == 0 else draws.means(1, 0.3 * second, second)[0]
            match draws.whole(0, 2):
                case 0:
                    rows.append(([mean], [1]))
                case 1:
                    rows.append(([mean, *draws.means(2, 0.0, mean)], [1, 1, 1]))
                case _:
                    rows.append(self._copier(draws, mean, mean))
        return rows

    def _copier(self, draws: _Draws, best: float, below: float) -> tuple[list[float], list[int]]:
        one_in = self.one_in[draws.whole(0, len(self.one_in) - 1)]
        good = (1, 3, 10, 40)[draws.whole(0, 3)]
        return [best, *draws.means(1, 0.0, below)], [good, good * (one_in - 1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedlesMarkets(_Generator):
    """Every agent has one good arm among ``bad`` bad ones.

    Parameters
    ----------
    count, seed : int
        How many markets, and the seed of their draw.
    name : str, optional
        What tables call them, in front of their numbers; the kind of generator by default.
    agents : pair of int
        Fewest and most agents.
    bad : pair of int
        Fewest and most bad arms of an agent.
    best : float
        The best mean; the next agents' are ``gap`` less, one after the other, and at least half.
    gap : float
        By how much the agents' good arms differ.
    bad_mean : float
        The mean of the bad arms.

    Examples
    --------
    >>> ((_, market),) = NeedlesMarkets(count=1, agents=(3, 3), bad=(50, 50))
    >>> sorted(agent.best_mean for agent in market.agents)
    [0.7, 0.8, 0.9]
    """

    agents: Range = (2, 10)
    bad: Range = (10, 200)
    best: float = 0.9
    gap: float = 0.1
    bad_mean: float = 0.1

    def __post_init__(self) -> None:
        _Generator.__post_init__(self)
        _range("agents", self.agents, 1)
        _range("bad", self.bad, 1)
        for name in ("best", "gap", "bad_mean"):
            value = number(name, getattr(self, name))
            require(0 <= value <= 1, name, value, "in [0, 1]")

    def _rows(self, draws: _Draws) -> list[tuple[list[float], list[int]]]:
        n = draws.size(*self.agents)
        order = np.argsort(draws.many(n), kind="stable").tolist()  # the best may stand anywhere
        return [
            (
                [round(max(self.best / 2, self.best - rank * self.gap), 4), self.bad_mean],
                [1, draws.size(*self.bad)],
            )
            for rank in order
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class ZipfMarkets(_Generator):
    """Many agents, of whom a few have most of the arms.

    Parameters
    ----------
    count, seed : int
        How many markets, and the seed of their draw.
    name : str, optional
        What tables call them, in front of their numbers; the kind of generator by default.
    agents : int
        How many agents.
    most : int
        The arms of the first agent; the i-th has ``most``·i^(−``exponent``), rounded up.
    exponent : float
        How fast they become fewer.

    Examples
    --------
    >>> ((_, market),) = ZipfMarkets(count=1, agents=100, most=60)
    >>> [len(agent.arms) for agent in market.agents][:4]
    [60, 30, 20, 15]
    """

    agents: int = 200
    most: int = 50
    exponent: float = 1.0

    def __post_init__(self) -> None:
        _Generator.__post_init__(self)
        whole_in("agents", self.agents, 1, 1_000_000)
        whole_in("most", self.most, 1, 1_000_000)
        require(number("exponent", self.exponent) >= 0, "exponent", self.exponent, ">= 0")

    def _rows(self, draws: _Draws) -> list[tuple[list[float], list[int]]]:
        sizes = [math.ceil(self.most / i**self.exponent) for i in range(1, self.agents + 1)]
        return [(draws.means(arms, 0.0, 1.0), [1] * arms) for arms in sizes]


Generator: TypeAlias = RandomMarkets | MixedMarkets | NeedlesMarkets | ZipfMarkets
GENERATORS: dict[str, type[Generator]] = {
    "random": RandomMarkets,
    "mixed": MixedMarkets,
    "needles": NeedlesMarkets,
    "zipf": ZipfMarkets,
}


def _check_means(low: float, high: float, field: str = "") -> None:
    for name, value in (("low", low), ("high", high)):
        place = f"{field}[{int(name == 'high')}]" if field else name
        require(0 <= number(place, value) <= 1, place, value, "in [0, 1]")
    require(low <= high, field or "low", low, f"at most {high}")
