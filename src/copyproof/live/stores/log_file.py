"""SQLite's log as a file: whether commits lie behind a page of it that is damaged.

SQLite reads a log up to the first frame whose checksum is wrong, and forgets the rest without a
word. That is right after a loss of power, which may cut the last commit. If several commits lie
behind such a frame, it had been synced before them, and was damaged later.

The format is described at https://www.sqlite.org/fileformat2.html#the_write_ahead_log. A checksum
is two sums, s1 += x + s2 and s2 += y + s1 for each pair of words x, y. Both are linear in the words
of a page, so that many pages are added up at once.
"""

import struct
import time
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from copyproof.live.stores.errors import Damaged, StoreError

_HEADER = struct.Struct(">8I")  # magic, version, page's size, restarts, two salts, two sums
_FRAME = 24  # bytes before each page: its number, pages after a commit, two salts, two sums
_WORDS = {0x377F0682: "<u4", 0x377F0683: ">u4"}  # by magic
_SIZES = {2**n for n in range(9, 17)}
_OURS = 0x377F0682, 4096  # a magic and a page's size for a header that cannot be read
_WORD = 2**32
# Commits that a loss of power may leave behind a gap: parts of a snapshot, which are not synced one
# by one, a transaction after them, and one that failed before.
_UNSYNCED = 4
_AT_ONCE = 1024  # frames
_SETTLES = 0.2  # seconds after which a log that somebody writes to looks otherwise


def refuse_damaged_log(log: Path) -> None:
    """Refuse a log of which SQLite would forget commits that were synced.

    Raises
    ------
    Damaged
        If there are.
    """
    for last in (False, True):
        try:
            forgotten = commits_behind_damage(log.read_bytes()) if log.exists() else 0
        except OSError as error:
            raise StoreError(f"{log}: cannot be read ({error.strerror})") from error
        if forgotten <= _UNSYNCED:
            return
        if last:
            raise Damaged(
                f"{log}: damaged in the middle: {forgotten} commits behind that would be lost. Put "
                "back an undamaged copy of it, or a backup; to go on without them, move it away "
                f"with {log.name.removesuffix('-wal')}.known, and what is in it is lost"
            )
        time.sleep(_SETTLES)


def commits_behind_damage(log: bytes) -> int:
    """Return how many commits lie behind the first frame of a log that is damaged.

    Examples
    --------
    >>> commits_behind_damage(b"")
    0
    """
    if len(log) < _HEADER.size:
        return 0
    magic, _, size, _, *rest = _HEADER.unpack_from(log)
    if magic not in _WORDS or size not in _SIZES:
        magic, size, rest = *_OURS, [0, 0, 0, 0]  # the header is damaged
    frames = (len(log) - _HEADER.size) // (_FRAME + size)
    rows = np.frombuffer(log, np.uint8, frames * (_FRAME + size), _HEADER.size)
    rows = rows.reshape(frames, _FRAME + size)
    heads = np.ascontiguousarray(rows[:, :_FRAME]).view(">u4")
    sums = _added(np.frombuffer(log, _WORDS[magic], 6)[None, :], (0, 0))
    is_sound = sums == tuple(rest[2:])  # else SQLite forgets all of it
    salts = rest[:2] if is_sound or not frames else heads[0, 2:4]
    is_current = (heads[:, 2:4] == salts).all(axis=1)
    is_commit = is_current & (heads[:, 1] != 0)
    sound = _sound(rows, heads, is_current, _WORDS[magic], sums) if is_sound else 0
    return int(is_commit[sound:].sum())


def _sound(rows: Any, heads: Any, is_current: Any, words: str, sums: tuple[int, int]) -> int:
    """Return how many frames SQLite would read, given the sums of the header."""
    for start in range(0, len(rows), _AT_ONCE):
        some = rows[start : start + _AT_ONCE]
        summed = np.ascontiguousarray(np.hstack([some[:, :8], some[:, _FRAME:]])).view(words)
        parts, (a, b, c, d) = _parts(summed)
        for n, (more, more2) in enumerate(parts.tolist(), start):
            first, second = sums
            sums = (a * first + b * second + more) % _WORD, (c * first + d * second + more2) % _WORD
            if not is_current[n] or sums != (int(heads[n, 4]), int(heads[n, 5])):
                return n
    return len(rows)


def _added(summed: Any, sums: tuple[int, int]) -> tuple[int, int]:
    parts, (a, b, c, d) = _parts(summed)
    first, second = sums
    more, more2 = parts[0].tolist()
    return (a * first + b * second + more) % _WORD, (c * first + d * second + more2) % _WORD


def _parts(summed: Any) -> tuple[Any, tuple[int, int, int, int]]:
    """Return what rows of words add to both sums, and what becomes of the sums before."""
    weights, matrix = _weights(summed.shape[1] // 2)
    return summed.astype(np.uint32) @ weights, matrix


@lru_cache
def _weights(pairs: int) -> tuple[Any, tuple[int, int, int, int]]:
    """Return the weights of words in both sums, and the matrix for the sums before them."""
    a, b, c, d = 1, 0, 0, 1  # of the pairs that follow
    weights = np.empty((2 * pairs, 2), np.uint32)
    for n in reversed(range(pairs)):
        weights[2 * n] = (a + b) % _WORD, (c + d) % _WORD
        weights[2 * n + 1] = b, d
        a, b, c, d = (a + b) % _WORD, (a + 2 * b) % _WORD, (c + d) % _WORD, (c + 2 * d) % _WORD
    return weights, (a, b, c, d)
