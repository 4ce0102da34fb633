"""The paper, executable: its figures as records, its claims as functions, its runs on disk."""

from copyproof.paper.claims import CLAIMS, ClaimVerdict, PaperClaim, judge
from copyproof.paper.figure import StudyFigure
from copyproof.paper.figures import (
    FIGURES,
    all_runs,
    by_figure,
    draw_figure,
    growth_fits,
    relative_regrets,
    runs_of,
    table,
)
from copyproof.paper.folder import StudyFolder, open_study, play
from copyproof.paper.measures import exponent, fitted_growth, misses, regret_ratio
from copyproof.paper.report import write_report
from copyproof.paper.study import (
    MARKETS,
    OURS,
    PAPER_SIZE,
    POLICIES,
    QUICK,
    RIVALS,
    FigureResults,
    Key,
    Run,
    Settings,
    StudyResults,
)

__all__ = [
    "CLAIMS",
    "FIGURES",
    "MARKETS",
    "OURS",
    "PAPER_SIZE",
    "POLICIES",
    "QUICK",
    "RIVALS",
    "ClaimVerdict",
    "FigureResults",
    "Key",
    "PaperClaim",
    "Run",
    "Settings",
    "StudyFigure",
    "StudyFolder",
    "StudyResults",
    "all_runs",
    "by_figure",
    "draw_figure",
    "exponent",
    "fitted_growth",
    "growth_fits",
    "judge",
    "misses",
    "open_study",
    "play",
    "regret_ratio",
    "relative_regrets",
    "runs_of",
    "table",
    "write_report",
]
