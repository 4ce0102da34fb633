"""What copies gain: the gains of audits against the number of copies, all policies in one figure.

Drawn are the strategies that register c copies of the agent's best arm and nothing else (of every
arm, for an agent who knows only a prior), with the audit's simultaneous limits as bars. Gains are
shares of what the agent earns under the reference strategy and the same policy; plain utilities
where that is not above 0, or where an agent is not risk-neutral. The axis is linear around 0 and
logarithmic beyond, so that 0 ± 0 can be told from a small gain, and a gain of 100 times the revenue
still fits.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from copyproof.auditing import AgentAudit, Audit, Gain
from copyproof.auditing.report.captions import (
    best_only,
    copied_words,
    gain_text,
    reference_words,
)
from copyproof.game import NEUTRAL, Agent
from copyproof.plots import canvas
from copyproof.plots.labels import End, label_ends
from copyproof.plots.palette import INK, QUIET, names_of, printed_lines
from copyproof.validation import items, known, require

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Agents that one figure shows.
MOST_PANELS = 6
# Gains below 1 % of the revenue are drawn to a linear scale.
_LINEAR = 0.01
# The axis is linear throughout where nothing is beyond so many times that.
_LOGARITHMIC = 10
# Inches of a figure of one panel.
_WIDTH, _HEIGHT = 5.2, 3.7
# Inches of each of several panels.
_COLUMN, _ROW = 3.7, 2.2
# Letters of a policy's name that fit beside a panel, and inches for each that it has more; lines of
# labels that fit, and inches for each more.
_LETTERS, _LETTER = 8, 0.06
_LINES, _LINE = 9, 0.16


@dataclass(frozen=True, slots=True, eq=False)
class GainLine:
    """The gains of one agent under one policy, by its copies of the best arm."""

    policy: str
    copies: NDArray[np.int64]
    mean: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class DrawnGains:
    """What a figure shows.

    Parameters
    ----------
    audits : sequence of Audit
        Where it comes from.
    lines : mapping of str to GainLines
        The lines of each agent that has a panel, one for each audit.
    relative : bool
        Whether gains are told as shares of the reference's revenue.
    """

    audits: Sequence[Audit]
    lines: dict[str, list[GainLine]]
    relative: bool


def plot_gains(
    audits: Audit | Sequence[Audit], *, agent: str | None = None, ax: "Axes | None" = None
) -> "tuple[Axes, ...]":
    """Draw what copies of the best arm gain, a line for each policy and a panel for each agent.

    Parameters
    ----------
    audits : Audit or sequence of Audit
        What ``audit`` found, of one market and horizon; one for each policy.
    agent : str, optional
        The one agent to draw; by default all that were audited, or the six of them who gain most.
    ax : Axes, optional
        Where to draw one agent; by default a new figure, with a title and a note.

    Returns
    -------
    tuple of Axes
        One for each agent.

    Raises
    ------
    ValueError
        If the audits do not belong together, the agent was not audited, or no deviation registers
        its best arm alone.

    Examples
    --------
    >>> from copyproof import audit, paper_market
    >>> market = paper_market("1a")
    >>> audits = [
    ...     audit(market, policy, agent="0.5-agent", horizon=500, seed=1)
    ...     for policy in ("ucb1", "h-ucb")
    ... ]
    >>> (ax,) = plot_gains(audits)
    >>> ax.lines[0].get_xdata().tolist()
    [1, 2, 5, 10, 20, 50, 100]
    """
    import matplotlib as mpl

    found = checked_audits(audits)
    gains = drawn_gains(found, agent)
    number = len(gains.lines)
    if ax is not None and number > 1:
        raise ValueError(f"agent is needed: ax takes one agent, and {number} were audited")
    with mpl.rc_context({"font.size": 9, "axes.titlesize": 9, "axes.labelsize": 9}):
        letters = max(map(len, names_of([audit.policy for audit in found])))
        panels = (ax,) if ax is not None else _new_panels(number, letters, len(found))
        _set_scales(panels, gains)
        for panel, (name, lines) in zip(panels, gains.lines.items(), strict=True):
            _draw(panel, lines)
            panel.set_title(_title(found[0].market.agent(name)), loc="left", color=INK)
        if ax is None:
            _add_words(panels, gains, 0 if agent else len(found[0].agents) - number)
            canvas.settle(panels[0])  # labels are spread over the height that panels have
        else:
            ax.set_xlabel(_copies_of(gains))
            ax.set_ylabel(_unit(gains))
        for panel, lines in zip(panels, gains.lines.values(), strict=True):
            label_ends(panel, _ends(lines, relative=gains.relative))
        if ax is None:
            canvas.settle(panels[0])  # labels take of the width
        for panel in panels:
            canvas.thin_ticks(panel)
    return panels


def checked_audits(audits: Audit | Sequence[Audit]) -> list[Audit]:
    """Audits that can stand side by side: of one market, horizon, confidence, and agents."""
    found = [audits] if isinstance(audits, Audit) else list(items("audits", audits, "audits"))
    for place, one in enumerate(found):
        require(isinstance(one, Audit), f"audits[{place}]", one, "an Audit")
    for field in ("market", "horizon", "confidence"):
        if len({getattr(one, field) for one in found}) > 1:
            raise ValueError(f"audits differ in their {field}: only equal ones are comparable")
    if len({tuple((a.name, a.reference) for a in one.agents) for one in found}) > 1:
        raise ValueError("audits differ in their agents: only equal ones are comparable")
    return found


def drawn_gains(audits: Sequence[Audit], agent: str | None = None) -> DrawnGains:
    """The gains that a figure shows: of the agent that is asked for, or of those who gain most."""
    first = audits[0]
    if agent is not None:
        known("agent", agent, [one.name for one in first.agents])
    fit = [
        one.name
        for one in first.agents
        if agent in (None, one.name)
        and any(best_only(first.market.agent(one.name), g.copies) for g in _gains(one))
    ]
    if not fit:
        raise ValueError("audits hold no deviation that registers copies of the best arm alone")
    lines = _lines_of(audits, fit).lines
    most = {name: max(one.mean.max(initial=0.0) for one in lines[name]) for name in fit}
    kept = sorted(fit, key=lambda name: -most[name])[:MOST_PANELS]
    return _lines_of(audits, [name for name in fit if name in kept])


def _lines_of(audits: Sequence[Audit], names: Sequence[str]) -> DrawnGains:
    """The lines of these agents, as shares of the revenue if all are neutral and earn something."""
    neutral = all(audits[0].market.agent(name).utility == NEUTRAL for name in names)
    revenues = [one.revenue for audit in audits for one in audit.agents if one.name in names]
    relative = neutral and not any(revenue <= 0 for revenue in revenues)
    lines = {name: [_line(audit, name, relative) for audit in audits] for name in names}
    return DrawnGains(audits, lines, relative)


def _line(audit: Audit, agent: str, relative: bool) -> GainLine:
    """The line of one agent under one policy; the reference gains 0 by definition."""
    who = audit.market.agent(agent)
    found = next(one for one in audit.agents if one.name == agent)
    unit = found.revenue if relative else 1.0
    points = {found.reference: (0.0, 0.0, 0.0)}
    for one in _gains(found):
        points[one.copies] = (one.gain.mean / unit, one.gain.low / unit, one.gain.high / unit)
    by_count = {
        count: limits
        for copies, limits in points.items()
        if (count := best_only(who, copies)) is not None and math.isfinite(limits[0])
    }
    counts = np.array(sorted(by_count), dtype=np.int64)
    mean, low, high = np.array([by_count[int(c)] for c in counts]).reshape(-1, 3).T
    return GainLine(audit.policy, counts, mean, low, high)


def _gains(agent: AgentAudit) -> list[Gain]:
    return [*agent.copying, *agent.showing]


def _tolerances(audits: Sequence[Audit]) -> float:
    """Ten times the largest gain that counts as none."""
    found = [agent.tolerance for audit in audits for agent in audit.agents]
    return 10 * max((one for one in found if math.isfinite(one)), default=0.1)


def _new_panels(number: int, letters: int, policies: int) -> "tuple[Axes, ...]":
    """Panels of a new figure, with room for labels of so many letters and lines beside them.

    An odd number leaves no cell empty: the last panel is as wide as the figure.
    """
    room, lines = _LETTER * max(0, letters - _LETTERS), _LINE * max(0, policies - _LINES)
    if number == 1:
        return canvas.new_axes(_HEIGHT + lines, width=_WIDTH + room)
    rows = math.ceil(number / 2)
    height, width = 0.9 + (_ROW + lines) * rows, 2 * (_COLUMN + room)
    panels = canvas.new_axes(height, rows, 2, width=width)
    if number % 2:
        panels[-1].remove()
        cell = panels[-2].get_subplotspec()
        assert cell is not None
        panels[-2].set_subplotspec(cell.get_gridspec()[-1, :])
    return panels[:number]


def _set_scales(panels: "Sequence[Axes]", gains: DrawnGains) -> None:
    """Give all panels the same axes, with room for all that is known."""
    linear = _LINEAR if gains.relative else _tolerances(gains.audits)
    lines = [line for group in gains.lines.values() for line in group]
    ends = np.concatenate([end for line in lines for end in (line.mean, line.low, line.high)])
    ends = ends[np.isfinite(ends)]
    low, high = float(ends.min(initial=0.0)), float(ends.max(initial=0.0))
    counts = sorted({int(count) for line in lines for count in line.copies})
    room = (counts[-1] / counts[0]) ** 0.06 * 1.02  # so that no line ends at the axes' edge
    for ax in panels:
        ax.set_xscale("log")
        ax.set_xlim(counts[0] / room, counts[-1] * room)
        canvas.name_counts(ax, counts)
        if max(-low, high) > _LOGARITHMIC * linear:
            canvas.signed_log(ax, low, high, linear, percent=gains.relative)
        else:
            canvas.signed_linear(ax, low, high, linear / 3, percent=gains.relative)


def _draw(ax: "Axes", lines: Sequence[GainLine]) -> None:
    """One agent's lines, with limits; where lines coincide, the earlier ones are wider."""
    policies = [line.policy for line in lines]
    looks, names = printed_lines(policies), names_of(policies)
    bottom, top = ax.get_ylim()
    ax.hlines(0, *ax.get_xlim(), color=QUIET, linewidth=0.8, zorder=1)
    for place, (line, look, name) in enumerate(zip(lines, looks, names, strict=True)):
        colour = look.colour
        above = sum(_coincide(line, later) for later in lines[place + 1 :])
        low, high = np.clip(line.low, bottom, top), np.clip(line.high, bottom, top)
        ax.fill_between(line.copies, low, high, color=colour, alpha=0.18, linewidth=0)
        ax.vlines(line.copies, low, high, color=colour, linewidth=1.2)
        width: dict[str, Any] = {"linewidth": 1.8 + 1.8 * above, "markersize": 4.5 + 1.8 * above}
        width["markeredgewidth"] = 0
        style = {"linestyle": "-" if above else look.dash, "marker": look.marker or "o"} | width
        ax.plot(line.copies, line.mean, color=colour, zorder=3, label=name, **style)
    canvas.plain(ax)


def _ends(lines: Sequence[GainLine], *, relative: bool) -> list[End]:
    """The ends of one agent's lines, with the policies' names and what the most copies gain."""
    policies = [line.policy for line in lines]
    looks, names = printed_lines(policies), names_of(policies)
    ends = []
    for line, look, name in zip(lines, looks, names, strict=True):
        if len(line.copies):
            y = float(line.mean[-1])
            found = gain_text(y, relative=relative) if len(line.copies) > 1 else "not known"
            text = f"{name}  {found}".replace("$", r"\$")
            ends.append(End(float(line.copies[-1]), y, text, look.colour))
    return ends


def _coincide(line: GainLine, other: GainLine) -> bool:
    """Whether two lines would cover each other for a good part."""
    if not np.array_equal(line.copies, other.copies):
        return False
    return bool(np.isclose(line.mean, other.mean, rtol=0.03, atol=1e-9).mean() > 0.5)


def _unit(gains: DrawnGains) -> str:
    unit = ",\nas a share of its revenue" if gains.relative else ", in utility"
    return f"gain over the reference{unit}"


def _title(agent: Agent) -> str:
    if not agent.has_fixed_means:
        kind = "changing" if agent.is_informed else "drawn"
        words = f"{len(agent.arms)} arm{'s' * (len(agent.arms) > 1)} of {kind} means"
        return f"{_short(agent.name)} ({words})".replace("$", r"\$")
    arms = f", the best of {len(agent.arms)} arms" if len(agent.arms) > 1 else ""
    return f"{_short(agent.name)} (mean {agent.best_mean:.3g}{arms})".replace("$", r"\$")


def _short(name: str) -> str:
    return name if len(name) <= 30 else f"{name[:29]}…"


def _copies_of(gains: DrawnGains) -> str:
    market = gains.audits[0].market
    return f"copies of {copied_words(market.agent(name) for name in gains.lines)}"


def _add_words(panels: "Sequence[Axes]", gains: DrawnGains, left_out: int) -> None:
    """Title, names of the axes, and a note on what was played and what is left out."""
    figure = panels[0].get_figure(root=True)
    assert figure is not None
    first = gains.audits[0]
    methods = dict.fromkeys(audit.method for audit in gains.audits)
    note = f"T = {first.horizon:,}, seed {first.seed}; reference: {reference_words(gains.audits)}. "
    if list(methods) == ["exact"]:
        note += "Exact values."
    else:
        note += f"Bands: limits, {100 * first.confidence:g} % ({' or '.join(methods)})."
    if left_out:
        note += f" Not shown: {left_out} more agent{'s' if left_out > 1 else ''}, who gain less."
    for ax in panels[-2:] if len(panels) > 1 else panels:
        ax.set_xlabel(_copies_of(gains))
    figure.supylabel(_unit(gains), fontsize=9)
    canvas.add_title_and_note(figure, "What copies gain", note)
