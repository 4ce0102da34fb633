"""Slices: a few repetitions at a time, in the calling thread, with as little as possible around.

``simulate`` spreads the repetitions of one game over threads of its own; a study has thousands of
games, and spreads those. A game is turned into arrays once for each thread, and any range of its
repetitions can then be played: they are those of ``play``, to the bit. On a GPU the repetitions of
many games are played together.

The kernel is compiled once on a machine: of several processes that find no compiled one, one
compiles, and the others wait for it.
"""

import fcntl
import functools
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copyproof.devices.together import DeviceTime, Portion, fill_together
from copyproof.engine.cache import cache_folder
from copyproof.engine.drawn_means import drawn_means, put_means
from copyproof.engine.lower import lower
from copyproof.engine.lower_rewards import lower_priors
from copyproof.engine.play import STOPPED, Game, Record
from copyproof.engine.play import play as play_rounds
from copyproof.game import Agent, Market, Schedule, quotient
from copyproof.policy import Policy, parse_policy
from copyproof.simulation.principals import check_horizon, fill_by_name, tell_by_name
from copyproof.simulation.result import Repetitions
from copyproof.simulation.run import new_arms, play
from copyproof.simulation.threads import empty_record, new_record, own_rewards


class PreparedGame:
    """One game as arrays, of which any repetitions can be asked for.

    Parameters
    ----------
    market, policy, horizon, seed, schedule
        As for ``simulate``.
    checkpoints : sequence of int
        The rounds at which the regret is kept, in order; the last one is T.
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
        self._priors = lower_priors(principals.market) if market.has_priors else None

    def _means(self, first: int, count: int) -> NDArray[np.float64] | None:
        """The means of each repetition, where they are drawn."""
        if self._priors is None:
            return None
        return drawn_means(self._priors, seed=self._seed, first=first, repetitions=count)

    def _found(
        self, first: int, record: Record, means: NDArray[np.float64] | None, seconds: float
    ) -> Repetitions:
        """What was played, by name; ``renewals`` of the record are new arms of all kinds."""
        return Repetitions(
            first=first,
            rounds=self._rounds,
            regret_curves=record.regret,
            revenue=record.revenue,
            plays=record.agent_plays,
            original_plays=record.original_plays,
            new_arms=record.renewals if self._schedule else None,
            means=means if means is None else self._quotient.by_name(means),
            seconds=seconds,
        )


class SlicedGame(PreparedGame):
    """One game, ready to be played slice by slice by one thread at a time.

    It takes what a ``PreparedGame`` takes.

    Examples
    --------
    >>> from copyproof import paper_market
    >>> game = SlicedGame(paper_market("2a"), "h-ucb", horizon=1000, seed=1, checkpoints=[1000])
    >>> stop = np.zeros(2, np.int64)
    >>> game.play(3, 2, stop, 0).revenue[:, 0].tolist()
    [25.0, 23.0]
    """

    def __init__(self, market: Market, policy: Policy | str, **game: Any) -> None:
        compile_once()
        super().__init__(market, policy, **game)
        self._state = self._lowered.new_state()

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
        means = self._means(first, count)
        if means is None:
            status = self._play(lowered.game, first, record, control, worker)
        else:
            game = own_rewards(lowered.game)
            status = 0
            for row in range(count):
                put_means(game.rewards, means[row])
                part = Record(*(array[row : row + 1] for array in record))
                status = status or self._play(game, first + row, part, control, worker)
        if status == STOPPED:
            return None
        if named:
            record = self._by_name(record, first, means)
        elif self._schedule:
            record = record._replace(renewals=new_arms(lowered, record))
        return self._found(first, record, means, time.perf_counter() - begin)

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


class DeviceGame(PreparedGame):
    """One game, of which repetitions are played on a GPU, together with those of others."""

    def portion(self, first: int, count: int) -> Portion:
        """Some repetitions, to be played."""
        record = new_record(self._lowered, len(self._rounds), count, trace=False)
        return Portion(self._lowered, self._rounds, record, first, self._means(first, count))

    def found(self, played: Portion, seconds: float) -> Repetitions:
        """What was found, once the portion has been played."""
        record = played.record
        if self._schedule:
            record = record._replace(renewals=new_arms(self._lowered, record))
        return self._found(played.first, record, played.means, seconds)

    @property
    def is_named(self) -> bool:
        """Whether agents are bound to groups: such games are played by themselves."""
        return not self._quotient.is_trivial

    def by_name(self, first: int, count: int) -> Repetitions:
        """Play repetitions of agents that are bound to groups."""
        means = self._means(first, count)
        record, seconds = fill_by_name(
            self._lowered, self._quotient, self._rounds, count, workers=1, first=first, means=means,
            progress=None, device="cuda",
        )  # fmt: skip
        return self._found(first, record, means, seconds)


def play_together(
    asked: Sequence[tuple[DeviceGame, int, int]],
    *,
    progress: Callable[[int], None] | None = None,
) -> tuple[list[Repetitions], DeviceTime]:
    """Play repetitions of many games on a GPU, in as few launches as can be.

    Parameters
    ----------
    asked : sequence of (DeviceGame, int, int)
        A game, its first repetition, and how many.
    progress : callable, optional
        Is told the number of rounds played so far.

    Returns
    -------
    list of Repetitions
        In the order of what was asked; those of ``play``, to the bit.
    DeviceTime
        What the device had to do; of games of groups, their seconds alone.
    """
    portions = {
        number: game.portion(first, count)
        for number, (game, first, count) in enumerate(asked)
        if not game.is_named
    }
    taken, statuses = fill_together(list(portions.values()), progress=progress)
    assert not any(statuses)  # only tapes end a game, and there are none here
    each = taken.seconds / max(1, taken.games)
    found = []
    for number, (game, first, count) in enumerate(asked):
        if number in portions:
            found.append(game.found(portions[number], each * count))
        else:
            found.append(game.by_name(first, count))
            taken += DeviceTime(seconds=found[-1].seconds, games=count)
    return found, taken


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
