"""The chain and the generations of a market, as columns of its row."""

import json
from collections.abc import Sequence
from dataclasses import astuple
from typing import TYPE_CHECKING, Any

from copyproof.live.stores.appends import Generations
from copyproof.live.stores.chain import Chain

if TYPE_CHECKING:
    pass


def chain_row(chain: Chain, generations: Generations) -> tuple[Any, ...]:
    """Return a chain and generations as the columns ``CHAIN`` hold them."""
    return (*astuple(chain), json.dumps(generations))


def chain_from_row(row: Sequence[Any]) -> tuple[Chain, Generations]:
    """Read what ``chain_row`` gave."""
    *chain, marks = row
    return Chain(*chain), read_generations(marks)


def read_generations(marks: str) -> Generations:
    """Read the generations of a market."""
    return [(first, mark) for first, mark in json.loads(marks)]
