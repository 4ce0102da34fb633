"""Forgets the name of an agent: tokens take its place wherever the store holds it.

That is the journal, the snapshots, and the record of what operators did.
"""

import secrets
from typing import Any

from copyproof.live.records import MarketConfig, Unknown
from copyproof.live.replay import recover
from copyproof.live.snapshots import with_tokens
from copyproof.live.stores import LeaseLost, Store
from copyproof.live.stores.blinding import TOKEN
from copyproof.live.stores.chain import blinding_of

_SECONDS = 3600.0  # for which nobody else may write the market; given back at the end


def forget(store: Store, market: str, agent: str) -> tuple[str, int]:
    """Forget the name of an agent and of its arms.

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
    >>> token, events = forget(principal.store, "m", "ann")
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
        config = MarketConfig.from_dict(store.markets()[market])
        if agent not in recover(store, market, config).state.registry.agents:
            raise Unknown("agent", agent)
        blinding = blinding_of(store.chain(market).secret)
        changed = store.forget(market, agent, token=token)
        events = store.events(market, store.compacted(market))
        named = {event["request"] for _, event in events if "request" in event}
        requests = {request for request in named if TOKEN.fullmatch(request)}
        before = None
        while (found := store.snapshot(market, before)) is not None:
            before, data, _ = found
            store.save_snapshot(market, before, with_tokens(data, agent, blinding, requests))
        _forget_in_actions(store, market, agent, blinding.token(agent))
        store.scrub()
    finally:
        store.release(market, owner, token)
    return blinding.token(agent), changed


def _forget_in_actions(store: Store, market: str, agent: str, token: str) -> None:
    """Put a token in place of an agent's name in what was done about a market."""

    def without(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: without(each) for name, each in value.items()}
        if isinstance(value, list):
            return [without(each) for each in value]
        return token if value == agent else value

    after = ""
    while some := store.actions(after):
        after = some[-1]["id"]
        for action in some:
            said = action["said"]
            about = said.get("markets", ()) if isinstance(said, dict) else ()
            if action["market"] == market or market in about:
                path = "/".join(without(part) for part in action["what"].split("/"))
                changed = {**action, "agent": without(action["agent"]), "said": without(said)}
                changed["what"] = path
                if changed != action:
                    store.put_action(changed)
