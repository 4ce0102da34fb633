"""Groups of arms whose contents are alike.

Arms are taken in the order given, which should be the order in which they came: the first that is
in no group opens one, and what is near it, and in no group yet, joins. So every member is near the
group's first arm, and a chain of texts, each a little different from the one before, does not tie
together what has nothing in common. The price: a copy of a copy may be too far from the first, and
opens a group of its own.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from copyproof.fingerprints.index import Index
from copyproof.fingerprints.record import Fingerprint
from copyproof.fingerprints.thresholds import THRESHOLDS, Thresholds

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Alike(Generic[K]):
    """A group of at least two arms.

    Attributes
    ----------
    keys : tuple
        Of its members, the first to come first, the others in their order.
    similarities : tuple of float
        Of each member to the first; the first entry is 1.
    """

    keys: tuple[K, ...]
    similarities: tuple[float, ...]

    @property
    def least(self) -> float:
        """The least similarity to the first."""
        return min(self.similarities)


def alike(
    fingerprints: Mapping[K, Fingerprint] | Iterable[tuple[K, Fingerprint]],
    thresholds: Thresholds = THRESHOLDS,
) -> tuple[Alike[K], ...]:
    """Sort arms into groups of alike ones; those that are like no other are left out.

    Parameters
    ----------
    fingerprints : mapping, or iterable of pairs
        Key and fingerprint of each arm, in the order in which they came.
    thresholds : Thresholds
        From which similarity on two are alike.

    Examples
    --------
    >>> from copyproof.fingerprints import of_text
    >>> texts = {"a": "red wooden chair", "b": "green tea", "c": "a red wooden chair"}
    >>> [group.keys for group in alike({key: of_text(text) for key, text in texts.items()})]
    [('a', 'c')]
    """
    given = dict(fingerprints)
    place = {key: at for at, key in enumerate(given)}
    index: Index[K] = Index(thresholds)
    for key, fingerprint in given.items():
        index.add(key, fingerprint)
    found: list[Alike[K]] = []
    for key, fingerprint in given.items():
        if key not in index:  # it has joined a group
            continue
        near = {one.key: one.similarity for one in index.near(fingerprint)}
        for member in near:
            index.remove(member)
        if len(near) > 1:
            keys = sorted(near, key=lambda one: place[one])
            found.append(Alike(tuple(keys), tuple(near[one] for one in keys)))
    return tuple(found)
