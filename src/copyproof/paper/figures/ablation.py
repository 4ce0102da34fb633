"""The ablation: which part of RH-UCB does what, the hierarchy or the sampling."""

from typing import TYPE_CHECKING, Any

import numpy as np

from copyproof.pages import PageTable
from copyproof.paper.figure import (
    StudyFigure,
    arms_by_agent,
    by_market,
    check_results,
    estimate_columns,
    interval_columns,
    key_parts,
)
from copyproof.paper.measures import exponent, means_and_stds
from copyproof.paper.study import ABLATION_MARKETS, FigureResults
from copyproof.plots import canvas, with_error
from copyproof.plots.palette import INK, colour_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NAMES = {
    "ucb1": "neither: UCB1",
    "s-ucb": "sampling alone: S-UCB",
    "rh-ucb-all": "hierarchy alone: RH-UCB, all arms",
    "rh-ucb": "both: RH-UCB",
}


def plot_ablation(results: FigureResults, *, ax: "Axes | None" = None) -> "Axes":
    """Draw the regret with and without hierarchy and sampling, a group of bars for each market.

    Parameters
    ----------
    results : mapping of (market, policy) to Result
        Those of ``ablation``.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        What was drawn on.

    Examples
    --------
    >>> from copyproof.paper import Settings, play, runs_of
    >>> runs = runs_of("ablation", Settings(horizon=200, repetitions=3))
    >>> ax = plot_ablation({key: play(run) for key, run in runs.items()})
    >>> ax.get_legend_handles_labels()[1][0]
    'neither: UCB1'
    """
    check_results(results, 2)
    if ax is None:
        (ax,) = canvas.new_axes(3.6)
    markets, policies = key_parts(results, 0), key_parts(results, 1)
    width = 0.84 / len(policies)
    tallest = max(one.regret.mean + np.nan_to_num(one.regret.std) for one in results.values())
    above: dict[str, Any] = {"ha": "center", "va": "bottom", "fontsize": 7, "color": INK}
    for place, policy in enumerate(policies):
        x = np.arange(len(markets)) + (place - (len(policies) - 1) / 2) * width
        mean, std = means_and_stds(results[market, policy].regret for market in markets)
        ax.bar(x, mean, 0.9 * width, color=colour_of(policy), label=_NAMES[policy])
        std = np.nan_to_num(std)
        ax.errorbar(x, mean, std, fmt="none", ecolor=INK, elinewidth=1.0, capsize=2.5)
        for at, height, value in zip(x, mean + std, mean, strict=True):
            text = f"{value / 1000:,.1f}k" if value >= 1000 else f"{value:,.0f}"
            ax.text(at, height + 0.015 * tallest, text, **above)
    ax.set_xticks(range(len(markets)), [_market_name(market) for market in markets])
    ax.tick_params(axis="x", length=0)
    ax.set_ylim(0, 1.1 * tallest)
    ax.set_xlabel("market")
    ax.set_ylabel("regret after T rounds (reward lost)")
    canvas.plain(ax)
    canvas.in_thousands(ax)
    canvas.legend_above(ax, 2, handlelength=1.0, handleheight=1.0, columnspacing=1.5)
    return ax


def _market_name(market: str) -> str:
    """How a market is called: by the figure that it is of, or by its number of arms."""
    return f"Figure {market}" if market in ("2a", "2b", "2c") else market


def _rows(results: FigureResults) -> list[dict[str, Any]]:
    return [
        {"market": market, "policy": policy}
        | {"hierarchy": str(policy).startswith("rh-ucb"), "sampling": policy in ("s-ucb", "rh-ucb")}
        | estimate_columns("regret", result.regret)
        | interval_columns("exponent", exponent(result))
        for (market, policy), result in results.items()
    ]


def _numbers(results: FigureResults) -> PageTable:
    markets = key_parts(results, 0)
    rows = [
        [_NAMES[policy], *(with_error(results[market, policy].regret) for market in markets)]
        for policy in key_parts(results, 1)
    ]
    head = ["Parts", *(_market_name(market) for market in markets)]
    return PageTable(head, rows, "Regret after T rounds: mean ± standard error.")


def _alt_text(results: FigureResults) -> str:
    bars = {
        (str(market), str(policy)): f"{_NAMES[str(policy)]} {result.regret.mean:,.0f}"
        for (market, policy), result in results.items()
    }
    parts = [f"{_market_name(market)}: {told}." for market, told in by_market(bars).items()]
    return f"Bars of the regret, four for each market. {' '.join(parts)}"


ABLATION_FIGURE = StudyFigure(
    name="ablation",
    heading="Hierarchy and sampling",
    title="Hierarchy × sampling: regret without one, or both",
    caption=(
        "RH-UCB chooses an agent first (the hierarchy) and has only a sample of each agent's arms "
        "in play (the sampling). UCB1 has neither; S-UCB samples from one pool of all arms; RH-UCB "
        "on all arms has the hierarchy alone. Where an agent's arms are all equal, as on the "
        "markets of figures 2a and 2b, samples change nothing. On the last market an agent with "
        "105,000 arms, 5,000 of them of mean 0.9 and the rest of 0.2 or 0.1, stands against one "
        "with a single arm of 0.8: without samples most rounds go by before all arms were tried. "
        "Not in the paper."
    ),
    runs=lambda settings: {(run.name, run.policy): run for run in settings.runs("ablation")},
    rows=_rows,
    numbers=_numbers,
    plot=lambda results: [plot_ablation(results)],
    alt_text=_alt_text,
    markets=lambda results: {
        _market_name(market): arms_by_agent(ABLATION_MARKETS[market])
        for market in key_parts(results, 0)
    },
    spread="error bars: one standard deviation.",
)
