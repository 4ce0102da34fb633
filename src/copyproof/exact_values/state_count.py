"""How many states an exact computation needs, counted before any of it is done.

An arm with n plays has n + 1 possible numbers of successes (one, if its mean is 0 or 1), so that c
equal arms after t plays in all have as many states as

    Π_{n ≥ 1} (1 − y xⁿ)^−(n+1)

has at x^t, summed over the powers of y up to c; several originals multiply. For K different arms it
is C(t + 2K − 1, 2K − 1). This is an upper bound: ε-greedy and Fair reach most of these states, UCB
rules keep the plays of arms together and reach a small part.
"""

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from copyproof.exact_values.weighted_games import Setting, setting
from copyproof.game import Market
from copyproof.policy import Policy, as_policy

__all__ = ["MOST_GAMES", "Size", "size_of", "states"]

_ENOUGH = 1e15  # more states than any machine holds: where counting ends. Numbers below are exact.
MOST_GAMES = 10_000  # samples and orders that are averaged over


@dataclass(frozen=True, slots=True)
class Size:
    """What a computation takes, at most.

    Attributes
    ----------
    layer : int
        States after one round, the most that are kept at a time.
    total : int
        States of all rounds and games together: the work.
    games : int
        Samples times orders of priority that are averaged over.
    """

    layer: int
    total: int
    games: int


def states(market: Market, policy: Policy | str, horizon: int) -> int:
    """Return an upper bound on the states of ``exact``, over all rounds, without any of its work.

    A million states take about half a second, or one to two minutes with fractions. UCB policies
    reach a small part of the bound. Above 10^15 the number is a lower bound of this upper bound.

    Parameters
    ----------
    market : Market
        Bernoulli arms only (``why_not_exact``).
    policy : Policy or str
        A record, or its text form.
    horizon : int
        T.

    Examples
    --------
    >>> from copyproof import Agent, Market
    >>> states(Market([Agent("ann", [0.5, 0.4]), Agent("bob", [0.7])]), "h-ucb", 60)
    90858768
    """
    return size_of(setting(market.quotient, as_policy(policy), horizon)).total


def size_of(game: Setting) -> Size:
    """Count the states of all games; the games themselves beyond ``MOST_GAMES`` are not listed."""
    games = game.count()
    kinds = [mean in (0, 1) for mean in game.means]
    if games > MOST_GAMES:
        return Size(layer=0, total=games, games=games)
    layer = total = 0.0
    for one in game.games():
        parts = sorted((sure, copies) for sure, copies in zip(kinds, one.copies, strict=True))
        most, in_all = _layers(tuple(parts), game.horizon)
        layer = max(layer, most)
        total += in_all
    return Size(layer=int(layer), total=int(total), games=games)


@functools.lru_cache(maxsize=4096)
def _layers(kinds: tuple[tuple[bool, int], ...], horizon: int) -> tuple[float, float]:
    """The states of the largest layer, and of all together."""
    counts = np.zeros(horizon + 1)
    counts[0] = 1.0
    for sure, copies in kinds:
        counts = np.convolve(counts, _of_copies(sure, copies, horizon))[: horizon + 1]
        if counts[-1] > _ENOUGH:
            break
    return float(min(counts[-1], 1e300)), float(min(counts.sum(), 1e300))


@functools.lru_cache(maxsize=256)
def _of_copies(sure: bool, copies: int, horizon: int) -> NDArray[np.float64]:
    """The states of equal arms after t plays of them in all, for t = 0 … T."""
    copies = min(copies, horizon)
    most = min(copies, 4)
    while True:
        table = np.zeros((most + 1, horizon + 1))
        table[0, 0] = 1.0
        for n in range(1, horizon + 1):
            grown = table.copy()
            ways = 1.0
            for k in range(1, min(most, horizon // n) + 1):
                # k arms with n plays each: multisets of k out of the possible successes.
                ways = 1.0 if sure else ways * (n + k) / k
                grown[k:, k * n :] += ways * table[: most + 1 - k, : horizon + 1 - k * n]
            table = grown
        counts: NDArray[np.float64] = table.sum(axis=0)
        if most == copies or counts[-1] > _ENOUGH:
            return counts
        most = min(copies, 4 * most)
