"""Whether a store holds what was written, and whether every decision in it can be made again.

The store itself reads its pages, chains and checksums (``Store.check``). Here snapshots are read as
states, and, if asked for, every journal is replayed: every decision must come out as it stands
there, and every snapshot must be the state at its place, bit for bit.
"""

from collections import deque
from collections.abc import Iterator

from copyproof.live.events import Diverged, decode
from copyproof.live.records import MarketConfig
from copyproof.live.snapshots import from_bytes
from copyproof.live.stores import Damaged, Store
from copyproof.live.switch import SwitchState


def check_store(store: Store, *, replay: bool = False) -> None:
    """Check everything in a store.

    Raises
    ------
    Damaged
        With the first thing that is wrong.

    Examples
    --------
    >>> from copyproof.live import Principal
    >>> principal = Principal("h-ucb")
    >>> principal.register_arms([("ann", "a"), ("bob", "b")])
    2
    >>> decisions = principal.ask(10)
    >>> principal.snapshot()
    >>> check_store(principal.store, replay=True)
    """
    store.check()
    check_states(store, replay=replay)


def check_states(store: Store, *, replay: bool = False) -> None:
    """Check what ``Store.check`` cannot: that snapshots are states, and where decisions lead.

    Raises
    ------
    Damaged
        With the first thing that is wrong.

    Examples
    --------
    >>> from copyproof.live.stores import open_store
    >>> store = open_store("memory:")
    >>> store.create_market("site", MarketConfig("h-ucb").to_dict())
    >>> store.save_snapshot("site", 0, b"no state")
    >>> store.check()
    >>> check_states(store)
    Traceback (most recent call last):
    copyproof.live.stores.errors.Damaged: market 'site': the snapshot after event 0 ...
    """
    for market, config in store.markets().items():
        saved = _snapshots(store, market)
        if replay:
            _replay(store, market, MarketConfig.from_dict(config), dict(saved))
        else:
            deque(saved, maxlen=0)  # one after another, as states may be large


def _snapshots(store: Store, market: str) -> Iterator[tuple[int, SwitchState]]:
    """All snapshots of a market, the newest first."""
    before = None
    while (found := store.snapshot(market, before)) is not None:
        before, data, _ = found
        state = from_bytes(data)
        if state is None:
            raise Damaged(
                f"market {market!r}: the snapshot after event {before} cannot be read: it is not "
                "of a format that this version knows"
            )
        yield before, state


def _replay(store: Store, market: str, config: MarketConfig, saved: dict[int, SwitchState]) -> None:
    """Make all decisions again, from the beginning or from the oldest snapshot."""
    last = store.compacted(market)
    state = SwitchState(config)
    if last > 0:
        last = min(number for number in saved if number >= last)
        state = saved.pop(last)
    try:
        for number, event in store.events(market, last):
            state.enter(decode(event))
            if number in saved:
                state.settle()
                _compare(market, number, state, saved[number])
        state.settle()
    except (Diverged, LookupError, ValueError, TypeError, AttributeError, OverflowError) as error:
        raise Damaged(f"market {market!r}: the journal cannot be replayed: {error}") from error


def _compare(market: str, number: int, state: SwitchState, saved: SwitchState) -> None:
    """A state that was replayed, with the one that was saved there."""
    if state.digest() != saved.digest():
        raise Damaged(
            f"market {market!r}: the snapshot after event {number} is not the state to which the "
            "journal leads"
        )
