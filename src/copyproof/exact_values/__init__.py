"""Exact values: all games of one market under one policy, with no sampling.

``exact`` computes; ``why_not_exact`` says why it cannot, ``states`` how much work it would be, and
``prepare`` checks both, against the memory there is.
"""

from copyproof.exact_values.feasibility import Task, prepare, why_not_exact
from copyproof.exact_values.result import Exact, ExactAgent
from copyproof.exact_values.run import exact
from copyproof.exact_values.state_count import Size, states

__all__ = ["Exact", "ExactAgent", "Size", "Task", "exact", "prepare", "states", "why_not_exact"]
