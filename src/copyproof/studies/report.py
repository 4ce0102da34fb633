"""The report of a study: how policies compare, as tables, one page and one figure.

Policies are compared where they played the same: the same market, strategy, horizon and seed. The
*ratio* of a policy there is its mean regret over the least mean regret of all policies; over many
markets its geometric mean says how much worse than the best a policy is, and its distribution is
the performance profile of Dolan and Moré (2002): the share of games in which a policy has at most x
times the least regret. Where somebody has no regret at all, no ratio is taken.

Across markets policies are ranked, too (``comparison.ranks``): the test asks for one number of each
policy on each market, so that the cells' means are enough, and no arrays are needed. The means of
several seeds are averaged first, so that a market counts once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from copyproof._files import write_or_refuse
from copyproof.comparison import Ranking, plot_ranking, ranking
from copyproof.pages import PageTable, Picture, render
from copyproof.plots import brief
from copyproof.plots.canvas import add_title_and_note, legend_above, new_axes, plain
from copyproof.plots.files import figure_bytes
from copyproof.plots.palette import line_styles, names_of
from copyproof.studies.folder import REPORT
from copyproof.studies.results import COLUMNS
from copyproof.studies.store import Status

if TYPE_CHECKING:
    import pandas as pd

_SAME = ["part", "market", "strategy", "horizon", "repetitions", "seed"]
_GROUP = ["part", "strategy", "horizon"]
_MOST_FAILURES = 20
# Figures of ranks on the page; every table has the ranks themselves.
_MOST_RANKS = 6
#: What the columns are, for people.
LEGEND = (
    "Ratio: the policy's mean regret over the least of all policies on the same market, with the "
    "same strategy, horizon and seed; geometric mean over markets.",
    "Least in: the number of cells in which it is 1.",
    "Rank: the average over markets of its place among the policies, by the cells' mean regret.",
)


@dataclass(frozen=True, slots=True)
class GroupTable:
    """How policies compare in one part, under one strategy and horizon."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class ReportPage:
    """All that ``report.html.j2`` is given."""

    title: str
    size: str
    legend: str
    tables: tuple[PageTable, ...]
    picture: Picture | None
    ranks: tuple[Picture, ...]
    failures: tuple[str, ...]
    more_failures: int


def comparisons(frame: "pd.DataFrame") -> list[GroupTable]:
    """The tables of a study's report.

    Parameters
    ----------
    frame : DataFrame
        As ``Study.frame`` gives it.

    Examples
    --------
    >>> from copyproof import Study
    >>> study = Study(["ucb1", "h-ucb"], ["paper:2a"], horizons=500, repetitions=5, seed=1)
    >>> (table,) = comparisons(study.run().frame())
    >>> table.head
    ('policy', 'cells', 'regret', 'ratio', 'least in')
    """
    done = _done(frame)
    ratio = _ratios(done)
    return [
        _group(dict(zip(_GROUP, key, strict=True)), one, ratio)
        for key, one in done.groupby(_GROUP, sort=False)
    ]


def rankings(frame: "pd.DataFrame") -> list[tuple[str, Ranking]]:
    """The policies of each table, ranked over its markets, and the table's title.

    Markets on which a policy is missing or has failed are left out; where fewer than two are left,
    nothing is ranked.

    Examples
    --------
    >>> from copyproof import RandomMarkets, Study
    >>> size = {"horizons": 500, "repetitions": 5, "seed": 1}
    >>> study = Study(["ucb1", "h-ucb"], [RandomMarkets(count=8, copies=[1, 20])], **size)
    >>> ((title, found),) = rankings(study.run().frame())
    >>> title, found.markets, found.policies
    ('T = 500; as given', 8, ('h-ucb', 'ucb1'))
    """
    done = _done(frame)
    if "regret_mean" not in done:
        return []
    found = []
    for key, one in done.groupby(_GROUP, sort=False):
        ranked = _ranking(one)
        if ranked is not None:
            found.append((_title(dict(zip(_GROUP, key, strict=True))), ranked))
    return found


def _ranking(group: "pd.DataFrame") -> Ranking | None:
    means = group.pivot_table(index="market", columns="policy", values="regret_mean", sort=False)
    means = means.dropna()
    if len(means) < 2 or means.shape[1] < 2:
        return None
    return ranking(means.to_numpy(), [str(name) for name in means.columns])


def _done(frame: "pd.DataFrame") -> "pd.DataFrame":
    """The cells to compare: not failed, and played by every policy that has begun.

    While a study is open its policies have not all played the same markets yet.
    """
    measured = [one for columns in COLUMNS.values() for one in columns if one in frame]
    is_open = frame["failure"].isna() & frame[measured].isna().all(axis=1) & bool(measured)
    begun = frame[frame["policy"].isin(frame["policy"][~is_open])]
    waits = is_open[begun.index].groupby([begun[one] for one in _SAME]).transform("any")
    return begun[~waits & begun["failure"].isna()]


def _ratios(frame: "pd.DataFrame") -> "pd.Series[Any] | None":
    if "regret_mean" not in frame or frame.empty:
        return None
    least = frame.groupby(_SAME)["regret_mean"].transform("min")
    return (frame["regret_mean"] / least).where(least > 0)


def _group(
    key: dict[str, Any], frame: "pd.DataFrame", ratio: "pd.Series[Any] | None"
) -> GroupTable:
    columns: dict[str, list[str]] = {"policy": [], "cells": []}
    ranked = None if ratio is None else _ranking(frame)
    ranks = {} if ranked is None else dict(zip(ranked.policies, ranked.ranks, strict=True))

    def put(name: str, text: str) -> None:
        columns.setdefault(name, []).append(text)

    for policy, own in frame.groupby("policy", sort=False):
        put("policy", str(policy))
        put("cells", f"{len(own):,}")
        if ratio is not None:
            mine = ratio.loc[own.index].dropna()
            put("regret", brief(float(own["regret_mean"].mean())))
            put("ratio", brief(float(np.exp(np.log(mine).mean()))) if len(mine) else "–")
            put("least in", f"{int((mine == 1).sum()):,}")
        if ranks:
            put("rank", f"{ranks[str(policy)]:.2f}" if str(policy) in ranks else "–")
        if "lost_count" in own:
            known = own.dropna(subset=["lost_count"])
            games = (known["repetitions"]).sum()
            share = known["lost_count"].sum() / games if games else float("nan")
            put("lost", "–" if not games else f"{share:.2%}".replace("%", " %"))
        if "exact_regret" in own:
            put("exact regret", brief(float(own["exact_regret"].mean())))
        if "audit_verdict" in own:
            for verdict in ("prone", "no-gain", "unchanged", "undecided"):
                put(verdict, f"{int((own['audit_verdict'] == verdict).sum()):,}")
    return GroupTable(_title(key), tuple(columns), tuple(zip(*columns.values(), strict=True)))


def _title(key: dict[str, Any]) -> str:
    parts = [f"T = {key['horizon']:,}", str(key["strategy"])]
    return "; ".join(([str(key["part"])] if key["part"] else []) + parts)


def profile_figure(frame: "pd.DataFrame") -> bytes | None:
    """The performance profile as an SVG file; None if there is nothing to compare."""
    frame = _done(frame)
    ratio = _ratios(frame)
    if ratio is None or frame["policy"].nunique() < 2 or ratio.dropna().empty:
        return None
    policies = list(dict.fromkeys(frame["policy"]))
    (ax,) = new_axes(3.4)
    largest = max(1.5, float(ratio.quantile(0.99)))
    styles, names = line_styles(policies), names_of(policies)
    for policy, (colour, dash), name in zip(policies, styles, names, strict=True):
        mine = np.sort(ratio[frame["policy"] == policy].dropna().to_numpy())
        share = np.arange(1, len(mine) + 1) / len(mine)
        x, y = np.r_[1.0, mine, largest], np.r_[0.0, share, 1.0]
        ax.step(x, y, where="post", color=colour, linestyle=dash, linewidth=1.6, label=name)
    ax.set_xscale("log")
    ax.set_xlim(1.0, largest)
    ax.set_ylim(0.0, 1.01)
    ticks = [one for one in (1, 1.5, 2, 3, 5, 10, 20, 50, 100, 1000) if one <= largest]
    ax.set_xticks(ticks, [f"{one:g}" for one in ticks])
    ax.minorticks_off()
    ax.set_xlabel("at most this many times the least regret", fontsize=9)
    ax.set_ylabel("share of cells", fontsize=9)
    plain(ax)
    legend_above(ax, 3)
    figure = ax.get_figure(root=True)
    assert figure is not None
    add_title_and_note(figure, "Performance profile", f"{len(frame):,} cells.")
    return figure_bytes(figure, "svg")


def rank_pictures(frame: "pd.DataFrame") -> list[Picture]:
    """The critical-difference plots of a study's tables, the first ones if they are many."""
    pictures = []
    for title, found in rankings(frame)[:_MOST_RANKS]:
        figure = plot_ranking(found).get_figure(root=True)
        assert figure is not None
        order = ", ".join(
            f"{name} {rank:.2f}" for name, rank in zip(found.policies, found.ranks, strict=True)
        )
        needed = found.markets_needed
        few = f" {found.markets} markets cannot tell any pair apart: {needed} are needed at least."
        alt = f"Average ranks over {found.markets:,} markets, the best first: {order}."
        caption = f"{title}. Bars join policies that are not told apart."
        caption += few if found.markets < needed else ""
        pictures.append(Picture(figure_bytes(figure, "svg"), alt, caption))
    return pictures


def write_report(
    folder: Path, frame: "pd.DataFrame", status: Status, failures: Sequence[str]
) -> Path:
    """Write ``report.html`` into a study's folder; where it is.

    Parameters
    ----------
    folder : Path
        The study's.
    frame : DataFrame
        As ``Study.frame`` gives it.
    status : Status
        How far the study is.
    failures : sequence of str
        What failed, a line each.
    """
    svg = profile_figure(frame)
    alt = (
        "Rising lines, one for each policy: the share of cells in which its regret is at most so "
        "many times the least. The table has their means."
    )
    page = ReportPage(
        title="A study of policies",
        size=_size(frame, status),
        legend=" ".join(LEGEND),
        tables=tuple(
            PageTable(
                [name.capitalize() for name in one.head],
                one.rows,
                one.title,
            )
            for one in comparisons(frame)
        ),
        picture=None
        if svg is None
        else Picture(svg, alt, "The higher, the better; where a line begins is its share of wins."),
        ranks=tuple(rank_pictures(frame)),
        failures=tuple(failures[:_MOST_FAILURES]),
        more_failures=max(0, len(failures) - _MOST_FAILURES),
    )
    path = folder / REPORT
    write_or_refuse(path, render("copyproof.studies", "report.html.j2", page).encode())
    return path


def _size(frame: "pd.DataFrame", status: Status) -> str:
    counts = {
        name: frame[name].nunique() for name in ("policy", "market", "strategy", "horizon", "seed")
    }
    names = {"policy": ("policy", "policies"), "strategy": ("strategy", "strategies")}
    told = ", ".join(
        f"{count:,} {names.get(name, (name, name + 's'))[count != 1]}"
        for name, count in counts.items()
    )
    return f"{status.cells:,} cells: {told}; {status.done:,} done, {status.failed:,} failed"
