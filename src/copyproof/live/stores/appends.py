"""Appends: events of one market that are to be stored, and what the market is after them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from copyproof.live.stores.chain import heads_after
from copyproof.live.stores.errors import Conflict

if TYPE_CHECKING:
    from copyproof.live.stores.stored_market import StoredMarket

# From which round on the ids of decisions carry which mark (``live.ids``).
Generations: TypeAlias = list[tuple[int, str]]


class Append(NamedTuple):
    """Events of one market, to be stored as numbers ``first``, ``first + 1``, ...

    The fields are those of ``Store.append``.
    """

    market: str
    first: int
    events: Sequence[dict[str, Any]]
    token: int | None = None
    generation: tuple[int, str] | None = None


def heads_of(append: Append, mine: "StoredMarket", texts: Sequence[str]) -> list[str]:
    """Return the heads of a market's chain after each event of an append, given their texts.

    Raises
    ------
    LeaseLost
        If its token is not the current one.
    Conflict
        If its first event is not the next one.
    """
    market, first = append.market, append.first
    now = mine.now() if append.token is None else 0.0  # a token ends with the next one, not in time
    mine.lease.check(market, append.token, now)
    if first != mine.last + 1:
        raise Conflict(f"market {market!r}: event {first} is not the next, {mine.last + 1}")
    return [*heads_after(mine.chain.head, first, append.events, mine.chain.secret, texts)]


def generations_of(append: Append, mine: "StoredMarket") -> Generations | None:
    """Return the generations of a market after an append; None if they stay as they are."""
    if append.generation is None or mine.generations is None:
        return None
    before = [each for each in mine.generations if each[0] < append.generation[0]]
    return [*before, append.generation]
