"""What is wrong with rows of a log: counted by kind, with a few of them shown.

A row that cannot be used is *bad* and left out; one that can, but is not as expected, is *odd*, and
counts. Neither is passed over in silence.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from copyproof.validation import shown

MOST_SHOWN = 3  # rows of each kind


@dataclass(frozen=True, slots=True)
class Problem:
    """One kind of trouble.

    Attributes
    ----------
    what : str
        In words.
    rows : int
        How many rows have it.
    examples : tuple of (int, str)
        The first of them: the row's number, counted from 1, and what stands there.
    left_out : bool
        Whether these rows are left out of everything else.
    """

    what: str
    rows: int
    examples: tuple[tuple[int, str], ...]
    left_out: bool

    @property
    def shown(self) -> list[str]:
        """The examples in words."""
        return [
            f"row {row:,}: {value}" if value else f"row {row:,}" for row, value in self.examples
        ]

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "what": self.what,
            "rows": self.rows,
            "left_out": self.left_out,
            "examples": [{"row": row, "value": value} for row, value in self.examples],
        }

    def __str__(self) -> str:
        fate = "left out" if self.left_out else "kept"
        where = "; ".join(self.shown)
        return f"{self.rows:,} row{'s' * (self.rows != 1)} {fate}: {self.what} ({where})"


@dataclass(slots=True)
class Problems:
    """Trouble, as it is found."""

    _found: dict[str, tuple[int, list[tuple[int, str]], bool]] = field(default_factory=dict)
    _skipped: deque[int] = field(default_factory=deque)  # numbers of lines that are no rows
    _passed: int = 0  # such lines before the present block, which are not kept

    def skip(self, number: int) -> None:
        """Take note that a line is no row, so that the rows after it have their own numbers.

        Examples
        --------
        >>> problems = Problems()
        >>> problems.skip(2)
        >>> [problems.number(row) for row in range(3)]
        [1, 3, 4]
        """
        self._skipped.append(number)

    def pass_rows(self, rows: int) -> None:
        """Forget the lines before the row at this place: it is the next one that is looked at."""
        while self._skipped and self._skipped[0] - 1 - self._passed <= rows:
            self._skipped.popleft()
            self._passed += 1

    def number(self, row: int) -> int:
        """The number in the file, counted from 1, of the row at a place, counted from 0."""
        before = self._passed
        for number in self._skipped:
            if number - 1 - before > row:
                break
            before += 1
        return row + before + 1

    def add(self, what: str, row: int, value: object, *, left_out: bool = True) -> None:
        """Count one row."""
        self._note(what, 1, [(row, shown(value))], left_out)

    def add_rows(
        self,
        what: str,
        places: NDArray[np.int64],
        before: int,
        values: Mapping[int, object] | None = None,
        *,
        left_out: bool = True,
    ) -> None:
        """Count the rows at these places of a block that begins after ``before`` rows."""
        if len(places) == 0:
            return
        few = places[:MOST_SHOWN].tolist()
        texts = ["" if values is None else shown(values[place]) for place in few]
        rows = [(self.number(before + at), text) for at, text in zip(few, texts, strict=True)]
        self._note(what, len(places), rows, left_out)

    def _note(self, what: str, rows: int, examples: list[tuple[int, str]], left_out: bool) -> None:
        count, known, _ = self._found.get(what, (0, [], left_out))
        known += examples[: MOST_SHOWN - len(known)]
        self._found[what] = (count + rows, known, left_out)

    def found(self) -> tuple[Problem, ...]:
        """All of it, what is left out first."""
        made = [
            Problem(what, rows, tuple(examples), left_out)
            for what, (rows, examples, left_out) in self._found.items()
        ]
        return tuple(sorted(made, key=lambda one: not one.left_out))
