"""Simulated results as plain tables, for people."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from copyproof.cli import tables
from copyproof.game import NEUTRAL
from copyproof.simulation import Result

if TYPE_CHECKING:
    from copyproof.comparison import Comparison

# A policy with a longer text is called by its number.
_LONGEST_POLICY = 20


def simulation_tables(results: Sequence[Result]) -> Iterator[tables.Part]:
    """Return the results of several policies on one market as text.

    Parameters
    ----------
    results : sequence of Result
        Of one market, horizon, number of repetitions and seed.
    """
    first = results[0]
    market = first.market
    repetitions = tables.quantity(first.repetitions, "repetition")
    stop = f", stopped after {first.stop:,}" if first.stop < first.horizon else ""
    yield f"{tables.summary(market, first.horizon)}{stop}, {repetitions}, seed {first.seed}\n"
    yield _regret_table(results)
    if market.has_priors:
        best = first.best_mean
        error = "" if math.isnan(best.stderr) else f" (standard error {best.stderr:.4f})"
        yield f"\nexpected best mean, over the draws of the means: {best.mean:.4f}{error}"
    if market.has_changing_means:
        yield "\nmeans change: the regret of a round is to the best mean of that round"
    shares = 100 / first.stop * _estimates(results, "plays")
    yield from _agent_tables("share of plays, %", results, shares, least_digits=1)
    yield from _agent_tables("revenue", results, _estimates(results, "revenue"))
    if market.fee > 0 or any(agent.utility != NEUTRAL for agent in market.agents):
        yield from _agent_tables("utility, fees paid", results, _estimates(results, "utility"))
    yield from _group_table(results)
    yield from tables.left_out(len(market.agents))


def comparison_tables(comparison: "Comparison") -> Iterator[tables.Part]:
    """Return as text which policies are better, by how much, and where that is open."""
    from copyproof.comparison.tables import words_of

    words = words_of(comparison)
    yield f"\n{words.title}\n"
    columns = [tables.text(name) for name in words.head]
    yield tables.TextTable(columns, words.rows)
    yield "\n" + "\n".join(words.notes)


def _group_table(results: Sequence[Result]) -> Iterator[tables.Part]:
    """Return what every group came to as one principal, if there are groups."""
    market = results[0].market
    if not market.groups:
        return
    yield from tables.bound(market)
    rows = [
        (str(result.policy), one.name, *(f"{part.mean:.6g} ± {part.stderr:.2g}" for part in parts))
        for result in results
        for one in result.groups
        for parts in [(one.revenue, one.plays, one.utility)]
    ]
    names = map(tables.number, ("revenue", "plays", "utility"))
    yield tables.TextTable((tables.text("policy"), tables.text("group"), *names), rows)


def _estimates(results: Sequence[Result], what: str) -> "np.ndarray[Any, Any]":
    """Return a mean and a standard error for every policy and agent."""
    rows = [[getattr(agent, what) for agent in result.agents] for result in results]
    return np.array([[(one.mean, one.stderr) for one in row] for row in rows])


def _regret_table(results: Sequence[Result]) -> tables.TextTable:
    regrets = [result.regret for result in results]
    digits = _decimals([regret.mean for regret in regrets], [regret.stderr for regret in regrets])
    rows = []
    for place, (result, regret) in enumerate(zip(results, regrets, strict=True)):
        policy, heading = str(result.resolved_policy), _heading(result, place)
        name = policy if policy == heading else f"{heading} {policy}"
        numbers = (_number(value, digits) for value in (regret.mean, regret.stderr))
        rows.append((name, *numbers, _lost(result), _rate(result.rounds_per_second)))
    headings = ("regret", "± std. error", "lost games", "rounds/s")
    columns = (tables.text("policy"), *map(tables.number, headings))
    return tables.TextTable(columns, rows)


def _agent_tables(
    what: str,
    results: Sequence[Result],
    estimates: "np.ndarray[Any, Any]",
    *,
    least_digits: int = 0,
) -> Iterator[tables.Part]:
    """Give agents as rows and policies as columns, in as many tables as the width needs.

    ``estimates`` has a mean and a standard error for every policy and agent.
    """
    from rich.cells import cell_len

    means, errors = estimates[..., 0], estimates[..., 1]
    largest = float(errors.max())
    digits = max(least_digits, _decimals(means.ravel().tolist(), [largest]))
    known = "" if math.isnan(largest) else f" (standard errors up to {_number(largest, digits)})"
    names = results[0].market.names[: tables.MOST_AGENTS]
    cells = [[_number(mean, digits) for mean in row[: tables.MOST_AGENTS]] for row in means]
    headings = [_heading(result, place) for place, result in enumerate(results)]

    def width(cells: Iterable[str]) -> int:
        return max(map(cell_len, cells)) + tables.GAP + 1

    widths = [width([heading, *column]) for heading, column in zip(headings, cells, strict=True)]
    first = min(width(["agent", *names]), tables.LONGEST_NAME + tables.GAP + 1)
    for places in _blocks(widths, tables.terminal_width() - first):
        yield f"\n{what}{known}"
        columns = (tables.agent(), *(tables.number(headings[place]) for place in places))
        yield tables.TextTable(
            columns, zip(names, *(cells[place] for place in places), strict=True)
        )


def _heading(result: Result, place: int) -> str:
    """Return the policy's text, or its number if the text is long."""
    text = str(result.resolved_policy)
    return text if len(text) <= _LONGEST_POLICY else f"#{place + 1}"


def _blocks(widths: Sequence[int], room: int) -> Iterator[range]:
    """Cut columns into runs that fit, each with one column at least."""
    start, used = 0, 0
    for place, width in enumerate(widths):
        if place > start and used + width > room:
            yield range(start, place)
            start, used = place, 0
        used += width
    yield range(start, len(widths))


def _decimals(means: Sequence[float], errors: Sequence[float]) -> int:
    """Return how many decimals show two digits of the smallest error above 0, or of the numbers."""
    known = [error for error in errors if error > 0] or [abs(mean) / 100 for mean in means if mean]
    if not known:
        return 1
    return max(0, min(6, 1 - math.floor(math.log10(min(known)))))


def _number(value: float, decimals: int) -> str:
    return "-" if math.isnan(value) else f"{value:,.{decimals}f}"


def _lost(result: Result) -> str:
    return "-" if result.lost is None else f"{100 * result.lost.share:.1f} %"


def _rate(per_second: float) -> str:
    """Return a speed with its order of magnitude as a letter.

    >>> _rate(4_321_000.0)
    '4.3 M'
    """
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if per_second >= size:
            return f"{per_second / size:.1f} {letter}"
    return f"{per_second:.0f}"
