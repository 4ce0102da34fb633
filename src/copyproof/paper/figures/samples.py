"""The size of RH-UCB's samples, on figure 2c's market."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from copyproof.game import paper_market
from copyproof.pages import PageTable
from copyproof.paper.figure import StudyFigure, arms_by_agent, estimate_columns
from copyproof.paper.measures import misses
from copyproof.paper.study import SAMPLE_FACTORS, FigureResults
from copyproof.plots import with_error
from copyproof.plots.canvas import in_thousands, legend_above, new_axes, plain, write_beside
from copyproof.plots.palette import INK, QUIET, colour_of
from copyproof.simulation import Interval, Result
from copyproof.theory import best_share, sample_misses_best, sample_size

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_samples(
    results: FigureResults, *, axes: "Sequence[Axes] | None" = None
) -> "tuple[Axes, ...]":
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
    >>> upper, lower = plot_samples({key: play(run) for key, run in runs.items()})
    >>> upper.get_legend_handles_labels()[1]
    ['a repetition', 'one without a best arm', 'mean ± deviation']
    """
    upper, lower = axes or new_axes(4.8, 2, share=True)
    factors = sorted(int(L) for (L,) in results)
    found = [results[L,] for L in factors]
    _draw_regrets(upper, results, factors)

    missed = [misses(result) for result in found]
    shares = [Interval.of_share(int(one.sum()), len(one)) for one in missed]
    exact = [_chance(L, result) for L, result in zip(factors, found, strict=True)]
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
    arms = found[0].market.agents[-1].registered
    in_play = [f"{L}\n{_size(L, r)} of {arms}" for L, r in zip(factors, found, strict=True)]
    lower.set_xticks(x, in_play)
    lower.set_xlabel("L, and how many of the best agent's arms are in play")
    for ax in (upper, lower):
        plain(ax)
        ax.set_xlim(-0.75, len(factors) - 0.5)
        legend_above(ax, 3, up=0.98, handletextpad=0.3, columnspacing=1.2)
        _shade(ax, factors, 1 / best_share(found[0].market))
    in_thousands(upper)
    note = f"L ≥ 1/c = {1 / best_share(found[0].market):.0f}"
    upper.text(0.99, 0.03, note, transform=upper.transAxes, ha="right", fontsize=7, color=QUIET)
    return upper, lower


def _draw_regrets(ax: "Axes", results: FigureResults, factors: Sequence[int]) -> None:
    colour = colour_of("rh-ucb")
    for place, L in enumerate(factors):
        result = results[L,]
        regret, missed = result.regret_curves[:, -1], misses(result)
        # Neighbouring repetitions side by side, in a pattern that repeats: no luck involved.
        x = place - 0.12 + 0.32 * (np.arange(len(regret)) * 0.618034 % 1)
        kinds = ((~missed, colour, "a repetition"), (missed, "none", "one without a best arm"))
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
        text, at = f"{estimate.mean:,.0f}", (place - 0.24, estimate.mean)
        write_beside(ax, text, at, (-4, 0), ha="right", va="center")
    ax.set_ylim(bottom=0)
    ax.set_ylabel("regret after T rounds\n(reward lost)")


def _shade(ax: "Axes", factors: Sequence[int], needed: float) -> None:
    """Mark the part where theorem 5's condition L ≥ 1/c is met."""
    first = next((place for place, L in enumerate(factors) if needed <= L), None)
    if first is not None:
        ax.axvspan(first - 0.5, len(factors) - 0.5, color="#eeeeee", zorder=0, linewidth=0)


def _chance(L: int, result: Result) -> float:
    """The exact probability that the best agent's sample holds none of its best arms."""
    return sample_misses_best(result.market, len(result.market.agents) - 1, L, result.horizon)


def _size(L: int, result: Result) -> int:
    """How many of the best agent's arms are in play."""
    return sample_size(L, result.horizon, result.market.agents[-1].registered)


def _rows(results: FigureResults) -> list[dict[str, Any]]:
    return [
        {"L": L, "sample": _size(int(L), result)}
        | estimate_columns("regret", result.regret)
        | {"missed": float(misses(result).mean()), "missed_exact": _chance(int(L), result)}
        for (L,), result in results.items()
    ]


def _numbers(results: FigureResults) -> PageTable:
    rows = [
        [
            str(L),
            f"{_size(int(L), result)} of {result.market.agents[-1].registered}",
            with_error(result.regret),
            f"{misses(result).mean():.3f}",
            f"{_chance(int(L), result):.4f}",
        ]
        for (L,), result in results.items()
    ]
    head = ["L", "Arms in play", "Regret", "Without a best arm", "Exact probability"]
    caption = (
        "RH-UCB on figure 2c's market: regret (mean ± standard error), and the share of "
        "repetitions in which the best agent's sample holds none of its best arms."
    )
    return PageTable(head, rows, caption)


def _alt_text(results: FigureResults) -> str:
    parts = [
        f"L = {L}: regret {result.regret.mean:,.0f}, {100 * misses(result).mean():.0f} % of the "
        "samples without a best arm"
        for (L,), result in results.items()
    ]
    return (
        "Above, dots of the regret of each repetition for five sizes of the sample; below, how "
        f"often the sample holds none of the best arms. {'; '.join(parts)}."
    )


SAMPLES_FIGURE = StudyFigure(
    name="samples",
    heading="The size of the sample",
    title="RH-UCB on figure 2c's market, by the size of its samples",
    caption=(
        "RH-UCB has ⌊L ln T⌋ arms of each agent in play. A small sample may hold none of the best "
        "agent's best arms, and then regret grows linearly; a large one takes longer to explore. "
        "Each dot is one repetition. Theorem 5 asks for L ≥ 1/c, shaded; the paper uses L = 3. Not "
        "in the paper."
    ),
    # The paper's L = 3 is the default there: the same run as figure 2c's.
    runs=lambda settings: {
        (L,): settings.run(paper_market("2c"), "rh-ucb" if L == 3 else f"rh-ucb(L={L})")
        for L in SAMPLE_FACTORS
    },
    rows=_rows,
    numbers=_numbers,
    plot=plot_samples,
    alt_text=_alt_text,
    markets=lambda _: {"Figure 2c": arms_by_agent(paper_market("2c"))},
    spread="error bars: one standard deviation.",
)
