"""Checks on what a user hands in, each failing with one line that says what is accepted.

Every message starts with the field, so that whoever holds the surrounding record can put its
own path in front: ``mean = 1.3 is not in [0, 1]`` becomes ``arms[0].mean = 1.3 is not …``.
"""

import math
import unicodedata
from collections.abc import Iterable, Mapping, Set
from numbers import Integral, Real
from typing import TypeVar

__all__ = ["items", "number", "require", "shown", "text", "whole", "whole_in"]

T = TypeVar("T")

_LONGEST = 60  # characters of a value that a message repeats
_NOT_ON_ONE_LINE = {"Cc", "Cs", "Zl", "Zp"}  # control, surrogate, line and paragraph breaks


def shown(value: object) -> str:
    """Return ``value`` as a message repeats it: on one line, and cut if it is long.

    >>> len(shown("x" * 1000))
    60
    """
    if isinstance(value, int) and value.bit_length() > 1000:
        return f"{'-' if value < 0 else ''}2**{value.bit_length() - 1} or more"
    written = str(value) if isinstance(value, Real) else repr(value)
    written = written.replace("\n", " ")
    return written if len(written) <= _LONGEST else f"{written[: _LONGEST - 3]}..."


def require(holds: bool, field: str, value: object, accepted: str) -> None:
    """Raise ``ValueError``, ``field = value is not accepted``, unless ``holds``.

    >>> require(False, "mean", 1.3, "in [0, 1]")
    Traceback (most recent call last):
    ValueError: mean = 1.3 is not in [0, 1]
    """
    if not holds:
        raise ValueError(f"{field} = {shown(value)} is not {accepted}")


def number(field: str, value: object) -> float:
    """Return ``value`` as a finite float; a bool or a string is not a number.

    >>> number("mean", 1)
    1.0
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ValueError(f"{field} = {shown(value)} is not a number")
    try:
        converted = float(value)
    except OverflowError:
        converted = math.inf
    require(math.isfinite(converted), field, value, "a finite number")
    return converted


def whole(field: str, value: object, least: int = 0) -> int:
    """Return ``value`` as an int that is at least ``least``; 3.0 and ``True`` are refused.

    >>> whole("copies", 3)
    3
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ValueError(f"{field} = {shown(value)} is not a whole number >= {least}")
    return int(value)


def whole_in(field: str, value: object, low: int, high: int) -> int:
    """Return ``value`` as an int from ``low`` to ``high``; 3.0 and ``True`` are refused.

    >>> whole_in("horizon", 3, 1, 10)
    3
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or not low <= int(value) <= high:
        raise ValueError(f"{field} = {shown(value)} is not a whole number from {low} to {high}")
    return int(value)


def items(field: str, value: Iterable[T], of: str) -> tuple[T, ...]:
    """Return the items of any ordered collection, at least one.

    >>> len(items("rewards", [0.5, 1.0], "numbers"))
    2
    """
    unordered = isinstance(value, str | bytes | Mapping | Set)
    try:
        iterator = iter(() if unordered else value)
    except TypeError:
        unordered = True
    if unordered:
        raise ValueError(f"{field} = {shown(value)} is not a list of {of}")
    found = tuple(iterator)
    if not found:
        raise ValueError(f"{field} is empty: at least one is needed")
    return found


def text(field: str, value: object) -> str:
    """Return ``value`` as one line of text that is not blank.

    >>> len(text("name", "ann"))
    3
    """
    one_line = (
        isinstance(value, str)
        and bool(value.strip())
        and not any(unicodedata.category(letter) in _NOT_ON_ONE_LINE for letter in value)
    )
    require(one_line, field, value, "one line of text that is not blank")
    return str(value)
