"""Policies of a study: a text, what it stands for, and everything that its games depend on.

Every text goes through ``copyproof.external.named_policy``: ours, a library's, and one's own. A
policy of ours is known by its record and by all numbers that it is played with (``rules_digest``).
Another's is known by its text and its source: the bytes of its file, or the version of its package.
"""

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from copyproof.external import ExternalPolicy, code_of, named_policy
from copyproof.policy import Policy, to_dict
from copyproof.policy.syntax import place_of
from copyproof.validation import FieldError


@dataclass(frozen=True, slots=True)
class StudyPolicy:
    """A policy as a study names it, and how it is loaded.

    Parameters
    ----------
    text : str
        As it was written: what tables show.
    loads : str
        The same with the full path of its file, if it has one.

    Examples
    --------
    >>> StudyPolicy("rh-ucb(L=3)", "rh-ucb(L=3)").is_ours
    True
    """

    text: str
    loads: str

    @property
    def policy(self) -> Policy | ExternalPolicy:
        """The policy itself."""
        return loaded(self.loads)

    @property
    def is_ours(self) -> bool:
        """Whether the engine plays it."""
        return isinstance(self.policy, Policy)

    @property
    def identity(self) -> Any:
        """What it is, as plain data, but for the numbers of its rules."""
        policy = self.policy
        if isinstance(policy, Policy):
            return to_dict(policy)
        return {"external": self.text, "source": _source(self.loads)}


def study_policy(given: object, folder: Path | None = None) -> StudyPolicy:
    """Read one policy of a study.

    Parameters
    ----------
    given : str or Policy
        A text, whose file is looked for in ``folder``, or a record of ours.
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
        accepted = "a text such as 'mine.py:Rule', by which every process can find it"
        raise FieldError("", str(given), accepted)
    if not isinstance(given, str):
        raise FieldError(
            "", given, "a text such as 'h-ucb', 'river:UCB(delta=1)' or 'mine.py:Rule'"
        )
    loads = given
    place = place_of(given)
    if folder is not None and place is not None and place.endswith(".py"):
        loads = str(folder.resolve() / place) + given.strip().removeprefix(place)
    try:
        found = StudyPolicy(given, loads)
        _ = found.identity
    except FieldError as error:
        raise error.renamed("") if error.field == "policy" else error from None
    return found


@functools.cache
def loaded(text: str) -> Policy | ExternalPolicy:
    """The policy that a text stands for, found once in a process."""
    return named_policy(text)


@functools.cache
def _source(text: str) -> str:
    """What a policy that is not ours is made of: the digest of its file, or a version."""
    policy = loaded(text)
    assert isinstance(policy, ExternalPolicy)
    return " ".join(code_of(policy).values())  # and not where it is, which is a machine's affair
