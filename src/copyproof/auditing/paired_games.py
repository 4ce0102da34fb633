"""Paired games: repetitions of any policy, ours or another's, that share their luck.

The k-th play of agent i in repetition r meets the same uniform number whatever the strategies and
the policy, so that two strategies are compared repetition by repetition. Repetitions can be added
later; those that were played are kept.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from copyproof.external import AnyPolicy
from copyproof.game import Market, Schedule
from copyproof.simulation import play


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What repetitions of one market left behind: a row each."""

    # A column per agent.
    revenue: NDArray[np.float64]
    regret: NDArray[np.float64]
    # Arms that were registered during the game, a column per agent; None if none can be.
    new_arms: NDArray[np.int64] | None

    def __len__(self) -> int:
        return len(self.regret)

    def first(self, count: int) -> "Outcomes":
        """The first rows."""
        new = None if self.new_arms is None else self.new_arms[:count]
        return Outcomes(self.revenue[:count], self.regret[:count], new)

    def followed_by(self, later: "Outcomes") -> "Outcomes":
        """These rows, and then those of later repetitions."""
        new = None
        if self.new_arms is not None and later.new_arms is not None:
            new = np.concatenate([self.new_arms, later.new_arms])
        revenue = np.concatenate([self.revenue, later.revenue])
        return Outcomes(revenue, np.concatenate([self.regret, later.regret]), new)


class PairedGames:
    """Plays markets under one policy, horizon and seed, and remembers the outcomes.

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

    Attributes
    ----------
    rounds : int
        Played so far, in all.
    progress : callable or None
        Is told the number of rounds played so far.
    """

    def __init__(
        self,
        policy: AnyPolicy,
        *,
        horizon: int,
        seed: int,
        workers: int,
    ) -> None:
        self.policy = policy
        self.horizon = horizon
        self.seed = seed
        self.rounds = 0
        self.progress: Callable[[int], None] | None = None
        self._workers = workers
        self._known: dict[tuple[Market, Schedule | None], Outcomes] = {}

    def of(self, market: Market, repetitions: int, schedule: Schedule | None = None) -> Outcomes:
        """The first repetitions of a market, played now where they are not known yet."""
        known = self._known.get((market, schedule))
        first = 0 if known is None else len(known)
        if known is None or first < repetitions:
            fresh = self._play(market, schedule, first, repetitions - first)
            self.rounds += len(fresh) * self.horizon
            known = fresh if known is None else known.followed_by(fresh)
            self._known[market, schedule] = known
        return known.first(repetitions)

    def forget(self, market: Market, schedule: Schedule | None = None) -> None:
        """Give back the memory of a market's games."""
        self._known.pop((market, schedule), None)

    def keep(self, market: Market) -> None:
        """Give back the memory of all other markets' games."""
        self._known = {key: known for key, known in self._known.items() if key[0] == market}

    def _play(self, market: Market, schedule: Schedule | None, first: int, count: int) -> Outcomes:
        before = self.rounds

        def progress(played: int) -> None:
            if self.progress is not None:
                self.progress(before + played)

        found = play(
            market, self.policy, first, count, horizon=self.horizon, seed=self.seed, checkpoints=1,
            workers=self._workers, schedule=schedule, progress=progress,
        )  # fmt: skip
        return Outcomes(found.revenue, found.regret_curves[:, -1], found.new_arms)
