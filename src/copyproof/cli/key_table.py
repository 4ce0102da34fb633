"""API keys as a plain table, for people."""

from collections.abc import Sequence

from copyproof.cli import tables
from copyproof.service.access import Key

# Columns: a key has one line, however wide the terminal is.
_WIDE = 10_000


def key_table(keys: Sequence[Key]) -> str:
    """Return keys as text, a line each."""
    headings = ("id", "role", "markets", "agent", "state", "note")
    rows = (
        (
            key.id,
            str(key.role),
            ", ".join(key.markets) or "all",
            key.agent or "-",
            "valid" if key.revoked is None else "revoked",
            key.note,
        )
        for key in keys
    )
    return tables.printed(
        [tables.new_table(map(tables.word, headings), rows, ruled=False)], width=_WIDE
    )
