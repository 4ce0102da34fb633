"""A 64-bit hash and a vector of a text: examples of what is made elsewhere, for a study.

``fingerprints`` takes hashes and vectors of any origin. These two are of letters alone, like the
fingerprints of texts, so that all three can be measured on the same records:

- the SimHash of a text's trigrams (M. S. Charikar, "Similarity estimation techniques from rounding
  algorithms", 2002): every trigram has a hash of 64 bits, and bit k of the text's is what most of
  its trigrams have there. Two texts agree in a bit with probability 1 − φ/π, φ the angle between
  their counts of trigrams;
- the counts of its trigrams in 256 places, the place of each by its hash.
"""

import hashlib
from functools import cache

import numpy as np
from numpy.typing import NDArray

from copyproof.fingerprints import Fingerprint, of_hash, of_vector
from copyproof.fingerprints.shingles import trigrams

PLACES = 256  # of a vector


def simhash(text: str) -> Fingerprint:
    """The SimHash of a text's trigrams; each counts as often as it is there.

    Examples
    --------
    >>> from copyproof.fingerprints import similarity
    >>> similarity(simhash("Fresh coffee, roasted daily"), simhash("Daily roasted fresh coffee!"))
    1.0
    """
    share = np.unpackbits(_hashes(text), axis=1).mean(axis=0)
    return of_hash(int.from_bytes(np.packbits(share > 0.5).tobytes(), "little"))


def counts(text: str) -> Fingerprint:
    """How often a text's trigrams fall in each of 256 places, as a direction.

    Examples
    --------
    >>> counts("aaaa").numbers.max()  # of " aa", "aaa", "aaa" and "aa ": 2 / √6
    np.float32(0.8164966)
    """
    return of_vector(np.bincount(_hashes(text)[:, 0], minlength=PLACES).tolist())


def _hashes(text: str) -> NDArray[np.uint8]:
    """Eight bytes for each trigram of a text."""
    return np.frombuffer(b"".join(map(_hash, trigrams(text))), np.uint8).reshape(-1, 8)


@cache
def _hash(trigram: str) -> bytes:
    return hashlib.blake2b(trigram.encode(), digest_size=8).digest()
