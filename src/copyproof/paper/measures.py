"""What is read off the runs: intervals, paired differences, rates of growth, missed samples."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from copyproof.simulation import Estimate, Interval, Result
from copyproof.simulation.interval import Z
from copyproof.theory import sample_misses_best, sample_size


def means_and_stds(
    estimates: Iterable[Estimate],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The means of several estimates, and their standard deviations."""
    found = np.array([(one.mean, one.std) for one in estimates])
    return found[:, 0], found[:, 1]


def final_regret(result: Result) -> NDArray[np.float64]:
    """The regret after T rounds, one for each repetition."""
    return result.regret_curves[:, -1]


def regret_difference(one: Result, other: Result) -> Interval:
    """How much more regret one run has than the other, repetition by repetition."""
    return Interval.of(final_regret(one) - final_regret(other))


def regret_ratio(one: Result, other: Result) -> Interval:
    """The mean regret of one run as a multiple of the other's.

    r = m₁/m₂ with the means m₁ and m₂; the interval by the delta method, repetition by repetition:
    (x − r·y)/m₂ is what one with the regrets x and y adds to r.
    """
    x, y = final_regret(one), final_regret(other)
    m2 = float(y.mean())
    r = float(x.mean()) / m2
    around = Interval.of((x - r * y) / m2)
    return Interval(r, r + around.low, r + around.high)


def exponent(result: Result) -> Interval:
    """The b of regret ~ t^b over the last half of the games.

    b = ln(m₂/m₁) / ln(t₂/t₁), with m₁ and m₂ the mean regrets at t₁, about T/2, and t₂ = T; the
    interval by the delta method, for which end/m₂ − half/m₁ is what one repetition adds to
    ln(m₂/m₁).
    """
    middle = int(np.searchsorted(result.rounds, result.horizon / 2))
    ratio = math.log(result.horizon / result.rounds[middle])
    half, end = result.regret_curves[:, middle], final_regret(result)
    m1, m2 = float(half.mean()), float(end.mean())
    around = Interval.of(end / m2 - half / m1)
    b = math.log(m2 / m1) / ratio
    return Interval(b, b + around.low / ratio, b + around.high / ratio)


def fitted_growth(results: list[Result]) -> Interval:
    """The b of regret ~ T^b across games of different horizons, by least squares on logarithms.

    The games are independent of each other where their horizons differ in luck only through T; the
    interval takes the logarithms' errors stderr/mean as independent.
    """
    x = np.log([result.horizon for result in results])
    y = np.log([result.regret.mean for result in results])
    errors = np.array([result.regret.stderr / result.regret.mean for result in results])
    pull = (x - x.mean()) / ((x - x.mean()) ** 2).sum()
    b = float(pull @ y)
    half = Z * float(np.sqrt((pull**2 * errors**2).sum()))
    return Interval(b, b - half, b + half)


def misses(result: Result) -> NDArray[np.bool_]:
    """In which repetitions the best arm of the market was never played, as it was never in play."""
    means = [arm.mean for agent in result.market.agents for arm in agent.arms]
    return np.asarray(result.original_plays[:, int(np.argmax(means))] == 0)


@dataclass(frozen=True, slots=True, eq=False)
class BestSample:
    """The sample that RH-UCB draws of the best agent's arms, in all repetitions of a run.

    Parameters
    ----------
    size, registered : int
        How many arms are in play, and of how many.
    missed : array of bool
        In which repetitions it holds none of the agent's best arms.
    chance : float
        The exact probability of that.
    """

    size: int
    registered: int
    missed: NDArray[np.bool_]
    chance: float

    @classmethod
    def of(cls, L: int, result: Result) -> "BestSample":
        """The samples of a run of RH-UCB with this L."""
        T, agents = result.horizon, result.market.agents
        registered = agents[-1].registered
        chance = sample_misses_best(result.market, len(agents) - 1, L, T)
        return cls(sample_size(L, T, registered), registered, misses(result), chance)
