"""The laboratory: games of any policy, ours or another's, that share their luck.

The k-th play of agent i in repetition r meets the same uniform number whatever the strategies and
the policy, so that two strategies are compared repetition by repetition. Repetitions can be added
later; those that were played are kept.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from copyproof.engine.lower import lower
from copyproof.external import ExternalPolicy, play_external
from copyproof.game import Market, Schedule
from copyproof.policy import Policy
from copyproof.simulation.run import checkpoint_rounds, new_arms, new_record, run

__all__ = ["Games", "Laboratory"]


@dataclass(frozen=True, slots=True)
class Games:
    """What repetitions of one market left behind: a row each."""

    revenue: NDArray[np.float64]
    """A column per agent."""
    regret: NDArray[np.float64]
    new_arms: NDArray[np.int64] | None
    """Arms that were registered during the game, a column per agent; None if none can be."""

    def __len__(self) -> int:
        return len(self.regret)


class Laboratory:
    """Plays markets under one policy, horizon and seed, and remembers the games.

    Parameters
    ----------
    policy : Policy or ExternalPolicy
        Ours, or another's.
    horizon : int
        T, the rounds of a game.
    seed : int
        Of all the luck.
    workers : int
        Threads, or processes for a policy that is not ours; no effect on the games.
    progress : callable, optional
        Is told the number of rounds played so far.
    """

    def __init__(
        self,
        policy: Policy | ExternalPolicy,
        *,
        horizon: int,
        seed: int,
        workers: int,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        self.policy = policy
        self.horizon = horizon
        self.seed = seed
        self.rounds = 0
        """Played so far, in all."""
        self._workers = workers
        self._progress = progress
        self._games: dict[tuple[Market, Schedule | None], Games] = {}

    def games(self, market: Market, repetitions: int, schedule: Schedule | None = None) -> Games:
        """The first repetitions of a market, played now where they are not known yet."""
        key = (market, schedule)
        known = self._games.get(key)
        first = len(known) if known is not None else 0
        if first < repetitions:
            fresh = self._play(market, schedule, first, repetitions - first)
            self.rounds += len(fresh) * self.horizon
            known = fresh if known is None else _joined(known, fresh)
            self._games[key] = known
        assert known is not None
        new = known.new_arms
        return Games(
            known.revenue[:repetitions],
            known.regret[:repetitions],
            None if new is None else new[:repetitions],
        )

    def forget(self, market: Market, schedule: Schedule | None = None) -> None:
        """Give back the memory of a market's games."""
        self._games.pop((market, schedule), None)

    def keep(self, market: Market) -> None:
        """Give back the memory of all other markets' games."""
        self._games = {key: games for key, games in self._games.items() if key[0] == market}

    def _play(
        self, market: Market, schedule: Schedule | None, first: int, repetitions: int
    ) -> Games:
        before = self.rounds

        def progress(played: int) -> None:
            if self._progress is not None:
                self._progress(before + played)

        if isinstance(self.policy, ExternalPolicy):
            if schedule is not None:
                raise ValueError(
                    f"policy {self.policy} is not ours, and takes no arms during the game: "
                    "re-registration can only be tried on a policy of the catalogue"
                )
            found = play_external(
                self.policy,
                market,
                horizon=self.horizon,
                seed=self.seed,
                first=first,
                repetitions=repetitions,
                workers=self._workers,
                progress=progress,
            )
            return Games(found.revenue, found.regret, None)
        lowered = lower(
            market, self.policy, horizon=self.horizon, seed=self.seed, schedule=schedule
        )
        record = new_record(lowered, 1, repetitions, trace=False)
        rounds = checkpoint_rounds(1, self.horizon)
        run(lowered, rounds, record, workers=self._workers, first=first, progress=progress)
        return Games(
            record.revenue,
            record.regret[:, 0],
            None if schedule is None else new_arms(lowered, record),
        )


def _joined(one: Games, other: Games) -> Games:
    new = None
    if one.new_arms is not None and other.new_arms is not None:
        new = np.concatenate([one.new_arms, other.new_arms])
    return Games(
        np.concatenate([one.revenue, other.revenue]),
        np.concatenate([one.regret, other.regret]),
        new,
    )
