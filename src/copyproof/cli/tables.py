"""Results, bounds, verdicts and the catalogue as plain tables, for people.

Tables are as wide as the terminal, or 80 columns where the output is not one, and then without any
colour.
"""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

from copyproof.game import NEUTRAL, Market
from copyproof.policy import Row
from copyproof.theory import Bound, Sample

if TYPE_CHECKING:
    from copyproof.paper import ClaimVerdict
    from copyproof.simulation import Result

__all__ = [
    "MOST_AGENTS",
    "bounds_tables",
    "catalogue_table",
    "claims_table",
    "new_console",
    "new_table",
    "quantity",
    "simulation_tables",
    "trimmed",
]

MOST_AGENTS = 20
"""Agents that the tables show."""
_LONGEST_NAME = 24
_LONGEST_POLICY = 20
"""A policy with a longer text is called by its number."""
_GAP = 2


def simulation_tables(results: "Sequence[Result]") -> str:
    """Return the results of several policies on one market as text.

    Parameters
    ----------
    results : sequence of Result
        Of one market, horizon, number of repetitions and seed.
    """
    first = results[0]
    market = first.market
    console = new_console()
    left_out = len(market.agents) - MOST_AGENTS
    with console.capture() as text:
        console.print(
            f"{quantity(len(market.agents), 'agent')}, "
            f"{quantity(market.registered, 'registered arm')}; "
            f"{quantity(first.horizon, 'round')}, {quantity(first.repetitions, 'repetition')}, "
            f"seed {first.seed}\n"
        )
        console.print(_regret_table(results))
        agents = [result.agents for result in results]
        plays = [[(one.plays.mean, one.plays.stderr) for one in row] for row in agents]
        shares = 100 / first.horizon * np.array(plays)
        _agent_tables(console, "share of plays, %", results, shares, least_digits=1)
        revenue = [[(one.revenue.mean, one.revenue.stderr) for one in row] for row in agents]
        _agent_tables(console, "revenue", results, np.array(revenue))
        if market.fee > 0 or any(agent.utility != NEUTRAL for agent in market.agents):
            utility = [[(one.utility.mean, one.utility.stderr) for one in row] for row in agents]
            _agent_tables(console, "utility, fees paid", results, np.array(utility))
        if left_out > 0:
            console.print(
                f"\n{quantity(left_out, 'more agent')} left out here; --json has all of them"
            )
    return trimmed(text.get())


def bounds_tables(
    market: Market,
    policy: str,
    horizon: int,
    bounds: Sequence[Bound],
    samples: Sequence[Sample],
) -> str:
    """Return what the theorems say as text, with the samples of every agent if there are any.

    Parameters
    ----------
    market : Market
        The market that was asked about.
    policy : str
        The policy's text form.
    horizon : int
        T.
    bounds : sequence of Bound
        What ``copyproof.bounds`` found.
    samples : sequence of Sample
        What the policy draws of every agent that takes part; may be empty.
    """
    console = new_console()
    table = new_table()
    table.add_column("theorem", no_wrap=True)
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("why", overflow="fold")
    for bound in bounds:
        table.add_row(bound.theorem, _bound(bound), bound.why)
    with console.capture() as text:
        console.print(
            f"{policy}; {quantity(len(market.agents), 'agent')}, "
            f"{quantity(market.registered, 'registered arm')}; {quantity(horizon, 'round')}\n"
        )
        console.print(table)
        if samples:
            console.print("\nsamples, and the probability that they hold no best arm")
            console.print(_sample_table(samples[:MOST_AGENTS]))
        left_out = len(samples) - MOST_AGENTS
        if left_out > 0:
            console.print(
                f"\n{quantity(left_out, 'more agent')} left out here; --json has all of them"
            )
    return trimmed(text.get())


def catalogue_table(rows: Sequence[Row]) -> str:
    """Return the catalogue as text: what a policy does, then a line for each claim."""
    console = new_console()
    table = new_table()
    table.add_column("policy")
    table.add_column("what it does, and what is claimed of it", overflow="fold")
    table.add_column("status", no_wrap=True)
    for row in rows:
        takes = "A" if row.name == "fair" else ", ".join(row.parameters)
        table.add_row(row.name, row.about, "")
        for place, claim in enumerate(row.claims):
            table.add_row(f"({takes})" if takes and place == 0 else "", claim.text, claim.status)
        table.add_row("", "", "")
    with console.capture() as text:
        console.print(table)
    return trimmed(text.get())


def claims_table(verdicts: "Sequence[ClaimVerdict]") -> str:
    """Return the verdicts on the paper's claims, and on ours, as text."""
    console = new_console()
    table = new_table()
    for column in ("claim", "", "text"):
        table.add_column(column)
    for verdict in verdicts:
        table.add_row(verdict.claim, "holds" if verdict.holds else "FAILS", verdict.text)
    papers = [verdict.holds for verdict in verdicts if not verdict.beyond]
    ours = [verdict.holds for verdict in verdicts if verdict.beyond]
    told = f"{sum(papers)} of {len(papers)} hold"
    if ours:
        told += f"; beyond the paper (G), {sum(ours)} of {len(ours)}"
    with console.capture() as text:
        console.print(table)
        console.print(told)
    return trimmed(text.get())


def new_table() -> Table:
    """Return a table without frame; columns and rows are to be added."""
    return Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, _GAP, 0, 0))


def trimmed(text: str) -> str:
    """Return the text without blanks at the ends of lines."""
    return "\n".join(line.rstrip() for line in text.rstrip().split("\n")) + "\n"


def new_console() -> Console:
    """Return a console that takes names as they are."""
    return Console(markup=False, emoji=False, highlight=False)


def _regret_table(results: "Sequence[Result]") -> Table:
    regrets = [result.regret for result in results]
    digits = _decimals([regret.mean for regret in regrets], [regret.stderr for regret in regrets])
    table = new_table()
    table.add_column("policy", overflow="fold")
    for heading in ("regret", "± std. error", "rounds/s"):
        table.add_column(heading, justify="right", no_wrap=True)
    for place, (result, regret) in enumerate(zip(results, regrets, strict=True)):
        text, heading = str(result.resolved_policy), _heading(result, place)
        table.add_row(
            text if text == heading else f"{heading} {text}",
            _number(regret.mean, digits),
            _number(regret.stderr, digits),
            _rate(result.rounds_per_second),
        )
    return table


def _sample_table(samples: Sequence[Sample]) -> Table:
    table = new_table()
    table.add_column("agent", overflow="fold", max_width=_LONGEST_NAME)
    for heading in ("arms", "best", "sample", "exact", "bound"):
        table.add_column(heading, justify="right", no_wrap=True)
    for one in samples:
        counts = (f"{count:,}" for count in (one.arms, one.best, one.size))
        table.add_row(one.agent, *counts, f"{one.miss:.4g}", f"{one.bound:.4g}")
    return table


def _bound(bound: Bound) -> str:
    """Return the value with its sign, or what there is instead."""
    if not bound.applies:
        return "-"
    if bound.value is None:
        return bound.kind
    if bound.kind == "probability":
        return f"{bound.value:.4g}"
    number = f"{bound.value:,.1f}" if bound.value < 1e9 else f"{bound.value:.3g}"
    return f"{'≤' if bound.kind == 'upper' else '≥'} {number}"


def _agent_tables(
    console: Console,
    what: str,
    results: "Sequence[Result]",
    estimates: "np.ndarray[Any, Any]",
    *,
    least_digits: int = 0,
) -> None:
    """Print agents as rows and policies as columns, in as many tables as the width needs.

    ``estimates`` has a mean and a standard error for every policy and agent.
    """
    means, errors = estimates[..., 0], estimates[..., 1]
    largest = float(errors.max())
    digits = max(least_digits, _decimals(means.ravel().tolist(), [largest]))
    known = "" if math.isnan(largest) else f" (standard errors up to {_number(largest, digits)})"
    names = results[0].market.names[:MOST_AGENTS]
    cells = [[_number(mean, digits) for mean in row[:MOST_AGENTS]] for row in means]
    headings = [_heading(result, place) for place, result in enumerate(results)]
    widths = [
        max(cell_len(heading), *map(cell_len, column)) + _GAP + 1
        for heading, column in zip(headings, cells, strict=True)
    ]
    first = max(len("agent"), *(min(cell_len(name), _LONGEST_NAME) for name in names)) + _GAP + 1
    for places in _blocks(widths, console.width - first):
        console.print(f"\n{what}{known}")
        table = new_table()
        table.add_column("agent", overflow="fold", max_width=_LONGEST_NAME)
        for place in places:
            table.add_column(headings[place], justify="right", no_wrap=True)
        for name, *row in zip(names, *(cells[place] for place in places), strict=True):
            table.add_row(name, *row)
        console.print(table)


def _heading(result: "Result", place: int) -> str:
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


def quantity(number: int, what: str) -> str:
    """Return a number and what it counts, in the plural where it is due."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _rate(per_second: float) -> str:
    """Return a speed with its order of magnitude as a letter.

    >>> _rate(4_321_000.0)
    '4.3 M'
    """
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if per_second >= size:
            return f"{per_second / size:.1f} {letter}"
    return f"{per_second:.0f}"
