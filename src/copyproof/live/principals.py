"""Principals: which agent of the game each name of a market is.

Names register; principals play. Every name is a principal of its own until the operator binds it to
others (``identities``): then they are one, with one index, one clock, one sample of their arms and
one stream of random numbers, and everything that counts by agent counts by it. That is the quotient
of ``copyproof.game.groups``, in a market that lives.

Principals have numbers, as the engine's agents. A name that is alone has its own; bound names have
the lowest of theirs. Before the first decision nothing is known that belongs to a number, and they
are given anew, by the first name of each: a market whose names are bound from the start is the one
in which each group is one name. Later nobody else's number changes, and so nobody else's random
numbers; one that is left over stays vacant, and is taken again by the name that it was of, if that
is freed.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

# Of each name: its principal, the number that it had at first (−1 if none), and whether it is
# suspended. Of each arm: the name that it is of, and whether it is there.
NAME = np.dtype([("principal", "i4"), ("home", "i4"), ("suspended", "i1")])
NAMED_ARM = np.dtype([("name", "i4"), ("there", "i1")])


class Principals:
    """The principals of a market, by number.

    Attributes
    ----------
    number : list of int
        Of each name, its principal.
    names : list of lists of int
        Of each principal its names, in order of registration; none where a number is vacant.
    is_trivial : bool
        Whether every name is a principal of its own, under its own number.

    Examples
    --------
    >>> principals = Principals()
    >>> for _ in range(4):
    ...     principals.add()
    >>> principals.regroup([1, 3], [1, 3])
    >>> principals.number, principals.names
    ([0, 1, 2, 1], [[0], [1, 3], [2], []])
    >>> principals.regroup([1], None)  # 1 goes, and 3 stays where they were
    >>> principals.number
    [0, 4, 2, 1]
    """

    def __init__(self) -> None:
        self.number: list[int] = []
        self.names: list[list[int]] = []
        self.is_trivial = True
        self._home: list[int] = []

    def add(self, joins: int | None = None) -> None:
        """Add a name: as a principal of its own, or as one more name of one that is there."""
        if joins is None:
            joins = len(self.names)
            self.names.append([])
            self._home.append(joins)
        else:
            self._home.append(-1)
        self.names[joins].append(len(self.number))
        self.number.append(joins)
        self.is_trivial = self.is_trivial and joins == len(self.number) - 1

    def is_alone(self, name: int) -> bool:
        """Whether a name is bound to no other."""
        return self.is_trivial or len(self.names[self.number[name]]) == 1

    def first_name(self, name: int) -> int:
        """The first of the names that are one with a name."""
        return name if self.is_trivial else self.names[self.number[name]][0]

    def are_one(self, names: Sequence[int]) -> bool:
        """Whether names are those of one principal, all of them and no others."""
        return bool(names) and sorted(names) == self.names[self.number[names[0]]]

    def regroup(self, moved: Iterable[int], together: Sequence[int] | None) -> None:
        """Let some names be one principal, or, if ``together`` is None, those that move be free.

        ``moved`` are the names that leave where they are; ``together`` has all names that are one
        from now on, those that were so before included.
        """
        classes = [[one] for one in sorted(set(moved))] if together is None else [sorted(together)]
        changed = {one for some in classes for one in some}
        taken = {number for name, number in enumerate(self.number) if name not in changed}
        count = len(self.names)
        for some in classes:
            free = {self.number[one] for one in some} | {self._home[one] for one in some}
            number = min(free - taken - {-1}, default=count)
            if number == count:
                count += 1
                self._home[some[0]] = number
            taken.add(number)
            for one in some:
                self.number[one] = number
        self._list_names(count)

    def number_anew(self) -> None:
        """Number principals by their first names, which nobody may know by their numbers yet."""
        numbers: dict[int, int] = {}
        self._home = []
        for one in self.number:
            self._home.append(-1 if one in numbers else len(numbers))
            numbers.setdefault(one, len(numbers))
        self.number = [numbers[one] for one in self.number]
        self._list_names(len(numbers))

    def _list_names(self, count: int) -> None:
        self.names = [[] for _ in range(count)]
        for name, number in enumerate(self.number):
            self.names[number].append(name)
        self.is_trivial = self.number == list(range(count))

    def export(self, suspended: Sequence[bool]) -> Any:
        """Return a row for each name, for a snapshot."""
        rows = np.zeros(len(self.number), NAME)
        rows["principal"], rows["home"], rows["suspended"] = self.number, self._home, suspended
        return rows

    def load(self, rows: Any, count: int) -> None:
        """Take over what ``export`` gave, where there are so many numbers."""
        self.number, self._home = rows["principal"].tolist(), rows["home"].tolist()
        self._list_names(count)
