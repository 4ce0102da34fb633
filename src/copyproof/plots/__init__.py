"""Public plots, and what every figure is made of: canvas, palette, labels, numbers, files.

Loading this package costs neither the compiler nor matplotlib; both come with the first result
and the first figure.
"""

from copyproof.plots.files import FORMATS, check_format, save_figure
from copyproof.plots.numbers import brief, limits, with_error
from copyproof.plots.palette import COLOURS
from copyproof.plots.regret import plot_regret

__all__ = [
    "COLOURS",
    "FORMATS",
    "brief",
    "check_format",
    "limits",
    "plot_regret",
    "save_figure",
    "with_error",
]
