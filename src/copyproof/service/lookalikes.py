"""Names that look like others: letters of several alphabets in a word, and joiners that do nothing.

An agent is known by its name. Two names that look the same are two agents, and people who review
them cannot tell which is which. Latin, Greek, Cyrillic, Armenian and Cherokee have letters in
common, as far as one can see; so a word has letters of one of them. A joiner (U+200C, U+200D) shows
in scripts that join letters, and in emoji; after a letter of these alphabets it cannot be seen.
"""

import re
import unicodedata

from copyproof.validation import FieldError

_ALIKE = frozenset(("LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "CHEROKEE"))
_JOINERS = "\u200c\u200d"


def _alphabet(letter: str) -> str | None:
    """Return the alphabet of a letter, if it has look-alikes in another."""
    script = unicodedata.name(letter, "").partition(" ")[0]
    return script if script in _ALIKE else None


def require_one_look(field: str, name: str) -> None:
    """Refuse a name that can look like another one.

    Examples
    --------
    >>> require_one_look("agent", "Zoë Ωmega")
    Traceback (most recent call last):
    copyproof.validation.FieldError: agent = 'Zoë Ωmega' mixes the letters of GREEK and LATIN in ...
    >>> require_one_look("agent", "Кафе WiFi")
    """
    if name.isascii():
        return
    for before, letter in zip(" " + name, name, strict=False):
        if letter in _JOINERS and (before.isascii() or _alphabet(before) is not None):
            said = f"= {name!r} has a joiner (U+{ord(letter):04X}) that cannot be seen"
            raise FieldError(field, name, "a name without joiners that cannot be seen", said)
    for word in re.findall(r"[^\W\d_]+", name):
        alphabets = sorted({found for letter in word if (found := _alphabet(letter)) is not None})
        if len(alphabets) > 1:
            said = f"= {name!r} mixes the letters of {' and '.join(alphabets)} in one word"
            raise FieldError(field, name, "a name with one alphabet in each word", said)
