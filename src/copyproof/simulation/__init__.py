"""Simulation: many games of one market under one policy.

``play`` plays any range of repetitions, and ``simulate`` sums up the first R of them.
"""

from copyproof.engine.cache import engine_digest
from copyproof.simulation.interval import Interval
from copyproof.simulation.result import AgentEstimates, Curve, Estimate, Repetitions, Result
from copyproof.simulation.run import is_compiled, play, simulate

__all__ = [
    "AgentEstimates",
    "Curve",
    "Estimate",
    "Interval",
    "Repetitions",
    "Result",
    "engine_digest",
    "is_compiled",
    "play",
    "simulate",
]
