"""One policy for all markets: regret relative to the best of the paper's policies there."""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from copyproof.paper import OURS, relative_regrets
from copyproof.paper import Figure as Runs
from copyproof.report.looks import INK, QUIET, colour_of, name_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["MARKET_NAMES", "plot_markets"]

MARKET_NAMES = {
    "honest-1": "no copies, one arm each",
    "2a": "figure 2a: one replicator",
    "2b": "figure 2b: four replicators",
    "honest-3": "no copies, three arms each",
    "2c": "figure 2c: five replicators, three arms each",
}
_CLOSE = 2.0
"""Labels of dots that are nearer than this, as a ratio, stand above and below in turn."""


def plot_markets(results: Runs, *, ax: "Axes | None" = None) -> "Axes":
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
    >>> len(plot_markets({key: play(run) for key, run in runs.items()}).get_yticks())
    5
    """
    from matplotlib.ticker import NullLocator

    from copyproof.report.canvas import new_axes

    if ax is None:
        (ax,) = new_axes(4.2)
    relative = relative_regrets(results)
    markets = list(dict.fromkeys(market for market, _ in relative))
    policies = list(dict.fromkeys(policy for _, policy in relative))
    ax.set_xscale("log")
    ax.axvline(1, color=QUIET, linewidth=0.9, zorder=1)
    for row, market in enumerate(markets):
        values = {policy: relative[market, policy].mean for policy in policies}
        least, most = min(values.values()), max(values.values())
        ax.plot([least, most], [row, row], color="#dddddd", linewidth=2.5, zorder=1)
        for policy, above in _sides(values):
            _label(ax, row, values[policy], results[market, policy].regret.mean, policy, above)
    for policy in policies:
        ratios = [relative[market, policy] for market in markets]
        x = [ratio.mean for ratio in ratios]
        ax.errorbar(
            x,
            range(len(markets)),
            xerr=[
                [max(0.0, ratio.mean - max(ratio.low, ratio.mean / 10)) for ratio in ratios],
                [ratio.high - ratio.mean for ratio in ratios],
            ],
            fmt="D" if policy == OURS else "o",
            color=colour_of(policy),
            markersize=8 if policy == OURS else 6.5,
            elinewidth=1.2,
            zorder=4 if policy == OURS else 3,
            label=name_of(policy),
        )
    ends = [ratio.mean for ratio in relative.values()]
    ax.set_xlim(min(ends) / 2.2, max(ends) * 2.2)
    ax.set_ylim(len(markets) - 0.45, -0.55)
    ax.set_yticks(range(len(markets)), [_two_lines(MARKET_NAMES[market]) for market in markets])
    ax.tick_params(axis="y", length=0)
    _name_multiples(ax)
    ax.xaxis.set_minor_locator(NullLocator())
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.grid(axis="x", color="#e8e8e8", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.set_xlabel("regret, relative to the best of the paper's three (left of 1: less)")
    ax.set_ylabel("market")
    ax.legend(
        loc="lower left",
        bbox_to_anchor=(-0.02, 1.0),
        ncols=len(policies),
        frameon=False,
        fontsize=8,
        handletextpad=0.2,
        columnspacing=1.4,
    )
    return ax


def _sides(values: dict[str, float]) -> Iterator[tuple[str, bool]]:
    """Whether the number of each policy stands above its dot, or below it."""
    above, before = True, 0.0
    for policy in sorted(values, key=lambda one: values[one]):
        above = not above if 0 < values[policy] < _CLOSE * before else True
        before = values[policy]
        yield policy, above


def _label(ax: "Axes", row: int, x: float, regret: float, policy: str, above: bool) -> None:
    ours = policy == OURS
    ax.annotate(
        f"{regret:,.0f}",
        (x, row),
        xytext=(0, 7 if above else -7),
        textcoords="offset points",
        ha="center",
        va="bottom" if above else "top",
        fontsize=8 if ours else 7,
        fontweight="bold" if ours else "normal",
        color=colour_of(policy) if ours else INK,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
    )


def _two_lines(name: str) -> str:
    """A market's name, broken after its first part."""
    for mark in (": ", ", "):
        first, found, rest = name.partition(mark)
        if found:
            return f"{first}\n{rest.replace(', ', ',' + chr(10))}"
    return name


def _name_multiples(ax: "Axes") -> None:
    """Write 1/10, 1, 10 and so on, with more between them where the axis is short."""
    from matplotlib.ticker import FixedFormatter, FixedLocator

    low, high = ax.get_xlim()
    decades = math.log10(high / low)
    steps: Sequence[int] = (1,) if decades > 5 else (1, 3) if decades > 1 else (1, 2, 4)
    ticks = [step * 10.0**k for k in range(-9, 10) for step in steps]
    shown = [tick for tick in ticks if low <= tick <= high]
    ax.xaxis.set_major_locator(FixedLocator(shown))
    names = [f"{x:,.0f}" if x >= 1 else f"{x:.6f}".rstrip("0") for x in shown]
    ax.xaxis.set_major_formatter(FixedFormatter(names))
