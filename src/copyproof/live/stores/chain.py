"""The hash chain of a journal: what is stored cannot be changed without its head changing, too.

An event is cut into **pieces**, each a JSON text: one for what concerns nobody alone, and one for
each decision, each reward and each registered arm (``pieces``). With H = BLAKE2s-256,

    d_j = H(salt_j ‖ piece_j),    head_k = H(head_{k-1} ‖ d_0 ‖ d_1 ‖ … ‖ d_n)

for the k-th event. The salts are 16 bytes a piece of SHAKE-128(key ‖ k), k as 8 bytes; the key is
made from the market's secret. So one piece can be shown with its salt, and the rest as digests that
tell nothing, and still the same head comes out. The chain begins with a head made in the same way
from the market's name, its configuration, field by field, and the number of the event after which
it begins: 0, or the last one of a journal that is older than chains.
"""

import json
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b, blake2s, shake_128
from typing import Any, Self

from copyproof.live.stores.blinding import LISTS, Blinding
from copyproof.validation import FieldError

_SALT = 16  # bytes
MARK = 16  # digits of a head that are kept with its event
_ENCODER = json.JSONEncoder(separators=(",", ":")).encode


@dataclass(frozen=True, slots=True)
class Chain:
    """Where the chain of one market stands.

    Attributes
    ----------
    secret : str
        64 random hexadecimal digits, from which all keys of the market are made; never shown.
    begins : int
        The event after which the chain begins.
    cut : str
        Its head after the last event that was compacted away, or where it begins, in hexadecimal.
    head : str
        Its head after the last event.
    """

    secret: str
    begins: int
    cut: str
    head: str

    @classmethod
    def begin(cls, market: str, config: Mapping[str, Any], after: int = 0) -> Self:
        """Begin a chain with a new secret."""
        secret = secrets.token_hex(32)
        first = opening(market, config, after, key_of(secret, "chain")).hex()
        return cls(secret, after, first, first)


@lru_cache(maxsize=1024)
def key_of(secret: str, purpose: str) -> bytes:
    """Return the key of a market for one purpose: ``ids``, ``chain`` or ``names``.

    Who is told one of them learns nothing about the secret, nor about the others.
    """
    return blake2b(purpose.encode(), key=bytes.fromhex(secret), digest_size=32).digest()


@lru_cache(maxsize=1024)
def blinding_of(secret: str) -> Blinding:
    """Return what puts tokens in place of a market's names."""
    return Blinding(key_of(secret, "names"))


def opening(market: str, config: Mapping[str, Any], after: int, key: bytes) -> bytes:
    """Return the head with which a chain begins."""
    return link(b"", digests(opening_pieces(market, config, after), 0, key))


def opening_pieces(market: str, config: Mapping[str, Any], after: int) -> list[str]:
    """Return what a chain begins with: the market, and each field of its configuration."""
    fields = [encode({name: config[name]}) for name in sorted(config)]
    return [encode({"market": market, "after": after}), *fields]


def encode(value: dict[str, Any]) -> str:
    """Return a JSON object as compact ASCII text; FieldError for what JSON cannot hold.

    >>> encode({"kind": "told", "reward": 0.1})
    '{"kind":"told","reward":0.1}'
    """
    try:
        return json.dumps(value, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise FieldError("event", value, f"a JSON object: {error}") from error


def pieces(event: Mapping[str, Any]) -> list[str]:
    """Return an event as texts that can be shown one by one.

    The first is the event without its decisions, rewards or arms; each of these follows as a text
    of its own, a list in JSON: ``[round,arm]``, ``[round,reward]``, ``[agent,arm]``.

    Examples
    --------
    >>> pieces({"kind": "asked", "round": 8, "at": 0.5, "arms": [17, 4]})
    ['{"kind":"asked","round":8,"at":0.5}', '[8,17]', '[9,4]']
    """
    kind = event.get("kind")
    if kind == "asked" and type(arms := event.get("arms")) is list:
        first, at = event.get("round"), event.get("at")
        if type(first) is int:
            if len(event) == 4 and type(at) is float:  # most, and faster so
                common = f'{{"kind":"asked","round":{first},"at":{at!r}}}'
            else:
                common = _text({name: event[name] for name in event if name != "arms"})
            return [common, *[f"[{round_},{arm!r}]" for round_, arm in enumerate(arms, first)]]
    elif kind == "told":
        rounds, rewards, at = event.get("rounds"), event.get("rewards"), event.get("at")
        if type(rounds) is list and type(rewards) is list and len(rounds) == len(rewards):
            if len(event) == 4 and type(at) is float:
                common = f'{{"kind":"told","at":{at!r}}}'
            else:
                apart = ("rounds", "rewards")
                common = _text({name: event[name] for name in event if name not in apart})
            pairs = zip(rounds, rewards, strict=True)
            return [common, *[f"[{round_!r},{reward!r}]" for round_, reward in pairs]]
    elif kind == "arms" and type(event.get("arms")) is list:
        common = _text({name: event[name] for name in event if name != "arms"})
        return [common, *map(_text, event["arms"])]
    return [_text(event)]


def _text(value: object) -> str:
    return _ENCODER(value)


def salts(key: bytes, number: int, count: int) -> list[bytes]:
    """Return the salts of the first ``count`` pieces of an event."""
    made = shake_128(key + number.to_bytes(8, "big")).digest(_SALT * count)
    return [made[at : at + _SALT] for at in range(0, len(made), _SALT)]


def digest(salt: bytes, piece: str) -> bytes:
    """Return the commitment to a piece: it says nothing without the salt.

    Examples
    --------
    >>> digest(bytes(16), "[7,0.5]").hex()[:8]
    '1a6962a1'
    """
    return blake2s(salt + piece.encode()).digest()


def digests(texts: Sequence[str], number: int, key: bytes) -> list[bytes]:
    """Return the commitments to all pieces of an event."""
    made = shake_128(key + number.to_bytes(8, "big")).digest(_SALT * len(texts))
    found, start = [], 0
    for text in texts:
        end = start + _SALT
        found.append(blake2s(made[start:end] + text.encode()).digest())
        start = end
    return found


def link(head: bytes, commitments: Iterable[bytes]) -> bytes:
    """Return the head after an event, given the one before."""
    return blake2s(head + b"".join(commitments)).digest()


def head_after(head: str, first: int, events: Iterable[dict[str, Any]], secret: str) -> str:
    """Lead a chain on over events numbered from ``first``; the head after the last."""
    for found in heads_after(head, first, events, secret):
        head = found
    return head


def heads_after(
    head: str, first: int, events: Iterable[dict[str, Any]], secret: str
) -> Iterator[str]:
    """Lead a chain on over events numbered from ``first``; the head after each."""
    key, blinding = key_of(secret, "chain"), blinding_of(secret)
    found = bytes.fromhex(head)
    for number, event in enumerate(events, first):
        kind = event.get("kind")
        if kind != "told" and (kind != "asked" or not LISTS.isdisjoint(event)):  # else no names
            event = blinding.blinded(event)
        found = link(found, digests(pieces(event), number, key))
        yield found.hex()
