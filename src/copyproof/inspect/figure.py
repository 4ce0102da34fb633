"""Figures of an inspection: shares of the plays over time, and what one arm each would have had."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np

from copyproof.inspect.answers import Answer
from copyproof.inspect.result import Inspection
from copyproof.plots import canvas
from copyproof.plots.palette import INK, QUIET
from copyproof.validation import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Agents that have a colour of their own.
MOST_LINES = 6
# Okabe and Ito's colours, which people who do not see all colours can tell apart.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
_REST = "#cccccc"
_LETTERS = 28
# Seconds since 1970 that are taken for dates, 1973 to 5138; and their thousandths, and so on.
_DATES = (1e8, 1e11)
_UNITS = (1.0, 1e3, 1e6, 1e9)


def shares_figure(found: Inspection) -> "Figure":
    """Draw the agents' shares of the plays over time, one upon the other; copiers are hatched."""
    (ax,) = canvas.new_axes(3.2, width=7.0)
    agents = found.agents[:MOST_LINES]
    rows = [found.shares[:, place] for place in range(len(agents))]
    labels = [shortened(agent.name, _LETTERS) for agent in agents]
    colours = list(_COLOURS[: len(agents)])
    if len(found.agents) > MOST_LINES:
        rows.append(found.shares[:, MOST_LINES:].sum(axis=1))
        labels.append(f"{len(found.agents) - MOST_LINES:,} others")
        colours.append(_REST)
    x, rows = _steps(found.spans, rows)
    bands = ax.stackplot(x, rows, labels=labels, colors=colours, linewidth=0.3, edgecolor="white")
    for agent, band in zip(agents, bands, strict=False):
        if agent.copies:
            band.set_hatch("////")
            band.set_label(f"{band.get_label()} (copies)")
    canvas.plain(ax)
    ax.set(ylim=(0, 1), xlim=(x[0], x[-1]), ylabel="share of plays")
    _name_times(ax, x[0], x[-1])
    ax.yaxis.set_major_formatter(lambda y, _: f"{100 * y:.0f} %")
    ax.legend(frameon=False, fontsize=7, loc="center left", bbox_to_anchor=(1.0, 0.5), reverse=True)
    figure = ax.get_figure(root=True)
    assert figure is not None
    return figure


def _steps(spans: np.ndarray, rows: Sequence[np.ndarray]) -> tuple[np.ndarray, list[np.ndarray]]:
    """Spans as steps: every share stands from its start to the next one's."""
    width = spans[1] - spans[0] if len(spans) > 1 else max(1.0, 1e-9 * abs(spans[0]))
    x = np.repeat([*spans, spans[-1] + width], 2)[1:-1]
    return x, [np.repeat(row, 2) for row in rows]


def _name_times(ax: "Axes", first: float, last: float) -> None:
    """Dates where the numbers are times since 1970, else the numbers."""
    ax.set_xlabel("time")
    low, high = _DATES
    unit = next((one for one in _UNITS if low * one <= first <= last < high * one), None)
    if unit is None:
        ax.xaxis.set_major_formatter(lambda x, _: f"{x:,.10g}")
        return
    pattern = "%Y-%m-%d" if last - first > 3 * 86400 * unit else "%d %b %H:%M"
    name = lambda x, _: datetime.fromtimestamp(x / unit, UTC).strftime(pattern)  # noqa: E731
    ax.xaxis.set_major_formatter(name)
    ax.tick_params(axis="x", labelsize=7)


def one_arm_each_figure(answers: Sequence[Answer], logged: dict[str, float]) -> "Figure":
    """Draw, for each agent with copies, its share with the copies and with one arm each."""
    (ax,) = canvas.new_axes(0.9 + 0.55 * len(answers), width=7.0)
    for row, answer in enumerate(reversed(answers)):
        assert answer.value is not None
        assert answer.before is not None
        for interval, colour, up in (
            (answer.before, "#d55e00", 0.12),
            (answer.value, "#0072b2", -0.12),
        ):
            ax.plot([interval.low, interval.high], [row + up] * 2, color=colour, lw=2)
            ax.plot(interval.mean, row + up, "o", color=colour, ms=5)
        if answer.agent is not None:
            ax.plot(logged[answer.agent], row, "|", color=INK, ms=16, mew=1.2)
    names = [f"{shortened(one.agent or '', 18)}, {one.policy}" for one in reversed(answers)]
    canvas.fix_ticks(ax.yaxis, range(len(answers)), names)
    canvas.plain(ax)
    ax.grid(axis="x", color="#dddddd", linewidth=0.6)
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.6, len(answers) - 0.4), xlabel="share of plays")
    ax.xaxis.set_major_formatter(lambda x, _: f"{100 * x:.0f} %")
    ax.plot([], [], "o-", color="#d55e00", lw=2, ms=5, label="with the copies")
    ax.plot([], [], "o-", color="#0072b2", lw=2, ms=5, label="with one arm each")
    ax.plot([], [], "|", color=INK, ms=10, mew=1.2, label="in the log")
    canvas.legend_above(ax, 3, labelcolor=QUIET)
    figure = ax.get_figure(root=True)
    assert figure is not None
    return figure
