"""Games of a study on a market of real data: played through ``Study``, compared in pairs.

Equal seeds share their luck and the means that are drawn from posteriors, so that a gain is the
mean of paired differences, game by game, with Student's t limits on either side.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copyproof.game import Market
from copyproof.plots.palette import MORE_COLOURS, colour_of, name_of
from copyproof.simulation import Interval, Result, t_quantile
from copyproof.studies.strategies import Variation
from copyproof.studies.study import Study

#: The flat index policy, Thompson sampling over all arms alike, and the default.
POLICIES = ("ucb1", "thompson", "trial")
_ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Games:
    """What was played: a result for every policy, market and strategy."""

    results: dict[tuple[str, str, str], Result]

    def revenue(self, policy: str, market: str, strategy: str, agents: Sequence[str]) -> Any:
        """What some agents earned together, in each game."""
        return self._of("revenue", policy, market, strategy, agents)

    def share(self, policy: str, market: str, strategy: str, agents: Sequence[str]) -> Interval:
        """The share of the rounds that some agents were given together."""
        result = self.results[policy, market, strategy]
        return interval(self._of("plays", policy, market, strategy, agents) / result.horizon)

    def regret(self, policy: str, market: str, strategy: str) -> Interval:
        """The regret after all rounds."""
        return interval(self.results[policy, market, strategy].regret_curves[:, -1])

    def _of(
        self, what: str, policy: str, market: str, strategy: str, agents: Sequence[str]
    ) -> NDArray[np.float64]:
        result = self.results[policy, market, strategy]
        places = [result.market.names.index(agent) for agent in agents]
        found = getattr(result, what)[:, places].sum(axis=1)
        return np.asarray(found, dtype=np.float64)


def play_games(
    folder: Path,
    markets: dict[str, Market],
    strategies: Sequence[Variation],
    *,
    horizon: int,
    repetitions: int,
    seed: int,
) -> Games:
    """Play every policy, market and strategy; what is in the folder is not played again."""
    study = Study(
        POLICIES,
        markets,
        horizons=horizon,
        repetitions=repetitions,
        seed=seed,
        measure=["regret", "revenue", "shares"],
        strategies=strategies,
        arrays=True,
        checkpoints=1,
    )
    study.run(folder)
    return Games(
        {
            (str(point.cell.policy.policy), point.market, point.strategy): Result.load(
                folder / "arrays" / f"{point.cell.digest}.npz"
            )
            for point in study.points()
        }
    )


def interval(values: NDArray[np.float64]) -> Interval:
    """The mean of independent values, with limits of 95 %.

    Examples
    --------
    >>> print(interval(np.array([1.0, 2.0, 3.0])))
    2.000 [-0.484, 4.484]
    """
    mean = float(np.mean(values))
    half = t_quantile(_ALPHA, len(values) - 1) * float(np.std(values, ddof=1))
    half /= math.sqrt(len(values))
    return Interval(mean, mean - half, mean + half)


def told(found: Interval) -> dict[str, float]:
    """For JSON."""
    return {"mean": found.mean, "low": found.low, "high": found.high}


def look_of(policy: str) -> tuple[str, str]:
    """How figures call and colour one of ``POLICIES``.

    Examples
    --------
    >>> look_of("thompson"), look_of("ucb1")
    (('Thompson', '#56B4E9'), ('UCB1', '#D55E00'))
    """
    if policy == "thompson":
        return "Thompson", MORE_COLOURS[0]
    return name_of(policy), colour_of(policy)
