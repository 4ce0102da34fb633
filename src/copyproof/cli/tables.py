"""Plain tables, for people: what all commands' tables have in common.

A command's text is a sequence of parts, lines and tables. Tables are as wide as the terminal, or 80
columns where the output is not one, and then without any colour. The library that draws them is
loaded when something is printed.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from copyproof.game import Market

if TYPE_CHECKING:
    from rich.console import Console

# A heading, and what the library is told about the column.
Column: TypeAlias = tuple[str, dict[str, Any]]

# Agents that the tables show.
MOST_AGENTS = 20
# Letters of an agent's name on one line.
LONGEST_NAME = 24
# Blanks between columns, before the rule's own.
GAP = 2


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table without frame, with a rule below its headings if it is ``ruled``."""

    columns: Iterable[Column]
    rows: Iterable[Sequence[str]]
    ruled: bool = True


Part: TypeAlias = str | TextTable


def plain(heading: str) -> Column:
    """Return a column that shares the room with others."""
    return heading, {}


def text(heading: str) -> Column:
    """Return a column whose cells go on in the next line."""
    return heading, {"overflow": "fold"}


def agent() -> Column:
    """Return the column of the agents' names."""
    return "agent", {"overflow": "fold", "max_width": LONGEST_NAME}


def word(heading: str) -> Column:
    """Return a column of short words."""
    return heading, {"no_wrap": True}


def number(heading: str) -> Column:
    """Return a column of numbers."""
    return heading, {"justify": "right", "no_wrap": True}


def printed(parts: Iterable[Part], *, width: int | None = None) -> str:
    """Return lines and tables as text, without blanks at the ends of lines."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    console = _console(width)
    with console.capture() as captured:
        for part in parts:
            if isinstance(part, str):
                console.print(part)
                continue
            box = SIMPLE_HEAD if part.ruled else None
            table = Table(box=box, show_edge=False, pad_edge=False, padding=(0, GAP, 0, 0))
            for heading, options in part.columns:
                table.add_column(heading, **options)
            for row in part.rows:
                table.add_row(*row)
            console.print(table)
    lines = captured.get().rstrip().split("\n")
    return "\n".join(line.rstrip() for line in lines) + "\n"


def terminal_width() -> int:
    """Return how many letters fit on a line."""
    return _console().width


def _console(width: int | None = None) -> "Console":
    """Return a console that takes names as they are."""
    from rich.console import Console

    return Console(width=width, markup=False, emoji=False, highlight=False)


def summary(market: Market, horizon: int) -> str:
    """Say how large a game is."""
    agents = quantity(len(market.agents), "agent")
    return (
        f"{agents}, {quantity(market.registered, 'registered arm')}; {quantity(horizon, 'round')}"
    )


def bound(market: Market) -> Iterator[str]:
    """Say which names are bound to one principal, if any are."""
    for group, names in market.groups.items():
        first = ", ".join(names[:MOST_AGENTS])
        more = f" and {len(names) - MOST_AGENTS:,} more" if len(names) > MOST_AGENTS else ""
        yield f"\n{group} is one principal: {first}{more}"


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
