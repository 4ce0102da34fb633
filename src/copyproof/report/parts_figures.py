"""Which part of RH-UCB does what: the ablation, and the size of the sample."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from copyproof.paper import Figure as Runs
from copyproof.paper import misses
from copyproof.report.canvas import in_thousands, new_axes, plain
from copyproof.report.looks import INK, QUIET, colour_of
from copyproof.simulation import Interval
from copyproof.theory import best_share, sample_misses_best, sample_size

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ABLATION_NAMES", "plot_ablation", "plot_samples"]

ABLATION_NAMES = {
    "ucb1": "neither: UCB1",
    "s-ucb": "sampling alone: S-UCB",
    "rh-ucb-all": "hierarchy alone: RH-UCB, all arms",
    "rh-ucb": "both: RH-UCB",
}


def plot_ablation(results: Runs, *, ax: "Axes | None" = None) -> "Axes":
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
    >>> len(plot_ablation({key: play(run) for key, run in runs.items()}).patches)
    12
    """
    if ax is None:
        (ax,) = new_axes(3.6)
    markets = list(dict.fromkeys(str(market) for market, _ in results))
    policies = list(dict.fromkeys(str(policy) for _, policy in results))
    width = 0.84 / len(policies)
    tallest = max(one.regret.mean + np.nan_to_num(one.regret.std) for one in results.values())
    for place, policy in enumerate(policies):
        x = np.arange(len(markets)) + (place - (len(policies) - 1) / 2) * width
        found = [results[market, policy].regret for market in markets]
        mean, std = (np.array([getattr(one, part) for one in found]) for part in ("mean", "std"))
        ax.bar(x, mean, 0.9 * width, color=colour_of(policy), label=ABLATION_NAMES[policy])
        std = np.nan_to_num(std)
        ax.errorbar(x, mean, std, fmt="none", ecolor=INK, elinewidth=1.0, capsize=2.5)
        for at, height, value in zip(x, mean + std, mean, strict=True):
            text = f"{value / 1000:,.1f}k" if value >= 1000 else f"{value:,.0f}"
            ax.text(
                at, height + 0.015 * tallest, text, ha="center", va="bottom", fontsize=7, color=INK
            )
    ax.set_xticks(range(len(markets)), [f"market of figure {market}" for market in markets])
    ax.tick_params(axis="x", length=0)
    ax.set_ylim(0, 1.1 * tallest)
    ax.set_ylabel("regret after T rounds (reward lost)")
    plain(ax)
    in_thousands(ax)
    ax.legend(
        loc="lower left",
        bbox_to_anchor=(-0.02, 1.0),
        ncols=2,
        frameon=False,
        fontsize=8,
        handlelength=1.0,
        handleheight=1.0,
        columnspacing=1.5,
    )
    return ax


def plot_samples(results: Runs, *, axes: "Sequence[Axes] | None" = None) -> "tuple[Axes, ...]":
    """Draw RH-UCB's regret over L, and below it how often the sample misses every best arm.

    Every dot of the upper panel is one repetition, a hollow one where the best agent's sample holds
    none of its best arms. Below are the share of such repetitions, with Wilson's 95 % interval, and
    its exact probability.

    Parameters
    ----------
    results : mapping of (L,) to Result
        Those of ``samples``.
    axes : two Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    tuple of Axes
        The upper one and the lower one.

    Examples
    --------
    >>> from copyproof.paper import Settings, play, runs_of
    >>> runs = runs_of("samples", Settings(horizon=200, repetitions=3))
    >>> len(plot_samples({key: play(run) for key, run in runs.items()}))
    2
    """
    upper, lower = axes or new_axes(4.8, 2, share=True)
    factors = sorted(int(L) for (L,) in results)
    found = [results[L,] for L in factors]
    _draw_regrets(upper, results, factors)

    best = len(found[0].market.agents) - 1
    missed = [misses(result) for result in found]
    shares = [Interval.of_share(int(one.sum()), len(one)) for one in missed]
    exact = [
        sample_misses_best(r.market, best, L, r.horizon)
        for L, r in zip(factors, found, strict=True)
    ]
    colour, x = colour_of("rh-ucb"), np.arange(len(factors))
    errors = [[s.mean - s.low for s in shares], [s.high - s.mean for s in shares]]
    lower.errorbar(
        x,
        [100 * s.mean for s in shares],
        100 * np.maximum(errors, 0),
        fmt="o",
        color=colour,
        markersize=5,
        capsize=3,
        clip_on=False,
        label="in the repetitions (95 % interval)",
    )
    lower.plot(
        x + 0.16,
        [100 * p for p in exact],
        "D",
        color=INK,
        markersize=4.5,
        fillstyle="none",
        clip_on=False,
        label="exact probability",
    )
    lower.set_ylim(0, 100 * max(*exact, *(s.high for s in shares)) * 1.08)
    lower.set_ylabel("samples without\nany best arm (%)")
    _legend_above(lower)
    arms = found[0].market.agents[best].registered
    sizes = [sample_size(L, r.horizon, arms) for L, r in zip(factors, found, strict=True)]
    lower.set_xticks(x, [f"{L}\n{size} of {arms}" for L, size in zip(factors, sizes, strict=True)])
    lower.set_xlabel("L, and how many of the best agent's arms are in play")
    for ax in (upper, lower):
        plain(ax)
        ax.set_xlim(-0.75, len(factors) - 0.5)
        _shade(ax, factors, 1 / best_share(found[0].market))
    in_thousands(upper)
    upper.annotate(
        f"L ≥ 1/c = {1 / best_share(found[0].market):.0f}",
        (0.99, 0.03),
        xycoords="axes fraction",
        ha="right",
        fontsize=7,
        color=QUIET,
    )
    return upper, lower


def _draw_regrets(ax: "Axes", results: Runs, factors: Sequence[int]) -> None:
    colour = colour_of("rh-ucb")
    for place, L in enumerate(factors):
        result = results[L,]
        regret, missed = result.regret_curves[:, -1], misses(result)
        # Neighbouring repetitions side by side, in a pattern that repeats: no luck involved.
        x = place - 0.12 + 0.32 * (np.arange(len(regret)) * 0.618034 % 1)
        kinds = (
            (~missed, colour, "a repetition"),
            (missed, "none", "one without a best arm"),
        )
        for chosen, face, name in kinds:
            ax.scatter(
                x[chosen],
                regret[chosen],
                s=9,
                facecolors=face,
                edgecolors=colour,
                linewidths=0.7,
                alpha=0.55,
                label=name if place == 0 else None,
            )
        estimate = result.regret
        ax.errorbar(
            place - 0.24,
            estimate.mean,
            np.nan_to_num(estimate.std),
            fmt="s",
            color=INK,
            markersize=4.5,
            capsize=3,
            label="mean ± deviation" if place == 0 else None,
        )
        ax.annotate(
            f"{estimate.mean:,.0f}",
            (place - 0.24, estimate.mean),
            xytext=(-4, 0),
            textcoords="offset points",
            ha="right",
            va="center",
            fontsize=7,
            color=INK,
        )
    ax.set_ylim(bottom=0)
    ax.set_ylabel("regret after T rounds\n(reward lost)")
    _legend_above(ax)


def _legend_above(ax: "Axes") -> None:
    """Put the legend where no data can be."""
    ax.legend(
        loc="lower left",
        bbox_to_anchor=(-0.02, 0.98),
        ncols=3,
        frameon=False,
        fontsize=8,
        handletextpad=0.3,
        columnspacing=1.2,
    )


def _shade(ax: "Axes", factors: Sequence[int], needed: float) -> None:
    """Mark the part where theorem 5's condition L ≥ 1/c is met."""
    first = next((place for place, L in enumerate(factors) if needed <= L), None)
    if first is not None:
        ax.axvspan(first - 0.5, len(factors) - 0.5, color="#eeeeee", zorder=0, linewidth=0)
