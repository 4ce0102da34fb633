"""A fingerprint: a record of few bytes, made of content that is then forgotten.

==========  ====================================  =========================  ======================
kind        made of                               kept                       similarity
==========  ====================================  =========================  ======================
``text``    text                                  MinHash of its trigrams    Jaccard index
``hashes``  a set of hashes made elsewhere        MinHash of the set         Jaccard index
``hash``    a 64-bit hash made elsewhere          the hash                   share of equal bits
``vector``  a vector made elsewhere               it, scaled to length 1     cosine
==========  ====================================  =========================  ======================

MinHash keeps, for each of 128 random permutations π of all hashes, the least π(h) of the set. Two
sets agree in one of these with probability J(A, B), so the share in which they agree estimates J
with a standard error of √(J(1 − J)/128), at most 0.045. (``datasketch`` makes them.)

Hashes are no secret: who guesses a text can check the guess against its fingerprint.

Only fingerprints of one kind compare; vectors only if they have one length.
"""

import base64
import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

import numpy as np

from copyproof.fingerprints.shingles import shingles
from copyproof.validation import FieldError, known, require

if TYPE_CHECKING:
    from datasketch import MinHash

Kind: TypeAlias = Literal["text", "hashes", "hash", "vector"]
#: The kinds of fingerprints.
KINDS: tuple[Kind, ...] = ("text", "hashes", "hash", "vector")
PERMUTATIONS = 128
_BITS = 64
_LARGEST = 2**_BITS - 1
_MOST_NUMBERS = 10_000  # of a vector


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What is kept of some content; made by ``of_text`` and its like.

    Parameters
    ----------
    kind : {"text", "hashes", "hash", "vector"}
        What it was made of.
    data : bytes
        128 numbers of 32 bits for a text or hashes, 8 bytes for a hash, 32-bit floats for a vector;
        little endian all.

    Examples
    --------
    >>> made = of_hash("00000000000000ff")
    >>> str(made)
    'hash:00000000000000ff'
    >>> Fingerprint.parse(str(made)) == made
    True
    """

    kind: Kind
    data: bytes

    def __post_init__(self) -> None:
        known("kind", self.kind, KINDS)
        given = len(self.data)
        if self.kind == "vector":
            fits = 0 < given <= 4 * _MOST_NUMBERS and given % 4 == 0
            require(fits, "data", given, f"as many bytes as 1 to {_MOST_NUMBERS:,} floats have")
        else:
            size = 8 if self.kind == "hash" else 4 * PERMUTATIONS
            require(given == size, "data", given, f"{size}, the bytes that a {self.kind} has")

    @property
    def numbers(self) -> Any:
        """The data as an array of 32-bit numbers: floats of a vector, whole ones of the others."""
        return np.frombuffer(self.data, "<f4" if self.kind == "vector" else "<u4")

    def __str__(self) -> str:
        """Return the text form: the kind, a colon, and the data in hex digits or base64."""
        if self.kind == "hash":
            return f"hash:{int.from_bytes(self.data, 'little'):016x}"
        return f"{self.kind}:{base64.b64encode(self.data).decode()}"

    @classmethod
    def parse(cls, text: str) -> "Fingerprint":
        """Read the text form.

        Raises
        ------
        FieldError
            If it is none.
        """
        kind, _, written = text.partition(":")
        try:
            if kind == "hash":
                return of_hash(written)
            return cls(cast(Kind, kind), base64.b64decode(written, validate=True))
        except ValueError:
            accepted = f"a fingerprint: {', '.join(KINDS)}, a colon, and its data"
            raise FieldError("fingerprint", text, accepted) from None


def of_text(text: str) -> Fingerprint:
    """Return the fingerprint of a text.

    A text without any letter or digit has none, and is refused: it would be like all its kind.

    Examples
    --------
    >>> one, other = of_text("Fresh coffee, roasted daily"), of_text("Fresh coffees roasted daily!")
    >>> round(similarity(one, other), 2)
    0.91
    """
    require(isinstance(text, str), "text", text, "a text")
    found = shingles(text)
    require(bool(found), "text", text, "a text with a letter or a digit")
    return Fingerprint("text", _minhash(one.encode() for one in found))


def of_hashes(hashes: Iterable[int | str]) -> Fingerprint:
    """Return the fingerprint of a set of hashes, whole numbers or any texts.

    Examples
    --------
    >>> round(similarity(of_hashes(range(100)), of_hashes(range(50, 150))), 1)
    0.3
    """
    found = {str(one) for one in hashes}
    require(bool(found), "hashes", [], "at least one hash")
    return Fingerprint("hashes", _minhash(one.encode() for one in found))


def of_hash(value: int | str) -> Fingerprint:
    """Return the fingerprint that a 64-bit hash is: a whole number, or 16 hex digits.

    Examples
    --------
    >>> similarity(of_hash(0b1010), of_hash(0b1000)) == 63 / 64
    True
    """
    accepted = "a 64-bit hash: a whole number from 0 to 2^64 − 1, or 16 hex digits"
    if isinstance(value, str) and len(value) == _BITS // 4:
        try:
            return Fingerprint("hash", int(value, 16).to_bytes(8, "little"))
        except (ValueError, OverflowError):
            raise FieldError("hash", value, accepted) from None
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not (whole and 0 <= int(value) <= _LARGEST):
        raise FieldError("hash", value, accepted)
    return Fingerprint("hash", int(value).to_bytes(8, "little"))


def of_vector(values: Iterable[float]) -> Fingerprint:
    """Return the fingerprint of a vector, such as an embedding: its direction.

    Examples
    --------
    >>> round(similarity(of_vector([3, 4]), of_vector([30, 40])), 6)
    1.0
    """
    accepted = f"1 to {_MOST_NUMBERS:,} finite numbers, not all 0"
    try:
        found = np.asarray([float(one) for one in values], dtype=float)
    except (TypeError, ValueError):
        raise FieldError("vector", values, accepted) from None
    size = float(np.linalg.norm(found)) if 0 < len(found) <= _MOST_NUMBERS else 0.0
    require(math.isfinite(size) and size > 0, "vector", found.tolist()[:4], accepted)
    return Fingerprint("vector", (found / size).astype("<f4").tobytes())


def similarity(one: Fingerprint, other: Fingerprint) -> float:
    """Return how much two fingerprints of one kind are alike: 1 if they are equal.

    Raises
    ------
    FieldError
        If they are of two kinds, or vectors of two lengths.
    """
    both = (one.kind, len(one.data)), (other.kind, len(other.data))
    if both[0] != both[1]:
        kind = other.kind if one.kind != other.kind else f"vector of {len(other.data) // 4} numbers"
        raise FieldError("fingerprint", kind, f"comparable with a {one.kind}")
    return float(similarities(one, other.numbers[np.newaxis])[0])


def similarities(one: Fingerprint, rows: Any) -> Any:
    """Return how much the fingerprints in the rows of an array are like one of their kind."""
    if one.kind == "vector":
        return rows @ one.numbers
    if one.kind == "hash":
        return 1.0 - np.bitwise_count(rows ^ one.numbers).sum(axis=1) / _BITS
    return (rows == one.numbers).mean(axis=1)


def _minhash(members: Iterable[bytes]) -> bytes:
    made = _empty().copy()
    made.update_batch(members)
    return bytes(np.asarray(made.hashvalues, "<u4").tobytes())


@cache
def _empty() -> "MinHash":
    from datasketch import MinHash

    return MinHash(num_perm=PERMUTATIONS, seed=1, scheme="affine32")
