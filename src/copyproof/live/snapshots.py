"""A market's state as bytes: arrays and one JSON text in an npz archive, with a digest."""

import hashlib
import io
import json
import zipfile
from typing import Any

import numpy as np

from copyproof.live.market import FORMAT, MarketState

_WORDS = "words"


def to_bytes(state: MarketState) -> tuple[bytes, str]:
    """A state as bytes, and their digest.

    Examples
    --------
    >>> from copyproof.live.records import MarketConfig
    >>> len(to_bytes(MarketState(MarketConfig()))[1])
    64
    """
    words = json.dumps(state.words(), separators=(",", ":")).encode()
    file = io.BytesIO()
    arrays: dict[str, Any] = {_WORDS: np.frombuffer(words, np.uint8), **state.arrays()}
    np.savez(file, **arrays)
    data = file.getvalue()
    return data, digest_of(data)


def digest_of(data: bytes) -> str:
    """What a snapshot's bytes are checked by."""
    return hashlib.sha256(data).hexdigest()


def from_bytes(data: bytes, digest: str) -> MarketState | None:
    """Read what ``to_bytes`` wrote; None if it is damaged, or of a format that is not known."""
    if digest_of(data) != digest:
        return None
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            arrays: dict[str, Any] = {name: archive[name] for name in archive.files}
        words = json.loads(arrays.pop(_WORDS).tobytes())
        if words["format"] != FORMAT:
            return None
        return MarketState.from_parts(words, arrays)
    except (KeyError, ValueError, TypeError, zipfile.BadZipFile):
        return None
