"""One policy for all markets: regret relative to the best of the paper's policies there."""

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from copyproof.pages import PageTable
from copyproof.paper.figure import (
    StudyFigure,
    by_market,
    check_results,
    estimate_columns,
    interval_columns,
    key_parts,
)
from copyproof.paper.measures import regret_ratio
from copyproof.paper.study import OURS, FigureResults
from copyproof.plots import canvas, limits, with_error
from copyproof.plots.palette import QUIET, colour_of, name_of
from copyproof.simulation import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NAMES = {
    "honest-1": "no copies, one arm each",
    "2a": "figure 2a: one replicator",
    "2b": "figure 2b: four replicators",
    "honest-3": "no copies, three arms each",
    "2c": "figure 2c: five replicators, three arms each",
}
# Labels of dots that are nearer than this, as a ratio, stand above and below in turn.
_CLOSE = 2.0


def relative_regrets(results: FigureResults) -> dict[tuple[str, str], Interval]:
    """The regret of every market and policy, as a multiple of the best of the paper's policies."""
    found: dict[tuple[str, str], Interval] = {}
    for market in key_parts(results, 0):
        here = {str(policy): result for (name, policy), result in results.items() if name == market}
        best = min((r for p, r in here.items() if p != OURS), key=lambda r: r.regret.mean)
        found |= {(market, policy): regret_ratio(r, best) for policy, r in here.items()}
    return found


def plot_markets(results: FigureResults, *, ax: "Axes | None" = None) -> "Axes":
    """Draw the regret on each market, relative to the best of the paper's policies there.

    A row for each market and a dot for each policy, on a logarithmic axis; 1 is the best of the
    paper's policies. Bars are 95 % intervals, most of them hidden by their dots; the numbers are
    regrets.

    Parameters
    ----------
    results : mapping of (market, policy) to Result
        Those of ``markets``.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        What was drawn on.

    Examples
    --------
    >>> from copyproof.paper import Settings, play, runs_of
    >>> runs = runs_of("markets", Settings(horizon=200, repetitions=3))
    >>> ax = plot_markets({key: play(run) for key, run in runs.items()})
    >>> [dots.get_label() for dots in ax.containers]
    ['H-UCB', 'RH-UCB', 'PRH-UCB', 'Trial']
    """
    check_results(results, 2)
    if ax is None:
        (ax,) = canvas.new_axes(4.2)
    relative = relative_regrets(results)
    markets, policies = key_parts(results, 0), key_parts(results, 1)
    ax.set_xscale("log")
    ax.axvline(1, color=QUIET, linewidth=0.9, zorder=1)
    for row, market in enumerate(markets):
        values = {policy: relative[market, policy].mean for policy in policies}
        least, most = min(values.values()), max(values.values())
        ax.plot([least, most], [row, row], color="#dddddd", linewidth=2.5, zorder=1)
        _write_regrets(ax, row, values, {p: results[market, p].regret.mean for p in policies})
    for policy in policies:
        _draw_dots(ax, policy, [relative[market, policy] for market in markets])
    ends = [ratio.mean for ratio in relative.values()]
    ax.set_xlim(min(ends) / 2.2, max(ends) * 2.2)
    ax.set_ylim(len(markets) - 0.45, -0.55)
    ax.set_yticks(range(len(markets)), [_two_lines(_NAMES[market]) for market in markets])
    ax.tick_params(axis="y", length=0)
    _name_multiples(ax)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.grid(axis="x", color="#e8e8e8", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.set_xlabel("regret, relative to the best of the paper's three (left of 1: less)")
    ax.set_ylabel("market")
    canvas.legend_above(ax, len(policies), handletextpad=0.2, columnspacing=1.4)
    return ax


def _draw_dots(ax: "Axes", policy: str, ratios: Sequence[Interval]) -> None:
    """Draw the dots of one policy, a row for each market, with their intervals."""
    shape: dict[str, Any] = {"fmt": "o", "markersize": 6.5, "zorder": 3}
    if policy == OURS:
        shape = {"fmt": "D", "markersize": 8, "zorder": 4}
    x = [one.mean for one in ratios]
    left = [max(0.0, one.mean - max(one.low, one.mean / 10)) for one in ratios]
    right = [one.high - one.mean for one in ratios]
    colour, name = colour_of(policy), name_of(policy)
    rows = range(len(ratios))
    ax.errorbar(x, rows, xerr=[left, right], color=colour, elinewidth=1.2, label=name, **shape)


def _write_regrets(
    ax: "Axes", row: int, places: dict[str, float], regrets: dict[str, float]
) -> None:
    """Write the regrets of a market above the policies' dots, or below where dots are close."""
    white = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
    above, before = True, 0.0
    for policy, x in sorted(places.items(), key=lambda one: one[1]):
        above = not above if 0 < x < _CLOSE * before else True
        before = x
        style: dict[str, Any] = {"ha": "center", "va": "bottom" if above else "top", "bbox": white}
        if policy == OURS:
            style |= {"fontsize": 8, "fontweight": "bold", "color": colour_of(policy)}
        offset = (0, 7 if above else -7)
        canvas.write_beside(ax, f"{regrets[policy]:,.0f}", (x, row), offset, **style)


def _two_lines(name: str) -> str:
    """A market's name, broken after its first part."""
    return re.sub(": |(?<=copies), ", "\n", name).replace(", ", ",\n")


def _name_multiples(ax: "Axes") -> None:
    """Write 1/10, 1, 10 and so on, with more between them where the axis is short."""
    low, high = ax.get_xlim()
    decades = math.log10(high / low)
    steps: Sequence[int] = (1,) if decades > 5 else (1, 3) if decades > 1 else (1, 2, 4)
    ticks = [step * 10.0**k for k in range(-9, 10) for step in steps]
    shown = [tick for tick in ticks if low <= tick <= high]
    names = [f"{x:,.0f}" if x >= 1 else f"{x:.6f}".rstrip("0") for x in shown]
    canvas.fix_ticks(ax.xaxis, shown, names)


def _rows(results: FigureResults) -> list[dict[str, Any]]:
    return [
        {"market": market, "policy": policy}
        | estimate_columns("regret", results[market, policy].regret)
        | interval_columns("relative", ratio)
        for (market, policy), ratio in relative_regrets(results).items()
    ]


def _numbers(results: FigureResults) -> PageTable:
    relative = relative_regrets(results)
    policies = key_parts(results, 1)
    rows = [
        [
            _NAMES[market],
            *(with_error(results[market, policy].regret) for policy in policies),
            limits(relative[market, OURS]),
        ]
        for market in key_parts(results, 0)
    ]
    last = f"{name_of(OURS)} / best other [95 % interval]"
    head = ["Market", *(name_of(policy) for policy in policies), last]
    return PageTable(head, rows, "Regret after T rounds: mean ± standard error.")


def _alt_text(results: FigureResults) -> str:
    ratios = relative_regrets(results)
    dots = {key: f"{name_of(key[1])} {ratio.mean:.3g}" for key, ratio in ratios.items()}
    parts = [f"{_NAMES[market]}: {listed}" for market, listed in by_market(dots).items()]
    return (
        "Dots of the regret on five markets, as a multiple of that of the best of the paper's "
        f"three policies there. {'; '.join(parts)}."
    )


MARKETS_FIGURE = StudyFigure(
    name="markets",
    heading="One policy for all markets",
    title="One policy for all markets: regret next to the paper's best",
    caption=(
        "Five markets of five agents, best means 0.5 to 0.9: without copies, with one arm each or "
        "with three (a best one, 0.2 and 0.1), and the markets of figures 2a, 2b and 2c. The paper "
        "offers H-UCB for rational agents, and RH-UCB and PRH-UCB against replicators; the default "
        "is not told which of them it meets. Where all arms of an agent are equal, copies change "
        "nothing under any of the four, so that the first three rows are the same. The numbers at "
        "the dots are regrets. Not in the paper."
    ),
    runs=lambda settings: {(run.name, run.policy): run for run in settings.runs("markets")},
    rows=_rows,
    numbers=_numbers,
    plot=lambda results: [plot_markets(results)],
    alt_text=_alt_text,
    spread="error bars, where wider than a dot: 95 % intervals.",
)
