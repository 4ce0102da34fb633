"""Regret against the horizon, with the fitted growth and the theorems' bounds."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from copyproof.game import paper_market
from copyproof.pages import PageTable
from copyproof.paper.figure import (
    StudyFigure,
    by_market,
    check_results,
    estimate_columns,
    key_parts,
)
from copyproof.paper.measures import fitted_growth, means_and_stds
from copyproof.paper.study import POLICIES, FigureResults, Run, RunKey, Settings
from copyproof.plots import canvas
from copyproof.plots.labels import End, label_ends
from copyproof.plots.palette import INK, colour_of, name_of
from copyproof.simulation import Interval
from copyproof.theory import Bound, bounds, largest_gap

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARKETS = ("2a", "2c")


def growth_fits(results: FigureResults) -> dict[tuple[str, str], Interval]:
    """The fitted b of regret ~ T^b of every market and policy, over the last two decades of T."""
    ordered = sorted(results.items(), key=lambda one: one[1].horizon)
    return {
        (market, policy): fitted_growth(
            [r for key, r in ordered if key[:2] == (market, policy)][-5:]
        )
        for market in _MARKETS
        for policy in POLICIES
    }


def _runs(settings: Settings) -> dict[RunKey, Run]:
    found = {(run.name, run.policy, run.horizon): run for run in settings.runs("growth")}
    return {
        (name, policy, horizon): found[name, policy, horizon]
        for name in _MARKETS
        for policy in POLICIES
        for horizon in settings.horizons
    }


def upper_bounds(market: str, policies: Sequence[str], T: int) -> list[tuple[str, Bound]]:
    """The theorems that bound the regret of some policy from above, with the policy they are about.

    Examples
    --------
    >>> [(policy, bound.theorem) for policy, bound in upper_bounds("2a", POLICIES, 1000)]
    [('h-ucb', 'theorem 3'), ('rh-ucb', 'theorem 5'), ('rh-ucb', 'theorem 6')]
    """
    about = {"h-ucb": ("theorem 3",), "rh-ucb": ("theorem 5", "theorem 6")}
    return [
        (policy, bound)
        for policy in policies
        if policy in about
        for bound in bounds(paper_market(market), policy, T)
        if bound.theorem in about[policy]
    ]


def plot_growth(
    results: FigureResults, *, axes: "Sequence[Axes] | None" = None
) -> "tuple[Axes, ...]":
    """Draw the regret against the horizon, both logarithmic, a panel for each market.

    Labels give the fitted b of regret ~ T^b. Thin dashed lines are bounds that apply and say
    something at that T; a grey one is the most regret there can be, T times the largest gap.

    Parameters
    ----------
    results : mapping of (market, policy, horizon) to Result
        Those of ``growth``.
    axes : sequence of Axes, optional
        Where to draw, one for each market; a new figure by default.

    Returns
    -------
    tuple of Axes
        One for each market.

    Examples
    --------
    >>> from copyproof.paper import Settings, play, runs_of
    >>> runs = runs_of("growth", Settings(horizon=300, repetitions=3))
    >>> axes = plot_growth({key: play(run) for key, run in runs.items()})
    >>> [ax.get_title(loc="left") for ax in axes]
    ['market of figure 2a', 'market of figure 2c']
    """
    check_results(results, 3)
    markets = key_parts(results, 0)
    panels = tuple(axes or canvas.new_axes(3.2 * len(markets), len(markets), share=True))
    for ax, market in zip(panels, markets, strict=True):
        _draw(ax, market, results)
    panels[-1].set_xlabel("horizon T (rounds)")
    return panels


def _draw(ax: "Axes", market: str, results: FigureResults) -> None:
    fits = growth_fits(results)
    policies = key_parts(results, 1)
    T = np.array(sorted({int(key[2]) for key in results}))
    ax.set_xscale("log")
    ax.set_yscale("log")
    most = T * largest_gap(paper_market(market))
    grey = "#999999"
    ax.plot(T, most, color=grey, linewidth=0.9, label="most there can be")
    ends = [End(float(T[-1]), float(most[-1]), "most there can be", grey)]
    least = float(most.max())
    for policy in policies:
        mean, std = means_and_stds(results[market, policy, int(one)].regret for one in T)
        least = min(least, float(mean[mean > 0].min()))
        canvas.draw_curve(ax, policy, T, mean, std, least=least / 4)
        ends.append(End.of(policy, T[-1], mean[-1], f"b = {fits[market, policy].mean:.2f}"))
    _draw_bounds(ax, market, policies, T.tolist())
    ax.set_ylim(least / 2, 1.6 * float(most.max()))
    ax.set_xlim(float(T[0]), float(T[-1]))
    ax.set_title(f"market of figure {market}", loc="left", color=INK)
    ax.set_ylabel("regret after T rounds (reward lost)")
    canvas.plain(ax)
    ax.minorticks_off()
    label_ends(ax, ends)


def _draw_bounds(ax: "Axes", market: str, policies: Sequence[str], horizons: list[int]) -> None:
    """Draw the bounds that say something, and write down which do not."""
    checked = {T: upper_bounds(market, policies, T) for T in horizons}
    empty: dict[str, list[str]] = {"vacuous": [], "not applicable": []}
    for place, (policy, last) in enumerate(checked[horizons[-1]]):
        name = f"{last.theorem} ({name_of(policy)})"
        rows = [(T, row[place][1]) for T, row in checked.items()]
        told = [(T, one.value) for T, one in rows if one.value is not None and not one.vacuous]
        if len(told) > 1:
            x, y = zip(*told, strict=True)
            ax.plot(x, y, "--", color=colour_of(policy), linewidth=0.9, label=last.theorem)
            # In the policy's colour, so that its name need not lie across the other lines.
            style = {"color": colour_of(policy), "ha": "right", "va": "top"}
            canvas.write_beside(ax, last.theorem, (x[-1], y[-1]), (0, -3), **style)
        else:
            empty["vacuous" if last.applies else "not applicable"].append(name)
    notes = [f"{why}:\n{chr(10).join(names)}" for why, names in empty.items() if names]
    canvas.write_in_corner(ax, "\n".join(notes), 0.02, 0.98, va="top")


def _rows(results: FigureResults) -> list[dict[str, Any]]:
    return [
        {"market": market, "policy": policy, "horizon": horizon, "repetitions": result.repetitions}
        | estimate_columns("regret", result.regret)
        for (market, policy, horizon), result in results.items()
    ]


def _numbers(results: FigureResults) -> PageTable:
    horizons = sorted({int(key[2]) for key in results})
    rows = []
    for (market, policy), b in growth_fits(results).items():
        found = [results[market, policy, T].regret.mean for T in horizons]
        fitted = f"{b.mean:.3f} [{b.low:.3f}, {b.high:.3f}]"
        rows.append([f"{market}, {name_of(policy)}", fitted, *(f"{r:,.0f}" for r in found)])
    head = ["Market, policy", "b [95 % interval]", *(f"{T:,}" for T in horizons)]
    return PageTable(head, rows, "Mean regret by horizon T, and the fitted b of regret ~ Tᵇ.")


def _alt_text(results: FigureResults) -> str:
    rates = {key: f"{name_of(key[1])} {b.mean:.2f}" for key, b in growth_fits(results).items()}
    parts = [f"Market of figure {market}: {b}." for market, b in by_market(rates).items()]
    return (
        "Lines of the regret against the horizon, both logarithmic, a panel for each of two "
        f"markets, with the fitted exponents. {' '.join(parts)}"
    )


GROWTH_FIGURE = StudyFigure(
    name="growth",
    heading="Growth with the horizon",
    title="Regret against the horizon: growth like Tᵇ",
    caption=(
        "Games of different lengths, both axes logarithmic: a straight line is a power of T. b is "
        "fitted over the five longest horizons. Dashed lines are the theorems' bounds, where they "
        "apply and lie below the most regret there can be (T times the largest gap, grey). Not in "
        "the paper."
    ),
    runs=_runs,
    rows=_rows,
    numbers=_numbers,
    plot=plot_growth,
    alt_text=_alt_text,
)
