"""Lost games: those whose best agent is given up for good.

A mean over games hides the few that go wrong for ever, so they are counted apart. With μ* the best
mean of the market and μ′ the best mean that any agent without an arm of mean μ* registers, the
*gap* is μ* − μ′. **A game is lost when its last tenth, the rounds after ⌊9T/10⌋, costs at least
half the gap a round**: as much as half of its plays going to the best rival. Where several agents
have an arm of mean μ*, all of them must be given up; where all do, no game can be lost. Where means
change during the game nothing is for good, and no game is called lost.
"""

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from copyproof.game import Market
from copyproof.simulation.interval import Interval


@dataclass(frozen=True, slots=True)
class LostGames:
    """How many of how many games were lost.

    Examples
    --------
    >>> found = LostGames(count=3, games=1000)
    >>> found.share
    0.003
    >>> print(found.interval)
    0.003 [0.001, 0.009]
    """

    count: int
    games: int

    @property
    def share(self) -> float:
        """The share of games lost."""
        return self.count / self.games

    @property
    def interval(self) -> Interval:
        """Wilson's 95 % interval for the probability that a game is lost."""
        return Interval.of_share(self.count, self.games)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self) | {"share": self.share}


def last_tenth(horizon: int) -> int:
    """The round after which the last tenth of a game begins, ⌊9T/10⌋.

    Examples
    --------
    >>> last_tenth(1000)
    900
    """
    return 9 * horizon // 10


def gap_to_rivals(market: Market) -> float:
    """μ* − μ′, or infinity where every agent that takes part has an arm of mean μ*.

    Examples
    --------
    >>> from copyproof import Agent
    >>> market = Market([Agent("ann", [0.75, 0.25]), Agent("bob", [0.75]), Agent("eve", [0.5])])
    >>> gap_to_rivals(market)
    0.25
    """
    market.require_known_means("gap_to_rivals")
    known = np.array([[arm.mean for agent in market.agents for arm in agent.arms]])
    return float(gaps_to_rivals(market, known)[0])


def gaps_to_rivals(market: Market, means: NDArray[np.float64]) -> NDArray[np.float64]:
    """μ* − μ′ in each game, where the means are drawn: a row of ``means`` has all originals'.

    Examples
    --------
    >>> from copyproof import Agent, UniformPrior
    >>> market = Market([Agent("ann", [UniformPrior(0, 1)]), Agent("bob", [0.5])])
    >>> gaps_to_rivals(market, np.array([[0.75, 0.5], [0.25, 0.5]])).tolist()
    [0.25, 0.25]
    """
    registered = np.array([copies > 0 for agent in market.agents for copies in agent.copies])
    ends = np.cumsum([len(agent.arms) for agent in market.agents])[:-1]
    shown = np.where(registered, means, -math.inf)
    own_best = np.stack([own.max(axis=1) for own in np.split(means, ends, axis=1)])
    own_shown = np.stack([own.max(axis=1) for own in np.split(shown, ends, axis=1)])
    best = means.max(axis=1)
    return np.asarray(best - np.where(own_best < best, own_shown, -math.inf).max(axis=0))


def lost_games(
    rounds: NDArray[np.int64], regret_curves: NDArray[np.float64], gap: ArrayLike
) -> NDArray[np.bool_] | None:
    """Which games were lost, or None where the regret before the last tenth was not kept.

    Parameters
    ----------
    rounds, regret_curves
        As ``Repetitions`` has them: checkpoints, and a row of regrets for each repetition.
    gap : float, or an array with one for each repetition
        As ``gap_to_rivals`` gives it.

    Examples
    --------
    >>> curves = np.array([[10.0, 11.0], [10.0, 15.0]])
    >>> lost_games(np.array([900, 1000]), curves, gap=0.1).tolist()
    [False, True]
    """
    horizon = int(rounds[-1])
    begin = last_tenth(horizon)
    place = int(np.searchsorted(rounds, begin))
    if begin > 0 and rounds[place] != begin:
        return None
    before = regret_curves[:, place] if begin > 0 else 0.0
    return np.asarray(
        regret_curves[:, -1] - before >= np.asarray(gap) / 2 * (horizon - begin), np.bool_
    )
