r"""The grammar of texts that name a policy, and its parser.

A text is a call, with a place in front if the policy is not in the catalogue::

    text     =  [ PLACE ":" ]  call
    call     =  NAME  [ "("  [ argument { "," argument } [ "," ] ]  ")" ]
    argument =  [ KEY "=" ]  value
    value    =  LITERAL | WORD | call

- A NAME, KEY or WORD is a run of characters without blanks, quotes, brackets, ",", "=" and "#":
  ``h-ucb``, ``plays``, ``smp/bin/python``. As the value of a parameter a WORD stands for itself.
- A LITERAL is one of Python: ``3``, ``-1e-3``, ``'a, b'``, ``True``, ``None``, ``[1, 2]``,
  ``{'a': 1}``. What Python's ``float`` reads is a number, too: ``nan``, ``inf``.
- Blanks between these do not count.
- PLACE is whatever stands in front of the first ":" after which the rest is a NAME as Python spells
  them, alone or with arguments in brackets: ``river``, ``package.module``, ``C:\mine (2)\file.py``.

What names and parameters mean is for others to say: ``policy.text`` knows the catalogue,
``external.text`` libraries, files and modules.
"""

import ast
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from copyproof.validation import FieldError

_QUOTED = r"""'''(?:\\.|[^\\])*?'''|'(?:\\.|[^'\\])*'|"{3}(?:\\.|[^\\])*?"{3}|"(?:\\.|[^"\\])*\""""
_TOKEN = re.compile(rf"""{_QUOTED}|[()\[\]{{}},=#]|[^\s()\[\]{{}},=#'"]+|['"]""", re.DOTALL)
_PLACED = re.compile(r"\s*(?P<place>\S.*?):(?=[^\W\d]\w*\s*(\(.*\)\s*)?\Z)", re.DOTALL)
_MARKS = tuple("()[]{},=#")
# Calls within calls; the catalogue needs three.
_DEEPEST = 20
_LITERAL = "a literal such as 1, 0.5, 'word', True, None or [1, 2]"


@dataclass(frozen=True, slots=True)
class Call:
    """``name(positional, key=named)``; a word or literal is a call without arguments.

    Examples
    --------
    >>> call = parse("river:UCB(delta=1, name=mine)")
    >>> call.place, call.name, call.parameters()
    ('river', 'UCB', {'delta': 1, 'name': 'mine'})
    >>> str(parse(" hierarchical( ucb ,thompson, sample = fixed(factor=3) ) "))
    'hierarchical(ucb, thompson, sample=fixed(factor=3))'
    """

    name: str
    positional: "tuple[Call, ...]" = ()
    named: "Mapping[str, Call]" = field(default_factory=dict)
    place: str = ""

    def __str__(self) -> str:
        arguments = [str(one) for one in self.positional]
        arguments += [f"{key}={value}" for key, value in self.named.items()]
        name = f"{self.place}:{self.name}" if self.place else self.name
        return f"{name}({', '.join(arguments)})" if arguments else name

    def parameters(self) -> dict[str, Any]:
        """Return the values of all arguments, each of which must have a key."""
        for one in self.positional:
            said = "needs a name, as in KEY=VALUE"
            raise FieldError(str(one), str(self), "KEY=VALUE", said)
        return {key: one.value(key) for key, one in self.named.items()}

    def value(self, key: str) -> Any:
        """Return what the argument ``key`` stands for: a Python value, or the word itself."""
        if self.positional or self.named:
            raise FieldError(key, str(self), _LITERAL, f"= {self} is not {_LITERAL}")
        try:
            return _literal(self.name)
        except ValueError:
            return self.name


def parse(text: str) -> Call:
    """Read a text of the grammar above; whatever it is not raises ``FieldError``.

    Examples
    --------
    >>> parse("rh-ucb(L=3").name
    Traceback (most recent call last):
    copyproof.validation.FieldError: policy = 'rh-ucb(L=3' cannot be read at the end; write...
    """
    placed = _PLACED.match(text)
    reader = _Reader(text, placed.end() if placed else 0)
    call = reader.call()
    if reader.next() is not None:
        raise reader.unreadable()
    return replace(call, place=placed["place"]) if placed else call


def place_of(text: str) -> str | None:
    """Return what stands in front of the call, or None if nothing does.

    Examples
    --------
    >>> place_of("path/to/file.py:name(scale=2)")
    'path/to/file.py'
    """
    placed = _PLACED.match(text)
    return placed["place"] if placed else None


def refused(text: str, why: object) -> FieldError:
    """Return the error about a text that can be read, but does not name a policy.

    Examples
    --------
    >>> print(refused("h-ucb(L=3)", "L is not a parameter of h-ucb"))
    policy = 'h-ucb(L=3)': L is not a parameter of h-ucb
    """
    return FieldError("policy", text, "the text of a policy", f"= {text!r}: {why}")


def _literal(written: str) -> Any:
    """Return the value of a Python literal, or a number; raise ``ValueError`` if it is neither."""
    try:
        with warnings.catch_warnings(action="ignore"):  # about escapes such as '\d'
            return ast.literal_eval(written)
    except (SyntaxError, TypeError, ValueError, MemoryError, RecursionError):
        return float(written)


class _Reader:
    """A text cut into tokens, and how many of them have been read."""

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.tokens = list(_TOKEN.finditer(text, start))
        self.at = 0

    def next(self, ahead: int = 0) -> str | None:
        """Return a token that has not been read yet; None is the end."""
        place = self.at + ahead
        return self.tokens[place][0] if place < len(self.tokens) else None

    def unreadable(self) -> FieldError:
        token = self.next()
        where = "the end" if token is None else repr(token)
        accepted = "NAME or NAME(KEY=VALUE, ...)"
        said = f"= {self.text!r} cannot be read at {where}; write {accepted}"
        return FieldError("policy", self.text, accepted, said)

    def word(self) -> str:
        token = self.next()
        if token is None or token in _MARKS:
            raise self.unreadable()
        self.at += 1
        return token

    def call(self, depth: int = 0) -> Call:
        if depth > _DEEPEST:
            raise self.unreadable()
        name = self.word()
        if self.next() != "(":
            return Call(name)
        self.at += 1
        positional: list[Call] = []
        named: dict[str, Call] = {}
        while self.next() != ")":
            if self.next(1) == "=":
                key = self.word()
                self.at += 1
                if key in named:
                    raise refused(self.text, f"{key} is given twice")
                named[key] = self.argument(depth)
            else:
                positional.append(self.argument(depth))
            if self.next() == ",":
                self.at += 1
            elif self.next() != ")":
                raise self.unreadable()
        self.at += 1
        return Call(name, tuple(positional), named)

    def argument(self, depth: int) -> Call:
        """Read a literal, which may have brackets and blanks in it, or a call."""
        ahead, brackets = 0, 0
        while (token := self.next(ahead)) and (brackets or token not in (",", ")", "=", "#")):
            brackets += (token in ("(", "[", "{")) - (token in (")", "]", "}"))
            ahead += 1
        if ahead < 2:
            return self.call(depth + 1)  # one word is a call without arguments
        start, end = self.tokens[self.at].start(), self.tokens[self.at + ahead - 1].end()
        written = self.text[start:end]
        try:
            _literal(written)
        except ValueError:
            return self.call(depth + 1)
        self.at += ahead
        return Call(written)
