"""Exact results as plain tables, for people."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from rich.table import Table

from copyproof.cli import tables
from copyproof.exact_values import Exact, ExactAgent

# Of a float; a fraction with more letters is shown as a float, too.
_DIGITS = 12
_LONGEST_FRACTION = 24


def exact_tables(results: Sequence[Exact]) -> str:
    """Return the exact results of several policies on one market as text.

    Parameters
    ----------
    results : sequence of Exact
        Of one market and horizon.
    """
    return tables.printed(_parts(results))


def _parts(results: Sequence[Exact]) -> Iterator[str | Table]:
    market = results[0].market
    yield tables.summary(market, results[0].horizon)
    for result in results:
        yield f"\n{result.resolved_policy}: regret {_number(result.regret)}"
        states = tables.quantity(result.states, "state")
        games = f" in {tables.quantity(result.size.games, 'game')}" if result.size.games > 1 else ""
        yield f"({states}{games}, of {result.size.total:,} counted beforehand)\n"
        columns = (tables.agent(), *map(tables.number, ("revenue", "std.", "plays", "utility")))
        yield tables.new_table(columns, map(_row, result.agents[: tables.MOST_AGENTS]))
    yield from tables.left_out(len(market.agents))


def _row(one: ExactAgent) -> tuple[str, ...]:
    numbers = (_number(one.revenue), _deviation(one), _number(one.plays), _number(one.utility))
    return one.name, *numbers


def _number(value: float | Fraction) -> str:
    """Return a number in full, or in twelve digits where that is too long."""
    if isinstance(value, Fraction) and len(str(value)) <= _LONGEST_FRACTION:
        return str(value)
    return f"{float(value):.{_DIGITS}g}"


def _deviation(one: ExactAgent) -> str:
    """Return the standard deviation of the revenue of one game, if its distribution is known."""
    if one.distribution is None:
        return "-"
    mean = float(one.revenue)
    chances = enumerate(one.distribution)
    variance = sum(float(chance) * (value - mean) ** 2 for value, chance in chances)
    return f"{variance**0.5:.4g}"
