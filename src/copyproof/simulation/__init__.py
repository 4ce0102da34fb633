"""Simulation: many games of one market under a policy, ours or another's.

``play`` plays any range of repetitions, and ``simulate`` sums up the first R of them.
"""

from copyproof.engine.cache import engine_digest
from copyproof.engine.version import NUMERICS
from copyproof.simulation.digests import rules_digest
from copyproof.simulation.interval import Interval, t_quantile
from copyproof.simulation.lost import (
    LostGames,
    gap_to_rivals,
    gaps_to_rivals,
    last_tenth,
    lost_games,
)
from copyproof.simulation.result import AgentEstimates, Curve, Estimate, Repetitions, Result
from copyproof.simulation.run import is_compiled, play, simulate

__all__ = [
    "NUMERICS",
    "AgentEstimates",
    "Curve",
    "Estimate",
    "Interval",
    "LostGames",
    "Repetitions",
    "Result",
    "engine_digest",
    "gap_to_rivals",
    "gaps_to_rivals",
    "is_compiled",
    "last_tenth",
    "lost_games",
    "play",
    "rules_digest",
    "simulate",
    "t_quantile",
]
