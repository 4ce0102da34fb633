"""Comparison: which of several policies is better, by how much, and where that is open."""

from copyproof.comparison.compare import compare
from copyproof.comparison.figure import plot_comparison, plot_ranking
from copyproof.comparison.paired_limits import PairLimits, pair_limits
from copyproof.comparison.ranks import (
    Ranking,
    RankPair,
    average_ranks,
    holm,
    ranking,
    signed_rank_p,
)
from copyproof.comparison.result import Comparison, Difference, Played

__all__ = [
    "Comparison",
    "Difference",
    "PairLimits",
    "Played",
    "RankPair",
    "Ranking",
    "average_ranks",
    "compare",
    "holm",
    "pair_limits",
    "plot_comparison",
    "plot_ranking",
    "ranking",
    "signed_rank_p",
]
