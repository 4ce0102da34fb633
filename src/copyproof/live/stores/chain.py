"""The hash chain of a journal: what is stored cannot be changed without its head changing, too.

An event is cut into **pieces**, each a JSON text: one for what concerns nobody alone, and one for
each arm that was chosen, each reward and each registered arm (``pieces``). With H = BLAKE2s-256,

    d_j = H(salt_j ‖ piece_j),    head_k = H(head_{k-1} ‖ d_0 ‖ d_1 ‖ … ‖ d_n)

for the k-th event. The salts are 16 bytes a piece: the first four are BLAKE2b-512(key ‖ k), k as 8
bytes, and all others come from SHAKE-128(key ‖ k); the key is made from the market's secret. So one
piece can be shown with its salt, and the rest as digests, and still the same head comes out. The
digests hide what the pieces say, but not how many there are.

The chain begins with its **opening**: a head made in the same way from the market's name, the
chain's identity, and the configuration, field by field. The identity is made from the secret. Two
chains have two identities, also where a market was deleted and made again.
"""

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b, blake2s, shake_128
from itertools import repeat
from typing import Any, Self

from copyproof.live.stores.blinding import LISTS, Blinding
from copyproof.live.stores.texts import ANY_JSON, JSON
from copyproof.validation import FieldError

_SALT = 16  # bytes
MARK = 16  # digits of a head that are kept with its event
_SALTS = 4  # which most events need no more of, and which a shorter hash gives


@dataclass(frozen=True, slots=True)
class Chain:
    """Where the chain of one market stands.

    Attributes
    ----------
    secret : str
        64 random hexadecimal digits, from which all keys of the market are made; never shown.
    opening : str
        Its head before the first event, in hexadecimal.
    cut : str
        Its head after the last event that was compacted away, or its opening.
    head : str
        Its head after the last event.
    """

    secret: str
    opening: str
    cut: str
    head: str

    @classmethod
    def begin(cls, market: str, config: Mapping[str, Any]) -> Self:
        """Begin a chain with a new secret."""
        secret = secrets.token_hex(32)
        first = opening_of(market, config, secret)
        return cls(secret, first, first, first)

    @property
    def identity(self) -> str:
        """What tells this chain from others, of a market of the same name, too."""
        return identity_of(self.secret)


@lru_cache(maxsize=1024)
def key_of(secret: str, purpose: str) -> bytes:
    """Return the key of a market for one purpose: ``ids``, ``chain``, ``names`` or ``identity``.

    Who is told one of them learns nothing about the secret, nor about the others.
    """
    return blake2b(purpose.encode(), key=bytes.fromhex(secret), digest_size=32).digest()


@lru_cache(maxsize=1024)
def blinding_of(secret: str) -> Blinding:
    """Return what puts tokens in place of a market's names."""
    return Blinding(key_of(secret, "names"))


def identity_of(secret: str) -> str:
    """Return the identity of the chain of a market: 32 hexadecimal digits."""
    return key_of(secret, "identity")[:16].hex()


def opening_of(market: str, config: Mapping[str, Any], secret: str) -> str:
    """Return the head with which the chain of a market begins."""
    return opening(market, identity_of(secret), config, key_of(secret, "chain")).hex()


def opening(market: str, identity: str, config: Mapping[str, Any], key: bytes) -> bytes:
    """Return the head with which a chain begins, given the key of its salts."""
    return link(b"", digests(opening_pieces(market, identity, config), 0, key))


def opening_pieces(market: str, identity: str, config: Mapping[str, Any]) -> list[str]:
    """Return what a chain begins with: market and identity, and each field of the configuration."""
    fields = [encode({name: config[name]}) for name in sorted(config)]
    return [encode({"market": market, "chain": identity}), *fields]


def encode(value: dict[str, Any]) -> str:
    """Return a JSON object as compact ASCII text; FieldError for what JSON cannot hold.

    >>> encode({"kind": "told", "reward": 0.1})
    '{"kind":"told","reward":0.1}'
    """
    try:
        return "".join(JSON(value, 0))
    except (TypeError, ValueError, RecursionError) as error:
        raise FieldError("event", value, f"a JSON object: {error}") from error


def pieces(event: Mapping[str, Any], text: str | None = None) -> list[str]:
    """Return an event as texts that can be shown one by one.

    The first is the event without its decisions, rewards or arms; these follow as texts of their
    own, lists in JSON: ``[arm,round,…]`` for each arm that was chosen, ``[round,reward]``,
    ``[agent,arm]``. ``text`` is what ``encode`` makes of the event, if that is known.

    Examples
    --------
    >>> pieces({"kind": "asked", "round": 8, "at": 0.5, "arms": [17, 4, 17]})
    ['{"kind":"asked","round":8,"at":0.5}', '[17,8,10]', '[4,9]']
    """
    kind = event.get("kind")
    if kind == "asked" and type(arms := event.get("arms")) is list:
        first, at = event.get("round"), event.get("at")
        if type(first) is int and {int}.issuperset(map(type, arms)):
            if text is not None and [*event][-1] == "arms":  # most, and faster so
                common = text[: text.rindex(',"arms":')] + "}"
            elif len(event) == 4 and type(at) is float:
                common = f'{{"kind":"asked","round":{first},"at":{at!r}}}'
            else:
                common = _text({name: event[name] for name in event if name != "arms"})
            return [common, *_plays(first, arms)]
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


def _plays(first: int, arms: list[int]) -> list[str]:
    """Return each arm with its rounds, in the order in which they were first chosen."""
    if len(arms) == 1:  # most
        return [f"[{arms[0]},{first}]"]
    found: dict[int, str] = {}
    for round_, arm in enumerate(arms, first):
        if arm in found:
            found[arm] += f",{round_}"
        else:
            found[arm] = f"[{arm},{round_}"
    return [text + "]" for text in found.values()]


def _text(value: object) -> str:
    return "".join(ANY_JSON(value, 0))


def salts(key: bytes, number: int, count: int) -> list[bytes]:
    """Return the salts of the first ``count`` pieces of an event."""
    made = _all_salts(key, number, count)
    return [made[at : at + _SALT] for at in range(0, _SALT * count, _SALT)]


def _all_salts(key: bytes, number: int, count: int) -> bytes:
    """Return at least so many salts of an event, one after another."""
    begin = key + number.to_bytes(8, "big")
    made = blake2b(begin).digest()
    if count > _SALTS:
        made += shake_128(begin).digest(_SALT * (count - _SALTS))
    return made


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
    made = _all_salts(key, number, len(texts))
    starts = range(0, _SALT * len(texts), _SALT)
    return [
        blake2s(made[start : start + _SALT] + text.encode()).digest()
        for start, text in zip(starts, texts, strict=True)
    ]


def link(head: bytes, commitments: Iterable[bytes]) -> bytes:
    """Return the head after an event, given the one before."""
    return blake2s(head + b"".join(commitments)).digest()


def head_after(head: str, first: int, events: Iterable[dict[str, Any]], secret: str) -> str:
    """Lead a chain on over events numbered from ``first``; the head after the last."""
    for found in heads_after(head, first, events, secret):
        head = found
    return head


def heads_after(
    head: str,
    first: int,
    events: Iterable[dict[str, Any]],
    secret: str,
    texts: Iterable[str | None] = repeat(None),
) -> Iterator[str]:
    """Lead a chain on over events numbered from ``first``; the head after each.

    ``texts`` are what ``encode`` makes of the events, if that is known.
    """
    key = key_of(secret, "chain")
    found = bytes.fromhex(head)
    for number, (event, text) in enumerate(zip(events, texts, strict=False), first):
        kind = event.get("kind")
        if kind != "told" and (kind != "asked" or not LISTS.isdisjoint(event)):
            texts_of = pieces(blinding_of(secret).blinded(event))
        else:  # there are no names in it
            texts_of = pieces(event, text)
        found = link(found, digests(texts_of, number, key))
        yield found.hex()
