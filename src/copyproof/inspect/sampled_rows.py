"""Rows of a log that are kept one by one: the arm, the reward, and how likely the decision was.

Memory is bounded: a row is kept if a hash of its number is below a bar, which is halved whenever
there are too many.
"""

import numpy as np
from numpy.typing import NDArray

from copyproof.off_policy.row_hashes import row_hashes

MOST_ROWS = 4_000_000


class SampledRows:
    """A sample of rows that depends on their numbers alone."""

    def __init__(self, most: int = MOST_ROWS) -> None:
        self.most, self.kept = most, 0
        self._bar = np.uint64(2**64 - 1)
        self._parts: list[tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.float64]]] = []

    def add(
        self,
        numbers: NDArray[np.int64],
        arms: NDArray[np.int64],
        rewards: NDArray[np.float64],
        propensities: NDArray[np.float64],
    ) -> None:
        """Keep rows, or some of them."""
        marks = row_hashes(numbers)
        self._parts.append((marks, arms, np.stack([rewards, propensities])))
        self._drop()
        while self.kept > self.most:
            self._bar //= np.uint64(2)
            self._drop()

    def _drop(self) -> None:
        below = [(part[0] <= self._bar, part) for part in self._parts]
        self._parts = [
            (marks[few], arms[few], values[:, few]) for few, (marks, arms, values) in below
        ]
        self.kept = sum(len(marks) for marks, _, _ in self._parts)

    def columns(self) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
        """The arms, rewards and probabilities of the rows that were kept, in their order."""
        arms = np.concatenate([part[1] for part in self._parts])
        rewards, propensities = np.concatenate([part[2] for part in self._parts], axis=1)
        return arms, rewards, propensities
