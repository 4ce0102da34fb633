"""Reports: figures of what was found, and the pages of the paper's study and of audits."""

import importlib
from typing import TYPE_CHECKING, Any

from copyproof.report.figures import COLOURS, plot_regret, save_figure

if TYPE_CHECKING:
    from copyproof.report.audit_figure import plot_gains
    from copyproof.report.audit_page import write_audit_report
    from copyproof.report.copies_figure import plot_copies
    from copyproof.report.growth_figure import plot_growth
    from copyproof.report.markets_figure import plot_markets
    from copyproof.report.page import write_report
    from copyproof.report.paper_figures import draw_figure
    from copyproof.report.parts_figures import plot_ablation, plot_samples

__all__ = [
    "COLOURS",
    "draw_figure",
    "plot_ablation",
    "plot_copies",
    "plot_gains",
    "plot_growth",
    "plot_markets",
    "plot_regret",
    "plot_samples",
    "save_figure",
    "write_audit_report",
    "write_report",
]

# Loaded when first asked for: they need the study, and with it the compiler.
_LATER = {
    "draw_figure": "paper_figures",
    "plot_ablation": "parts_figures",
    "plot_copies": "copies_figure",
    "plot_gains": "audit_figure",
    "plot_growth": "growth_figure",
    "plot_markets": "markets_figure",
    "plot_samples": "parts_figures",
    "write_audit_report": "audit_page",
    "write_report": "page",
}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        value = getattr(importlib.import_module(f"copyproof.report.{_LATER[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'copyproof.report' has no attribute {name!r}")
