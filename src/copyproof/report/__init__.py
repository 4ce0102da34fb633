"""Reports: figures of what was found."""

from copyproof.report.figures import plot_regret, save_figure

__all__ = ["plot_regret", "save_figure"]
