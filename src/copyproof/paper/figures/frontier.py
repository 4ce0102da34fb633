"""The frontier: what a policy costs with truthful agents, against the games it loses to a needle.

Theorem A′ (``theory.share_lost``) takes two markets. On A every agent has one arm. On B agent i
registers K arms in random order instead, g of them of mean μ′ above all others and the rest as bad
as its one arm on A. If copies of an agent's only arm do not change who is played, as under every
hierarchical policy here, then on B no good arm is ever played with probability at least
q(E_A[N_i]), N_i the plays of agent i on A. With one rival the regret on A is Δ_i E_A[N_i], so that
the theorem is a curve in the plane of this figure.

A game without a play of a good arm costs at least μ′ − μ* in every round, μ* the rival's mean, and
so is lost as ``simulation.lost`` counts it; other games may be, too. So the curve bounds the share
of lost games, as well.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from copyproof.pages import PageTable
from copyproof.paper.figure import (
    StudyFigure,
    arms_by_agent,
    check_results,
    estimate_columns,
    interval_columns,
)
from copyproof.paper.study import (
    FRONTIER_MARKETS,
    FRONTIER_POLICIES,
    OURS,
    FigureResults,
    Run,
    RunKey,
    Settings,
)
from copyproof.plots import canvas, with_error
from copyproof.plots.labels import PointLabel, label_points
from copyproof.plots.palette import COLOURS, INK, QUIET, colour_of
from copyproof.policy import parse_policy
from copyproof.simulation import Estimate, LostGames
from copyproof.theory import share_lost

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# K arms of agent i on market B, g of them good: c = 1/21, as in figure 2c.
ARMS, GOOD = 210, 10
_BAD, _RIVAL, _BEST = 0.2, 0.8, 0.9
_NONE = 0.0005


@dataclass(frozen=True, slots=True)
class FrontierPoint:
    """One policy: its regret with truthful agents, and the games it loses to the replicator.

    ``is_bound`` says whether copies of an agent's only arm change nothing, so that theorem A′
    speaks about it, and ``least`` what it says.
    """

    policy: str
    regret: Estimate
    lost: LostGames
    is_bound: bool

    @property
    def least(self) -> float:
        """The least share of games that it can lose, by theorem A′."""
        return least_share_lost(self.regret.mean)


def least_share_lost(regret: float) -> float:
    """q(E_A[N_i]) with E_A[N_i] = regret/Δ_i: theorem A′ on the markets of this figure.

    Examples
    --------
    >>> f"{least_share_lost(46):.4f}"
    '0.0094'
    """
    return share_lost(regret / (_RIVAL - _BAD), ARMS, GOOD)


def frontier_points(results: FigureResults) -> list[FrontierPoint]:
    """All policies of the figure, in the order of the catalogue."""
    points = []
    for (market, policy), result in results.items():
        if market == "replicator":
            regret = results["truthful", policy].regret
            lost = result.lost
            assert lost is not None
            is_bound = not parse_policy(str(policy)).is_flat
            points.append(FrontierPoint(str(policy), regret, lost, is_bound))
    return points


def _runs(settings: Settings) -> dict[RunKey, Run]:
    found = {(run.name, run.policy): run for run in settings.runs("frontier")}
    return {
        (name, policy): found[name, policy]
        for policy in FRONTIER_POLICIES
        for name in FRONTIER_MARKETS
    }


def plot_frontier(results: FigureResults, *, ax: "Axes | None" = None) -> "Axes":
    """Draw the share of games lost to a replicator against the regret with truthful agents.

    Both axes are logarithmic. A dot is a policy, hollow where it is flat and theorem A′ does not
    speak about it; the shaded part is where the theorem lets no other policy be. Bars are 95 %
    intervals of the share.

    Parameters
    ----------
    results : mapping of (market, policy) to Result
        Those of ``frontier``.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        What was drawn on.

    Examples
    --------
    >>> from copyproof.paper import Settings, play, runs_of
    >>> runs = runs_of("frontier", Settings(horizon=200, repetitions=3))
    >>> ax = plot_frontier({key: play(run) for key, run in runs.items()})
    >>> ax.get_xscale(), ax.get_yscale()
    ('log', 'log')
    """
    check_results(results, 2)
    if ax is None:
        (ax,) = canvas.new_axes(4.9, width=6.6)
        figure = ax.get_figure(root=True)
        assert figure is not None
        # Labels are placed by what surrounds them, so the axes must not move afterwards.
        figure.set_layout_engine("none")
        ax.set_position((0.115, 0.205, 0.87, 0.655))
    points = frontier_points(results)
    regrets = [point.regret.mean for point in points]
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlim(min(min(regrets) / 2, 1.0), 2.2 * max(regrets))
    ax.set_ylim(_NONE / 1.9, 3.2)
    ticks = [_NONE, 0.001, 0.01, 0.1, 1.0]
    canvas.fix_ticks(ax.yaxis, ticks, ["none", "0.1 %", "1 %", "10 %", "100 %"])
    decades = [10.0**k for k in range(-2, 8) if ax.get_xlim()[0] <= 10.0**k <= ax.get_xlim()[1]]
    canvas.fix_ticks(ax.xaxis, decades, [f"{decade:,.10g}" for decade in decades])
    ax.set_xlabel("regret with truthful agents after T rounds (reward lost)")
    ax.set_ylabel("games lost to a replicator")
    canvas.plain(ax)
    ax.grid(visible=False)
    drawn = _draw_bound(ax)
    for point in points:
        drawn += _draw_point(ax, point)
    label_points(ax, _labels(points), drawn)
    _explain(ax)
    return ax


def _draw_bound(ax: "Axes") -> list[tuple[float, float]]:
    """Shade where theorem A′ lets no policy be under which copies change nothing.

    Return places along its edge, for labels to keep off.
    """
    low, high = ax.get_xlim()
    x = np.geomspace(low, high, 800)
    y = np.array([least_share_lost(one) for one in x])
    seen = y > ax.get_ylim()[0]
    ax.fill_between(x[seen], ax.get_ylim()[0], y[seen], color="#e9e9ef", zorder=0, linewidth=0)
    ax.plot(x[seen], y[seen], color=INK, linewidth=1.3, label="theorem A′", zorder=2)
    text = (
        f"theorem A′ ({ARMS} arms, {GOOD} of\nthem good): where copies\nchange nothing, no policy\n"
        "can be in the shaded part"
    )
    canvas.write_in_corner(ax, text, 0.02, 0.4, va="center", linespacing=1.35)
    return list(zip(x[seen].tolist(), y[seen].tolist(), strict=True))


def _height(share: float) -> float:
    """Where a share is drawn: none at all has a line of its own."""
    return max(share, _NONE)


def _draw_point(ax: "Axes", point: FrontierPoint) -> list[tuple[float, float]]:
    """Draw a policy's dot and the interval of its share, and return places along the interval."""
    x, y = point.regret.mean, _height(point.lost.share)
    colour = _colour(point.policy)
    along: list[tuple[float, float]] = []
    if point.is_bound:
        ends = [_height(point.lost.interval.low), _height(point.lost.interval.high)]
        ax.plot([x, x], ends, color=colour, linewidth=1.2, alpha=0.4, zorder=1)
        along = [(x, float(height)) for height in np.geomspace(ends[0], ends[1], 40)]
    style: dict[str, Any] = {"markersize": 6.0, "marker": "o", "linestyle": "none"}
    style["zorder"] = 3 if colour == QUIET else 4
    if point.policy == OURS:
        style |= {"markersize": 11.0, "zorder": 5, "marker": "D"}
    face = colour if point.is_bound else "white"
    ax.plot([x], [y], color=colour, markerfacecolor=face, label=point.policy, **style)
    return along


def _explain(ax: "Axes") -> None:
    """Say above the axes what the kinds of dots are."""
    from matplotlib.lines import Line2D

    kinds: dict[str, dict[str, Any]] = {
        "the default": {"marker": "D", "color": colour_of(OURS), "markersize": 8.0},
        "copies change nothing: bound by theorem A′": {"marker": "o", "color": QUIET},
        "flat: not bound": {"marker": "o", "color": QUIET, "markerfacecolor": "white"},
    }
    dots = [Line2D([], [], linestyle="none", label=name, **kind) for name, kind in kinds.items()]
    canvas.legend_above(ax, len(dots), handles=dots, handletextpad=0.2, columnspacing=1.4)


def _colour(policy: str) -> str:
    """The colour of a policy of the study; grey for the others of the catalogue."""
    name = policy.partition("(")[0]
    return colour_of(name) if name in COLOURS else QUIET


def _labels(points: Sequence[FrontierPoint]) -> list[PointLabel]:
    """A label for each dot, the default's first; policies in the same place share one."""
    places: dict[tuple[float, float], list[int]] = {}
    for place, point in enumerate(points):
        spot = (round(np.log(point.regret.mean), 2), _height(point.lost.share))
        places.setdefault(spot, []).append(place)
    labels = []
    for group in places.values():
        first = points[group[0]]
        ours = any(points[place].policy == OURS for place in group)
        text = "\n".join(points[place].policy for place in group)
        at = (first.regret.mean, _height(first.lost.share))
        colour = colour_of(OURS) if ours else INK
        radius = 8.0 if ours else 4.0
        labels.append(PointLabel(*at, text, colour, bold=ours, radius=radius))
    return sorted(labels, key=lambda label: not label.bold)


def _rows(results: FigureResults) -> list[dict[str, Any]]:
    return [
        {"policy": point.policy, "copies_change_nothing": point.is_bound}
        | estimate_columns("truthful_regret", point.regret)
        | {"lost": point.lost.count, "games": point.lost.games}
        | interval_columns("share_lost", point.lost.interval)
        | {"least_share_lost": point.least if point.is_bound else None}
        | estimate_columns("replicator_regret", results["replicator", point.policy].regret)
        for point in frontier_points(results)
    ]


def _numbers(results: FigureResults) -> PageTable:
    points = sorted(frontier_points(results), key=lambda point: point.regret.mean)
    rows = []
    for point in points:
        interval = point.lost.interval
        rows.append(
            [
                point.policy,
                with_error(point.regret),
                f"{point.lost.count:,} of {point.lost.games:,}",
                f"{100 * interval.low:.1f} to {100 * interval.high:.1f} %",
                f"{100 * point.least:.2g} %" if point.is_bound else "not bound",
                with_error(results["replicator", point.policy].regret),
            ]
        )
    head = (
        "Policy",
        "Regret, truthful",
        "Games lost",
        "95 % interval",
        "Theorem A′: at least",
        "Regret, replicator",
    )
    caption = (
        "Regret with truthful agents and with the replicator (mean ± standard error), and games "
        "lost to it, least regret first."
    )
    return PageTable(head, rows, caption)


def _alt_text(results: FigureResults) -> str:
    points = sorted(frontier_points(results), key=lambda point: point.regret.mean)
    parts = [
        f"{point.policy} {point.regret.mean:,.0f} and {100 * point.lost.share:.3g} %"
        for point in points
    ]
    return (
        "Dots, one for each policy: regret with truthful agents to the right, the share of games "
        "lost to a replicator upwards, both logarithmic. A falling curve cuts off the part at the "
        f"lower left, where no hierarchical policy can be. {'; '.join(parts)}."
    )


FRONTIER_FIGURE = StudyFigure(
    name="frontier",
    heading="The frontier",
    title="The frontier: regret with truthful agents, and games lost to a replicator",
    caption=(
        "Every policy of the catalogue on two markets. With truthful agents one arm of mean 0.8 "
        "stands against one of 0.2. With a replicator the second agent registers 210 arms instead, "
        "10 of them of mean 0.9 and the others of 0.2. A game is lost when its last tenth costs at "
        "least half the gap a round. Whoever is blind to copies cannot tell the markets apart "
        "before a good arm was played, and a policy that saves plays of a bad agent saves tries of "
        "a replicator's arms: theorem A′ turns the regret on the first market into the least share "
        "of games without any play of a good arm on the second, and all of these are lost. Flat "
        "policies (hollow) are not bound by it, and pay for copies. RH-UCB and its kin have "
        "samples of ⌊22 ln T⌋ arms, all of them here, or of ⌊3 ln T⌋. Not in the paper."
    ),
    runs=_runs,
    rows=_rows,
    numbers=_numbers,
    plot=lambda results: [plot_frontier(results)],
    alt_text=_alt_text,
    markets=lambda _: {
        f"The frontier, {name}": arms_by_agent(market) for name, market in FRONTIER_MARKETS.items()
    },
    spread="bars: 95 % intervals of the share.",
)
