"""A market's state as bytes: arrays and one JSON text in an npz archive.

That they come back undamaged is the promise of the store, which keeps a checksum beside them.
Those of an earlier format are brought up to date (``upgrades``), and others are refused.
"""

import io
import json
import zipfile
from collections.abc import Callable, Container
from typing import Any

import numpy as np

from copyproof.live.arrays_copy import ArraysCopy
from copyproof.live.idempotency import Answers, AnswersCopy
from copyproof.live.market import FORMAT, MarketState
from copyproof.live.records import VERSIONS
from copyproof.live.stores.blinding import Blinding
from copyproof.live.switch import SwitchState
from copyproof.live.upgrades import bring_up_to_date
from copyproof.validation import require

_WORDS = "words"
_NAMES = 4096  # that are written in one go
_PIECE = 2**18  # bytes


def to_bytes(state: MarketState) -> bytes:
    """A state as bytes.

    Examples
    --------
    >>> from copyproof.live.records import MarketConfig
    >>> state = MarketState(MarketConfig())
    >>> from_bytes(to_bytes(state)).digest() == state.digest()
    True
    """
    return _packed(state.words(), state.export())


class StateCopy:
    """A state as bytes, made in steps while the market goes on.

    Between two steps the state may change, but only by events, and nothing may wait to be settled.

    Examples
    --------
    >>> from copyproof.live.records import MarketConfig
    >>> state = SwitchState(MarketConfig())
    >>> copy = StateCopy(state)
    >>> copy.step()
    True
    >>> from_bytes(copy.finish()()).digest() == state.digest()
    True
    """

    def __init__(self, state: SwitchState) -> None:
        self.state = state
        # By what the names of their arrays begin with.
        self._copies: dict[str, ArraysCopy] = {}
        for head, one in state.every_game.items():
            one.copying = self._copies[head] = ArraysCopy(one.arrays)
        self._answers = [AnswersCopy(one.answers) for one in state.games]

    @property
    def is_spoilt(self) -> bool:
        """Whether too much has changed for it to be finished: another must be begun."""
        told = {head: one.copying for head, one in self.state.every_game.items()}
        return told != self._copies or any(copy.is_spoilt for copy in self._copies.values())

    def step(self) -> bool:
        """Copy some more; whether that was the last step but ``finish``."""
        copies: list[ArraysCopy | AnswersCopy] = [*self._copies.values(), *self._answers]
        return all(copy.step() for copy in copies)

    def finish(self) -> Callable[[], bytes]:
        """Copy the rest; the bytes, to be had from another thread."""
        state = self.state
        self.end()
        exports = {head: copy.finish() for head, copy in self._copies.items()}
        names = {
            f"{head}{name}": rows
            for head, one in state.every_game.items()
            for name, rows in one.registry.export().items()
        }
        answers = [copy.finish() for copy in self._answers]
        twins = {head: exports.pop(head) for head in list(exports)[len(answers) :]}
        rest = state.export_rest()
        words = state.words()
        # Names are only ever added, so that those there are now need not be copied.
        count = {name: len(words[name]) for name in ("agents", "arms")}

        def to_bytes() -> bytes:
            arrays: dict[str, Any] = {}
            for (head, export), packed in zip(exports.items(), answers, strict=True):
                arrays |= {f"{head}{name}": rows for name, rows in export().items()}
                arrays[f"{head}keys"] = packed()
            arrays |= rest | names
            for head, export in twins.items():
                arrays |= {f"{head}{name}": rows for name, rows in export().items()}
            written = (
                f"[{_list(value, count[name])}]" if name in count else _text(value)
                for name, value in words.items()
            )
            named = (f'"{name}":{text}' for name, text in zip(words, written, strict=True))
            return _archive(f"{{{','.join(named)}}}", arrays)

        return to_bytes

    def end(self) -> None:
        """Note no more what changes."""
        for one in self.state.every_game.values():
            one.copying = None


def with_tokens(
    data: bytes,
    agent: str,
    blinding: Blinding,
    requests: Container[str],
    which_text: Callable[[str], bool],
) -> bytes:
    """A state as bytes with tokens in place of the names of an agent and its arms.

    Digests of requests are replaced, too, unless they are among ``requests``, which the journal
    tells have not named them; and texts of operators of which ``which_text`` is true. A state in
    which there is nothing to replace is given back as it is.
    """
    words, arrays = _unpacked(data)
    before = _text(words), arrays["keys"].tobytes()
    if agent in words["agents"]:
        number = words["agents"].index(agent)
        words["agents"][number] = blinding.token(agent)
        named = arrays.get("named_arms")
        owners = arrays["arms"]["owner"] if named is None else named["name"]
        for arm, owner in enumerate(owners.tolist()):
            if owner == number:
                words["arms"][arm] = blinding.token(agent, words["arms"][arm])
    _replace_texts(words, blinding, which_text)
    answers = Answers()
    answers.load(arrays["keys"])
    answers.replace_requests(
        lambda request: request if request in requests else blinding.token(request)
    )
    arrays["keys"] = answers.export()
    after = _text(words), arrays["keys"].tobytes()
    return data if after == before else _packed(words, arrays)


def _replace_texts(words: dict[str, Any], blinding: Blinding, which: Callable[[str], bool]) -> None:
    """Put tokens in place of texts that operators wrote; ``words`` is modified in place."""
    for row in words.get("groups", ()):
        if which(row[1]):
            row[1] = blinding.text_token("group", row[1])
    watch = words.get("watch", {})
    if isinstance(watch.get("paused"), str) and which(watch["paused"]):
        watch["paused"] = blinding.text_token("reason", watch["paused"])


def _packed(words: dict[str, Any], arrays: dict[str, Any]) -> bytes:
    return _archive(_text(words), arrays)


def _text(words: object) -> str:
    return json.dumps(words, separators=(",", ":"))


def _list(names: list[str], count: int) -> str:
    """Return names as JSON; bit by bit, as other threads wait while a list is written."""
    places = range(0, count, _NAMES)
    return ",".join(_text(names[start : min(start + _NAMES, count)])[1:-1] for start in places)


def _archive(words: str, arrays: dict[str, Any]) -> bytes:
    """Write what ``np.savez`` would, in small pieces: other threads wait while one is written."""
    file = io.BytesIO()
    content = {_WORDS: np.frombuffer(words.encode(), np.uint8), **arrays}
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in content.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                header = np.lib.format.header_data_from_array_1_0(array)
                np.lib.format.write_array_header_1_0(member, header)
                data = np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
                for start in range(0, len(data), _PIECE):
                    member.write(data[start : start + _PIECE])
    return file.getvalue()


def _unpacked(data: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        arrays: dict[str, Any] = {name: archive[name] for name in archive.files}
    return json.loads(arrays.pop(_WORDS).tobytes()), arrays


def from_bytes(data: bytes) -> SwitchState | None:
    """Read what ``to_bytes`` wrote; None if it is no state.

    Raises
    ------
    FieldError
        If it is of another version.
    """
    try:
        words, arrays = _unpacked(data)
        bring_up_to_date(words, arrays)
        config = words["config"]
        found = {"format": words["format"], **{one: config.get(one) for one in VERSIONS}}
    except (KeyError, AttributeError, ValueError, TypeError, EOFError, zipfile.BadZipFile):
        return None
    for version, ours in {"format": FORMAT, **VERSIONS}.items():
        accepted = f"{ours}, the only version that this program opens"
        require(found[version] == ours, f"snapshot.{version}", found[version], accepted)
    try:
        return SwitchState.restore(words, arrays)
    except (KeyError, ValueError, TypeError):
        return None
