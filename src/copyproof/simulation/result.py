"""What a simulation found: estimates with their errors, curves, and the runs behind them.

Every estimate is a mean over repetitions with the standard deviation of one repetition (divisor
R − 1) and the standard error of the mean, std/√R. With one repetition both are NaN.
"""

import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from copyproof.engine.version import NUMERICS
from copyproof.external import AnyPolicy
from copyproof.game import ByName, Market, Schedule, quotient
from copyproof.policy import Policy, with_market_defaults
from copyproof.simulation.display import curve_frame, repetitions_frame, result_html, result_line
from copyproof.simulation.lost import LostGames, gap_to_rivals, gaps_to_rivals, lost_games

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its errors.

    Examples
    --------
    >>> Estimate.of(np.array([1.0, 3.0])).stderr
    1.0
    """

    mean: float
    std: float
    stderr: float

    @classmethod
    def of(cls, values: NDArray[Any]) -> "Estimate":
        """The estimate that a column of repetitions gives."""
        return _estimates(np.asarray(values)[:, np.newaxis])[0]

    def to_dict(self) -> dict[str, float | None]:
        """For JSON; NaN becomes None."""
        return {name: _or_none(value) for name, value in asdict(self).items()}


@dataclass(frozen=True, slots=True)
class AgentEstimates:
    """One agent's discounted revenue v_i, plays, and utility U_i(v_i) − fee × registrations."""

    name: str
    revenue: Estimate
    plays: Estimate
    utility: Estimate

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        estimates = {"revenue": self.revenue, "plays": self.plays, "utility": self.utility}
        return {"name": self.name} | {what: one.to_dict() for what, one in estimates.items()}


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """The regret over time, at the checkpoints."""

    round: NDArray[np.int64]
    mean: NDArray[np.float64]
    std: NDArray[np.float64]
    stderr: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Repetitions:
    """What ``play`` found: a row per repetition. The arrays cannot be written to.

    Attributes
    ----------
    first : int
        The number of the first row's repetition.
    rounds : array, C
        The checkpoints; the last one is T, or the round after which the games were stopped.
    regret_curves : array, R × C
        Regret Σ (μ* − μ(A_t)) up to each checkpoint; Σ (μ*_t − μ_t(A_t)) where means change.
    revenue, plays : array, R × n
        Discounted revenue and plays of each agent.
    original_plays : array, R × originals
        Plays of each original arm and its copies together, all agents' originals in a row.
    new_arms : array, R × n, or None
        How many new arms each agent registered during the game; None without a schedule.
    means : array, R × originals, or None
        The mean μ(a) of each original in each game; None unless some are drawn from priors.
    paths : array, R, or None
        A digest of the originals played in each game, in their order; None for our own policies.
    seconds : float
        Time for the games, without compilation.
    """

    first: int = 0
    rounds: NDArray[np.int64]
    regret_curves: NDArray[np.float64]
    revenue: NDArray[np.float64]
    plays: NDArray[np.int64]
    original_plays: NDArray[np.int64]
    new_arms: NDArray[np.int64] | None = None
    means: NDArray[np.float64] | None = None
    paths: NDArray[np.uint64] | None = None
    seconds: float

    def __repr__(self) -> str:
        """Say on one line which games these are."""
        games, agents = self.plays.shape
        last = self.first + games - 1
        return f"<Repetitions {self.first} to {last}: {agents:,} agents, T = {self.rounds[-1]:,}>"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Result(Repetitions):
    """What ``simulate`` found: the repetitions, and what they come to.

    Attributes
    ----------
    market, policy, horizon, repetitions, seed
        What was played; the policy as it was asked for, as a record.
    versions : dict
        Of the packages that the numbers depend on; for an external policy with a text, its package,
        module or file, too.
    numerics : int
        The version of the engine's numerics: equal versions, equal results, on every machine.
    schedule : Schedule or None
        How registrations changed during the game.
    rounds, regret_curves, revenue, plays, original_plays, new_arms, means, paths, seconds
        As ``Repetitions`` has them; ``first`` is 0.
    """

    market: Market
    policy: AnyPolicy
    horizon: int
    repetitions: int
    seed: int
    versions: dict[str, str]
    numerics: int = NUMERICS
    schedule: Schedule | None = None

    @property
    def resolved_policy(self) -> AnyPolicy:
        """The policy with l or L filled in where none was asked for."""
        if isinstance(self.policy, Policy):
            return with_market_defaults(self.policy, self.market.quotient)
        return self.policy

    @property
    def stop(self) -> int:
        """The last round that was played: T, unless the games were stopped before it."""
        return int(self.rounds[-1])

    @property
    def regret(self) -> Estimate:
        """The regret after the last round that was played."""
        return Estimate.of(self.regret_curves[:, -1])

    @property
    def best_mean(self) -> Estimate:
        """The best mean μ* that the regret is measured against; one for every game with priors.

        Refused (``FieldError``) where means change during the game: every round has its own.
        """
        if self.means is None:
            return Estimate.of(np.full(self.repetitions, self.market.best_mean))
        return Estimate.of(self.means.max(axis=1))

    @property
    def lost(self) -> LostGames | None:
        """How many games were lost; None with a schedule, or without a checkpoint at ⌊9T/10⌋.

        None, too, where means change during the game, or it was stopped before T. A game is lost
        when its last tenth costs at least half the gap a round (``lost.py``).

        Examples
        --------
        >>> from copyproof import Agent, simulate
        >>> market = Market([Agent("a", [0.9, 0.1], copies=[1, 99]), Agent("b", [0.8])])
        >>> simulate(market, "h-ucb", horizon=10_000, repetitions=20, seed=1).lost
        LostGames(count=20, games=20)
        """
        which = self.lost_games
        return None if which is None else LostGames(int(which.sum()), len(which))

    @property
    def lost_games(self) -> NDArray[np.bool_] | None:
        """Which games were lost, one for each repetition; None where ``lost`` is."""
        if self.schedule is not None or self.market.has_changing_means:
            return None
        if self.stop < self.horizon:
            return None
        principals = quotient(self.market)
        gap = (
            gap_to_rivals(principals.market)
            if self.means is None
            else gaps_to_rivals(principals.market, self.means[:, principals.originals])
        )
        return lost_games(self.rounds, self.regret_curves, gap)

    @property
    def curve(self) -> Curve:
        """The regret over time."""
        return Curve(self.rounds, *_moments(self.regret_curves))

    @property
    def agents(self) -> ByName[AgentEstimates]:
        """Every agent's estimates, in the market's order: ``agents[0]`` or ``agents["ann"]``.

        Examples
        --------
        >>> from copyproof import paper_market, simulate
        >>> result = simulate(paper_market("2a"), "h-ucb", horizon=100, repetitions=4, seed=1)
        >>> result.agents["0.9-agent"].plays.mean == result.agents[4].plays.mean
        True
        """
        columns = [_estimates(values) for values in (self.revenue, self.plays, self.utility)]
        rows = zip(self.market.names, *columns, strict=True)
        return ByName(AgentEstimates(*row) for row in rows)

    @property
    def groups(self) -> ByName[AgentEstimates]:
        """What each group of the market comes to as one principal; empty where none is bound.

        Revenue and plays are those of its names together, and its utility is that of one agent who
        earns all of it: U(Σ v_i) − fee × registrations.

        Examples
        --------
        >>> from copyproof import Agent, simulate
        >>> names = [Agent("ann", [0.5]), Agent("anna", [0.5]), Agent("bob", [0.9])]
        >>> market = Market(names).bind(["ann", "anna"], "ann & co")
        >>> result = simulate(market, "h-ucb", horizon=1000, repetitions=10, seed=1)
        >>> one = simulate(market.quotient, "h-ucb", horizon=1000, repetitions=10, seed=1)
        >>> result.groups["ann & co"].revenue == one.agents["ann & co"].revenue
        True
        """
        found = []
        for group, names in self.market.groups.items():
            own = [self.market.names.index(name) for name in names]
            revenue = self.revenue[:, own].sum(axis=1)
            fees = self.market.fee * self.registrations[:, own].sum(axis=1)
            worth = self.market.agents[own[0]].utility.of(revenue) - fees
            columns = (revenue, self.plays[:, own].sum(axis=1), worth)
            found.append(AgentEstimates(group, *map(Estimate.of, columns)))
        return ByName(found)

    @property
    def registrations(self) -> NDArray[np.int64]:
        """Arms that each agent registered in all; one submitted again as new counts again."""
        before = np.array([agent.registered for agent in self.market.agents], np.int64)
        later = 0 if self.new_arms is None else self.new_arms
        return np.broadcast_to(before, self.plays.shape) + later

    @property
    def utility(self) -> NDArray[np.float64]:
        """U_i(v_i) − fee × registrations, a row per repetition and a column per agent."""
        columns = [
            agent.utility.of(self.revenue[:, place])
            for place, agent in enumerate(self.market.agents)
        ]
        return np.stack(columns, axis=1) - self.market.fee * self.registrations

    @property
    def rounds_per_second(self) -> float:
        """Rounds played / seconds."""
        return self.stop * self.repetitions / self.seconds

    def to_frame(self) -> "pd.DataFrame":
        """A row per repetition and agent: revenue, plays, utility, and the game's regret.

        It opens with policy, market, seed and horizon, so that frames of several results can be
        put together.

        Examples
        --------
        >>> from copyproof import paper_market, simulate
        >>> result = simulate(paper_market("2a"), "h-ucb", horizon=100, repetitions=4, seed=1)
        >>> result.to_frame()["agent"].head(5).tolist()
        ['0.5-agent', '0.6-agent', '0.7-agent', '0.8-agent', '0.9-agent']
        """
        return repetitions_frame(self)

    def curve_frame(self) -> "pd.DataFrame":
        """A row per checkpoint: what was played, and the regret's mean, std and stderr."""
        return curve_frame(self)

    def curve_columns(self) -> dict[str, NDArray[Any]]:
        """The checkpoints, and the regret's mean, std and stderr there, as tables name them."""
        curve = self.curve
        regret = {"mean": curve.mean, "std": curve.std, "stderr": curve.stderr}
        return {"round": curve.round} | {f"regret_{name}": one for name, one in regret.items()}

    def __repr__(self) -> str:
        """Say on one line what was played, and its regret."""
        return f"<Result {result_line(self)}>"

    def _repr_html_(self) -> str:
        """Show every agent's estimates in a notebook."""
        return result_html(self)

    def to_dict(self) -> dict[str, Any]:
        """The summary that the command line prints as JSON; NaN becomes None."""
        curve = self.curve_columns().items()
        return {
            "policy": str(self.policy),
            "resolved_policy": str(self.resolved_policy),
            "horizon": self.horizon,
            **({"stop": self.stop} if self.stop < self.horizon else {}),
            "repetitions": self.repetitions,
            "seed": self.seed,
            "numerics": self.numerics,
            "regret": self.regret.to_dict(),
            **({} if self.means is None else {"best_mean": self.best_mean.to_dict()}),
            "lost": self.lost and self.lost.to_dict(),
            "agents": [agent.to_dict() for agent in self.agents],
            **self._groups_dict(),
            "curve": {name: [_or_none(value) for value in one.tolist()] for name, one in curve},
            "seconds": self.seconds,
            "rounds_per_second": self.rounds_per_second,
        }

    def _groups_dict(self) -> dict[str, Any]:
        members = self.market.groups
        rows = [{**one.to_dict(), "agents": list(members[one.name])} for one in self.groups]
        return {"groups": rows} if rows else {}

    def save(self, path: str | Path) -> None:
        """Write everything into one ``.npz`` file: the arrays, and a manifest as JSON.

        The file appears whole or not at all. Read it back with ``Result.load``. Of an external
        policy its name and text are kept, and not its code.
        """
        from copyproof.simulation.files import write_result

        write_result(self, path)

    @classmethod
    def load(cls, path: str | Path) -> "Result":
        """Read what ``save`` wrote; nothing in the file is ever run.

        An external policy comes back with its name and text, and without its code: it says so if it
        is played.
        """
        from copyproof.simulation.files import read_result

        return read_result(path)


def _moments(values: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Mean, std and stderr of every column."""
    repetitions = len(values)
    mean = values.mean(axis=0)
    if repetitions == 1:
        unknown = np.full_like(mean, math.nan)
        return mean, unknown, unknown
    std = values.std(axis=0, ddof=1)
    return mean, std, std / math.sqrt(repetitions)


def _estimates(values: NDArray[Any]) -> list[Estimate]:
    """The estimate of every column."""
    columns = (moment.tolist() for moment in _moments(np.asarray(values, float)))
    return [Estimate(*moments) for moments in zip(*columns, strict=True)]


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else value
