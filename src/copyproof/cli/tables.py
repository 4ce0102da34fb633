"""Plain tables, for people: what all commands' tables have in common.

A command's text is a sequence of parts, lines and tables. Tables are as wide as the terminal, or 80
columns where the output is not one, and then without any colour.
"""

from collections.abc import Iterable, Iterator, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Column, Table

from copyproof.game import Market

# Agents that the tables show.
MOST_AGENTS = 20
# Letters of an agent's name on one line.
LONGEST_NAME = 24
# Blanks between columns, before the rule's own.
GAP = 2


def text(heading: str) -> Column:
    """Return a column whose cells go on in the next line."""
    return Column(heading, overflow="fold")


def agent() -> Column:
    """Return the column of the agents' names."""
    return Column("agent", overflow="fold", max_width=LONGEST_NAME)


def word(heading: str) -> Column:
    """Return a column of short words."""
    return Column(heading, no_wrap=True)


def number(heading: str) -> Column:
    """Return a column of numbers."""
    return Column(heading, justify="right", no_wrap=True)


def new_table(
    columns: Iterable[Column], rows: Iterable[Sequence[str]], *, ruled: bool = True
) -> Table:
    """Return a table without frame, with a rule below its headings if it is ``ruled``."""
    box = SIMPLE_HEAD if ruled else None
    table = Table(*columns, box=box, show_edge=False, pad_edge=False, padding=(0, GAP, 0, 0))
    for row in rows:
        table.add_row(*row)
    return table


def printed(parts: Iterable[str | Table], *, width: int | None = None) -> str:
    """Return lines and tables as text, without blanks at the ends of lines."""
    console = _console(width)
    with console.capture() as captured:
        for part in parts:
            console.print(part)
    lines = captured.get().rstrip().split("\n")
    return "\n".join(line.rstrip() for line in lines) + "\n"


def terminal_width() -> int:
    """Return how many letters fit on a line."""
    return _console().width


def _console(width: int | None = None) -> Console:
    """Return a console that takes names as they are."""
    return Console(width=width, markup=False, emoji=False, highlight=False)


def summary(market: Market, horizon: int) -> str:
    """Say how large a game is."""
    agents = quantity(len(market.agents), "agent")
    return (
        f"{agents}, {quantity(market.registered, 'registered arm')}; {quantity(horizon, 'round')}"
    )


def left_out(agents: int) -> Iterator[str]:
    """Say how many agents the tables leave out, if any."""
    if agents > MOST_AGENTS:
        more = quantity(agents - MOST_AGENTS, "more agent")
        yield f"\n{more} left out here; --json has all of them"


def quantity(count: int, what: str) -> str:
    """Return a number and what it counts, in the plural where it is due.

    >>> quantity(1000, "round")
    '1,000 rounds'
    """
    return f"{count:,} {what}{'' if count == 1 else 's'}"
