"""Slices: a few repetitions at a time, in the calling thread, with as little as possible around.

``simulate`` spreads the repetitions of one game over threads of its own; a study has thousands of
games, and spreads those. A game is turned into arrays once for each thread, and any range of its
repetitions can then be played: they are those of ``play``, to the bit.

The kernel is compiled once on a machine: of several processes that find no compiled one, one
compiles, and the others wait for it.
"""

import fcntl
import functools
import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from copyproof.engine.cache import cache_folder
from copyproof.engine.drawn_means import drawn_means, put_means
from copyproof.engine.lower import lower
from copyproof.engine.lower_rewards import lower_priors
from copyproof.engine.play import STOPPED, Game, Record
from copyproof.engine.play import play as play_rounds
from copyproof.game import Agent, Market, Schedule, quotient
from copyproof.policy import Policy, parse_policy
from copyproof.simulation.principals import check_horizon, tell_by_name
from copyproof.simulation.result import Repetitions
from copyproof.simulation.run import new_arms, play
from copyproof.simulation.threads import empty_record, new_record, own_rewards


class SlicedGame:
    """One game, ready to be played slice by slice by one thread at a time.

    Parameters
    ----------
    market, policy, horizon, seed, schedule
        As for ``simulate``.
    checkpoints : sequence of int
        The rounds at which the regret is kept, in order; the last one is T.

    Examples
    --------
    >>> from copyproof import paper_market
    >>> game = SlicedGame(paper_market("2a"), "h-ucb", horizon=1000, seed=1, checkpoints=[1000])
    >>> stop = np.zeros(2, np.int64)
    >>> game.play(3, 2, stop, 0).revenue[:, 0].tolist()
    [25.0, 23.0]
    """

    def __init__(
        self,
        market: Market,
        policy: Policy | str,
        *,
        horizon: int,
        seed: int,
        checkpoints: Sequence[int],
        schedule: Schedule | None = None,
    ) -> None:
        compile_once()
        asked = policy if isinstance(policy, Policy) else parse_policy(policy)
        self._seed = seed
        self._schedule = schedule
        self._rounds: NDArray[np.int64] = np.array(checkpoints, np.int64)
        self._quotient = principals = quotient(market)
        if not principals.is_trivial:
            check_horizon(horizon)
        self._lowered = lower(
            principals.market, asked, horizon=horizon, seed=seed,
            schedule=principals.schedule(schedule),
        )  # fmt: skip
        self._state = self._lowered.new_state()
        self._priors = lower_priors(principals.market) if market.has_priors else None

    def play(
        self, first: int, count: int, control: NDArray[np.int64], worker: int
    ) -> Repetitions | None:
        """Play the repetitions ``first``, …, ``first + count − 1``; None if they were stopped.

        ``control[0]`` is the wish to stop, ``control[1 + worker]`` counts rounds.
        """
        lowered = self._lowered
        named = not self._quotient.is_trivial
        record = new_record(lowered, len(self._rounds), count, trace=named)
        begin = time.perf_counter()
        means = None
        if self._priors is None:
            status = self._play(lowered.game, first, record, control, worker)
        else:
            means = drawn_means(self._priors, seed=self._seed, first=first, repetitions=count)
            game = own_rewards(lowered.game)
            status = 0
            for row in range(count):
                put_means(game.rewards, means[row])
                part = Record(*(array[row : row + 1] for array in record))
                status = status or self._play(game, first + row, part, control, worker)
        if status == STOPPED:
            return None
        later = new_arms(lowered, record) if self._schedule and not named else None
        if named:
            record = self._by_name(record, first, means)
            later = record.renewals if self._schedule else None
        return Repetitions(
            first=first,
            rounds=self._rounds,
            regret_curves=record.regret,
            revenue=record.revenue,
            plays=record.agent_plays,
            original_plays=record.original_plays,
            new_arms=later,
            means=means if means is None else self._quotient.by_name(means),
            seconds=time.perf_counter() - begin,
        )

    def _by_name(self, record: Record, first: int, means: NDArray[np.float64] | None) -> Record:
        """What the names have of the principals' games."""
        market, count = self._quotient.named, len(record.revenue)
        found = empty_record(len(market.agents), market.originals, len(self._rounds), count)
        tell_by_name(self._lowered, self._quotient, record, first, means, found)
        return found

    def _play(
        self, game: Game, first: int, record: Record, control: NDArray[np.int64], worker: int
    ) -> int:
        plan = self._lowered.plan
        return play_rounds(plan, self._state, game, self._rounds, first, record, control, worker)


@functools.cache
def compile_once() -> None:
    """Have the kernel compiled, or loaded; one process of this machine compiles at a time.

    Examples
    --------
    >>> compile_once()
    """
    with open(cache_folder() / ".compiling", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        play(Market([Agent("one", [0.5])]), "h-ucb", 0, 1, horizon=1, seed=0, workers=1)
