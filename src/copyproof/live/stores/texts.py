"""What is stored, as texts and bytes: events and configurations as JSON, snapshots in parts."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from copyproof.live.stores.errors import Damaged

PART = 2**26  # a snapshot is stored in parts of so many bytes


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
    except (ValueError, TypeError) as error:
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
