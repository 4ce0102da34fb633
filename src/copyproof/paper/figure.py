"""What a figure of the study is: one record, from its games to its words.

To add a figure, write a module in ``copyproof/paper/figures`` that makes a ``StudyFigure``, and
name the record in ``FIGURES`` there. ``copyproof paper`` then plays it, writes its files and shows
it on the page. Two more files are touched only where they have something to say: a claim about the
figure is one more function in ``copyproof/paper/judges.py`` or ``beyond.py``, and the help of
``--only`` in ``copyproof/cli/paper.py`` lists the figures by name. The test of this recipe is
``tests/paper/test_new_figure.py``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from copyproof.game import Market
from copyproof.pages import PageTable
from copyproof.paper.study import MARKETS, OURS, FigureResults, Run, RunKey, Settings
from copyproof.plots.canvas import add_title_and_note
from copyproof.plots.palette import name_of
from copyproof.policy import PAPER_POLICIES
from copyproof.simulation import Estimate, Interval, Result
from copyproof.validation import require, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_HONEST = {"honest-1": "No copies, one arm", "honest-3": "No copies, three arms"}


def arms_by_agent(market: Market) -> dict[str, str]:
    """A column of the page's table of markets: the means of each agent's arms × copies.

    Examples
    --------
    >>> from copyproof import paper_market
    >>> arms_by_agent(paper_market("2c"))["0.9-agent"]
    '0.9 × 10, 0.2 × 100, 0.1 × 100'
    """
    return {
        agent.name: ", ".join(
            f"{arm.mean:g} × {copies:,}"
            for arm, copies in zip(agent.arms, agent.copies, strict=True)
        )
        for agent in market.agents
    }


def market_columns(results: FigureResults) -> dict[str, dict[str, str]]:
    """The columns of a figure that was played on markets of the study."""
    names = {market: _HONEST.get(name, f"Figure {name}") for name, market in MARKETS.items()}
    markets = (result.market for result in results.values())
    return {names[market]: arms_by_agent(market) for market in markets}


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyFigure:
    """A figure of the study.

    Parameters
    ----------
    name : str
        Of its files, and for ``--only``.
    heading : str
        How it is called in running text.
    title : str
        What is written above it.
    caption : str
        What is written below it on the page: what was played, and how to read it.
    runs : function of Settings
        The games behind it, each under a key that says which point or line it is.
    rows : function of results by key
        Its data, one row per point.
    numbers : function of results by key
        Its table for people.
    plot : function of results by key
        The axes that it is drawn on, on a new figure.
    alt_text : function of results by key
        What one sees, in words and numbers, for those who do not see it.
    markets : function of results by key
        The columns that it needs in the page's table of markets, each a mapping of the agents'
        names to their arms; by default those of the study's markets that it was played on.
    spread : str
        What bands or error bars are.
    in_paper : bool
        Whether the paper has it.
    """

    name: str
    heading: str
    title: str
    caption: str
    runs: Callable[[Settings], dict[RunKey, Run]]
    rows: Callable[[FigureResults], list[dict[str, Any]]]
    numbers: Callable[[FigureResults], PageTable]
    plot: "Callable[[FigureResults], Sequence[Axes]]"
    alt_text: Callable[[FigureResults], str]
    markets: Callable[[FigureResults], Mapping[str, Mapping[str, str]]] = market_columns
    spread: str = "bands: one standard deviation."
    in_paper: bool = False

    def draw(self, results: FigureResults) -> "Figure":
        """The whole figure, with its title and a note on what was played."""
        import matplotlib as mpl

        with mpl.rc_context({"font.size": 9, "axes.titlesize": 9, "axes.labelsize": 9}):
            figure = self.plot(results)[0].get_figure(root=True)
            assert figure is not None
            add_title_and_note(figure, self.title, self.note(results))
        return figure

    def note(self, results: FigureResults) -> str:
        """The small print inside the figure: length and number of the games, and what bands are."""
        counts = sorted({one.repetitions for one in results.values()}, reverse=True)
        horizons = sorted({one.horizon for one in results.values()})
        seeds = sorted({one.seed for one in results.values()})
        repetitions = " or ".join(f"{count:,}" for count in counts)
        length = f"T = {horizons[0]:,}" + (f" … {horizons[-1]:,}" if horizons[1:] else "")
        about = f"{length}; {repetitions} repetitions, seed {', '.join(map(str, seeds))}. "
        about += f"Means; {self.spread}"
        policies = {str(one.policy) for one in results.values()}
        if OURS in policies <= {OURS, *PAPER_POLICIES}:
            about += f"\n{name_of(OURS)} is copyproof's own policy; the others are the paper's."
        return about


def check_results(results: FigureResults, parts: int) -> None:
    """Refuse what is not results by keys of so many parts.

    Examples
    --------
    >>> check_results([], 2)
    Traceback (most recent call last):
    copyproof.validation.FieldError: results = [] is not a mapping of keys to results, as...
    """
    given: Any = results  # whatever a caller may give
    fits = isinstance(given, Mapping) and bool(given)
    accepted = "a mapping of keys to results, as copyproof.paper.runs_of and play give them"
    require(fits, "results", results, accepted)
    for key, one in given.items():
        fits = isinstance(key, tuple) and len(key) == parts and isinstance(one, Result)
        require(fits, f"results[{shown(key)}]", one, f"a Result with a key of {parts} parts")


def key_parts(results: FigureResults, place: int) -> list[str]:
    """What stands at one place of the keys, each once, in the order of the runs."""
    return list(dict.fromkeys(str(key[place]) for key in results))


def estimate_columns(name: str, estimate: Estimate) -> dict[str, float]:
    """An estimate as columns of a figure's data: mean, std of a repetition, stderr of the mean."""
    return {f"{name}_{part}": value for part, value in asdict(estimate).items()}


def interval_columns(name: str, interval: Interval) -> dict[str, float]:
    """An interval as columns of a figure's data: the mean under its name, and the ends."""
    return {name: interval.mean, f"{name}_low": interval.low, f"{name}_high": interval.high}


def by_market(texts: Mapping[tuple[str, str], str]) -> dict[str, str]:
    """What is said of each market: the texts of its policies, of those by (market, policy).

    Examples
    --------
    >>> by_market({("2a", "ucb1"): "UCB1 9", ("2a", "h-ucb"): "H-UCB 4"})
    {'2a': 'UCB1 9, H-UCB 4'}
    """
    markets = dict.fromkeys(market for market, _ in texts)
    return {one: ", ".join(texts[key] for key in texts if key[0] == one) for one in markets}
