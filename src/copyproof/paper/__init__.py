"""The paper, executable: its figures as records, its claims as functions, its runs on disk."""

from copyproof.paper.claims import CLAIMS, ClaimVerdict, judge
from copyproof.paper.figure import StudyFigure
from copyproof.paper.figures import FIGURES, all_runs, by_figure, draw_figure, runs_of, table
from copyproof.paper.page import write_report
from copyproof.paper.runs import complete, found, play
from copyproof.paper.study import PAPER_SIZE, QUICK, Settings, StudyResults

__all__ = [
    "CLAIMS",
    "FIGURES",
    "PAPER_SIZE",
    "QUICK",
    "ClaimVerdict",
    "Settings",
    "StudyFigure",
    "StudyResults",
    "all_runs",
    "by_figure",
    "complete",
    "draw_figure",
    "found",
    "judge",
    "play",
    "runs_of",
    "table",
    "write_report",
]
