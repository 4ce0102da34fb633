"""A market's state as bytes: arrays and one JSON text in an npz archive.

That they come back undamaged is the promise of the store, which keeps a checksum beside them.
Those of an earlier format are brought up to date as they are read, as the journal before them may
be gone.
"""

import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np

from copyproof.engine.version import NUMERICS
from copyproof.live.market import FORMAT, MarketState

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


def _update_first(words: dict[str, Any], arrays: dict[str, Any]) -> None:
    """Format 1 took all plays before the present epoch as banked, and suspended agents only."""
    banked = arrays["epoch"]["before"].astype(np.int64)
    arrays["counters"] = np.append(arrays["counters"], banked)
    words.setdefault("withheld", [])
    words["format"] = 2


# How to get from each earlier format to the next one.
_UPDATES: dict[int, Callable[[dict[str, Any], dict[str, Any]], None]] = {1: _update_first}


def from_bytes(data: bytes) -> MarketState | None:
    """Read what ``to_bytes`` wrote, in this version or an earlier one; None if it is no state."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            arrays: dict[str, Any] = {name: archive[name] for name in archive.files}
        words = json.loads(arrays.pop(_WORDS).tobytes())
        while words["format"] != FORMAT:
            _UPDATES[words["format"]](words, arrays)
        return MarketState.restore(words, arrays)
    except (KeyError, ValueError, TypeError, EOFError, zipfile.BadZipFile):
        return None
