"""Reports: figures of what was found."""

from copyproof.report.figures import COLOURS, plot_regret, save_figure

__all__ = ["COLOURS", "plot_regret", "save_figure"]
