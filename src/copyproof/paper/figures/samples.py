"""The size of RH-UCB's samples, on figure 2c's market."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from copyproof.pages import PageTable
from copyproof.paper.figure import StudyFigure, check_results, estimate_columns
from copyproof.paper.measures import BestSample, final_regret
from copyproof.paper.study import SAMPLE_FACTORS, FigureResults
from copyproof.plots import canvas, with_error
from copyproof.plots.palette import INK, colour_of
from copyproof.simulation import Interval, Result
from copyproof.theory import best_share

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
    check_results(results, 1)
    upper, lower = axes or canvas.new_axes(4.8, 2, share=True)
    factors, found, samples = zip(*_samples(results), strict=True)
    _draw_regrets(upper, found, samples)
    _draw_misses(lower, samples)
    in_play = [f"{L}\n{s.size} of {s.registered}" for L, s in zip(factors, samples, strict=True)]
    lower.set_xticks(range(len(factors)), in_play)
    lower.set_xlabel("L, and how many of the best agent's arms are in play")
    needed = 1 / best_share(found[0].market)
    for ax in (upper, lower):
        canvas.plain(ax)
        ax.set_xlim(-0.75, len(factors) - 0.5)
        canvas.legend_above(ax, 3, up=0.98, handletextpad=0.3, columnspacing=1.2)
        _shade(ax, factors, needed)
    canvas.in_thousands(upper)
    canvas.write_in_corner(upper, f"L ≥ 1/c = {needed:.0f}", 0.99, 0.03, ha="right")
    return upper, lower


def _draw_regrets(ax: "Axes", results: Sequence[Result], samples: Sequence[BestSample]) -> None:
    colour = colour_of("rh-ucb")
    dot: dict[str, Any] = {"s": 9, "edgecolors": colour, "linewidths": 0.7, "alpha": 0.55}
    square: dict[str, Any] = {"fmt": "s", "color": INK, "markersize": 4.5, "capsize": 3}
    names: Sequence[str | None] = ("a repetition", "one without a best arm", "mean ± deviation")
    for place, (result, sample) in enumerate(zip(results, samples, strict=True)):
        regret, missed = final_regret(result), sample.missed
        # Neighbouring repetitions side by side, in a pattern that repeats: no luck involved.
        x = place - 0.12 + 0.32 * (np.arange(len(regret)) * 0.618034 % 1)
        for chosen, face, name in zip((~missed, missed), (colour, "none"), names, strict=False):
            ax.scatter(x[chosen], regret[chosen], facecolors=face, label=name, **dot)
        mean, std = result.regret.mean, np.nan_to_num(result.regret.std)
        ax.errorbar(place - 0.24, mean, std, label=names[2], **square)
        canvas.write_beside(
            ax, f"{mean:,.0f}", (place - 0.24, mean), (-4, 0), ha="right", va="center"
        )
        names = (None, None, None)  # the legend names each kind once
    ax.set_ylim(bottom=0)
    ax.set_ylabel("regret after T rounds\n(reward lost)")


def _draw_misses(ax: "Axes", samples: Sequence[BestSample]) -> None:
    shares = [Interval.of_share(int(one.missed.sum()), len(one.missed)) for one in samples]
    mean, low, high = 100 * np.array([(one.mean, one.low, one.high) for one in shares]).T
    exact = 100 * np.array([one.chance for one in samples])
    x = np.arange(len(samples))
    dot: dict[str, Any] = {"fmt": "o", "color": colour_of("rh-ucb"), "markersize": 5, "capsize": 3}
    diamond: dict[str, Any] = {"color": INK, "markersize": 4.5, "fillstyle": "none"}
    errors, name = np.maximum([mean - low, high - mean], 0), "in the repetitions (95 % interval)"
    ax.errorbar(x, mean, errors, label=name, clip_on=False, **dot)
    ax.plot(x + 0.16, exact, "D", label="exact probability", clip_on=False, **diamond)
    ax.set_ylim(0, 1.08 * max(*exact, *high))
    ax.set_ylabel("samples without\nany best arm (%)")


def _shade(ax: "Axes", factors: Sequence[int], needed: float) -> None:
    """Mark the part where theorem 5's condition L ≥ 1/c is met."""
    first = next((place for place, L in enumerate(factors) if needed <= L), None)
    if first is not None:
        ax.axvspan(first - 0.5, len(factors) - 0.5, color="#eeeeee", zorder=0, linewidth=0)


def _samples(results: FigureResults) -> list[tuple[int, Result, BestSample]]:
    """What was found for each L, the smallest first."""
    ordered = sorted((int(L), result) for (L,), result in results.items())
    return [(L, result, BestSample.of(L, result)) for L, result in ordered]


def _rows(results: FigureResults) -> list[dict[str, Any]]:
    return [
        {"L": L, "sample": sample.size}
        | estimate_columns("regret", result.regret)
        | {"missed": float(sample.missed.mean()), "missed_exact": sample.chance}
        for L, result, sample in _samples(results)
    ]


def _numbers(results: FigureResults) -> PageTable:
    rows = [
        [
            str(L),
            f"{sample.size} of {sample.registered}",
            with_error(result.regret),
            f"{sample.missed.mean():.3f}",
            f"{sample.chance:.4f}",
        ]
        for L, result, sample in _samples(results)
    ]
    head = ["L", "Arms in play", "Regret", "Without a best arm", "Exact probability"]
    caption = (
        "RH-UCB on figure 2c's market: regret (mean ± standard error), and the share of "
        "repetitions in which the best agent's sample holds none of its best arms."
    )
    return PageTable(head, rows, caption)


def _alt_text(results: FigureResults) -> str:
    parts = [
        f"L = {L}: regret {result.regret.mean:,.0f}, {100 * sample.missed.mean():.0f} % of the "
        "samples without a best arm"
        for L, result, sample in _samples(results)
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
        (L,): run for L, run in zip(SAMPLE_FACTORS, settings.runs("samples"), strict=True)
    },
    rows=_rows,
    numbers=_numbers,
    plot=plot_samples,
    alt_text=_alt_text,
    spread="error bars: one standard deviation.",
)
