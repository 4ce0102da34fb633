"""A market's state as bytes: arrays and one JSON text in an npz archive.

That they come back undamaged is the promise of the store, which keeps a checksum beside them.
"""

import io
import json
import zipfile
from typing import Any

import numpy as np

from copyproof.engine.version import NUMERICS
from copyproof.live.market import FORMAT, MarketState
from copyproof.live.segments import SegmentedState

_WORDS = "words"


def to_bytes(state: MarketState) -> bytes:
    """A state as bytes.

    Examples
    --------
    >>> from copyproof.live.records import MarketConfig
    >>> state = MarketState(MarketConfig())
    >>> from_bytes(to_bytes(state)).digest() == state.digest()
    True
    """
    words = json.dumps({**state.words(), "numerics": NUMERICS}, separators=(",", ":")).encode()
    file = io.BytesIO()
    arrays: dict[str, Any] = {_WORDS: np.frombuffer(words, np.uint8), **state.export()}
    np.savez(file, **arrays)
    return file.getvalue()


def from_bytes(data: bytes) -> SegmentedState | None:
    """Read what ``to_bytes`` wrote; None if it is something else, or of an unknown format."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            arrays: dict[str, Any] = {name: archive[name] for name in archive.files}
        words = json.loads(arrays.pop(_WORDS).tobytes())
        if words["format"] != FORMAT:
            return None
        return SegmentedState.restore(words, arrays)
    except (KeyError, ValueError, TypeError, EOFError, zipfile.BadZipFile):
        return None
