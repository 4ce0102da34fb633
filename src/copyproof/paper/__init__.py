"""The paper, executable: its figures as data, its claims as functions, its runs on disk."""

from copyproof.paper.claims import CLAIMS, Claim, Verdict, judge
from copyproof.paper.judges import Figure, Figures
from copyproof.paper.measures import exponent, fitted_growth, misses, regret_ratio
from copyproof.paper.store import Store, all_runs, by_figure, open_store, play
from copyproof.paper.study import (
    FIGURES,
    MARKETS,
    OURS,
    PAPER_SIZE,
    POLICIES,
    QUICK,
    RIVALS,
    Key,
    Run,
    Settings,
    runs_of,
)
from copyproof.paper.tables import growth_fits, relative_regrets, table

__all__ = [
    "CLAIMS",
    "FIGURES",
    "MARKETS",
    "OURS",
    "PAPER_SIZE",
    "POLICIES",
    "QUICK",
    "RIVALS",
    "Claim",
    "Figure",
    "Figures",
    "Key",
    "Run",
    "Settings",
    "Store",
    "Verdict",
    "all_runs",
    "by_figure",
    "exponent",
    "fitted_growth",
    "growth_fits",
    "judge",
    "misses",
    "open_store",
    "play",
    "regret_ratio",
    "relative_regrets",
    "runs_of",
    "table",
]
