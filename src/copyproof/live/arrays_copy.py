"""A copy of arrays that is made in steps, while the market goes on.

To copy a million arms at once takes hundreds of milliseconds. A step copies some rows, of arms or
of decisions. What such a row holds changes with a decision for the arm, with a reward, and when the
window of a decision is over: these rows are noted, and copied once more in the last step, together
with all that is small. An epoch that ends changes all rows at once, and so do estimates that are
made anew: then the copy is spoilt, and another must be begun.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from copyproof.engine.live_records import BANKED, BASE, EXPIRED, FORGOTTEN, LAID, ROUND
from copyproof.live.arrays import Arrays
from copyproof.live.layout import in_order, standing_of

ROWS = 8192  # that one step copies
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
        self._banked, self._doublings = self._counter(BANKED), arrays.doublings
        self._first = self._counter(FORGOTTEN)  # decisions up to this one are not copied
        # Arms, and decisions, that are copied in steps; and those that are.
        self._arms, self._rounds = arrays.arms, self._counter(ROUND)
        self._done_arms, self._done_rounds = 0, self._first
        none = np.zeros(0, np.int64)
        self._of_arms = _with_room(arrays.rows_of_arms(none), self._arms + _MORE_ARMS)
        rows = self._rounds - self._first + _MORE_DECISIONS
        self._of_decisions = _with_room(arrays.rows_of_decisions(none), rows)
        # Where things lie is copied in the last step, into memory that the others have touched.
        self._places = tuple(
            np.empty(len(one) + 4 * _MORE_ARMS, one.dtype) for one in arrays.places
        )
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
        rounds = np.concatenate([known, ended])
        self._changed_rounds.append(rounds)
        self._changed_arms += [
            log[rounds - 1 - base],
            log[made - base : self._counter(ROUND) - base].copy(),
        ]

    @property
    def is_spoilt(self) -> bool:
        """Whether too much has changed for it to be finished."""
        return (
            (self._counter(BANKED), self._arrays.doublings) != (self._banked, self._doublings)
            or self._arrays.arms > self._arms + _MORE_ARMS
            or self._counter(ROUND) > self._rounds + _MORE_DECISIONS
            or any(map(_is_longer, self._arrays.places, self._places))
        )

    def step(self) -> bool:
        """Copy some more rows; whether there are none left but those that have changed."""
        if self._done_arms < self._arms:
            upto = min(self._arms, self._done_arms + ROWS)
            self._copy_arms(slice(self._done_arms, upto))
            for one in self._places:
                one[4 * self._done_arms : 4 * upto] = 0
            self._done_arms = upto
        elif self._done_rounds < self._rounds:
            upto = min(self._rounds, self._done_rounds + ROWS)
            self._copy_decisions(self._done_rounds, upto)
            self._done_rounds = upto
        return (self._done_arms, self._done_rounds) == (self._arms, self._rounds)

    def finish(self) -> Callable[[], dict[str, Any]]:
        """Copy what has changed and what is small; the export, to be had from another thread."""
        arms, made, forgotten = self._arrays.arms, self._counter(ROUND), self._counter(FORGOTTEN)
        changed = np.unique(np.concatenate(self._changed_arms))
        self._copy_arms(changed[changed < self._arms])
        self._copy_arms(slice(self._arms, arms))
        rounds = np.unique(np.concatenate(self._changed_rounds))
        rounds = rounds[(rounds > forgotten) & (rounds <= self._rounds)]
        found = self._arrays.rows_of_decisions(rounds - 1 - self._counter(BASE))
        for name, rows in found.items():
            self._of_decisions[name][rounds - 1 - self._first] = rows
        self._copy_decisions(self._rounds, made)
        rest, laid = self._arrays.export_rest(), bool(self._counter(LAID))
        item_of, place, start = map(_filled, self._places, self._arrays.places)
        kept = slice(forgotten - self._first, made - self._first)

        def export() -> dict[str, Any]:
            of_arms = {name: rows[:arms] for name, rows in self._of_arms.items()}
            of_decisions = {name: rows[kept] for name, rows in self._of_decisions.items()}
            standing = standing_of((item_of, place, start), laid=laid)
            return in_order({**rest, **standing, **of_arms, **of_decisions})

        return export

    def _copy_arms(self, arms: Any) -> None:
        for name, rows in self._arrays.rows_of_arms(arms).items():
            self._of_arms[name][arms] = rows

    def _copy_decisions(self, after: int, upto: int) -> None:
        """Copy decisions, but for those that are forgotten by now."""
        base, first = self._counter(BASE), self._first
        after = max(after, self._counter(FORGOTTEN))
        if after < upto:
            found = self._arrays.rows_of_decisions(slice(after - base, upto - base))
            for name, rows in found.items():
                self._of_decisions[name][after - first : upto - first] = rows


def _is_longer(one: Any, other: Any) -> bool:
    return len(one) > len(other)


def _filled(room: Any, rows: Any) -> Any:
    """Copy rows into an array that has room for them; as far as it is filled."""
    room[: len(rows)] = rows
    return room[: len(rows)]


def _with_room(like: dict[str, Any], rows: int) -> dict[str, Any]:
    """Return arrays for so many rows; memory that is never written to is never taken."""
    return {name: np.empty((rows, *one.shape[1:]), one.dtype) for name, one in like.items()}
