"""The paper, executable: its figures as data, its claims as functions, its runs on disk."""

from copyproof.paper.claims import CLAIMS, Claim, Verdict, judge
from copyproof.paper.judges import Figure, Figures
from copyproof.paper.measures import exponent, fitted_growth, misses
from copyproof.paper.store import Store, all_runs, by_figure, open_store, play
from copyproof.paper.study import (
    FIGURES,
    PAPER_SIZE,
    POLICIES,
    QUICK,
    Key,
    Run,
    Settings,
    runs_of,
)
from copyproof.paper.tables import growth_fits, table

__all__ = [
    "CLAIMS",
    "FIGURES",
    "PAPER_SIZE",
    "POLICIES",
    "QUICK",
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
    "runs_of",
    "table",
]
