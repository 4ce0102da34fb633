"""What is stored, as texts and bytes: events and configurations as JSON, snapshots in parts."""

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from copyproof.live.stores.errors import Damaged

PART = 2**20  # a snapshot is stored in parts of so many bytes, so that none takes long


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
    except ValueError as error:
        raise Damaged(f"stored text is not JSON: {error}") from error
    if len(values) != len(texts) or not set(map(type, values)) <= {dict}:
        raise Damaged("stored text is not a JSON object")
    return list(values)


def fingerprint(data: bytes) -> str:
    """Return the checksum that a store keeps beside a snapshot."""
    return hashlib.sha256(data).hexdigest()


def parts_of(data: bytes) -> list[bytes]:
    """Return a snapshot in parts, at least one."""
    return [bytes(data[start : start + PART]) for start in range(0, max(len(data), 1), PART)]
