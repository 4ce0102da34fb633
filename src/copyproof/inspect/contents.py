"""The contents of arms, as their rows have them: a fingerprint each, and whether it changes.

The first content of an arm counts. Of it the fingerprint is kept, and a digest, so that a later row
with another content is noticed and counted.
"""

import hashlib
import json
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from copyproof.fingerprints import Fingerprint, of_hash, of_hashes, of_text, of_vector
from copyproof.inspect.columns import distinct
from copyproof.inspect.problems import Problems
from copyproof.validation import FieldError

ContentKind: TypeAlias = Literal["text", "hash", "hashes", "vector"]
CONTENT_KINDS: tuple[ContentKind, ...] = ("text", "hash", "hashes", "vector")
CHANGED = "another content than the arm's first: the first counts"


class Contents:
    """Fingerprints of arms, by their numbers."""

    def __init__(self, kind: ContentKind) -> None:
        self.kind = kind
        self.fingerprints: dict[int, Fingerprint] = {}
        self._digest = np.zeros(0, np.uint64)  # of each arm's first content; 0 for none

    def add(
        self,
        columns: list[Any],
        kept: NDArray[np.int64],
        arms: NDArray[np.int64],
        problems: Problems,
        before: int,
    ) -> None:
        """Note the contents of a block's rows: those at ``kept``, which are of these arms."""
        parts = [distinct(column) for column in columns]
        digests = np.zeros(len(kept), np.uint64)
        for values, places in parts:
            hashed = np.array([*(_digest(value) for value in values), 0], np.uint64)
            digests = digests * np.uint64(1_000_003) ^ hashed[places[kept]]
        most = int(arms.max()) + 1
        if most > len(self._digest):
            more = np.zeros(max(most - len(self._digest), len(self._digest)), np.uint64)
            self._digest = np.concatenate([self._digest, more])
        there = digests != 0
        fresh = np.flatnonzero(there & (self._digest[arms] == 0))
        _, firsts = np.unique(arms[fresh], return_index=True)
        for row in fresh[firsts].tolist():
            given = [
                values[at] if (at := places[kept[row]]) >= 0 else None for values, places in parts
            ]
            self._digest[arms[row]] = digests[row]
            try:
                self.fingerprints[int(arms[row])] = self._made(
                    [one for one in given if one is not None]
                )
            except FieldError as error:
                what = f"a content that is not {error.accepted}: the arm has none"
                at = int(kept[row])
                problems.add_rows(what, np.array([at]), before, {at: error.value}, left_out=False)
        changed = np.flatnonzero(there & (digests != self._digest[arms]))
        problems.add_rows(CHANGED, kept[changed], before, left_out=False)

    def _made(self, given: list[Any]) -> Fingerprint:
        if self.kind == "text":
            return of_text(" ".join(_text(one) for one in given))
        [value] = given
        if isinstance(value, bytes | str):
            text = _text(value).strip()
            if self.kind == "hash":
                return of_hash(text if len(text) == 16 else int(text) if text.isdigit() else text)
            try:
                value = json.loads(text) if text.startswith("[") else text.split()
            except ValueError:
                raise FieldError(self.kind, text, "a list") from None
        if self.kind != "hash" and not isinstance(value, list):
            raise FieldError(self.kind, value, "a list")
        match self.kind:
            case "hash":
                return of_hash(value)
            case "hashes":
                return of_hashes(value)
            case _:
                return of_vector(value)


def _text(value: Any) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def _digest(value: Any) -> int:
    """64 bits of a content, 0 for none."""
    if value is None or value in ("", b""):
        return 0
    data = value if isinstance(value, bytes) else str(value).encode(errors="replace")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little") or 1
