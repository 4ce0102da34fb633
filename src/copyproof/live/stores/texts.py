"""What is stored, as texts and bytes: events and configurations as JSON, snapshots in parts."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from json import encoder
from typing import Any

from copyproof.live.stores.errors import Damaged

PART = 2**18  # a snapshot is stored in parts of so many bytes, so that none takes long


def _refuse(value: object) -> None:
    raise TypeError(f"{value!r} is no part of JSON")


def _writer(*, allow_nan: bool) -> Callable[[object, int], tuple[str, ...]]:
    """Return what writes values as compact ASCII JSON, in chunks; its second argument is 0.

    ``json.dumps`` makes one for every value, which takes longer than the writing.
    """
    make: Any = vars(encoder)["c_make_encoder"]
    text_of = encoder.encode_basestring_ascii
    found: Callable[[object, int], tuple[str, ...]] = make(
        None, _refuse, text_of, None, ":", ",", False, False, allow_nan
    )
    return found


JSON = _writer(allow_nan=False)
# Also for what a damaged store may hold.
ANY_JSON = _writer(allow_nan=True)


def decode(text: str) -> dict[str, Any]:
    """Return what ``chain.encode`` made a text of; Damaged if it is not one.

    >>> decode('{"count":3}')
    {'count': 3}
    """
    return decode_many([text])[0]


def decode_many(texts: Sequence[str]) -> list[dict[str, Any]]:
    """Do as ``decode`` does, for many at once, which is faster."""
    try:
        values = json.loads("[" + ",".join(texts) + "]")
    except (ValueError, TypeError, RecursionError) as error:
        raise Damaged(f"stored text is not JSON: {error}") from error
    if len(values) != len(texts) or not set(map(type, values)) <= {dict}:
        raise Damaged("stored text is not a JSON object")
    return list(values)


def decode_events(market: str, first: int, texts: Sequence[str]) -> Iterable[dict[str, Any]]:
    """Do as ``decode_many`` does for events numbered from ``first``; Damaged names the bad one."""
    try:
        return decode_many(texts)
    except Damaged:
        return _decode_each(market, first, texts)


def _decode_each(market: str, first: int, texts: Sequence[str]) -> Iterator[dict[str, Any]]:
    for number, text in enumerate(texts, first):
        try:
            yield decode(text)
        except Damaged as error:
            raise Damaged(f"market {market!r}: event {number} cannot be read: {error}") from error


def fingerprint(data: bytes) -> str:
    """Return the checksum that a store keeps beside a snapshot."""
    return hashlib.sha256(data).hexdigest()


def parts_of(data: bytes) -> list[bytes]:
    """Return a snapshot in parts, at least one."""
    return [bytes(data[start : start + PART]) for start in range(0, max(len(data), 1), PART)]
