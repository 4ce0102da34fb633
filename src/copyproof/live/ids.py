"""Ids of decisions: what callers know a decision by, and name when they tell its reward.

An id is ``MARKET-GENERATION-ROUND-CHECK``: the round in base 36, and a check that nobody can make
without the market's secret, so that an id that is guessed or mistyped names nothing.

A **generation** is eight random hexadecimal digits, drawn anew whenever a market is brought from
its store to memory, and stored with the first decision that is made after that. A round that is
decided again, after a restore, with an older copy of the file or after a recovery to a point in
time, therefore has another id than it had in the past that was undone: nothing has to notice the
undoing. The check still shows that the old id was made by this market, so that it can be told from
a wrong one.
"""

import hashlib
import secrets
from bisect import bisect_right
from collections.abc import Iterable

from copyproof.live.records import Undone, Unknown

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_HUNDRED = 36 * 36  # what is written 100
_PAIRS = [one + two for one in _DIGITS for two in _DIGITS]  # all below it, with leading zeros
_LONGEST = 1000  # characters of a text that may be an id


class Ids:
    """Ids with a generation and a keyed check.

    Parameters
    ----------
    market : str
        The market's name.
    key : bytes
        Its key for ids.
    generations : iterable of (int, str)
        From which round on which generation holds, as they are stored.

    Examples
    --------
    >>> before, after = Ids("m", b"key", []), Ids("m", b"key", [])
    >>> before.begin(1) != after.begin(1)
    True
    >>> before.round(before.id(7), last=7)
    7
    >>> after.round(before.id(7), last=7)
    Traceback (most recent call last):
    copyproof.live.records.Undone: decision = ... is of a past that was undone: ...
    """

    def __init__(self, market: str, key: bytes, generations: Iterable[tuple[int, str]]) -> None:
        self._market = market
        self._key = hashlib.blake2b(key + market.encode(), digest_size=32).digest()
        found = list(generations)
        self._first = [first for first, _ in found]
        self._marks = [mark for _, mark in found]
        self._next: str | None = secrets.token_hex(4)
        self._latest()

    def _latest(self) -> None:
        """Prepare for the generation in force, whose ids are most of those made and read."""
        self._since = self._first[-1] if self._first else 2**62
        self._open = _Generation(self._market, self._key, self._marks[-1] if self._marks else "")

    def id(self, round_: int) -> str:
        """The id of a decision."""
        if round_ >= self._since:  # most
            return self._open.id(round_)
        return self._id(self._mark(round_), round_)

    def ids(self, first: int, count: int) -> list[str]:
        """The ids of decisions, one after another."""
        if first >= self._since:  # most
            return self._open.ids(first, count)
        return [self.id(round_) for round_ in range(first, first + count)]

    def _id(self, mark: str, round_: int) -> str:
        return _Generation(self._market, self._key, mark).id(round_)

    def _mark(self, round_: int) -> str:
        place = bisect_right(self._first, round_) - 1
        return self._marks[place] if place >= 0 else ""

    def round(
        self, decision: object, last: int, field: str = "decision", place: int | None = None
    ) -> int:
        """The round of a decision, at most ``last``.

        Raises
        ------
        Undone
            If the market made this id in a past that is no more.
        Unknown
            If it never made it.
        """
        name, number = _parsed(decision)
        if number is not None and self._since <= number <= last and decision == self.id(number):
            return number  # most
        market, _, mark = name.rpartition("-")
        is_ours = market == self._market and len(mark) < 16
        if number is None or not is_ours or decision != self._id(mark, number):
            raise Unknown(field.format(place), decision)
        if number > last or mark != self._mark(number):
            raise Undone(field.format(place), decision)
        return number

    def begin(self, round_: int) -> tuple[int, str] | None:
        """The generation that begins with a round, if it is not stored yet."""
        if self._next is None:
            return None
        if not self._marks or self._marks[-1] != self._next:
            place = bisect_right(self._first, round_ - 1)
            self._first[place:], self._marks[place:] = [round_], [self._next]
            self._latest()
        return self._first[-1], self._next

    def stored(self) -> None:
        """The generation that began is stored."""
        self._next = None


class _Generation:
    """Makes the ids of one generation.

    The checks of eight rounds in a row are parts of one hash: most rounds come in a row.
    """

    def __init__(self, market: str, key: bytes, mark: str) -> None:
        self._begin = f"{market}-{mark}-"
        # A secret prefix makes a keyed hash of BLAKE2, which cannot be extended.
        self._hash = hashlib.blake2b(key + mark.encode())
        self._eight, self._checks = -1, ""

    def id(self, round_: int) -> str:
        """The id of a decision."""
        eight, place = divmod(round_, 8)
        checks = self._checks if eight == self._eight else self._checks_of(eight)
        return f"{self._begin}{_base36(round_)}-{checks[16 * place : 16 * place + 16]}"

    def ids(self, first: int, count: int) -> list[str]:
        """The ids of decisions, one after another."""
        if count == 1 or first < _HUNDRED:
            return [self.id(round_) for round_ in range(first, first + count)]
        found: list[str] = []
        eight, place = divmod(first, 8)
        while len(found) < count:
            checks = self._checks if eight == self._eight else self._checks_of(eight)
            high, low = divmod(8 * eight, _HUNDRED)  # the same high for all eight
            begin = f"{self._begin}{_base36(high)}"
            found += [
                f"{begin}{_PAIRS[low + n]}-{checks[16 * n : 16 * n + 16]}"
                for n in range(place, min(8, place + count - len(found)))
            ]
            eight, place = eight + 1, 0
        return found

    def _checks_of(self, eight: int) -> str:
        """The checks of eight rounds, one after another."""
        check = self._hash.copy()
        check.update(eight.to_bytes(8, "little"))
        self._eight, self._checks = eight, check.hexdigest()
        return self._checks


def _parsed(decision: object) -> tuple[str, int | None]:
    """What comes before the round, and the round; None if it is not an id."""
    if isinstance(decision, str) and len(decision) < _LONGEST:
        name, _, _ = decision.rpartition("-")
        before, _, digits = name.rpartition("-")
        is_number = digits.isascii() and digits.isalnum() and digits == digits.lower()
        if len(digits) <= 12 and is_number and (number := int(digits, 36)):
            return before, number
    return "", None


def _base36(number: int) -> str:
    """A number of at least 1 in base 36."""
    digits = ""
    while number:
        number, last = divmod(number, _HUNDRED)
        digits = _PAIRS[last] + digits
    return digits.lstrip("0")
