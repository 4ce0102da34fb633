"""What an estimate of the probability that an agent is lost comes to."""

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copyproof.engine.own_process import LOST, PLAYS, SAFE, UNDECIDED
from copyproof.engine.version import NUMERICS
from copyproof.simulation import t_quantile


@dataclass(frozen=True, slots=True, kw_only=True)
class LostProbability:
    """The probability that one agent's index falls below a rival's, with its errors.

    Attributes
    ----------
    probability, stderr : float
        The mean over independent runs, which is unbiased, and its standard error.
    low, high : float
        The ends of a 95 % interval by Student's t; ``high`` has ``neglected`` in it. Where no run
        lost anything, ``high`` is 3/runs.
    neglected : float
        The most that the estimate leaves out: what is undecided, and what was safe, times
        e^(−16).
    undecided : float
        The probability to be neither lost nor safe after ``most_plays`` own plays.
    hits : int
        Runs in which something was lost: with few of them the standard error is not to be trusted.
    runs, plays : int
        Independent runs, and the own plays of all their walkers, those of the pilot included.
    seconds : float
        Time for the runs, without compilation.
    policy, agent, rival, best, agents, horizon, most_plays, seed
        What was asked: the policy with the market's defaults, the agent's name, V, the agent's
        best mean, n, T, and the most own plays of a walker.
    numerics : int
        The version of the engine's numerics: equal versions, equal results, on every machine.
    """

    probability: float
    stderr: float
    low: float
    high: float
    neglected: float
    undecided: float
    hits: int
    runs: int
    plays: int
    seconds: float
    policy: str
    agent: str
    rival: float
    best: float
    agents: int
    horizon: int
    most_plays: int
    seed: int
    numerics: int = NUMERICS

    @property
    def relative_error(self) -> float:
        """The standard error as a share of the probability; NaN if nothing was lost."""
        return self.stderr / self.probability if self.probability > 0 else math.nan

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def summed_up(results: NDArray[np.float64], *, safe: float, is_cut: bool) -> dict[str, Any]:
    """The numbers of ``LostProbability`` that follow from the runs, a row each.

    ``is_cut`` says that runs end before T: who is left there is undecided.
    """
    runs = len(results)
    lost = results[:, LOST]
    mean = float(lost.mean())
    stderr = float(lost.std(ddof=1)) / math.sqrt(runs)
    undecided = float(results[:, UNDECIDED].mean()) if is_cut else 0.0
    neglected = undecided + float(results[:, SAFE].mean()) * math.exp(-safe)
    half = t_quantile(0.05, runs - 1) * stderr
    hits = int(np.count_nonzero(lost))
    high = mean + half if hits else 3.0 / runs
    return {
        "probability": mean,
        "stderr": stderr,
        "low": max(0.0, mean - half),
        "high": min(1.0, high + neglected),
        "neglected": neglected,
        "undecided": undecided,
        "hits": hits,
        "runs": runs,
        "plays": int(results[:, PLAYS].sum()),
    }
