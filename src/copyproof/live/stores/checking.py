"""Whether what is stored is what was written: journals against their chains, and snapshots."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from copyproof.live.stores.chain import Chain, head_after, heads_after, opening_of
from copyproof.live.stores.errors import Damaged
from copyproof.live.stores.texts import decode_events, fingerprint
from copyproof.validation import FieldError

if TYPE_CHECKING:
    from copyproof.live.stores.stored_market import StoredMarket


def check_journal(
    market: str,
    config: dict[str, Any],
    chain: Chain,
    compacted: int,
    last: int,
    events: Iterator[tuple[int, dict[str, Any]]],
    marks: Iterator[str | None],
) -> None:
    """Read a journal from ``compacted`` on; Damaged if it does not lead to the head of its chain.

    ``marks`` say how the heads on the way began, where that was kept: so the first event that is
    wrong has a number. There may be events after ``last``: others write meanwhile.
    """
    first = compacted + 1
    if opening_of(market, config, chain.secret) != chain.opening:
        raise Damaged(f"market {market!r}: its configuration is not the one it began with")
    if compacted == 0 and chain.cut != chain.opening:
        raise Damaged(f"market {market!r}: its chain does not begin with its configuration")
    chained = (event for number, event in events if first <= number <= last)
    heads = heads_after(chain.cut, first, chained, chain.secret)
    head, sound = chain.cut, first - 1  # the head so far, and the last event that is known as good
    for number, (head, mark) in enumerate(zip(heads, marks, strict=False), first):
        if mark is not None:
            if not head.startswith(mark):
                raise Damaged(f"market {market!r}: {_one_of(sound + 1, number)}")
            sound = number
    if head != chain.head:
        wrong = f"it does not end with event {last}, or its head was changed"
        if sound < last:
            wrong = _one_of(sound + 1, last)
        raise Damaged(
            f"market {market!r}: the journal does not lead to the head of its chain: {wrong}"
        )


def _one_of(first: int, last: int) -> str:
    """Say that an event is wrong, the first of which nothing better is known."""
    which = f"event {last}" if first == last else f"an event from {first} to {last}"
    return f"{which} is not as it was written"


@contextmanager
def naming(market: str) -> Iterator[None]:
    """Say of which market something is that is not even of the right kind: a secret, a number."""
    try:
        yield
    except FieldError:  # it was compacted meanwhile
        raise
    except (TypeError, ValueError) as error:
        raise Damaged(f"market {market!r}: what is stored of it cannot be read: {error}") from error


def check_rows(market: str, mine: "StoredMarket") -> None:
    """Read generations and snapshots; Damaged if one is not as it was written, or one is missing.

    There must be one that covers what was compacted.
    """
    _ = mine.generations
    found = mine.snapshots()
    for number in found:
        data, _, own = mine.read_snapshot(number)
        if fingerprint(data) != own:
            raise Damaged(f"market {market!r}: the snapshot after event {number} is damaged")
    if mine.compacted > max([0, *found]):
        raise Damaged(
            f"market {market!r}: events up to {mine.compacted} were compacted, and there is no "
            "snapshot that covers them"
        )


def head_at_cut(market: str, mine: "StoredMarket", upto: int) -> str:
    """Return the head of a market's chain after event ``upto``, which is about to be dropped."""
    texts, expected = mine.read_events(upto), upto - mine.compacted
    if len(texts) != expected:
        raise Damaged(f"market {market!r}: {expected - len(texts)} events up to {upto} are missing")
    first = mine.compacted
    events = decode_events(market, first + 1, texts)
    head = head_after(mine.chain.cut, first + 1, events, mine.chain.secret)
    mark = mine.read_marks(upto - 1, upto)[upto]
    if mark is not None and not head.startswith(mark):
        raise Damaged(f"market {market!r}: {_one_of(first + 1, upto)}: run `store check`")
    return head
