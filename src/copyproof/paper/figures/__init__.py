"""The figures of the study: what copies buy, what they cost, and which part of a policy does what.

Every plot function takes the results of one figure, by key as its record's ``runs`` names them, and
draws on axes of yours, or on a new figure. Bands and error bars are one standard deviation of a
single repetition wide on either side, unless the figure says otherwise.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from copyproof.paper.figure import StudyFigure
from copyproof.paper.figures.ablation import ABLATION_FIGURE
from copyproof.paper.figures.convexity import CONVEXITY_FIGURE
from copyproof.paper.figures.copies import FIG1A, FIG1B
from copyproof.paper.figures.curves import FIG2A, FIG2B, FIG2C
from copyproof.paper.figures.frontier import FRONTIER_FIGURE
from copyproof.paper.figures.growth import GROWTH_FIGURE
from copyproof.paper.figures.markets import MARKETS_FIGURE
from copyproof.paper.figures.samples import SAMPLES_FIGURE
from copyproof.paper.study import Run, RunKey, Settings, StudyResults
from copyproof.simulation import Result
from copyproof.validation import known

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_PAPERS = (FIG1A, FIG1B, FIG2A, FIG2B, FIG2C)
_OURS = (
    CONVEXITY_FIGURE,
    MARKETS_FIGURE,
    FRONTIER_FIGURE,
    ABLATION_FIGURE,
    SAMPLES_FIGURE,
    GROWTH_FIGURE,
)
# All figures by name, in the order of the page.
FIGURES: dict[str, StudyFigure] = {figure.name: figure for figure in (*_PAPERS, *_OURS)}


def runs_of(figure: str, settings: Settings) -> dict[RunKey, Run]:
    """The runs behind a figure, by key.

    Keys are (copies, policy) for 1a, 1b and the convexity, (policy,) for 2a, 2b and 2c, (market,
    policy) for the markets, the frontier and the ablation, (L,) for the samples, and (market,
    policy, horizon) for the growth.

    Raises
    ------
    ValueError
        If there is no such figure.

    Examples
    --------
    >>> runs_of("fig1a", Settings())[500, "h-ucb"].horizon
    100000
    """
    return FIGURES[known("figure", figure, FIGURES)].runs(settings)


def all_runs(figures: Iterable[str], settings: Settings) -> list[Run]:
    """The runs behind some figures, each once."""
    return list({run: None for figure in figures for run in runs_of(figure, settings).values()})


def by_figure(
    figures: Iterable[str], settings: Settings, found: dict[Run, Result]
) -> dict[str, dict[RunKey, Result]]:
    """Results sorted by figure and key."""
    return {
        figure: {key: found[run] for key, run in runs_of(figure, settings).items()}
        for figure in figures
    }


def table(figure: str, study: StudyResults) -> "pd.DataFrame":
    """The numbers behind a figure, one row per point."""
    import pandas as pd

    return pd.DataFrame(FIGURES[figure].rows(study[figure]))


def draw_figure(name: str, study: StudyResults) -> "Figure":
    """Draw one figure of the study whole, with its title and a note on what was played.

    Parameters
    ----------
    name : str
        One of ``FIGURES``.
    study : mapping of str to results by key
        The study's results; the named figure's are enough.

    Raises
    ------
    ValueError
        If there are no results of that name.

    Examples
    --------
    >>> from copyproof.paper import play
    >>> runs = runs_of("fig2a", Settings(horizon=200, repetitions=3))
    >>> figure = draw_figure("fig2a", {"fig2a": {key: play(run) for key, run in runs.items()}})
    >>> figure.get_suptitle()
    'Figure 2a: regret with one replicator'
    """
    return FIGURES[known("figure", name, study)].draw(study[name])
