"""Exact results as plain tables, for people."""

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from copyproof.cli.tables import MOST_AGENTS, new_console, new_table, quantity, trimmed

if TYPE_CHECKING:
    from copyproof.exact_values import Exact, ExactAgent

__all__ = ["exact_tables"]

_LONGEST_NAME = 24
_DIGITS = 12
"""Of a float; a fraction with more letters is shown as a float, too."""
_LONGEST_FRACTION = 24


def exact_tables(results: "Sequence[Exact]") -> str:
    """Return the exact results of several policies on one market as text.

    Parameters
    ----------
    results : sequence of Exact
        Of one market and horizon.
    """
    first = results[0]
    market = first.market
    console = new_console()
    with console.capture() as text:
        console.print(
            f"{quantity(len(market.agents), 'agent')}, "
            f"{quantity(market.registered, 'registered arm')}; {quantity(first.horizon, 'round')}"
        )
        for result in results:
            console.print(f"\n{result.resolved_policy}: regret {_number(result.regret)}")
            states = quantity(result.states, "state")
            games = f" in {quantity(result.size.games, 'game')}" if result.size.games > 1 else ""
            console.print(f"({states}{games}, of {result.size.total:,} counted beforehand)\n")
            table = new_table()
            table.add_column("agent", overflow="fold", max_width=_LONGEST_NAME)
            for heading in ("revenue", "std.", "plays", "utility"):
                table.add_column(heading, justify="right", no_wrap=True)
            for agent in result.agents[:MOST_AGENTS]:
                numbers = (_number(agent.revenue), _deviation(agent), _number(agent.plays))
                table.add_row(agent.name, *numbers, _number(agent.utility))
            console.print(table)
        left_out = len(market.agents) - MOST_AGENTS
        if left_out > 0:
            more = quantity(left_out, "more agent")
            console.print(f"\n{more} left out here; --json has all of them")
    return trimmed(text.get())


def _number(value: float | Fraction) -> str:
    """Return a number in full, or in twelve digits where that is too long."""
    if isinstance(value, Fraction) and len(str(value)) <= _LONGEST_FRACTION:
        return str(value)
    return f"{float(value):.{_DIGITS}g}"


def _deviation(agent: "ExactAgent") -> str:
    """Return the standard deviation of the revenue of one game, if its distribution is known."""
    if agent.distribution is None:
        return "-"
    mean = float(agent.revenue)
    chances = enumerate(agent.distribution)
    variance = sum(float(chance) * (value - mean) ** 2 for value, chance in chances)
    return f"{variance**0.5:.4g}"
