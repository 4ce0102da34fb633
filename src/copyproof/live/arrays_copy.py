"""A copy of arrays that is made in steps, while the market goes on.

To copy a million arms at once takes hundreds of milliseconds. A step copies some rows of one array,
of arms or of decisions, so that it takes at most one page of memory that was not touched before: a
huge page may take milliseconds to come. What such a row holds changes with a decision for the arm,
with a reward, and when a decision is due or its window is over: these rows are noted, and copied
once more in the last step, together with all that is small. An epoch that ends changes all rows at
once: then the copy is spoilt, and another must be begun.
"""

import math
import mmap
from collections.abc import Callable, Collection, Iterator
from typing import Any

import numpy as np

from copyproof.engine.live_records import BANKED, BASE, EXPIRED, FORGOTTEN, LAID, ROUND, Live
from copyproof.live.arrays import Arrays
from copyproof.live.layout import in_order, standing_of

ROWS = 8192  # that one step copies
_HUGE_PAGE = 2**21  # bytes
# Memory of this process alone, where a system makes a difference.
_PRIVATE: dict[str, int] = (
    {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}
)
_MORE_ARMS = 2**16  # that may be registered meanwhile
_MORE_DECISIONS = 2**20  # that may be made meanwhile


class ArraysCopy:
    """What ``Arrays.export`` gives, made in steps.

    Parameters
    ----------
    arrays : Arrays
        What is copied.
    """

    def __init__(self, arrays: Arrays) -> None:
        self._arrays = arrays
        self._banked = self._counter(BANKED)
        self._first = self._counter(FORGOTTEN)  # decisions up to this one are not copied
        # Arms, and decisions, that are copied in steps; and those that are.
        self._arms, self._rounds = arrays.arms, self._counter(ROUND)
        self._steps, self._is_done = self._copy_all(), False
        none = np.zeros(0, np.int64)
        self._of_arms = _with_room(arrays.rows_of_arms(none), self._arms, _MORE_ARMS)
        rows = self._rounds - self._first
        self._of_decisions = _with_room(arrays.rows_of_decisions(none), rows, _MORE_DECISIONS)
        # Where things lie is copied in the last step, into memory that the others have touched.
        self._places = tuple(_room(one, len(one), 4 * _MORE_ARMS) for one in arrays.places)
        self._changed_arms: list[Any] = [none]
        self._changed_rounds: list[Any] = [none]

    def _counter(self, which: int) -> int:
        return int(self._arrays.counters[which])

    def note(self, told: Any, expired: int, made: int) -> None:
        """Note what has just changed.

        Parameters
        ----------
        told : array of int
            The decisions that were told a reward.
        expired, made : int
            Up to which decision all had expired before, and how many had been made.
        """
        base, log = self._counter(BASE), self._arrays.log["arm"]
        known = told[(told > base) & (told <= self._counter(ROUND))]
        ended = np.arange(expired + 1, self._counter(EXPIRED) + 1)
        rounds = np.concatenate([known, ended, _recounted(self._arrays.live, made)])
        self._changed_rounds.append(rounds)
        self._changed_arms += [
            log[rounds - 1 - base],
            log[made - base : self._counter(ROUND) - base].copy(),
        ]

    @property
    def is_spoilt(self) -> bool:
        """Whether too much has changed for it to be finished."""
        return (
            self._counter(BANKED) != self._banked
            or self._arrays.arms > self._arms + _MORE_ARMS
            or self._counter(ROUND) > self._rounds + _MORE_DECISIONS
            or any(map(_is_longer, self._arrays.places, self._places))
        )

    def step(self) -> bool:
        """Copy some more rows; whether there are none left but those that have changed."""
        next(self._steps, None)
        return self._is_done

    def _copy_all(self) -> Iterator[None]:
        """Copy all rows that there were at first, one step at a time."""
        for begin in range(0, self._arms, ROWS):
            arms = slice(begin, min(self._arms, begin + ROWS))
            for name in self._of_arms:
                self._copy_arms(arms, [name])
                yield
            for one in self._places:
                one[4 * arms.start : 4 * arms.stop] = 0
                yield
        for after in range(self._first, self._rounds, ROWS):
            for name in self._of_decisions:
                self._copy_decisions(after, min(self._rounds, after + ROWS), [name])
                yield
        self._is_done = True

    def finish(self) -> Callable[[], dict[str, Any]]:
        """Copy what has changed and what is small; the export, to be had from another thread."""
        arms, made, forgotten = self._arrays.arms, self._counter(ROUND), self._counter(FORGOTTEN)
        changed = np.unique(np.concatenate(self._changed_arms))
        self._copy_arms(changed[changed < self._arms], self._of_arms)
        self._copy_arms(slice(self._arms, arms), self._of_arms)
        rounds = np.unique(np.concatenate(self._changed_rounds))
        rounds = rounds[(rounds > forgotten) & (rounds <= self._rounds)]
        places = rounds - 1 - self._counter(BASE)
        for name, rows in self._arrays.rows_of_decisions(places, self._of_decisions).items():
            self._of_decisions[name][rounds - 1 - self._first] = rows
        self._copy_decisions(self._rounds, made, self._of_decisions)
        rest, laid = self._arrays.export_rest(), bool(self._counter(LAID))
        item_of, place, start = map(_filled, self._places, self._arrays.places)
        kept = slice(forgotten - self._first, made - self._first)

        def export() -> dict[str, Any]:
            of_arms = {name: rows[:arms] for name, rows in self._of_arms.items()}
            of_decisions = {name: rows[kept] for name, rows in self._of_decisions.items()}
            standing = standing_of((item_of, place, start), laid=laid)
            return in_order({**rest, **standing, **of_arms, **of_decisions})

        return export

    def _copy_arms(self, arms: Any, names: Collection[str]) -> None:
        for name, rows in self._arrays.rows_of_arms(arms, names).items():
            self._of_arms[name][arms] = rows

    def _copy_decisions(self, after: int, upto: int, names: Collection[str]) -> None:
        """Copy decisions, but for those that are forgotten by now."""
        base, first = self._counter(BASE), self._first
        after = max(after, self._counter(FORGOTTEN))
        if after < upto:
            found = self._arrays.rows_of_decisions(slice(after - base, upto - base), names)
            for name, rows in found.items():
                self._of_decisions[name][after - first : upto - first] = rows


def _recounted(live: Live, made: int) -> Any:
    """Which decisions count otherwise since so many were made: they are due, or expected anew.

    Of the latter it is forgotten.
    """
    base, last, expired = (int(live.counters[which]) for which in (BASE, ROUND, EXPIRED))
    waits = int(live.due["waits"][0])
    delays = [1 << n - 1 for n in range(2, waits.bit_length()) if waits >> n & 1]
    due = [np.arange(max(base + 1, made + 1 - one), last + 1 - one) for one in delays]
    renewed = []
    for agent in np.flatnonzero(live.renewed).tolist():
        round_ = int(live.known["last"][agent])
        while round_ > expired:
            renewed.append(round_)
            round_ = int(live.previous[round_ - 1 - base])
    live.renewed[:] = 0
    return np.concatenate([np.array(renewed, np.int64), *due])


def _is_longer(one: Any, other: Any) -> bool:
    return len(one) > len(other)


def _filled(room: Any, rows: Any) -> Any:
    """Copy rows into an array that has room for them; as far as it is filled."""
    room[: len(rows)] = rows
    return room[: len(rows)]


def _with_room(like: dict[str, Any], rows: int, more: int) -> dict[str, Any]:
    """Return arrays with room for so many rows, and for more."""
    return {name: _room(one, rows, more) for name, one in like.items()}


def _room(like: Any, rows: int, more: int) -> Any:
    """Return an array for so many rows, and more; memory that is never written to is never taken.

    NumPy asks for huge pages, which is right for what is large. Of what is small, with room for
    much that may never come, the first row would take one.
    """
    shape = (rows + more, *like.shape[1:])
    row = like.dtype.itemsize * math.prod(shape[1:])
    if rows * row >= _HUGE_PAGE:
        return np.empty(shape, like.dtype)
    memory = mmap.mmap(-1, row * shape[0], **_PRIVATE)
    return np.frombuffer(memory, like.dtype).reshape(shape)
