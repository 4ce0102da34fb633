"""How long a journal is kept: events are dropped at an age, where a snapshot stands for them.

Two snapshots are kept as ways back, so what is dropped ends at the older of the two. Ids, sums and
the chain go on: the chain remembers its head at the cut.
"""

from copyproof.live.principal import Principal
from copyproof.live.stores import Store


def drop_older(store: Store, market: str, time: float) -> int:
    """Drop what happened before a time, in seconds since 1970; how many events.

    A snapshot is taken first if none stands for them. What lies behind the only snapshot stays
    until there is a second one.

    Examples
    --------
    >>> principal = Principal("h-ucb", market="m", clock=lambda: 100.0)
    >>> principal.register_arms([("ann", "a"), ("bob", "b")])
    2
    >>> principal.snapshot()
    >>> _ = principal.ask()
    >>> drop_older(principal.store, "m", 50.0), drop_older(principal.store, "m", 150.0)
    (0, 3)
    """
    before = store.compacted(market)
    upto = last_before(store, market, time)
    if upto == before:
        return 0
    older = _older(store, market)
    if older < upto:
        principal = Principal(store=store, market=market)
        if principal.last > principal.saved:
            principal.snapshot()
            older = _older(store, market)
    if older > before:
        store.compact(market, min(older, upto))
    return store.compacted(market) - before


def last_before(store: Store, market: str, time: float) -> int:
    """Return the number of the last event before the first one that is not older than ``time``."""
    found = store.compacted(market)
    for number, event in store.events(market, found):
        if event["at"] >= time:
            break
        found = number
    return found


def _older(store: Store, market: str) -> int:
    """Return the number of the last snapshot but one; 0 if there is none."""
    newest = store.snapshot(market)
    second = None if newest is None else store.snapshot(market, before=newest[0])
    return 0 if second is None else second[0]
