"""Regret against the horizon, with the fitted growth and the theorems' bounds."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from copyproof.game import paper_market
from copyproof.paper import Figure as Runs
from copyproof.paper import growth_fits
from copyproof.report.canvas import draw_band, new_axes, plain
from copyproof.report.looks import INK, QUIET, End, colour_of, label_ends, name_of
from copyproof.theory import Bound, bounds, largest_gap

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_growth", "upper_bounds"]


def upper_bounds(market: str, policies: Sequence[str], T: int) -> list[tuple[str, Bound]]:
    """The theorems that bound the regret of some policy from above, with the policy they are about.

    Examples
    --------
    >>> len(upper_bounds("2a", ["ucb1", "h-ucb", "rh-ucb"], 1000))
    3
    """
    about = {"h-ucb": ("theorem 3",), "rh-ucb": ("theorem 5", "theorem 6")}
    return [
        (policy, bound)
        for policy in policies
        if policy in about
        for bound in bounds(paper_market(market), policy, T)
        if bound.theorem in about[policy]
    ]


def plot_growth(results: Runs, *, axes: "Sequence[Axes] | None" = None) -> "tuple[Axes, ...]":
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
    >>> len(plot_growth({key: play(run) for key, run in runs.items()}))
    2
    """
    markets = list(dict.fromkeys(str(key[0]) for key in results))
    panels = tuple(axes or new_axes(3.2 * len(markets), len(markets), share=True))
    for ax, market in zip(panels, markets, strict=True):
        _draw(ax, market, results)
    panels[-1].set_xlabel("horizon T (rounds)")
    return panels


def _draw(ax: "Axes", market: str, results: Runs) -> None:
    fits = growth_fits(results)
    policies = list(dict.fromkeys(str(key[1]) for key in results if key[0] == market))
    T = np.array(sorted({int(key[2]) for key in results if key[0] == market}))
    ax.set_xscale("log")
    ax.set_yscale("log")
    most = T * largest_gap(paper_market(market))
    grey = "#999999"
    ax.plot(T, most, color=grey, linewidth=0.9, label="most there can be")
    ends = [End(float(T[-1]), float(most[-1]), "most there can be", grey)]
    least = float(most.max())
    for policy in policies:
        found = [results[market, policy, int(horizon)].regret for horizon in T]
        mean, std = (np.array([getattr(one, part) for one in found]) for part in ("mean", "std"))
        least = min(least, float(mean[mean > 0].min()))
        ax.plot(
            T,
            mean,
            "o-",
            color=colour_of(policy),
            linewidth=1.6,
            markersize=3.5,
            clip_on=False,
            zorder=3,
            label=name_of(policy),
        )
        draw_band(ax, T, mean, std, colour_of(policy), least=least / 4)
        text = f"{name_of(policy)}  b = {fits[market, policy].mean:.2f}"
        ends.append(End(float(T[-1]), float(mean[-1]), text, colour_of(policy)))
    _draw_bounds(ax, market, policies, T.tolist())
    ax.set_ylim(least / 2, 1.6 * float(most.max()))
    ax.set_xlim(float(T[0]), float(T[-1]))
    ax.set_title(f"market of figure {market}", loc="left", color=INK)
    ax.set_ylabel("regret after T rounds (reward lost)")
    plain(ax)
    ax.minorticks_off()
    label_ends(ax, ends)


def _draw_bounds(ax: "Axes", market: str, policies: Sequence[str], horizons: list[int]) -> None:
    """Draw the bounds that say something, and write down which do not."""
    checked = {T: upper_bounds(market, policies, T) for T in horizons}
    empty: dict[str, list[str]] = {"vacuous": [], "not applicable": []}
    for place, (policy, last) in enumerate(checked[horizons[-1]]):
        rows = [(T, row[place][1]) for T, row in checked.items()]
        told = [(T, one.value) for T, one in rows if one.value is not None and not one.vacuous]
        if len(told) > 1:
            x, y = zip(*told, strict=True)
            name = last.theorem
            ax.plot(x, y, "--", color=colour_of(policy), linewidth=0.9, label=name)
            ax.annotate(
                f"{name} ({name_of(policy)})",
                (x[-1], y[-1]),
                xytext=(-4, -4),
                textcoords="offset points",
                ha="right",
                va="top",
                fontsize=7,
                color=INK,
            )
        else:
            empty["vacuous" if last.applies else "not applicable"].append(
                f"{last.theorem} ({name_of(policy)})"
            )
    notes = [f"{why}:\n{chr(10).join(names)}" for why, names in empty.items() if names]
    ax.text(
        0.02,
        0.98,
        "\n".join(notes),
        transform=ax.transAxes,
        va="top",
        fontsize=7,
        color=QUIET,
    )
