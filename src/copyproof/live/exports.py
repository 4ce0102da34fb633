"""A journal as a file that others check: the whole of it for auditors, or one agent's own part.

Both are lines of JSON. The first says what the file is, the last where it ends and which head the
chain has there; between them each line is an event. No names are in either, but tokens.

The **audit** file holds every event, and the key of the salts, so that all of it can be chained and
replayed. The **agent** file holds of each event the digests of its pieces, and in place of some the
piece itself with its salt: the agent's own decisions, rewards and arms, what happened to the agent,
and what expired. It also shows how many pieces every event has, and the market's round numbers, so
that plays of the others can be counted from it. ``verification`` reads both.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from copyproof.live.stores import Store
from copyproof.live.stores.chain import (
    Chain,
    blinding_of,
    digests,
    key_of,
    opening_pieces,
    pieces,
    salts,
)

AUDIT, AGENT = "journal", "agent's journal"
VERSION = 1
_AT_ONCE = 1000  # events that are read in one go
# Terms that an agent needs to add up its rewards; the rest of a configuration is not shown to it.
_TERMS = ("default_reward", "late", "rewards")


def audit_lines(store: Store, market: str) -> Iterator[dict[str, Any]]:
    """Give the whole journal of a market, as far as it is kept, for auditors.

    Examples
    --------
    >>> from copyproof.live import Principal
    >>> principal = Principal("h-ucb", market="m")
    >>> principal.register_arm("ann", "a")
    True
    >>> first, agent, arms, last = audit_lines(principal.store, "m")
    >>> first["copyproof"], agent["kind"], arms["number"], last["end"]
    ('journal', 'agent', 2, 2)
    """
    config = store.markets()[market]
    end, after, chain = store.standing(market)
    key = key_of(chain.secret, "chain").hex()
    yield {**_first(AUDIT, market, chain, after), "config": config, "key": key}
    blinding = blinding_of(chain.secret)
    for number, event in _events(store, market, after, end):
        yield {"number": number, **blinding.blinded(event)}
    yield {"end": end, "head": chain.head}


def agent_lines(
    store: Store, market: str, agent: str, arms: Iterable[int]
) -> Iterator[dict[str, Any]]:
    """Give what one agent may see of a market's journal, and digests of the rest.

    ``arms`` are the numbers of its arms (``Principal.arm_numbers``).
    """
    config = store.markets()[market]
    end, after, chain = store.standing(market)
    key, blinding = key_of(chain.secret, "chain"), blinding_of(chain.secret)
    token = blinding.token(agent)
    own = _Own(token, {*arms})
    texts = opening_pieces(market, chain.identity, config)
    shown = {0} | {n for n, name in enumerate(sorted(config), 1) if name in _TERMS}
    yield {
        **_first(AGENT, market, chain, after),
        "agent": token,
        "salt": blinding.salt(agent).hex(),
        "opening": _shown(texts, 0, key, shown),
    }
    for number, event in _events(store, market, after, end):
        event = blinding.blinded(event)
        texts = pieces(event)
        yield {"number": number, "pieces": _shown(texts, number, key, own.places(event))}
    yield {"end": end, "head": chain.head}


def _events(
    store: Store, market: str, after: int, end: int
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Events up to ``end``, read some at a time: nothing is held for who takes them slowly."""
    while after < end:
        found = store.events(market, after)
        some = list(islice(found, min(_AT_ONCE, end - after)))
        del found  # which lets its connection go
        yield from some
        after = some[-1][0]


def _first(kind: str, market: str, chain: Chain, after: int) -> dict[str, Any]:
    place = {"market": market, "chain": chain.identity, "after": after, "head": chain.cut}
    return {"copyproof": kind, "version": VERSION, **place}


def _shown(texts: list[str], number: int, key: bytes, places: set[int]) -> list[Any]:
    """The pieces of an event at some places, with their salts; the digests of the others."""
    found: list[Any] = [digest.hex() for digest in digests(texts, number, key)]
    if places:
        salt = salts(key, number, len(texts))
        for place in places:
            found[place] = [salt[place].hex(), texts[place]]
    return found


@dataclass
class _Own:
    """What is an agent's own: its token, its arms, and the rounds in which they were played."""

    token: str
    arms: set[int]
    rounds: set[int] = field(default_factory=set)

    def places(self, event: dict[str, Any]) -> set[int]:
        """The places of the agent's own pieces in an event."""
        match event.get("kind"):
            case "asked":
                arms = event["arms"]
                rounds = enumerate(arms, event["round"])
                self.rounds |= {round_ for round_, arm in rounds if arm in self.arms}
                mine = {n for n, arm in enumerate(dict.fromkeys(arms)) if arm in self.arms}
            case "told":
                mine = {n for n, round_ in enumerate(event["rounds"]) if round_ in self.rounds}
            case "arms":
                mine = {n for n, pair in enumerate(event["arms"]) if pair[0] == self.token}
            case "expired":
                return {0}
            case _:
                return {0} if event.get("agent") == self.token else set()
        return {n + 1 for n in mine}
