"""Forgets the name of an agent: tokens take its place wherever the store holds it.

The chain never held the name, so it stays as it is. In the events, in the snapshots, and in the
digests of requests that named the agent, tokens take its place, all in one transaction; API keys of
the agent are deleted. Then the store writes its files anew, so that nothing of it is left in their
free room. If that is broken off, doing it again goes on where it ended.

Not the store's, and therefore not changed: backups and exports made before, the write-ahead log and
the replicas of a PostgreSQL server, and what callers wrote into texts of their own (the notes of
API keys, idempotency keys, what an arm's content is).
"""

import secrets
from typing import Any

from copyproof.live import events
from copyproof.live.records import MarketConfig, Unknown
from copyproof.live.replay import recover
from copyproof.live.snapshots import from_bytes, with_tokens
from copyproof.live.stores import LeaseLost, Store
from copyproof.live.stores.blinding import TOKEN
from copyproof.live.stores.chain import blinding_of

_SECONDS = 3600.0  # for which nobody else may write the market; given back at the end


def forget(store: Store, market: str, agent: str) -> tuple[str, int]:
    """Forget the name of an agent and of its arms.

    That something was forgotten becomes an event, so that whoever has the market in memory, and
    knows the name, cannot write it again: a ``Principal`` that is open must be opened anew.

    Returns
    -------
    (str, int)
        The token that stands for the agent now, and in how many events.

    Raises
    ------
    LeaseLost
        If the market is being served.
    Unknown
        If there is no such agent.

    Examples
    --------
    >>> from copyproof.live import Principal
    >>> principal = Principal("h-ucb", market="m")
    >>> principal.register_arms([("ann", "a"), ("bob", "b")])
    2
    >>> token, changed = forget(principal.store, "m", "ann")
    >>> number, event = next(principal.store.events("m"))
    >>> event["agent"] == token
    True
    >>> principal.store.check()
    """
    owner = f"forget {secrets.token_hex(4)}"
    token = store.acquire(market, owner, _SECONDS)
    if token is None:
        raise LeaseLost(f"market {market!r} is being served: stop the service first")
    try:
        name, changed = _replace(store, market, agent, token)
    finally:
        store.release(market, owner, token)
    for key in list(store.keys()):
        if key.get("agent") == agent and market in key["markets"]:
            store.drop_key(key["id"])
    store.scrub()
    return name, changed


def _replace(store: Store, market: str, agent: str, token: int) -> tuple[str, int]:
    """Put tokens in place of an agent's names, if they are there still."""
    blinding = blinding_of(store.chain(market).secret)
    name = blinding.token(agent)
    config = MarketConfig.from_dict(store.markets()[market])
    state, last, _ = recover(store, market, config)
    if agent not in state.registry.agents:
        if name == agent or name not in state.registry.agents:
            raise Unknown("agent", agent)
        return name, 0  # it was forgotten before
    changed: dict[int, dict[str, Any]] = {}
    requests: set[str] = set()  # digests that stand in the journal, and stay
    for number, event in store.events(market, store.compacted(market)):
        replaced = blinding.replaced(event, lambda owner, *_: owner == agent)
        if replaced != event:
            changed[number] = replaced
        if not TOKEN.fullmatch(request := replaced.get("request", "")):
            requests.add(request)
    snapshots, before = {}, None
    while (found := store.snapshot(market, before)) is not None:
        before, data, _ = found
        if from_bytes(data) is not None:  # one that cannot be read may hold anything
            snapshots[before] = with_tokens(data, agent, blinding, requests)
    store.rewrite(market, changed, snapshots, token=token)
    said = events.encode(events.Unchanged(state.at))
    store.append(market, last + 1, [said], token=token)
    return name, len(changed)
