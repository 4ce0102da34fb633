"""Simulation: many games of one market under one policy."""

from copyproof.simulate.result import AgentEstimates, Curve, Estimate, Result
from copyproof.simulate.run import simulate

__all__ = ["AgentEstimates", "Curve", "Estimate", "Result", "simulate"]
