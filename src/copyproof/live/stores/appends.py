"""Appends: events of one market that are to be stored, and what the market is after them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from copyproof.live.stores.chain import MARK, heads_after
from copyproof.live.stores.errors import Conflict

if TYPE_CHECKING:
    from copyproof.live.stores.stored_market import StoredMarket

# An event as a row: market, number, text, and how the chain's head after it begins.
EventRow: TypeAlias = tuple[str, int, str, str]
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


class Standing(NamedTuple):
    """Where a market stands after an append: last event, chain's head, fencing token, secret."""

    market: str
    last: int
    head: str
    token: int
    secret: str


def rows_of(append: Append, texts: Sequence[str], heads: Sequence[str]) -> list[EventRow]:
    """Return the rows of an append's events, given their texts and the heads after them."""
    numbered = enumerate(zip(texts, heads, strict=True), append.first)
    return [(append.market, number, text, head[:MARK]) for number, (text, head) in numbered]


def advanced(
    before: Mapping[str, Standing], appends: Sequence[Append], texts: Sequence[Sequence[str]]
) -> tuple[list[Standing], list[EventRow]] | None:
    """Return where markets stand after appends, and the rows of the events.

    ``before`` is where they stood when they were last written; None if appends do not follow from
    it. Whoever stores them makes sure that markets still stand there.
    """
    standings: list[Standing] = []
    rows: list[EventRow] = []
    for one, listed in zip(appends, texts, strict=True):
        market, first, events, token, generation = one
        known = before.get(market)
        if known is None or generation is not None:
            return None
        _, last, head, held, secret = known
        if last + 1 != first or held != token:
            return None
        heads = [*heads_after(head, first, events, secret, listed)]
        rows += rows_of(one, listed, heads)
        standings.append(Standing(market, last + len(heads), heads[-1], held, secret))
    return standings, rows


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
    if append.generation is None:
        return None
    before = [each for each in mine.generations if each[0] < append.generation[0]]
    return [*before, append.generation]
