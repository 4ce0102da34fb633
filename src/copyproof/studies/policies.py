"""Policies of a study: a text, what it stands for, and everything that its games depend on.

Every text goes through ``copyproof.external.named_policy``: ours, a library's, and one's own. A
policy of ours is known by its record and by all numbers that it is played with (``rules_digest``).
Another's is known by its text and its source: the bytes of its file, or the version of its package.

The source is found when a study is made, and goes with the policy wherever it is played. A process
that has loaded other code under the same text, as one that lives on while a file is edited, loads
it again; one that has no such code refuses. So what was played is what the digest of a cell says.
"""

import functools
import importlib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from copyproof.external import ExternalPolicy, code_of, named_policy
from copyproof.external.stored import NotStored
from copyproof.policy import Policy, parse_policy, to_dict
from copyproof.policy.syntax import place_of
from copyproof.validation import FieldError

_EVERYWHERE = "the same file or version is needed everywhere"


@dataclass(frozen=True, slots=True)
class StudyPolicy:
    """A policy as a study names it, and how it is loaded.

    Parameters
    ----------
    text : str
        As it was written: what tables show.
    loads : str
        The same with the full path of its file, if it has one.
    source : str or None
        What the code of one that is not ours was when the study was made; None for ours.

    Examples
    --------
    >>> StudyPolicy("rh-ucb(L=3)", "rh-ucb(L=3)").is_ours
    True
    """

    text: str
    loads: str
    source: str | None = None

    @property
    def policy(self) -> Policy | ExternalPolicy:
        """The policy itself.

        Raises
        ------
        OtherCode
            If this machine has other code under the policy's text, or none.
        """
        if self.source is None:
            return _ours(self.loads)
        try:
            return _loaded(self.loads, self.source)
        except OtherCode as error:
            raise OtherCode(f"policy '{self.text}' {error}") from None

    @property
    def is_ours(self) -> bool:
        """Whether the engine plays it."""
        return self.source is None

    @property
    def identity(self) -> Any:
        """What it is, as plain data, but for the numbers of its rules."""
        policy = self.policy
        if isinstance(policy, Policy):
            return to_dict(policy)
        return {"external": self.text, "source": self.source}


class OtherCode(RuntimeError):
    """The code of a policy here is not that which the study was made with."""


def study_policy(given: object, folder: Path | None = None) -> StudyPolicy:
    """Read one policy of a study.

    Parameters
    ----------
    given : str, Policy or ExternalPolicy
        A text, whose file is looked for in ``folder``; a record of ours; or another's that has a
        text, such as what ``river_policy`` returns.
    folder : Path, optional
        Of the study file.

    Raises
    ------
    FieldError
        If it is no policy, or one that only this process knows.

    Examples
    --------
    >>> from copyproof import parse_policy
    >>> study_policy(parse_policy("h-ucb")).text
    'h-ucb'
    """
    if isinstance(given, Policy):
        given = str(given)
    if isinstance(given, ExternalPolicy):
        given = _text_of(given)
    if not isinstance(given, str):
        raise FieldError(
            "", given, "a text such as 'h-ucb', 'river:UCB(delta=1)' or 'mine.py:Rule'"
        )
    loads = given
    place = place_of(given)
    if folder is not None and place is not None and place.endswith(".py"):
        loads = str(folder.resolve() / place) + given.strip().removeprefix(place)
    try:
        return _found(given, loads)
    except FieldError as error:
        raise error.renamed("") if error.field == "policy" else error from None


def _found(text: str, loads: str) -> StudyPolicy:
    if ":" not in loads:
        _ = _ours(loads)
        return StudyPolicy(text, loads)
    try:
        source = _source(loads)
    except (OSError, ImportError):
        named_policy(loads)  # says what is missing, and what would be accepted
        raise
    policy = _loaded(loads, source)
    if isinstance(policy, Policy):  # a record of ours in a file: all of it is in its text
        return StudyPolicy(text, str(policy))
    return StudyPolicy(text, loads, source)


def _text_of(given: ExternalPolicy) -> str:
    """The text of a policy that is not ours, by which every process can find it."""
    if given.text is None:
        accepted = "a text such as 'mine.py:Rule', by which every process can find it"
        raise FieldError("", str(given), accepted)
    if isinstance(given.factory, NotStored):
        said = f"= {given.text!r} was read from a file, without its code: give its text"
        raise FieldError("", str(given), "a policy that can be played", said)
    return given.text


@functools.cache
def _ours(text: str) -> Policy:
    """The policy of ours that a text stands for, found once in a process."""
    return parse_policy(text)


# What this process has loaded from modules, which Python loads once.
_IMPORTED: dict[str, str] = {}


@functools.lru_cache(maxsize=256)
def _loaded(text: str, source: str) -> Policy | ExternalPolicy:
    """The policy whose code is ``source``, found once in a process."""
    _check(text, source)
    _renew(text, source)
    policy = named_policy(text)
    _check(text, source)  # it may have been edited meanwhile
    return policy


def _check(text: str, source: str) -> None:
    try:
        here = _source(text)
    except (OSError, ImportError) as error:
        raise OtherCode(f"is not on this machine ({error}): {_EVERYWHERE}") from None
    if here != source:
        both = f"({_brief(here)}, not {_brief(source)})"
        raise OtherCode(f"is not the code that the study was made with {both}: {_EVERYWHERE}")


def _renew(text: str, source: str) -> None:
    """Have Python load a module again that it loaded when its source was another."""
    place = str(place_of(text))
    if place.endswith(".py"):  # files are loaded anew whenever they are asked for
        return
    if _IMPORTED.setdefault(place, source) != source and place in sys.modules:
        importlib.reload(sys.modules[place])
    _IMPORTED[place] = source


def _source(text: str) -> str:
    """What a policy that is not ours is made of now: the digest of its file, or a version."""
    known = code_of(ExternalPolicy(text, NotStored(text, text), text))
    return " ".join(known.values())  # and not where it is, which is a machine's affair


def _brief(source: str) -> str:
    """A source with the beginning of its digest.

    Examples
    --------
    >>> _brief("1.2.0 sha256:0123456789abcdef")
    '1.2.0 sha256:01234567'
    """
    version, kind, digest = source.partition("sha256:")
    return version + kind + digest[:8]
