"""What is proven of a policy on a market: the theorems as numbers, with their conditions.

``bounds`` checks every theorem on a market, a policy and a horizon. The formulas themselves are
functions of plain numbers, one each, in the paper's symbols.
"""

from copyproof.theory.check import Bound, Kind, bounds
from copyproof.theory.formulas import (
    kl,
    lai_robbins,
    lemma_1,
    miss_probability,
    sample_size,
    theorem_3,
    theorem_5,
    theorem_6,
    theorem_7_holds,
)
from copyproof.theory.quantities import (
    Sample,
    agent_gap,
    arm_gaps,
    best_agents,
    best_share,
    largest_gap,
    participants,
    sample_misses_best,
    samples,
    share_of_best,
    smallest_share,
)

__all__ = [
    "Bound",
    "Kind",
    "Sample",
    "agent_gap",
    "arm_gaps",
    "best_agents",
    "best_share",
    "bounds",
    "kl",
    "lai_robbins",
    "largest_gap",
    "lemma_1",
    "miss_probability",
    "participants",
    "sample_misses_best",
    "sample_size",
    "samples",
    "share_of_best",
    "smallest_share",
    "theorem_3",
    "theorem_5",
    "theorem_6",
    "theorem_7_holds",
]
