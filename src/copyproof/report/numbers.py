"""The numbers behind the figures, as tables for people."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from copyproof.paper import OURS, Figures, growth_fits, misses, relative_regrets
from copyproof.paper import Figure as Runs
from copyproof.report.copies_figure import copier
from copyproof.report.looks import name_of
from copyproof.report.markets_figure import MARKET_NAMES
from copyproof.report.parts_figures import ABLATION_NAMES
from copyproof.simulation import Estimate, Interval
from copyproof.theory import sample_misses_best, sample_size

__all__ = ["Numbers", "brief", "limits", "numbers"]


class Numbers(NamedTuple):
    """A table: what it is about, its head, its rows."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


def numbers(name: str, figures: Figures) -> Numbers:
    """The table of one figure, its first column in words and the others in numbers."""
    runs = figures[name]
    match name:
        case "fig1a" | "fig1b":
            return _copies(runs)
        case "markets":
            return _markets(runs)
        case "ablation":
            return _ablation(runs)
        case "samples":
            return _samples(runs)
        case "growth":
            return _growth(runs)
        case _:
            return _curves(runs)


def shown(estimate: Estimate) -> str:
    """A mean and its standard error.

    Examples
    --------
    >>> shown(Estimate(mean=1234.5, std=30.0, stderr=3.0))[:5]
    '1,234'
    """
    digits = 1 if abs(estimate.mean) < 1000 else 0
    if estimate.stderr != estimate.stderr:  # one repetition has no error
        return f"{estimate.mean:,.{digits}f}"
    return f"{estimate.mean:,.{digits}f} ± {estimate.stderr:,.{digits}f}"


def brief(value: float) -> str:
    """A number with three digits, or all those before the point.

    Examples
    --------
    >>> len(brief(12345.678))
    6
    """
    if not math.isfinite(value):
        return "?"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def limits(interval: Interval) -> str:
    """A mean and its limits, to two digits of their distance; exact values stand alone.

    Examples
    --------
    >>> limits(Interval(mean=3.14159, low=3.12, high=3.16))[:4]
    '3.14'
    """
    mean, low, high = interval.mean, interval.low, interval.high
    if not math.isfinite(mean):
        return "not known"
    half = (high - low) / 2
    if 0 < half <= 1e-9 * max(1.0, abs(mean)):
        return f"{mean:,.6g}"
    if half == 0 or not math.isfinite(half):
        ends = f"{low:,.6g}, {high:,.6g}" if half == 0 else "?, ?"
        return f"{mean:,.6g} [{ends}]"
    digits = min(6, max(0, 1 - math.floor(math.log10(half))))
    return f"{mean:,.{digits}f} [{low:,.{digits}f}, {high:,.{digits}f}]"


def _copies(runs: Runs) -> Numbers:
    place = copier(runs)
    copies = sorted({int(key[0]) for key in runs})
    policies = dict.fromkeys(str(key[1]) for key in runs)
    who = next(iter(runs.values())).market.agents[place].name
    rows = [
        [name_of(p), *(shown(runs[c, p].agents[place].revenue) for c in copies)] for p in policies
    ]
    caption = f"Revenue of the {who} by the number of its copies: mean ± standard error."
    return Numbers(caption, ["Policy", *(f"{c:,}" for c in copies)], rows)


def _curves(runs: Runs) -> Numbers:
    rows = [
        [
            name_of(str(result.policy)),
            shown(result.regret),
            f"{result.regret.std:,.0f}",
            f"{result.regret.mean / result.horizon:.4f}",
        ]
        for result in sorted(runs.values(), key=lambda result: result.regret.mean)
    ]
    head = ["Policy", "Regret ± standard error", "Standard deviation", "Regret a round"]
    return Numbers("Regret after T rounds, smallest first.", head, rows)


def _markets(runs: Runs) -> Numbers:
    relative = relative_regrets(runs)
    policies = list(dict.fromkeys(policy for _, policy in relative))
    rows = [
        [
            MARKET_NAMES[market],
            *(shown(runs[market, policy].regret) for policy in policies),
            limits(relative[market, OURS]),
        ]
        for market in dict.fromkeys(market for market, _ in relative)
    ]
    last = f"{name_of(OURS)} / best other [95 % interval]"
    head = ["Market", *(name_of(policy) for policy in policies), last]
    return Numbers("Regret after T rounds: mean ± standard error.", head, rows)


def _ablation(runs: Runs) -> Numbers:
    markets = list(dict.fromkeys(str(key[0]) for key in runs))
    policies = dict.fromkeys(str(key[1]) for key in runs)
    rows = [[ABLATION_NAMES[p], *(shown(runs[m, p].regret) for m in markets)] for p in policies]
    head = ["Parts", *(f"Market of figure {market}" for market in markets)]
    return Numbers("Regret after T rounds: mean ± standard error.", head, rows)


def _samples(runs: Runs) -> Numbers:
    rows = []
    for (L,), result in runs.items():
        best = len(result.market.agents) - 1
        arms = result.market.agents[best].registered
        exact = sample_misses_best(result.market, best, int(L), result.horizon)
        size = sample_size(int(L), result.horizon, arms)
        missed = f"{misses(result).mean():.3f}"
        rows.append([str(L), f"{size} of {arms}", shown(result.regret), missed, f"{exact:.4f}"])
    head = ["L", "Arms in play", "Regret", "Without a best arm", "Exact probability"]
    caption = (
        "RH-UCB on figure 2c's market: regret (mean ± standard error), and the share of "
        "repetitions in which the best agent's sample holds none of its best arms."
    )
    return Numbers(caption, head, rows)


def _growth(runs: Runs) -> Numbers:
    fits = growth_fits(runs)
    horizons = sorted({int(key[2]) for key in runs})
    rows = []
    for market, policy in dict.fromkeys((str(key[0]), str(key[1])) for key in runs):
        b = fits[market, policy]
        found = [runs[market, policy, T].regret.mean for T in horizons]
        fitted = f"{b.mean:.3f} [{b.low:.3f}, {b.high:.3f}]"
        rows.append([f"{market}, {name_of(policy)}", fitted, *(f"{r:,.0f}" for r in found)])
    head = ["Market, policy", "b [95 % interval]", *(f"{T:,}" for T in horizons)]
    return Numbers("Mean regret by horizon T, and the fitted b of regret ~ Tᵇ.", head, rows)
