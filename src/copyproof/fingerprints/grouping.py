"""Groups of arms whose contents are alike.

Arms are taken in the order given, which should be the order in which they came. One that is near
more than a third of a group's members joins it. Any other that is in no group opens one, together
with what is near it and in none. So a group holds together: a chain of texts, each a little
different from the one before, does not tie together what has nothing in common, and a copy of a
copy that strays from the first, but not from many of the others, is still found.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from copyproof.fingerprints.index import Index
from copyproof.fingerprints.record import Fingerprint, similarities
from copyproof.fingerprints.thresholds import THRESHOLDS, Thresholds

K = TypeVar("K", bound=Hashable)

_MOST_ASKED = 64  # members of a group that an arm is compared with


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
    index: Index[K] = Index(thresholds)
    for key, fingerprint in given.items():
        index.add(key, fingerprint)
    groups: list[list[K]] = []
    group_of: dict[K, int] = {}
    for key, fingerprint in given.items():
        if key in group_of:
            continue
        near = [one.key for one in index.near(fingerprint)]
        held = Counter(group_of[one] for one in near if one in group_of)
        least = thresholds.of(fingerprint.kind)
        joined = next(
            (one for one, _ in held.most_common() if _belongs(key, groups[one], given, least)), None
        )
        if joined is not None:
            group_of[key] = joined
            groups[joined].append(key)
            continue
        fresh = [one for one in near if one not in group_of]
        group_of |= dict.fromkeys(fresh, len(groups))
        groups.append(fresh)
    place = {key: at for at, key in enumerate(given)}
    found = [sorted(group, key=lambda one: place[one]) for group in groups if len(group) > 1]
    return tuple(Alike(tuple(keys), _similarities(keys, given)) for keys in found)


def _belongs(key: K, group: list[K], given: Mapping[K, Fingerprint], least: float) -> bool:
    """Whether an arm is near more than a third of a group, as far as some of its members tell."""
    some = group[:: -(-len(group) // _MOST_ASKED)]
    alike_to = _similarities([key, *some], given)[1:]
    return 3 * sum(one >= least for one in alike_to) > len(alike_to)


def _similarities(keys: list[K], given: Mapping[K, Fingerprint]) -> tuple[float, ...]:
    """Of each to the first."""
    rows = np.stack([given[key].numbers for key in keys])
    return tuple(similarities(given[keys[0]], rows).tolist())
