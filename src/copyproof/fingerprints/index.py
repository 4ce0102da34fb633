"""An index of fingerprints: what is near something, without looking at everything.

Candidates come from locality-sensitive hashing, and each candidate's similarity is then computed:

- texts and sets of hashes: MinHash-LSH of ``datasketch``, 32 bands of 4 values each. Two sets share
  a band with probability 1 − (1 − J⁴)³²: 0.87 at J = 0.5, 0.99 at 0.6, 0.05 at 0.2;
- 64-bit hashes: if at most k bits differ, one of k + 1 bands of the bits is equal (pigeonholes), so
  nothing is missed;
- vectors: all are compared, in one multiplication.

Equal fingerprints are kept once, with all their keys: ten thousand equal arms are one.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from copyproof.fingerprints.record import PERMUTATIONS, Fingerprint, similarities
from copyproof.fingerprints.thresholds import THRESHOLDS, Thresholds

if TYPE_CHECKING:
    from datasketch import LeanMinHash

K = TypeVar("K", bound=Hashable)

BANDS, VALUES = 32, 4  # of a MinHash


@dataclass(frozen=True, slots=True)
class Near(Generic[K]):
    """What was found near a fingerprint.

    Attributes
    ----------
    key : Hashable
        Under which it was added.
    similarity : float
        To what was asked for.
    """

    key: K
    similarity: float


class Index(Generic[K]):
    """Fingerprints of any kinds under keys, and a search among them.

    Parameters
    ----------
    thresholds : Thresholds
        From which similarity on something is near.

    Examples
    --------
    >>> from copyproof.fingerprints import of_text
    >>> index = Index()
    >>> index.add(("ann", "a1"), of_text("Fresh coffee, roasted daily"))
    >>> index.add(("bob", "b7"), of_text("Second-hand bicycles"))
    >>> index.near(of_text("FRESH coffee (roasted daily)"))
    (Near(key=('ann', 'a1'), similarity=1.0),)
    """

    def __init__(self, thresholds: Thresholds = THRESHOLDS) -> None:
        self.thresholds = thresholds
        self._of_key: dict[K, Fingerprint] = {}
        self._keys: dict[Fingerprint, dict[K, None]] = {}  # in the order in which they came
        self._spaces: dict[tuple[str, int], _Space] = {}

    def __len__(self) -> int:
        return len(self._of_key)

    def __contains__(self, key: object) -> bool:
        return key in self._of_key

    def add(self, key: K, fingerprint: Fingerprint) -> None:
        """Keep a fingerprint under a key; what was there is replaced."""
        self.remove(key)
        self._of_key[key] = fingerprint
        if fingerprint in self._keys:
            self._keys[fingerprint][key] = None
            return
        self._keys[fingerprint] = {key: None}
        self._space(fingerprint).add(fingerprint)

    def remove(self, key: K) -> None:
        """Forget a key; one that is not there is no error."""
        fingerprint = self._of_key.pop(key, None)
        if fingerprint is None:
            return
        keys = self._keys[fingerprint]
        del keys[key]
        if not keys:
            del self._keys[fingerprint]
            self._space(fingerprint).remove(fingerprint)

    def near(self, fingerprint: Fingerprint) -> tuple[Near[K], ...]:
        """Return what is near a fingerprint of the same kind, the nearest first."""
        found = [
            Near(key, alike)
            for other, alike in self._near(fingerprint)
            for key in self._keys[other]
        ]
        return tuple(sorted(found, key=lambda near: -near.similarity))

    def _near(self, fingerprint: Fingerprint) -> Iterator[tuple[Fingerprint, float]]:
        candidates = self._space(fingerprint).candidates(fingerprint)
        if not candidates:
            return
        rows = np.stack([one.numbers for one in candidates])
        least = self.thresholds.of(fingerprint.kind) - 1e-6  # a vector's rounding
        for one, alike in zip(candidates, similarities(fingerprint, rows).tolist(), strict=True):
            if alike >= least:
                yield one, alike

    def _space(self, fingerprint: Fingerprint) -> "_Space":
        """What compares with a fingerprint: its kind, and for vectors their length."""
        space = (fingerprint.kind, len(fingerprint.data))
        if space not in self._spaces:
            match fingerprint.kind:
                case "text" | "hashes":
                    self._spaces[space] = _Sets()
                case "hash":
                    self._spaces[space] = _Hashes(self.thresholds.hash)
                case "vector":
                    self._spaces[space] = _Space()
        return self._spaces[space]


class _Space:
    """Different fingerprints of one kind: all of them are candidates."""

    def __init__(self) -> None:
        self.members: dict[Fingerprint, None] = {}

    def add(self, fingerprint: Fingerprint) -> None:
        self.members[fingerprint] = None

    def remove(self, fingerprint: Fingerprint) -> None:
        del self.members[fingerprint]

    def candidates(self, fingerprint: Fingerprint) -> list[Fingerprint]:
        return list(self.members)


class _Hashes(_Space):
    """64-bit hashes, by the bands of their bits."""

    def __init__(self, threshold: float) -> None:
        super().__init__()
        differing = int((1.0 - threshold) * 64 + 1e-9)
        edges = np.linspace(0, 64, min(differing + 2, 65)).astype(int).tolist()
        self.edges = list(pairwise(edges))
        self.bands: dict[tuple[int, int], dict[Fingerprint, None]] = {}

    def _places(self, fingerprint: Fingerprint) -> Iterator[tuple[int, int]]:
        bits = int.from_bytes(fingerprint.data, "little")
        for low, high in self.edges:
            yield low, bits >> low & (1 << high - low) - 1

    def add(self, fingerprint: Fingerprint) -> None:
        for place in self._places(fingerprint):
            self.bands.setdefault(place, {})[fingerprint] = None

    def remove(self, fingerprint: Fingerprint) -> None:
        for place in self._places(fingerprint):
            del self.bands[place][fingerprint]

    def candidates(self, fingerprint: Fingerprint) -> list[Fingerprint]:
        places = self._places(fingerprint)
        return list(dict.fromkeys(one for place in places for one in self.bands.get(place, ())))


class _Sets(_Space):
    """MinHashes, by the bands of their values."""

    def __init__(self) -> None:
        super().__init__()
        from datasketch import MinHashLSH

        self.lsh: MinHashLSH = MinHashLSH(num_perm=PERMUTATIONS, params=(BANDS, VALUES))

    def add(self, fingerprint: Fingerprint) -> None:
        self.lsh.insert(fingerprint, _lean(fingerprint), check_duplication=False)

    def remove(self, fingerprint: Fingerprint) -> None:
        self.lsh.remove(fingerprint)

    def candidates(self, fingerprint: Fingerprint) -> list[Fingerprint]:
        found: list[Any] = self.lsh.query(_lean(fingerprint))
        return sorted(found, key=lambda one: one.data)


def _lean(fingerprint: Fingerprint) -> "LeanMinHash":
    from datasketch import LeanMinHash

    return LeanMinHash(seed=1, hashvalues=fingerprint.numbers, scheme="affine32")
