"""What slices leave behind: numbers that add up, slice by slice, to a cell's estimates.

For every column of repetitions x_1, …, x_n a slice keeps n, the mean m = Σ x/n and M = Σ (x − m)².
Two slices, one after the other, have together (Chan, Golub and LeVeque 1979), with δ = m_b − m_a,

    m = m_a + δ n_b/n,   M = M_a + M_b + δ² n_a n_b/n,   n = n_a + n_b.

The order of the slices is fixed, and so every bit of the result is. A cell of one slice has the
mean, std and stderr that ``simulate`` finds.
"""

import math
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from copyproof.game import Market
from copyproof.simulation import LostGames, Repetitions, gap_to_rivals, gaps_to_rivals, lost_games

# Plain data, ready for JSON.
Sums: TypeAlias = dict[str, Any]
Values: TypeAlias = dict[str, Any]

_COLUMNS = {"regret": "regret", "revenue": "revenue", "shares": "share"}


def sums_of(found: Repetitions, market: Market, measure: tuple[str, ...]) -> Sums:
    """What the repetitions of a slice come to.

    Examples
    --------
    >>> from copyproof import paper_market
    >>> from copyproof.simulation import play
    >>> found = play(paper_market("2a"), "h-ucb", 0, 4, horizon=100, seed=1)
    >>> sums_of(found, paper_market("2a"), ("lost",))
    {'games': 4, 'lost': 4}
    """
    sums: Sums = {"games": len(found.revenue)}
    if "regret" in measure:
        sums["regret"] = _moments(found.regret_curves[:, -1:])
        sums["worst"] = float(found.regret_curves[:, -1].max())
    if "revenue" in measure:
        sums["revenue"] = _moments(found.revenue)
    if "shares" in measure:
        sums["shares"] = _moments(found.plays / int(found.rounds[-1]))
    if "lost" in measure:
        sums["lost"] = _lost(found, market)
    return sums


def merged(before: Sums, after: Sums) -> Sums:
    """What two slices come to, one after the other.

    Examples
    --------
    >>> one = {"games": 2, "regret": [[1.0], [2.0]]}
    >>> merged(one, {"games": 2, "regret": [[3.0], [0.0]]})
    {'games': 4, 'regret': [[2.0], [6.0]]}
    """
    a, b = before["games"], after["games"]
    n = a + b
    sums: Sums = {"games": n}
    for name, value in before.items():
        if name == "worst":
            sums[name] = max(value, after[name])
        elif name == "lost":
            sums[name] = None if value is None else value + after[name]
        elif name != "games":
            columns = zip(*value, *after[name], strict=True)
            means, squares = [], []
            for mean_a, square_a, mean_b, square_b in columns:
                delta = mean_b - mean_a
                means.append(mean_a + delta * b / n)
                squares.append(square_a + square_b + delta * delta * a * b / n)
            sums[name] = [means, squares]
    return sums


def values_of(sums: Sums) -> Values:
    """The columns of a row that the sums of a whole cell make; what is not known is None.

    Examples
    --------
    >>> values_of({"games": 2, "regret": [[1.0], [2.0]]})
    {'regret_mean': 1.0, 'regret_std': 1.4142135623730951, 'regret_stderr': 1.0}
    """
    games = sums["games"]
    values: Values = {}
    for name, column in _COLUMNS.items():
        if name in sums:
            means, squares = sums[name]
            std = [math.sqrt(one / (games - 1)) if games > 1 else None for one in squares]
            stderr = [None if one is None else one / math.sqrt(games) for one in std]
            for part, numbers in (("mean", means), ("std", std), ("stderr", stderr)):
                values[f"{column}_{part}"] = numbers[0] if name == "regret" else numbers
    if "worst" in sums:
        values["regret_max"] = sums["worst"]
    if "lost" in sums:
        values |= _lost_values(sums["lost"], games)
    return values


def _lost_values(count: int | None, games: int) -> Values:
    names = ("lost_count", "lost_share", "lost_low", "lost_high")
    if count is None:
        return dict.fromkeys(names)
    interval = LostGames(count, games).interval
    found = (count, count / games, interval.low, interval.high)
    return dict(zip(names, found, strict=True))


def _moments(values: NDArray[Any]) -> list[list[float]]:
    mean = values.mean(axis=0)
    apart = values - mean
    return [mean.tolist(), (apart * apart).sum(axis=0).tolist()]


def _lost(found: Repetitions, market: Market) -> int | None:
    """How many games were lost; None where registrations change, or the regret is not known."""
    if found.new_arms is not None:
        return None
    known = found.means is None
    gap = gap_to_rivals(market) if known else gaps_to_rivals(market, np.asarray(found.means))
    which = lost_games(found.rounds, found.regret_curves, gap)
    return None if which is None else int(which.sum())
