"""Signed heads: what the operator of a market stated, at a time, about all that had happened.

A head names the chain, its opening, the events that were compacted away, the last event, the head
of the chain after it, and the time. All of it is signed with Ed25519. A head that was stored fixes
the market's configuration and every event up to its number. A journal that does not lead to it is
another one. Two heads of one chain and number with different digests prove that the past was
rewritten.

The key is a file (PEM, PKCS#8) that only its owner can read. All processes that serve a store need
the same one.
"""

import os
import re
import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from copyproof.live.stores.chain import encode
from copyproof.validation import FieldError, require

if TYPE_CHECKING:
    from copyproof.live.stores import Store

_HEX = re.compile("[0-9a-f]{192}")
_RAW = serialization.Encoding.Raw, serialization.PublicFormat.Raw


@dataclass(frozen=True, slots=True)
class SignedHead:
    """The head of a market's chain.

    Attributes
    ----------
    market : str
        The market.
    chain : str
        The identity of its chain: a market that is deleted and made again has another one.
    opening : str
        The head before the first event: it commits to market, chain and configuration.
    cut : int
        The last event that was compacted away; 0 if the whole journal is there.
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
    chain: str
    opening: str
    cut: int
    number: int
    digest: str
    at: float
    public_key: str | None = None
    signature: str | None = None

    @property
    def text(self) -> bytes:
        """What is signed: the JSON object of all fields before the key, in their order."""
        fields = asdict(self)
        del fields["public_key"], fields["signature"]
        return encode(fields).encode()

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the key that signed."""
        return fingerprint(self.public_key or "")

    def is_signed(self) -> bool:
        """Whether the signature is one of the public key, both in hexadecimal."""
        if not _HEX.fullmatch(f"{self.public_key}{self.signature}"):
            return False
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
        require(isinstance(data, dict) and {*data} == {*fields}, "head", data, "a signed head")
        head = cls(**data)
        if type(head.at) is int:  # a browser writes 2.0 as 2
            head = replace(head, at=float(head.at))
        if head.public_key is None:
            said = "is null: the service that gave it has no --signing-key, and signed nothing"
            raise FieldError("head.public_key", None, "a key", said)
        kinds = {"cut": int, "number": int, "at": float}
        for name, value in asdict(head).items():
            if type(value) is not kinds.get(name, str):
                raise FieldError(f"head.{name}", value, "what the service gives")
        return head


class SigningKey:
    """A key that heads are signed with.

    Examples
    --------
    >>> key = SigningKey(Ed25519PrivateKey.generate())
    >>> head = key.sign(SignedHead("m", "5c", "00" * 32, 0, 7, "00" * 32, at=1.5))
    >>> head.is_signed()
    True
    >>> SignedHead.from_dict({**asdict(head), "cut": 3}).is_signed()
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

    def sign(self, head: SignedHead) -> SignedHead:
        """Return the head with the key and its signature."""
        signature = self._private.sign(head.text).hex()
        return replace(head, public_key=self.public, signature=signature)


def head_of(store: "Store", market: str, at: float) -> SignedHead:
    """Return the head of a market as it stands, without a signature."""
    number, cut, chain = store.standing(market)
    return SignedHead(market, chain.identity, chain.opening, cut, number, chain.head, at)


def fingerprint(public_key: str) -> str:
    """Return the fingerprint of a public key: the first 32 digits of its SHA-256.

    Examples
    --------
    >>> fingerprint("00" * 32)
    '66687aadf862bd776c8fc18b8e9f8e20'
    """
    return sha256(bytes.fromhex(public_key)).hexdigest()[:32]


def read_public_key(path: Path) -> str:
    """Read a public key, in PEM or as 64 hexadecimal digits; return the digits.

    Raises
    ------
    FieldError
        If the file is not such a key.
    """
    try:
        data = path.read_bytes().strip()
    except OSError as error:
        why = f"= {path} cannot be read: {error.strerror}"
        raise FieldError("--public-key", str(path), "a file", said=why) from None
    if re.fullmatch(rb"[0-9a-f]{64}", data):
        return data.decode()
    try:
        key = serialization.load_pem_public_key(data)
    except (ValueError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PublicKey):
        why = f"= {path} is not a public Ed25519 key, in PEM or as 64 hexadecimal digits"
        raise FieldError("--public-key", str(path), "a key", said=why)
    return key.public_bytes(*_RAW).hex()


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
