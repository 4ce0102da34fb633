"""The study as data: its policies, its markets, its size, and what a run of it is.

A *run* is one market under one policy, T rounds, R times. A figure is a set of runs, each under a
key that says which point or line of the figure it is. Runs that several figures share are equal
records, so that they are played once.

Figures of the paper (Bernoulli arms, T = 100,000, 100 repetitions, best means 0.5 … 0.9):

- ``fig1a``, ``fig1b``: revenue of the 0.5-agent, or the 0.9-agent, against its number of copies.
- ``fig2a``, ``fig2b``, ``fig2c``: regret over time, with one, four and five replicators.

And five that it lacks:

- ``markets``: the hierarchical policies on five markets, with and without replicators.
- ``frontier``: regret with truthful agents against games lost to a replicator, for every policy of
  the catalogue.
- ``ablation``: hierarchy × sampling, on the markets of figures 2a, 2b and 2c, and on one with more
  arms than rounds.
- ``samples``: RH-UCB on figure 2c's market over its sample size L.
- ``growth``: regret against the horizon, on the markets of figures 2a and 2c.

The policies are the paper's six and one more, which it does not know: copyproof's default.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from copyproof.defaults import STUDY_HORIZON, STUDY_REPETITIONS, STUDY_SEED
from copyproof.game import Agent, Market, market_to_dict, paper_market
from copyproof.policy import ALIASES, PAPER_POLICIES, parse_policy, to_dict
from copyproof.simulation import Result, engine_digest, rules_digest
from copyproof.validation import whole_in

# The point or line of a figure that a run stands for.
RunKey: TypeAlias = tuple[str | int, ...]

# What was found for one figure, by key.
FigureResults: TypeAlias = Mapping[RunKey, Result]
# What was found for the whole study, by the name of the figure.
StudyResults: TypeAlias = Mapping[str, FigureResults]

# The policy that is not the paper's: the default.
OURS = ALIASES["default"]
# The paper's six, with its l and L, which are the defaults on its markets; and ours.
POLICIES = (*PAPER_POLICIES, OURS)
# The paper's hierarchical policies, with which the default is compared market by market.
RIVALS = ("h-ucb", "rh-ucb", "prh-ucb")
# The markets of ``markets``. The honest ones are those of figures 2a and 2c without copies.
MARKETS = {
    "honest-1": paper_market("1a"),
    "2a": paper_market("2a"),
    "2b": paper_market("2b"),
    "honest-3": paper_market("2c").honest(),
    "2c": paper_market("2c"),
}
COPIES = (1, 100, 200, 300, 400, 500)
# Neither hierarchy nor sampling, sampling alone, hierarchy alone, both.
ABLATION = ("ucb1", "s-ucb", "rh-ucb-all", "rh-ucb")
# Where they are played: more arms than the paper's rounds show what happens before all were tried.
ABLATION_MARKETS = {name: paper_market(name) for name in ("2a", "2b", "2c")} | {
    "105,001 arms": Market(
        [
            Agent("0.8-agent", [0.8]),
            Agent("0.9-agent", [0.9, 0.2, 0.1], copies=[5_000, 50_000, 50_000]),
        ]
    )
}
SAMPLE_FACTORS = (1, 3, 6, 10, 22)
CHECKPOINTS = 200


@dataclass(frozen=True, slots=True)
class Settings:
    """How large the study is.

    Parameters
    ----------
    horizon : int
        T of all figures but ``growth``.
    repetitions : int
        R of all figures; long games of ``growth`` have a fifth of them.
    seed : int
        One for the whole study: every policy and every strategy shares its luck.
    """

    horizon: int = STUDY_HORIZON
    repetitions: int = STUDY_REPETITIONS
    seed: int = STUDY_SEED

    def __post_init__(self) -> None:
        whole_in("horizon", self.horizon, 100, 10**9)
        whole_in("repetitions", self.repetitions, 2, 10**6)

    @property
    def horizons(self) -> tuple[int, ...]:
        """The horizons of ``growth``: half decades from T/100 to 10 T."""
        return tuple(max(2, round(self.horizon * 10 ** (half / 2))) for half in range(-4, 3))

    def repetitions_at(self, horizon: int) -> int:
        """Fewer repetitions where games are longer than T."""
        return self.repetitions if horizon <= self.horizon else max(2, self.repetitions // 5)

    @property
    def reduced(self) -> str | None:
        """What the study is instead of the paper's size; None if it is not smaller.

        Examples
        --------
        >>> QUICK.reduced
        'T = 10,000 and 20 repetitions instead of 100,000 and 100'
        >>> Settings(horizon=200_000).reduced is None
        True
        """
        if self.horizon >= STUDY_HORIZON and self.repetitions >= STUDY_REPETITIONS:
            return None
        return (
            f"T = {self.horizon:,} and {self.repetitions:,} repetitions instead of "
            f"{STUDY_HORIZON:,} and {STUDY_REPETITIONS:,}"
        )

    def run(self, market: Market, policy: str, horizon: int | None = None) -> "Run":
        """One market under one policy in a study of this size."""
        T = self.horizon if horizon is None else horizon
        return Run(market, policy, T, self.repetitions_at(T), self.seed)


PAPER_SIZE = Settings()
QUICK = Settings(horizon=10_000, repetitions=20)


@dataclass(frozen=True, slots=True)
class Run:
    """One market under one policy, many times over."""

    market: Market
    policy: str
    horizon: int
    repetitions: int
    seed: int

    @property
    def rounds(self) -> int:
        """T·R."""
        return self.horizon * self.repetitions

    @property
    def size(self) -> dict[str, Any]:
        """How it is played, as ``simulate`` asks for it."""
        size = {"horizon": self.horizon, "repetitions": self.repetitions, "seed": self.seed}
        return size | {"checkpoints": CHECKPOINTS}

    def describe(self) -> dict[str, Any]:
        """Everything that the result depends on, as plain data."""
        return {
            "market": market_to_dict(self.market),
            "policy": to_dict(parse_policy(self.policy)),
            "rules": rules_digest(self.market, self.policy, self.horizon),
            "engine": engine_digest(),
        } | self.size

    @property
    def digest(self) -> str:
        """A name for the run: equal for equal runs, different for different ones.

        Examples
        --------
        >>> one, other = (Run(paper_market("2a"), "h-ucb", T, 10, 1) for T in (1000, 2000))
        >>> one.digest == other.digest
        False
        """
        text = json.dumps(self.describe(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]
