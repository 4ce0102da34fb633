"""Plain NumPy loops of UCB1, H-UCB, RH-UCB and PRH-UCB, the yardstick of the benchmark.

They are what a researcher who knows NumPy writes: the indices of all candidates in one vectorised
expression, then ``argmax``, one Bernoulli reward, and an update in place. Sums and counts are float
arrays that are allocated once; the logarithms of the hierarchical policies, which are single
numbers, come from :mod:`math`. UCB1 plays its unplayed arms in their order. The hierarchical
policies play unplayed agents in their order, and shuffle every agent's arms at the start, so that
unplayed arms come in a uniformly random order. Exact ties go to the first candidate, as ``argmax``
has it.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Plays(NamedTuple):
    """Plays of a hierarchical policy.

    Attributes
    ----------
    agents
        Plays of every agent.
    arms
        Per agent, the plays of each of its arms, in the order of the market.
    """

    agents: Floats
    arms: list[Floats]


def figure_2c() -> list[Floats]:
    """Return the market of the paper's figure 2c.

    Returns
    -------
    list of ndarray
        Per agent, the means of its registered arms: originals (best, 0.2, 0.1) with their copies.
    """
    few, many = (10, 100, 100), (1000, 1000, 1000)
    agents = ((0.5, many), (0.6, many), (0.7, many), (0.8, few), (0.9, few))
    return [np.repeat([best, 0.2, 0.1], copies) for best, copies in agents]


def ucb1_rounds(
    means: Floats, s: Floats, n: Floats, start: int, stop: int, rng: np.random.Generator
) -> None:
    """Play the rounds ``start, …, stop - 1`` of UCB1 in place, once every arm has been played.

    Parameters
    ----------
    means
        The means of the Bernoulli arms.
    s, n
        Sum of rewards and plays of every arm, updated in place.
    start, stop
        The first round to play, and the one after the last; rounds count from 1.
    rng
        The source of the rewards.
    """
    for t in range(start, stop):
        a = np.argmax(s / n + np.sqrt(2 * np.log(t) / n))
        s[a] += rng.random() < means[a]
        n[a] += 1


def ucb1(means: Floats, horizon: int, rng: np.random.Generator) -> Floats:
    """Play UCB1 and return the plays of every arm.

    Parameters
    ----------
    means
        The means of the Bernoulli arms.
    horizon
        The number of rounds.
    rng
        The source of the rewards.

    Returns
    -------
    ndarray
        The plays of every arm.
    """
    s = np.zeros(len(means))
    n = np.zeros(len(means))
    first = min(len(means), horizon)
    s[:first] = rng.random(first) < means[:first]
    n[:first] = 1
    ucb1_rounds(means, s, n, first + 1, horizon + 1, rng)
    return n


def h_ucb(market: Sequence[Floats], horizon: int, rng: np.random.Generator) -> Plays:
    """Play H-UCB.

    Parameters
    ----------
    market
        Per agent, the means of its Bernoulli arms.
    horizon
        The number of rounds.
    rng
        The source of the order of the arms and of the rewards.

    Returns
    -------
    Plays
        Plays of every agent and arm.
    """
    agents = len(market)
    order = [rng.permutation(len(arms)) for arms in market]
    means = [arms[o] for arms, o in zip(market, order, strict=True)]
    s = [np.zeros(len(o)) for o in order]
    n = [np.zeros(len(o)) for o in order]
    total, plays = np.zeros(agents), np.zeros(agents)
    for t in range(1, horizon + 1):
        if t <= agents:
            i = t - 1
        else:
            i = int(np.argmax(total / plays + np.sqrt(2 * math.log(t) / plays)))
        own, si, ni = int(plays[i]), s[i], n[i]
        a = own if own < len(ni) else int(np.argmax(si / ni + np.sqrt(2 * math.log(own) / ni)))
        if rng.random() < means[i][a]:
            si[a] += 1
            total[i] += 1
        ni[a] += 1
        plays[i] += 1
    return Plays(plays, _unshuffle(n, order, market))


def rh_ucb(
    market: Sequence[Floats], horizon: int, rng: np.random.Generator, *, samples: float
) -> Plays:
    """Play RH-UCB(L), with per agent a uniform sample of ⌊L ln T⌋ arms, drawn once.

    Parameters
    ----------
    market
        Per agent, the means of its Bernoulli arms.
    horizon
        The number of rounds T.
    rng
        The source of the samples and of the rewards.
    samples
        The parameter L.

    Returns
    -------
    Plays
        Plays of every agent and arm.
    """
    agents = len(market)
    size = max(1, math.floor(samples * math.log(horizon)))
    order = [rng.permutation(len(arms))[:size] for arms in market]
    means = [arms[o] for arms, o in zip(market, order, strict=True)]
    s = [np.zeros(len(o)) for o in order]
    n = [np.zeros(len(o)) for o in order]
    total, plays = np.zeros(agents), np.zeros(agents)
    for t in range(1, horizon + 1):
        if t <= agents:
            i = t - 1
        else:
            i = int(np.argmax(total / plays + np.sqrt(math.sqrt(t) * math.log(t) / plays)))
        own, si, ni = int(plays[i]), s[i], n[i]
        a = own if own < len(ni) else int(np.argmax(si / ni + np.sqrt(2 * math.log(own) / ni)))
        if rng.random() < means[i][a]:
            si[a] += 1
            total[i] += 1
        ni[a] += 1
        plays[i] += 1
    return Plays(plays, _unshuffle(n, order, market))


def prh_ucb(market: Sequence[Floats], horizon: int, rng: np.random.Generator) -> Plays:
    """Play PRH-UCB, whose sample of the chosen agent grows while it is below min(arms, ln² t).

    Parameters
    ----------
    market
        Per agent, the means of its Bernoulli arms.
    horizon
        The number of rounds.
    rng
        The source of the samples and of the rewards.

    Returns
    -------
    Plays
        Plays of every agent and arm.
    """
    agents = len(market)
    order = [rng.permutation(len(arms)) for arms in market]
    means = [arms[o] for arms, o in zip(market, order, strict=True)]
    s = [np.zeros(len(o)) for o in order]
    n = [np.zeros(len(o)) for o in order]
    size = [0] * agents
    total, plays = np.zeros(agents), np.zeros(agents)
    for t in range(1, horizon + 1):
        log = math.log(t)
        if t <= agents:
            i = t - 1
        else:
            i = int(np.argmax(total / plays + np.sqrt(math.sqrt(t * log**3) / plays)))
        own, si, ni, b = int(plays[i]), s[i], n[i], size[i]
        if b < min(len(ni), max(1.0, log**2)):
            a = b  # the fresh arm is the one unplayed arm of the sample, so it comes first
            size[i] += 1
        else:
            a = int(np.argmax(si[:b] / ni[:b] + np.sqrt(2 * math.log(own) / ni[:b])))
        if rng.random() < means[i][a]:
            si[a] += 1
            total[i] += 1
        ni[a] += 1
        plays[i] += 1
    return Plays(plays, _unshuffle(n, order, market))


def _unshuffle(
    n: list[Floats], order: list[NDArray[np.int64]], market: Sequence[Floats]
) -> list[Floats]:
    """Return the plays of every arm in the order of the market."""
    arms = [np.zeros(len(own)) for own in market]
    for plays, counts, chosen in zip(arms, n, order, strict=True):
        plays[chosen] = counts
    return arms
