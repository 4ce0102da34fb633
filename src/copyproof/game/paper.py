"""The five markets of the paper's experiments, by the name of their figure.

Five agents with Bernoulli arms and best means 0.5, 0.6, 0.7, 0.8 and 0.9.

======  ================================================================================
figure  who registers what
======  ================================================================================
1a      one arm each; the 0.5-agent registers 1, 100, 200, 300, 400 or 500 copies of its
1b      one arm each; the 0.9-agent registers that many copies of its
2a      one arm each; the 0.5-agent registers 1000 copies, the others 1
2b      one arm each; all but the 0.9-agent register 1000 copies
2c      arms (best, 0.2, 0.1) each; the 0.5-, 0.6- and 0.7-agents register
        (1000, 1000, 1000) copies, the 0.8- and 0.9-agents (10, 100, 100)
======  ================================================================================
"""

from copyproof.game.agent import Agent
from copyproof.game.market import Market
from copyproof.validation import known, require

# The figures that ``paper_market`` knows.
PAPER_FIGURES = ("1a", "1b", "2a", "2b", "2c")

_BEST_MEANS = (0.5, 0.6, 0.7, 0.8, 0.9)
_REPLICATORS = {"1a": {0.5}, "1b": {0.9}, "2a": {0.5}, "2b": {0.5, 0.6, 0.7, 0.8}}
_COPIES = {"1a": 1, "1b": 1, "2a": 1000, "2b": 1000}


def paper_market(figure: str, copies: int | None = None) -> Market:
    """Return the market of one of the paper's figures.

    Parameters
    ----------
    figure : str
        One of ``PAPER_FIGURES``.
    copies : int, optional
        The arms that each replicating agent registers of its own. By default 1 for figures 1a
        and 1b, and the paper's 1000 for 2a and 2b; figure 2c is fixed and takes none.

    Raises
    ------
    ValueError
        If the figure is unknown, or the number of copies is not accepted.

    Examples
    --------
    >>> paper_market("1a", copies=500).registered
    504
    >>> paper_market("2c").registered
    9420
    """
    if known("figure", figure, PAPER_FIGURES) == "2c":
        require(copies is None, "copies", copies, "accepted: figure 2c is fixed")
        return Market(_three_armed(best) for best in _BEST_MEANS).named("paper:2c")
    count = _COPIES[figure] if copies is None else copies
    market = Market(
        Agent(f"{best}-agent", [best], [count if best in _REPLICATORS[figure] else 1])
        for best in _BEST_MEANS
    )
    return market.named(f"paper:{figure}" if copies is None else f"paper:{figure}:{copies}")


def _three_armed(best: float) -> Agent:
    """Return one agent of figure 2c."""
    copies = (1000, 1000, 1000) if best < 0.8 else (10, 100, 100)
    return Agent(f"{best}-agent", [best, 0.2, 0.1], copies)
