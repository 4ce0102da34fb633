"""Rows of a log that are kept one by one: the arm, the reward, and how likely the decision was.

Memory is bounded: a row is kept if a hash of its number is below a bar, which is halved whenever
there are too many.
"""

import numpy as np
from numpy.typing import NDArray

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
        marks = _hashed(numbers)
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


def _hashed(numbers: NDArray[np.int64]) -> NDArray[np.uint64]:
    """SplitMix64 of each number (Steele, Lea, Flood 2014)."""
    z = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
