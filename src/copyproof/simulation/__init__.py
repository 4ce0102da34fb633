"""Simulation: many games of one market under one policy."""

from copyproof.simulation.interval import Interval
from copyproof.simulation.result import AgentEstimates, Curve, Estimate, Result
from copyproof.simulation.run import simulate

__all__ = ["AgentEstimates", "Curve", "Estimate", "Interval", "Result", "simulate"]
