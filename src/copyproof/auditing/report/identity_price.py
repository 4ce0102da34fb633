"""The price of an identity: the fee above which m names stop paying, for every policy.

Drawn is gain(m)/(m − 1) against m, with limits that hold together: m names pay while an identity
costs less. The largest of them, c* = max_m gain(m)/(m − 1), is told beside each line, which need
not end there: a fee above it stops every number of names that was tried.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from copyproof.auditing.attacks import Attacks
from copyproof.plots import brief, canvas
from copyproof.plots.labels import End, label_ends
from copyproof.plots.palette import QUIET, names_of, printed_lines
from copyproof.validation import items, require

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTH, _HEIGHT = 6.0, 3.7


def plot_identity_price(found: Attacks | Sequence[Attacks], *, ax: "Axes | None" = None) -> "Axes":
    """Draw the fee per identity above which m names stop paying, a line for each policy.

    Parameters
    ----------
    found : Attacks or sequence of Attacks
        What ``attacks`` found of one agent, market and horizon; one for each policy.
    ax : Axes, optional
        Where to draw; by default a new figure, with a title and a note.

    Examples
    --------
    >>> from copyproof import attacks, paper_market
    >>> found = attacks(paper_market("1a"), "h-ucb", agent="0.5-agent", horizon=500, seed=1)
    >>> plot_identity_price(found).lines[0].get_xdata().tolist()
    [2.0, 3.0, 5.0, 10.0]
    """
    import matplotlib as mpl

    drawn = _checked(found)
    with mpl.rc_context({"font.size": 9, "axes.titlesize": 9, "axes.labelsize": 9}):
        panel = canvas.new_axes(_HEIGHT, width=_WIDTH)[0] if ax is None else ax
        counts = sorted({one.count for each in drawn for one in each.identities})
        panel.set_xscale("log")
        canvas.name_counts(panel, counts)
        ends = _draw(panel, drawn)
        canvas.plain(panel)
        panel.axhline(0, color=QUIET, linewidth=0.8, zorder=1)
        panel.set_xlabel("identities m of one person")
        panel.set_ylabel("fee per identity above which\nm names stop paying")
        if ax is None:
            first = drawn[0]
            note = (
                f"{first.market.label}, {first.agent}; T = {first.horizon:,}, seed {first.seed}. "
                f"Bands: limits that hold together, {100 * first.confidence:g} %.\n"
                "c*: the price of an identity, the most over m."
            )
            figure = panel.get_figure(root=True)
            assert figure is not None
            canvas.add_title_and_note(figure, "The price of an identity", note.replace("$", r"\$"))
            canvas.settle(panel)
        label_ends(panel, ends)
        if ax is None:
            canvas.settle(panel)
        canvas.thin_ticks(panel)
    return panel


def _checked(found: Attacks | Sequence[Attacks]) -> list[Attacks]:
    """Attacks that can stand side by side: by one agent of one market, of one horizon."""
    drawn = [found] if isinstance(found, Attacks) else list(items("found", found, "Attacks"))
    for place, one in enumerate(drawn):
        require(isinstance(one, Attacks), f"found[{place}]", one, "an Attacks")
    for field in ("market", "agent", "horizon", "confidence"):
        if len({getattr(one, field) for one in drawn}) > 1:
            raise ValueError(f"attacks differ in their {field}: only equal ones are comparable")
    return drawn


def _draw(ax: "Axes", drawn: Sequence[Attacks]) -> list[End]:
    """The lines with their bands; returns their ends and what is told beside them."""
    policies = [one.policy for one in drawn]
    ends = []
    for one, look, name in zip(drawn, printed_lines(policies), names_of(policies), strict=True):
        rows = [
            (more.count, more.each.mean, more.each.low, more.each.high)
            for more in sorted(one.identities, key=lambda more: more.count)
            if np.isfinite([more.each.low, more.each.high]).all()
        ]
        counts, mean, low, high = np.array(rows).reshape(-1, 4).T
        ax.fill_between(counts, low, high, color=look.colour, alpha=0.18, linewidth=0)
        ax.vlines(counts, low, high, color=look.colour, linewidth=1.2)
        ax.plot(
            counts, mean, color=look.colour, linestyle=look.dash, marker=look.marker or "o",
            linewidth=1.8, markersize=4.5, markeredgewidth=0, label=name, zorder=3,
        )  # fmt: skip
        price = one.identity_price
        told = f"{name}  c* = {brief(price.mean)}" if rows else f"{name}  not known"
        x, y = rows[-1][:2] if rows else (2, 0.0)
        ends.append(End(float(x), float(y), told.replace("$", r"\$"), look.colour))
    return ends
