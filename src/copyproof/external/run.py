"""Many games of an external policy: ``play_external``, the sibling of ``simulate``.

Repetition r is a function of the policy, the market, T, the seed and r alone: not of the number of
processes, nor of what other repetitions are played. Luck is shared with the engine: the k-th play
of agent i in repetition r meets the same uniform under every strategy and every policy.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copyproof._machine import processors
from copyproof.external.game import GameResult, GameSetup, game_setup, play_game
from copyproof.external.processes import LOOK, in_processes
from copyproof.external.records import ExternalPolicy
from copyproof.game import Market
from copyproof.validation import require, whole_in

# Batches for each process: few enough to cost nothing, enough to end at about the same time.
_BATCHES = 4


@dataclass(frozen=True, slots=True, eq=False)
class ExternalResult:
    """What ``play_external`` found, a row per repetition; the arrays cannot be written to.

    Attributes
    ----------
    revenue, plays : array, R × n
        Discounted revenue and plays of each agent.
    original_plays : array, R × originals
        Plays of each original arm and its copies together, all agents' originals in a row.
    regret : array, R
        Regret Σ (μ* − μ(A_t)) after T rounds.
    """

    revenue: NDArray[np.float64]
    plays: NDArray[np.int64]
    original_plays: NDArray[np.int64]
    regret: NDArray[np.float64]


_ARRAYS = [array.name for array in fields(ExternalResult)]


def play_external(
    policy: ExternalPolicy,
    market: Market,
    *,
    horizon: int,
    seed: int,
    first: int,
    repetitions: int,
    workers: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> ExternalResult:
    """Play a market under an external policy, many times over.

    Parameters
    ----------
    policy : ExternalPolicy
        Whatever chooses among arm names and learns from rewards.
    market : Market
        Agents, their arms and how they register them.
    horizon : int
        T, the rounds of a game.
    seed : int
        Below 2^64. Rewards are those of ``simulate`` with the same seed; the policy is given a seed
        of its own per repetition, see ``game_seed``.
    first, repetitions : int
        The games number ``first``, …, ``first + repetitions - 1`` are played.
    workers : int, optional
        Processes; as many as there are processors by default, and no effect on the result. With 1
        the games are played in this process. On Linux the others are forked off; elsewhere they are
        spawned, which takes a policy that can be pickled.
    progress : callable, optional
        Is told the number of rounds played so far, a few times a second.

    Returns
    -------
    ExternalResult

    Raises
    ------
    ExternalError
        If the policy raises, or chooses what is not an arm; it names the round and the repetition.

    Examples
    --------
    >>> from copyproof import paper_market, river_policy
    >>> market = paper_market("1a", copies=10)
    >>> games = play_external(
    ...     river_policy("UCB", delta=1), market, horizon=500, seed=1, first=0, repetitions=4
    ... )
    >>> games.revenue.shape[1]
    5
    """
    require(isinstance(policy, ExternalPolicy), "policy", policy, "an ExternalPolicy")
    require(isinstance(market, Market), "market", market, "a Market")
    horizon = whole_in("horizon", horizon, 1, 2**47)
    seed = whole_in("seed", seed, 0, 2**64 - 1)
    first = whole_in("first", first, 0, 2**32 - 1)
    repetitions = whole_in("repetitions", repetitions, 1, 2**32 - first)
    workers = processors() if workers is None else whole_in("workers", workers, 1, 1024)
    workers = min(workers, repetitions)
    setup = game_setup(market, horizon=horizon, seed=seed)
    games = _empty(setup, repetitions)

    def keep(repetition: int, game: GameResult) -> None:
        for name in _ARRAYS:
            getattr(games, name)[repetition - first] = getattr(game, name)

    everything = range(first, first + repetitions)
    if workers == 1:
        progressed = _Progress(progress)
        for repetition in everything:
            keep(repetition, play_game(policy, setup, repetition, progressed.add))
    else:
        size = max(1, repetitions // (workers * _BATCHES))
        batches = [everything[start : start + size] for start in range(0, repetitions, size)]
        in_processes(policy, setup, batches, keep, workers=workers, progress=progress)
    if progress is not None:
        progress(horizon * repetitions)
    for name in _ARRAYS:
        getattr(games, name).flags.writeable = False
    return games


def _empty(setup: GameSetup, repetitions: int) -> ExternalResult:
    return ExternalResult(
        revenue=np.zeros((repetitions, setup.agents)),
        plays=np.zeros((repetitions, setup.agents), np.int64),
        original_plays=np.zeros((repetitions, setup.originals), np.int64),
        regret=np.zeros(repetitions),
    )


class _Progress:
    """Counts rounds, and passes the count on a few times a second."""

    def __init__(self, progress: Callable[[int], Any] | None) -> None:
        self.progress = progress
        self.rounds = 0
        self.next = time.monotonic() + LOOK

    def add(self, rounds: int) -> None:
        """Note some more rounds."""
        self.rounds += rounds
        if self.progress is not None and time.monotonic() >= self.next:
            self.progress(self.rounds)
            self.next = time.monotonic() + LOOK
