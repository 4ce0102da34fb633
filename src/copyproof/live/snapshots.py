"""A market's state as bytes: arrays and one JSON text in an npz archive.

That they come back undamaged is the promise of the store, which keeps a checksum beside them.
Those of an earlier format are brought up to date as they are read, as the journal before them may
be gone.
"""

import io
import json
import zipfile
from collections.abc import Callable, Container
from typing import Any

import numpy as np

from copyproof.engine.version import NUMERICS
from copyproof.live.idempotency import Answers
from copyproof.live.market import FORMAT, MarketState
from copyproof.live.segments import SegmentedState
from copyproof.live.stores.blinding import Blinding

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
    return _packed({**state.words(), "numerics": NUMERICS}, state.export())


def with_tokens(data: bytes, agent: str, blinding: Blinding, requests: Container[str]) -> bytes:
    """A state as bytes with tokens in place of the names of an agent and its arms.

    Digests of requests are replaced, too, unless they are among ``requests``, which the journal
    tells have not named them.
    """
    words, arrays = _unpacked(data)
    if agent in words["agents"]:
        number = words["agents"].index(agent)
        words["agents"][number] = blinding.token(agent)
        for arm, owner in enumerate(arrays["arms"]["owner"].tolist()):
            if owner == number:
                words["arms"][arm] = blinding.token(agent, words["arms"][arm])
    answers = Answers()
    answers.load(arrays["keys"])
    answers.replace_requests(
        lambda request: request if request in requests else blinding.token(request)
    )
    arrays["keys"] = answers.export()
    return _packed(words, arrays)


def _packed(words: dict[str, Any], arrays: dict[str, Any]) -> bytes:
    text = json.dumps(words, separators=(",", ":")).encode()
    file = io.BytesIO()
    content: dict[str, Any] = {_WORDS: np.frombuffer(text, np.uint8), **arrays}
    np.savez(file, **content)
    return file.getvalue()


def _unpacked(data: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        arrays: dict[str, Any] = {name: archive[name] for name in archive.files}
    return json.loads(arrays.pop(_WORDS).tobytes()), arrays


def _update_first(words: dict[str, Any], arrays: dict[str, Any]) -> None:
    """Format 1 took all plays before the present epoch as banked, and suspended agents only."""
    banked = arrays["epoch"]["before"].astype(np.int64)
    arrays["counters"] = np.append(arrays["counters"], banked)
    words.setdefault("withheld", [])
    words["format"] = 2


# How to get from each earlier format to the next one.
_UPDATES: dict[int, Callable[[dict[str, Any], dict[str, Any]], None]] = {1: _update_first}


def from_bytes(data: bytes) -> SegmentedState | None:
    """Read what ``to_bytes`` wrote, in this version or an earlier one; None if it is no state."""
    try:
        words, arrays = _unpacked(data)
        while words["format"] != FORMAT:
            _UPDATES[words["format"]](words, arrays)
        return SegmentedState.restore(words, arrays)
    except (KeyError, ValueError, TypeError, EOFError, zipfile.BadZipFile):
        return None
