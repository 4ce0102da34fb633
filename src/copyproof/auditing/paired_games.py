"""Paired games: repetitions of any policy, ours or another's, that share their luck.

The k-th play of agent i in repetition r meets the same uniform number whatever the strategies and
the policy, so that two strategies are compared repetition by repetition. Repetitions can be added
later; those that were played are kept.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from copyproof.external import AnyPolicy
from copyproof.game import Market, Schedule
from copyproof.policy import Policy
from copyproof.simulation import Repetitions, play
from copyproof.simulation.slices import DeviceGame, play_together


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What repetitions of one market left behind: a row each."""

    # A column per agent.
    revenue: NDArray[np.float64]
    regret: NDArray[np.float64]
    # Arms that were registered during the game, a column per agent; None if none can be.
    new_arms: NDArray[np.int64] | None
    # A digest of what was played in each game; None for our own policies.
    paths: NDArray[np.uint64] | None

    def __len__(self) -> int:
        return len(self.regret)

    def first(self, count: int) -> "Outcomes":
        """The first rows."""
        new = None if self.new_arms is None else self.new_arms[:count]
        paths = None if self.paths is None else self.paths[:count]
        return Outcomes(self.revenue[:count], self.regret[:count], new, paths)

    def followed_by(self, later: "Outcomes") -> "Outcomes":
        """These rows, and then those of later repetitions."""
        new = None
        if self.new_arms is not None and later.new_arms is not None:
            new = np.concatenate([self.new_arms, later.new_arms])
        paths = None
        if self.paths is not None and later.paths is not None:
            paths = np.concatenate([self.paths, later.paths])
        revenue = np.concatenate([self.revenue, later.revenue])
        return Outcomes(revenue, np.concatenate([self.regret, later.regret]), new, paths)


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
    device : str
        ``"cpu"``, or ``"cuda"`` for a GPU; no effect on the games.

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
        device: str = "cpu",
    ) -> None:
        self.policy = policy
        self.horizon = horizon
        self.seed = seed
        self.rounds = 0
        self.progress: Callable[[int], None] | None = None
        self._workers = workers
        self._device = device
        self._known: dict[tuple[Market, Schedule | None], Outcomes] = {}

    def of(self, market: Market, repetitions: int, schedule: Schedule | None = None) -> Outcomes:
        """The first repetitions of a market, played now where they are not known yet."""
        first = self.so_far(market, schedule)
        if first < repetitions:
            self._add(market, schedule, self._play(market, schedule, first, repetitions - first))
        return self._known[market, schedule].first(repetitions)

    def prepare(self, asked: Iterable[tuple[Market, Schedule | None]], repetitions: int) -> None:
        """Have the first repetitions of several markets at hand, which ``of`` will be asked for.

        On a GPU what is missing of them is played together; elsewhere ``of`` plays it.
        """
        if self._device == "cpu" or not isinstance(self.policy, Policy):
            return
        missing = [one for one in dict.fromkeys(asked) if self.so_far(*one) < repetitions]
        games = [
            DeviceGame(
                market, self.policy, horizon=self.horizon, seed=self.seed,
                checkpoints=[self.horizon], schedule=schedule,
            )
            for market, schedule in missing
        ]  # fmt: skip
        firsts = [self.so_far(*one) for one in missing]
        found, _ = play_together(
            [(game, k, repetitions - k) for game, k in zip(games, firsts, strict=True)],
            progress=self._further(),
        )
        for one, played in zip(missing, found, strict=True):
            self._add(*one, _outcomes(played))

    def known(self, market: Market) -> Outcomes | None:
        """All repetitions of a market that were played; None if there are none."""
        return self._known.get((market, None))

    def so_far(self, market: Market, schedule: Schedule | None) -> int:
        """How many repetitions of a market are known."""
        known = self._known.get((market, schedule))
        return 0 if known is None else len(known)

    def _add(self, market: Market, schedule: Schedule | None, fresh: Outcomes) -> None:
        known = self._known.get((market, schedule))
        self.rounds += len(fresh) * self.horizon
        self._known[market, schedule] = fresh if known is None else known.followed_by(fresh)

    def _further(self) -> Callable[[int], None]:
        """What tells the rounds that are played from now on, after all before."""
        before = self.rounds

        def progress(played: int) -> None:
            if self.progress is not None:
                self.progress(before + played)

        return progress

    def forget(self, market: Market, schedule: Schedule | None = None) -> None:
        """Give back the memory of a market's games."""
        self._known.pop((market, schedule), None)

    def keep(self, market: Market) -> None:
        """Give back the memory of all other markets' games."""
        self._known = {key: known for key, known in self._known.items() if key[0] == market}

    def _play(self, market: Market, schedule: Schedule | None, first: int, count: int) -> Outcomes:
        found = play(
            market, self.policy, first, count, horizon=self.horizon, seed=self.seed, checkpoints=1,
            workers=self._workers, schedule=schedule, progress=self._further(), device=self._device,
        )  # fmt: skip
        return _outcomes(found)


def _outcomes(found: Repetitions) -> Outcomes:
    return Outcomes(found.revenue, found.regret_curves[:, -1], found.new_arms, found.paths)
