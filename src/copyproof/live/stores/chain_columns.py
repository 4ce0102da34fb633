"""The chain and the generations of a market, as columns of its row."""

import json
from collections.abc import Sequence
from dataclasses import astuple
from typing import TYPE_CHECKING, Any

from copyproof.live.stores.appends import Generations
from copyproof.live.stores.chain import Chain
from copyproof.live.stores.schema import CHAIN
from copyproof.live.stores.texts import decode

if TYPE_CHECKING:
    from copyproof.live.stores.database import Database


def chain_row(chain: Chain, generations: Generations | None) -> tuple[Any, ...]:
    """Return a chain and generations as the columns ``CHAIN`` hold them."""
    return (*astuple(chain), None if generations is None else json.dumps(generations))


def chain_from_row(row: Sequence[Any]) -> tuple[Chain, Generations | None]:
    """Read what ``chain_row`` gave."""
    *chain, marks = row
    return Chain(*chain), read_generations(marks)


def read_generations(marks: str | None) -> Generations | None:
    """Read the generations of a market."""
    return None if marks is None else [(first, mark) for first, mark in json.loads(marks)]


def begin_chains(database: "Database") -> None:
    """Begin a chain in every market without one, after the events that it has.

    Their ids stay as they were: they have no generations.
    """
    for market, config in database.rows("SELECT name, config FROM markets WHERE secret = ''"):
        chain = Chain.begin(market, decode(config))
        columns = ", ".join(f"{column} = ?" for column in CHAIN)
        values = chain_row(chain, None)
        database.change(f"UPDATE markets SET {columns} WHERE name = ?", *values, market)
