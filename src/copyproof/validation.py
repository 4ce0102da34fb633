"""Checks on what a user hands in, each failing with one ``FieldError``: field, value, accepted.

A message is one line that opens with the field, ``mean = 1.3 is not in [0, 1]``. Whoever holds the
surrounding record puts its own path in front with ``within``: ``arms[0].mean = 1.3 is not …``. Who
needs the field, as the HTTP service does, reads it from the error and not from the message.

Names of agents, arms, markets and keys have one alphabet (``name``), and what is nearly a known
word gets a suggestion (``known``).
"""

import difflib
import math
import os
import unicodedata
from collections.abc import Iterable, Mapping, Set
from numbers import Integral, Real
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

_LONGEST = 60  # characters of a value that a message repeats
_HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}  # control, format, surrogate, line and paragraph breaks
_JOINERS = "\u200c\u200d"
#: Most characters of the name of an agent, an arm, a market or a key.
LONGEST_NAME = 200


class FieldError(ValueError):
    """Bad input: which field, what was found there, and what is accepted.

    Parameters
    ----------
    field : str
        Where: ``mean``, ``agents[2].arms[0].mean``; empty if no single field is to blame.
    value : object
        What was found.
    accepted : str
        What would be accepted, as it stands after "is not": ``in [0, 1]``, ``a number``.
    said : str, optional
        What the message says after the field, where "= value is not accepted" does not fit.
    source : str, optional
        The file or text that holds the field; the message opens with it.

    Examples
    --------
    >>> error = FieldError("mean", 1.3, "in [0, 1]")
    >>> print(error.within("arms[0]").noted("(agent 'ann')"))
    arms[0].mean = 1.3 is not in [0, 1] (agent 'ann')
    >>> print(error.found_in("market.toml"))
    market.toml: mean = 1.3 is not in [0, 1]
    >>> print(FieldError("arms", (), "at least one", said="is empty: at least one is needed"))
    arms is empty: at least one is needed
    """

    def __init__(
        self, field: str, value: object, accepted: str, said: str | None = None, source: str = ""
    ) -> None:
        super().__init__(field, value, accepted, said, source)
        self.field, self.value, self.accepted, self.source = field, value, accepted, source
        self.said = said or f"= {shown(value)} is not {accepted}"

    def __str__(self) -> str:
        """Give the one line."""
        origin = f"{self.source}:" if self.source else ""
        return " ".join(part for part in (origin, self.field, self.said) if part)

    def within(self, path: str) -> "FieldError":
        """Return the same error, seen from the record that holds the field at ``path``."""
        joint = "." if path and self.field and not self.field.startswith("[") else ""
        return self.renamed(f"{path}{joint}{self.field}")

    def renamed(self, field: str) -> "FieldError":
        """Return the same error about a field that the caller knows by another name."""
        return FieldError(field, self.value, self.accepted, self.said, self.source)

    def noted(self, note: str) -> "FieldError":
        """Return the same error with a remark at its end."""
        return FieldError(self.field, self.value, self.accepted, f"{self.said} {note}", self.source)

    def found_in(self, source: str) -> "FieldError":
        """Return the same error, found in a file or a text of that name, which writes true."""
        said = self.said
        if source and isinstance(self.value, bool):
            said = said.replace(str(self.value), str(self.value).lower(), 1)
        return FieldError(self.field, self.value, self.accepted, said, source)


def shown(value: object) -> str:
    """Return ``value`` as a message repeats it: on one line, and cut if it is long.

    >>> shown(10**400)
    '2**1328 or more'
    """
    if isinstance(value, int) and value.bit_length() > 1000:
        return f"{'-' if value < 0 else ''}2**{value.bit_length() - 1} or more"
    try:
        written = (str(value) if isinstance(value, Real) else repr(value)).replace("\n", " ")
    except ValueError:  # such a number within
        written = f"a {type(value).__name__}"
    return shortened(written)


def shortened(written: str, most: int = _LONGEST) -> str:
    """Return a text as it is, or its beginning and three dots if it is long.

    >>> shortened("hierarchical(ucb, ucb)", 15)
    'hierarchical...'
    """
    return written if len(written) <= most else f"{written[: most - 3]}..."


def require(holds: bool, field: str, value: object, accepted: str) -> None:
    """Raise ``FieldError``, ``field = value is not accepted``, unless ``holds``.

    >>> require(False, "mean", 1.3, "in [0, 1]")
    Traceback (most recent call last):
    copyproof.validation.FieldError: mean = 1.3 is not in [0, 1]
    """
    if not holds:
        raise FieldError(field, value, accepted)


def number(field: str, value: object) -> float:
    """Return ``value`` as a finite float; a bool or a string is not a number.

    >>> number("mean", 1)
    1.0
    """
    if type(value) is float and math.isfinite(value):  # quick, as most are
        return value
    if isinstance(value, bool) or not isinstance(value, Real):
        raise FieldError(field, value, "a number")
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
    return _whole(field, value, least, math.inf, f"a whole number >= {least}")


def whole_in(field: str, value: object, low: int, high: int) -> int:
    """Return ``value`` as an int from ``low`` to ``high``; 3.0 and ``True`` are refused.

    >>> whole_in("horizon", 3, 1, 10)
    3
    """
    return _whole(field, value, low, high, f"a whole number from {low} to {high}")


def _whole(field: str, value: object, low: int, high: float, accepted: str) -> int:
    if type(value) is int and low <= value <= high:  # quick, as most are
        return value
    if isinstance(value, bool) or not isinstance(value, Integral) or not low <= int(value) <= high:
        raise FieldError(field, value, accepted)
    return int(value)


def items(field: str, value: Iterable[T], of: str) -> tuple[T, ...]:
    """Return the items of any ordered collection, at least one.

    >>> items("rewards", [0.5, 1.0], "numbers")
    (0.5, 1.0)
    """
    listed = type(value) is list or type(value) is tuple  # quick, as most are
    unordered = not listed and isinstance(value, str | bytes | Mapping | Set)
    try:
        iterator = iter(() if unordered else value)
    except TypeError:
        unordered = True
    if unordered:
        raise FieldError(field, value, f"a list of {of}")
    found = tuple(iterator)
    if not found:
        raise FieldError(field, value, "at least one", said="is empty: at least one is needed")
    return found


def text(field: str, value: object) -> str:
    r"""Return ``value`` as one line of visible text.

    >>> text("note", "two\nlines")
    Traceback (most recent call last):
    copyproof.validation.FieldError: note = 'two\nlines' is not one line of visible text
    """
    accepted = "one line of visible text"
    if not isinstance(value, str) or not value.strip():
        raise FieldError(field, value, accepted)
    if not value.isprintable():  # which is quick, but depends on the Unicode version if it says no
        hidden = {unicodedata.category(letter) for letter in value if letter not in _JOINERS}
        require(not hidden & _HIDDEN, field, value, accepted)
    return value


def name(field: str, value: object) -> str:
    r"""Return ``value`` as the name of an agent, an arm, a market or a key.

    Letters that cannot be seen, such as a zero-width space, are refused: two names that look alike
    would be two agents. (Joiners are accepted, as scripts and emoji need them.)

    >>> name("agent", "ann\u200b")
    Traceback (most recent call last):
    copyproof.validation.FieldError: agent = 'ann\u200b' is not one line of visible text
    """
    found = text(field, value)
    fits = len(found) <= LONGEST_NAME
    require(fits, field, value, f"one line of at most {LONGEST_NAME} characters")
    return found


def file_path(field: str, value: object) -> Path:
    """Return ``value`` as the path of a file, which need not exist.

    >>> file_path("path", 5)
    Traceback (most recent call last):
    copyproof.validation.FieldError: path = 5 is not the path of a file
    """
    written = os.fspath(value) if isinstance(value, os.PathLike) else value
    if isinstance(written, str):
        return Path(written)
    raise FieldError(field, value, "the path of a file")


def did_you_mean(word: object, words: Iterable[str]) -> str:
    """Return a suggestion to append to a message, or nothing if no known word is close.

    >>> did_you_mean("hucb", ["ucb1", "h-ucb", "fair"]), did_you_mean("2a", ["fig1a", "fig2a"])
    ("; did you mean 'h-ucb'?", "; did you mean 'fig2a'?")
    """
    plain = {_plain(one): one for one in reversed(list(words)) if _plain(one)}
    given = _plain(str(word))
    close = difflib.get_close_matches(given, plain, n=1, cutoff=0.7)
    if not close and len(given) > 1:
        close = [one for one in plain if one.endswith(given)]
    return f"; did you mean {plain[close[0]]!r}?" if close else ""


def _plain(word: str) -> str:
    """Return the letters and digits of a word, as typos leave them."""
    return "".join(letter for letter in word.lower() if letter.isalnum())


def known(field: str, value: object, words: Iterable[str]) -> str:
    """Return ``value`` if it is one of the known words; suggest the closest one if it is not.

    >>> known("late", "refused", ["refuse", "correct"])
    Traceback (most recent call last):
    copyproof.validation.FieldError: late = 'refused' is not one of refuse, correct; did...
    """
    accepted = tuple(words)
    if value not in accepted:
        raise FieldError(field, value, one_of(accepted) + did_you_mean(value, accepted))
    return str(value)


def one_of(words: Iterable[str]) -> str:
    """Return what is accepted where one of a few words is.

    >>> one_of(["first", "last"])
    'one of first, last'
    """
    return f"one of {', '.join(words)}"
