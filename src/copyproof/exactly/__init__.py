"""Exact values: all games of one market under one policy, with no sampling.

``exact`` computes; ``supported`` says why it cannot, ``states`` how much work it would be, and
``prepare`` checks both, against the memory there is.
"""

from copyproof.exactly.count import Size, states, supported
from copyproof.exactly.fit import Task, prepare
from copyproof.exactly.result import Exact, ExactAgent
from copyproof.exactly.run import exact

__all__ = ["Exact", "ExactAgent", "Size", "Task", "exact", "prepare", "states", "supported"]
