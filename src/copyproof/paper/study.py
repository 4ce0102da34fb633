"""The study as data: its policies, its markets, its size, and what a run of it is.

A *run* is one market under one policy, T rounds, R times: a cell of the study. A figure is a set of
runs, each under a key that says which point or line of the figure it is. Runs that several figures
share are equal records, so that they are played once.

Figures of the paper (Bernoulli arms, T = 100,000, 100 repetitions, best means 0.5 … 0.9):

- ``fig1a``, ``fig1b``: revenue of the 0.5-agent, or the 0.9-agent, against its number of copies.
- ``fig2a``, ``fig2b``, ``fig2c``: regret over time, with one, four and five replicators.

And six that it lacks:

- ``convexity``: S-UCB's line of figure 1a at more numbers of copies, with more games.
- ``markets``: the hierarchical policies on five markets, with and without replicators.
- ``frontier``: regret with truthful agents against games lost to a replicator, for every policy of
  the catalogue.
- ``ablation``: hierarchy × sampling, on the markets of figures 2a, 2b and 2c, and on one with more
  arms than rounds.
- ``samples``: RH-UCB on figure 2c's market over its sample size L.
- ``growth``: regret against the horizon, on the markets of figures 2a and 2c.

The policies are the paper's six and one more, which it does not know: copyproof's default. What is
played is said by the study file ``paper.toml`` beside this module, at the paper's size.
"""

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from copyproof.defaults import STUDY_HORIZON, STUDY_REPETITIONS, STUDY_SEED
from copyproof.game import Market
from copyproof.policy import ALIASES, parse_policy
from copyproof.simulation import Result
from copyproof.studies.cells import Cell, Terms, digest_market, make_cell
from copyproof.studies.parts import Part, cases_of
from copyproof.studies.policies import study_policy
from copyproof.studies.schema import read_parts
from copyproof.validation import whole_in

# The point or line of a figure that a run stands for.
RunKey: TypeAlias = tuple[str | int, ...]

# What was found for one figure, by key.
FigureResults: TypeAlias = Mapping[RunKey, Result]
# What was found for the whole study, by the name of the figure.
StudyResults: TypeAlias = Mapping[str, FigureResults]


@functools.cache
def paper_parts() -> dict[str, Part]:
    """The parts of the study file, by name."""
    return {part.name: part for part in read_parts(Path(__file__).with_name("paper.toml"))}


def _policies(part: str) -> tuple[str, ...]:
    return tuple(policy.text for policy in paper_parts()[part].policies)


def _markets(part: str) -> dict[str, Market]:
    sources = paper_parts()[part].markets
    return {case.name: case.market for source in sources for case in cases_of(source)}


def _sample_factor(policy: str) -> int:
    factor = parse_policy(policy).sampling.factor  # type: ignore[union-attr]
    return 3 if factor is None else round(factor)  # figure 2c's agents have three arms


# The policy that is not the paper's: the default.
OURS = ALIASES["default"]
# The paper's six, with its l and L, which are the defaults on its markets; and ours.
POLICIES = _policies("fig2a")
# The paper's hierarchical policies, with which the default is compared market by market.
RIVALS = tuple(policy for policy in _policies("markets") if policy != OURS)
# The markets of ``markets``.
MARKETS = _markets("markets")
COPIES = tuple(int(name.rpartition(":")[2]) for name in _markets("fig1a"))
CONVEXITY_COPIES = tuple(int(name.rpartition(":")[2]) for name in _markets("convexity"))
# Neither hierarchy nor sampling, sampling alone, hierarchy alone, both; and where.
ABLATION = _policies("ablation")
ABLATION_MARKETS = _markets("ablation")
FRONTIER_MARKETS = _markets("frontier: truthful") | _markets("frontier: replicator")
FRONTIER_POLICIES = _policies("frontier: truthful")
SAMPLES = {_sample_factor(policy): policy for policy in _policies("samples")}
SAMPLE_FACTORS = tuple(SAMPLES)


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
        whole_in("seed", self.seed, 0, 2**64 - 1)

    @property
    def horizons(self) -> tuple[int, ...]:
        """The horizons of ``growth``: half decades from T/100 to 10 T."""
        return tuple(max(2, round(self.horizon * 10 ** (half / 2))) for half in range(-4, 3))

    def repetitions_at(self, horizon: int) -> int:
        """Fewer repetitions where games are longer than T."""
        return self.repetitions if horizon <= self.horizon else self._scaled_repetitions(20)

    def _scaled_repetitions(self, repetitions: int) -> int:
        """What stands in the study file at the paper's size, at this one."""
        return max(2, self.repetitions * repetitions // STUDY_REPETITIONS)

    def _scaled_horizon(self, horizon: int) -> int:
        halves = round(2 * math.log10(horizon / STUDY_HORIZON))
        return max(2, round(self.horizon * 10 ** (halves / 2)))

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

    def runs(self, figure: str) -> "list[Run]":
        """The runs that the study file has for a figure, in this size.

        Examples
        --------
        >>> [run.policy for run in QUICK.runs("fig2a")][:2]
        ['ucb1', 's-ucb']
        """
        parts = [part for name, part in paper_parts().items() if name.split(":")[0] == figure]
        return [
            Run(
                case.market,
                policy.text,
                self._scaled_horizon(horizon),
                self._scaled_repetitions(part.repetitions),
                self.seed,
                case.name,
            )
            for part in parts
            for source in part.markets
            for case in cases_of(source)
            for horizon in part.horizons
            for policy in part.policies
        ]


PAPER_SIZE = Settings()
QUICK = Settings(horizon=10_000, repetitions=20)


@dataclass(frozen=True, slots=True)
class Run:
    """One market under one policy, many times over; its market's name is no part of it."""

    market: Market
    policy: str
    horizon: int
    repetitions: int
    seed: int
    name: str = field(default="", compare=False)

    @property
    def rounds(self) -> int:
        """T·R."""
        return self.horizon * self.repetitions

    @property
    def cell(self) -> Cell:
        """The run as a cell of a study, every repetition of which is kept."""
        return make_cell(
            self.market,
            study_policy(self.policy),
            None,
            horizon=self.horizon,
            repetitions=self.repetitions,
            seed=self.seed,
            terms=_terms(),
            market_digest=digest_market(self.market),
        )

    @property
    def digest(self) -> str:
        """A name for the run: equal for equal runs, different for different ones.

        Examples
        --------
        >>> one, other = (Run(MARKETS["2a"], "h-ucb", T, 10, 1) for T in (1000, 2000))
        >>> one.digest == other.digest
        False
        """
        return self.cell.digest


def _terms() -> Terms:
    return paper_parts()["fig2a"].terms
