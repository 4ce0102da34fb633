"""What is proven of a policy on a market: the theorems as numbers, with their conditions.

``bounds`` checks every theorem on a market, a policy and a horizon. The formulas themselves are
functions of plain numbers, one each, in the paper's symbols.
"""

from copyproof.theory.bound import Bound, Bounds, Kind, Quantity
from copyproof.theory.check import bounds
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
from copyproof.theory.information import (
    information_rate,
    information_rate_at_share,
    least_probability,
    plays_needed_to_tell,
)
from copyproof.theory.lost_games import (
    TrialTerms,
    falls_below,
    keeps_costing,
    stays_above,
    theorem_d,
)
from copyproof.theory.quantities import (
    Sample,
    agent_gap,
    arm_gaps,
    best_agents,
    best_share,
    largest_gap,
    participants,
    registered_best,
    sample_misses_best,
    samples,
    share_of_best,
    smallest_share,
)
from copyproof.theory.replication_cost import (
    plays_needed,
    plays_needed_at_share,
    share_lost,
    share_lost_at_share,
    theorem_a,
)
from copyproof.theory.rh_kl_ucb import agent_plays, arm_plays, theorem_b, theorem_b_with_gaps

__all__ = [
    "Bound",
    "Bounds",
    "Kind",
    "Quantity",
    "Sample",
    "TrialTerms",
    "agent_gap",
    "agent_plays",
    "arm_gaps",
    "arm_plays",
    "best_agents",
    "best_share",
    "bounds",
    "falls_below",
    "information_rate",
    "information_rate_at_share",
    "keeps_costing",
    "kl",
    "lai_robbins",
    "largest_gap",
    "least_probability",
    "lemma_1",
    "miss_probability",
    "participants",
    "plays_needed",
    "plays_needed_at_share",
    "plays_needed_to_tell",
    "registered_best",
    "sample_misses_best",
    "sample_size",
    "samples",
    "share_lost",
    "share_lost_at_share",
    "share_of_best",
    "smallest_share",
    "stays_above",
    "theorem_3",
    "theorem_5",
    "theorem_6",
    "theorem_7_holds",
    "theorem_a",
    "theorem_b",
    "theorem_b_with_gaps",
    "theorem_d",
]
