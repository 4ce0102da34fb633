"""Forgets the name of an agent: tokens take its place wherever the store holds it.

The chain never held the name, so it stays as it is. In the events, in the snapshots, and in the
digests of requests that named the agent, tokens take its place, all in one transaction; then in the
record of what operators did, and API keys of the agent are deleted. What operators called a group,
and why they paused the market, becomes a token as a whole if the name is in it, as words of their
own and in whatever case. At the end the store writes anew the files that held the name, so that
nothing of it is left in their free room. If that is broken off, doing it again goes on where it
ended.

Backups are stores of their own (``forget_in_backups``). Not the store's, and therefore not changed:
exports made before, the write-ahead log and the replicas of a PostgreSQL server, and what callers
wrote into texts of their own (the notes of API keys, idempotency keys, what an arm's content is,
what a segment is called). Groups and reasons stay as they are in markets whose chain is older than
tokens for them (``stores.blinding``).
"""

import re
import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from copyproof.live import events
from copyproof.live.records import MarketConfig, Unknown
from copyproof.live.replay import recover
from copyproof.live.snapshots import from_bytes, with_tokens
from copyproof.live.stores import LeaseLost, Store, StoreError
from copyproof.live.stores.backups import check_backup, opened_backup
from copyproof.live.stores.blinding import TEXTS, TOKEN
from copyproof.live.stores.chain import blinding_of

# For which nobody else may write the market. It is renewed, and given back at the end; if this
# process dies, the market is without a server for no longer than this.
_SECONDS = 10.0


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
    with _leased(store, market) as token:
        name, changed = _replace(store, market, agent, token)
    tables = {"events", "snapshots", "parts"}
    for key in list(store.keys()):
        if key.get("agent") == agent and market in key["markets"]:
            store.drop_key(key["id"])
            tables.add("keys")
    if _forget_in_actions(store, market, agent, name):
        tables.add("actions")
    # If it was forgotten before, that may have been broken off anywhere.
    store.scrub(tables if changed else None)
    return name, changed


def check_backups(backups: Sequence[Path]) -> None:
    """Refuse files that are no backups, or damaged ones, before anything is changed anywhere.

    They are left as they are.

    Raises
    ------
    StoreError
        With the first that is wrong.
    """
    for path in backups:
        check_backup(path)


def forget_in_backups(backups: Sequence[Path], market: str, agent: str) -> int:
    """Forget the name of an agent in backups; in how many of them it was known, or had been."""
    count = 0
    for path in filter(Path.exists, backups):  # one may have been deleted meanwhile
        with opened_backup(path) as found, suppress(Unknown):
            if market in found.markets():
                forget(found, market, agent)
                count += 1
    return count


@contextmanager
def _leased(store: Store, market: str) -> Iterator[int]:
    """Hold the lease of a market, with its token."""
    owner = f"forget {secrets.token_hex(4)}"
    token = store.acquire(market, owner, _SECONDS)
    if token is None:
        raise LeaseLost(
            f"market {market!r} is being served: use DELETE /v1/markets/{market}/agents/AGENT"
            "?forget=true, or stop the service (or a name is just being forgotten: try again)"
        )
    ended = threading.Event()

    def renew() -> None:
        while not ended.wait(_SECONDS / 3):
            with suppress(StoreError):  # next time; if it is another's by then, writes are refused
                store.renew(market, owner, token, _SECONDS)

    renewing = threading.Thread(target=renew, name=f"lease of {market}", daemon=True)
    renewing.start()
    try:
        yield token
    finally:
        ended.set()
        renewing.join()
        store.release(market, owner, token)


def _naming(agent: str) -> Callable[[str], bool]:
    """Return what says whether a text names an agent.

    Examples
    --------
    >>> names = _naming("ann")
    >>> names("Ann & co"), names("annual review")
    (True, False)
    """
    words = re.compile(rf"(?<!\w){re.escape(agent)}(?!\w)", re.IGNORECASE)
    return lambda text: words.search(text) is not None


def _replace(store: Store, market: str, agent: str, token: int) -> tuple[str, int]:
    """Put tokens in place of an agent's names, if they are there still."""
    blinding = blinding_of(store.chain(market).secret)
    name = blinding.token(agent)
    config = MarketConfig.from_dict(store.markets()[market])
    state, last, _ = recover(store, market, config)
    known, names = state.registry.agents, _naming(agent)
    if agent not in known and (name == agent or name not in known):
        raise Unknown("agent", agent)
    changed: dict[int, dict[str, Any]] = {}
    requests: set[str] = set()  # digests that stand in the journal, and stay
    for number, event in store.events(market, store.compacted(market)):
        replaced = blinding.replaced(event, lambda owner, *_: owner == agent, names)
        if replaced != event:
            changed[number] = replaced
        if not TOKEN.fullmatch(request := replaced.get("request", "")):
            requests.add(request)
    snapshots, before, is_there = {}, None, agent in known or bool(changed)
    while (found := store.snapshot(market, before)) is not None:
        before, data, _ = found
        if from_bytes(data) is not None:  # one that cannot be read may hold anything
            snapshots[before] = with_tokens(data, agent, blinding, requests, names)
            is_there |= snapshots[before] != data
    if not is_there:  # it was forgotten before
        return name, 0
    store.rewrite(market, changed, snapshots, token=token)
    said = events.encode(events.Unchanged(state.at))
    store.append(market, last + 1, [said], token=token)
    return name, len(changed)


def _forget_in_actions(store: Store, market: str, agent: str, token: str) -> bool:
    """Put a token in place of an agent's name in what was done about a market; if it was there."""
    names, is_changed = _naming(agent), False

    def without(value: Any, field: str = "") -> Any:
        if isinstance(value, dict):
            return {name: without(each, name) for name, each in value.items()}
        if isinstance(value, list):
            return [without(each, field) for each in value]
        is_named = value == agent or (field in TEXTS and isinstance(value, str) and names(value))
        return token if is_named else value

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
                    is_changed = True
    return is_changed
