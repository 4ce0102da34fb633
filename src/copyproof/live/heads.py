"""Signed heads: what the operator of a market said, at a time, about all that had happened.

A head is the number of the last event and the head of the chain after it, with the time, signed
with Ed25519. Who keeps one can show later that a journal is not the one that it was: two heads of
one number and different digests are a proof, and so is a head that a journal does not lead to.

The key is a file (PEM, PKCS#8) that only its owner can read. All processes that serve a store need
the same one.
"""

import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from copyproof.live.stores.chain import encode
from copyproof.validation import FieldError, require

_RAW = serialization.Encoding.Raw, serialization.PublicFormat.Raw


@dataclass(frozen=True, slots=True)
class SignedHead:
    """The head of a market's chain.

    Attributes
    ----------
    market : str
        The market.
    number : int
        The last event.
    digest : str
        The head after it, in hexadecimal.
    at : float
        When it was signed, in seconds since 1970.
    public_key, signature : str or None
        Of Ed25519, in hexadecimal; None if the service has no key.
    """

    market: str
    number: int
    digest: str
    at: float
    public_key: str | None = None
    signature: str | None = None

    @property
    def text(self) -> bytes:
        """What is signed: the JSON object of market, number, digest and at, in this order."""
        said = {"market": self.market, "number": self.number, "digest": self.digest, "at": self.at}
        return encode(said).encode()

    def is_signed(self) -> bool:
        """Whether the signature is one of the public key."""
        try:
            key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(self.public_key or ""))
            key.verify(bytes.fromhex(self.signature or ""), self.text)
        except (InvalidSignature, ValueError):
            return False
        return True

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "SignedHead":
        """Read what the service answered.

        Raises
        ------
        FieldError
            If it is something else.
        """
        fields = cls.__slots__
        require(isinstance(data, dict) and {*data} >= {*fields}, "head", data, "a signed head")
        head = cls(**{name: data[name] for name in fields})
        if head.public_key is None:
            said = "is null: the service that gave it has no --signing-key, and signed nothing"
            raise FieldError("head.public_key", None, "a key", said)
        kinds = (str, int, str, int | float, str, str)
        for name, value, kind in zip(fields, asdict(head).values(), kinds, strict=True):
            if not isinstance(value, kind):
                raise FieldError(f"head.{name}", value, "what the service gives")
        return head


class SigningKey:
    """A key that heads are signed with.

    Examples
    --------
    >>> key = SigningKey(Ed25519PrivateKey.generate())
    >>> head = key.sign("m", 7, "00" * 32, at=1.5)
    >>> head.is_signed()
    True
    >>> SignedHead.from_dict({**asdict(head), "number": 8}).is_signed()
    False
    """

    def __init__(self, private: Ed25519PrivateKey) -> None:
        self._private = private
        self.public = private.public_key().public_bytes(*_RAW).hex()

    @classmethod
    def from_file(cls, path: Path) -> "SigningKey":
        """Read a key, or make one and write it, for its owner alone to read.

        Raises
        ------
        FieldError
            If the file is not such a key.
        """
        if not path.exists():
            _write_new_key(path)
        try:
            private = serialization.load_pem_private_key(path.read_bytes(), password=None)
        except (ValueError, TypeError):
            private = None
        if not isinstance(private, Ed25519PrivateKey):
            said = f"= {path} is not a file with an Ed25519 key"
            raise FieldError("signing key", str(path), "a key", said=said)
        return cls(private)

    def sign(self, market: str, number: int, digest: str, at: float) -> SignedHead:
        """Sign the head of a market."""
        head = SignedHead(market, number, digest, at)
        signature = self._private.sign(head.text).hex()
        return SignedHead(market, number, digest, at, self.public, signature)


def _write_new_key(path: Path) -> None:
    """Make a key and write it into a new file, all of it or nothing; one that is there stays.

    It is written beside and then linked, which, unlike a renaming, replaces nothing: of two
    processes that make one at once, both go on with the same.
    """
    made = Ed25519PrivateKey.generate().private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    beside = path.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        place = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(place, "wb") as file:
            file.write(made)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(beside, path)
    finally:
        beside.unlink(missing_ok=True)
