"""From the store to memory: the newest good snapshot, and the journal after it."""

from typing import NamedTuple

from copyproof.live.events import decode
from copyproof.live.ids import Ids
from copyproof.live.records import MarketConfig
from copyproof.live.snapshots import from_bytes
from copyproof.live.stores import Store, StoreError
from copyproof.live.stores.chain import key_of
from copyproof.live.switch import SwitchState

# Operations that are gathered before the kernel is called.
BATCH = 20_000
# So many events, and the operations are counted.
_OFTEN = 64


class Recovered(NamedTuple):
    """A market as the store has it."""

    state: SwitchState
    last: int  # the number of its last event
    # The event after which the snapshot was taken that it began with; 0 for none.
    saved: int


def recover(store: Store, market: str, config: MarketConfig) -> Recovered:
    """Bring a market from the store to memory.

    A snapshot that cannot be read is passed over. Events go through the same kernels as when
    they happened, and every decision must come out the same.
    """
    state: SwitchState | None = None
    begun: int | None = None
    while state is None and (saved := store.snapshot(market, begun)) is not None:
        begun, data, _ = saved
        state = from_bytes(data)
    if state is None:
        if (dropped := store.compacted(market)) > 0:
            raise StoreError(
                f"market {market!r}: the journal up to event {dropped} was compacted away, and "
                "there is no snapshot that can be read: restore a backup"
            )
        state, begun = SwitchState(config), 0
    last = begun = begun or 0
    enter = state.enter
    for number, event in store.events(market, after=last):
        enter(decode(event))
        last = number
        if number % _OFTEN == 0 and state.waiting >= BATCH:
            state.settle()
    state.settle()
    return Recovered(state, last, begun)


def ids_of(store: Store, market: str) -> Ids:
    """Return what makes a market's ids, with a new generation for what is decided from now on."""
    key = key_of(store.chain(market).secret, "ids")
    return Ids(market, key, store.generations(market))
