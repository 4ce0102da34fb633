"""Making and keeping API keys.

A key reads ``cp_<id>_<secret>``. The secret is 256 random bits, and the store holds a salted hash
of it (``access.hash_secret``).

A rotated key keeps its id, and its old secret works for a while longer, so that a caller who loses
the answer to the rotation of its own key can ask again. A revoked key stays in the list, and a
retried request that made it makes no new one.
"""

import hmac
import secrets
import threading
from base64 import urlsafe_b64encode
from collections.abc import Callable
from dataclasses import replace
from typing import Any, get_args

from copyproof_client.records import Role

from copyproof.defaults import OVERLAP_SECONDS
from copyproof.live.records import KeyReused
from copyproof.live.stores import Conflict, Store, StoreError
from copyproof.service.access import Key, authenticate, hash_secret
from copyproof.validation import FieldError, known


def new_id(seed: bytes | None = None) -> str:
    """Return an id: random, or a function of ``seed``.

    Examples
    --------
    >>> new_id(b"a seed")
    '41962129c6c5'
    """
    return (secrets.token_bytes(6) if seed is None else _derived(seed, b"id")[:6]).hex()


def new_secret(seed: bytes | None = None) -> str:
    """Return a secret: random, or a function of ``seed``, which is then a secret itself.

    Examples
    --------
    >>> new_secret(b"a seed")
    'Kl3gx7SuFPNGv3pukNv2Jim03T9DnBB9A7spu_SXbuA'
    """
    raw = secrets.token_bytes(32) if seed is None else _derived(seed, b"secret")
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def _derived(seed: bytes, purpose: bytes) -> bytes:
    return hmac.digest(seed, purpose, "sha256")


def make_key(
    role: Role,
    *,
    now: float,
    markets: tuple[str, ...] = (),
    agent: str | None = None,
    note: str = "",
    seed: bytes | None = None,
) -> tuple[Key, str]:
    """Make a key.

    Parameters
    ----------
    role : Role
        ``operator``, ``application``, ``agent`` or ``auditor``.
    now : float
        Seconds since 1970.
    markets : tuple of str
        At least one for an application, exactly one for an agent, none for the others.
    agent : str or None
        For the role ``agent`` only.
    note : str
        Free text.
    seed : bytes or None
        Equal seeds make equal keys.

    Returns
    -------
    key : Key
        To be stored.
    text : str
        The key's text, which is not stored and cannot be had again.

    Raises
    ------
    ValueError
        If role, markets and agent do not go together.

    Examples
    --------
    >>> key, text = make_key("agent", now=0.0, markets=("site",), agent="ann")
    >>> text.startswith(f"cp_{key.id}_")
    True
    """
    known("role", role, get_args(Role))
    if role == "application" and not markets:
        raise _mismatch("markets", markets, "is empty: an application needs at least one")
    if role == "agent" and (len(markets) != 1 or not agent):
        raise _mismatch("agent", agent, "needs exactly one market and the name of the agent")
    if role in ("operator", "auditor") and markets:
        said = f"= {list(markets)} has no meaning: the role {role} has all"
        raise _mismatch("markets", markets, said)
    if role != "agent" and agent is not None:
        raise _mismatch("agent", agent, f"= {agent!r} has no meaning for the role {role}")
    salt = (secrets.token_bytes(16) if seed is None else _derived(seed, b"salt")[:16]).hex()
    secret = new_secret(seed)
    key = Key(new_id(seed), role, markets, agent, note, now, salt, hash_secret(salt, secret))
    return key, f"cp_{key.id}_{secret}"


def _mismatch(field: str, value: object, said: str) -> FieldError:
    return FieldError(field, value, "what goes with the role", said)


_TRIES = 20  # how often a key is changed anew because another process was faster


class Keyring:
    """The keys of a store, held in memory and read anew from time to time.

    Parameters
    ----------
    store : Store
        Where they are kept.
    clock : callable
        Seconds since 1970.

    Attributes
    ----------
    held : dict
        The keys by their ids; replaced, never changed, so that it is read without a lock.
    """

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self._store = store
        self.clock = clock
        self.held: dict[str, Key] = {}
        self._stored: dict[str, dict[str, Any]] = {}
        self._writing = threading.RLock()
        self.refresh()

    def refresh(self) -> None:
        """Read all keys: other processes make and revoke them, too."""
        with self._writing:  # or else a key that is being made could be forgotten again
            stored = self._store.keys()
            self._stored = {data["id"]: data for data in stored}
            self.held = {name: Key.from_dict(data) for name, data in self._stored.items()}

    def __len__(self) -> int:
        return sum(key.revoked is None for key in self.held.values())

    def check(self, text: str) -> Key | None:
        """Return the key with this text, or None."""
        return authenticate(text, self.held, self.clock)

    def all(self) -> list[Key]:
        """Return all keys, the oldest first."""
        return sorted(self.held.values(), key=lambda key: (key.created, key.id))

    def get(self, name: str) -> Key | None:
        """Return the key with this id."""
        return self.held.get(name)

    def add(
        self,
        role: Role,
        *,
        markets: tuple[str, ...] = (),
        agent: str | None = None,
        note: str = "",
        seed: bytes | None = None,
    ) -> tuple[Key, str]:
        """Make and store a key; the same seed again gives the same answer and stores nothing.

        Raises
        ------
        ValueError
            If the request is not a sensible one, or the seed made another key before.
        """
        key, text = make_key(
            role, now=self.clock(), markets=markets, agent=agent, note=note, seed=seed
        )
        with self._writing:
            self.refresh()
            before = self.held.get(key.id)
            if before is None:
                self._store.put_key(key.to_dict())
                self.held = {**self.held, key.id: key}
                return key, text
        same = (key.role, key.markets, key.agent, key.note)
        if (before.role, before.markets, before.agent, before.note) != same:
            raise KeyReused("Idempotency-Key came with another request before")
        return before, text

    def rotate(
        self, name: str, *, overlap: float = OVERLAP_SECONDS, seed: bytes | None = None
    ) -> str:
        """Give a key a new secret; the same seed again gives the same answer.

        Raises
        ------
        KeyError
            If there is no such key, or it is revoked.
        """
        secret = new_secret(seed)

        def rotated(key: Key) -> Key:
            if key.revoked is not None:
                raise KeyError(name)
            hashed = hash_secret(key.salt, secret)
            if hashed == key.hash:
                return key
            until = self.clock() + overlap
            return replace(key, hash=hashed, old_hash=key.hash, old_until=until)

        self._change(name, rotated)
        return f"cp_{name}_{secret}"

    def revoke(self, name: str) -> Key:
        """Refuse a key from now on.

        Raises
        ------
        KeyError
            If there is no such key.
        """
        return self._change(
            name, lambda key: key if key.revoked else replace(key, revoked=self.clock())
        )

    def _change(self, name: str, edit: Callable[[Key], Key]) -> Key:
        """Change a key as it is in the store; once more if another process was faster."""
        with self._writing:
            for _ in range(_TRIES):
                self.refresh()
                key = self.held[name]
                changed = edit(key)
                if changed == key:
                    return key
                try:
                    self._store.put_key(changed.to_dict(), replacing=self._stored[name])
                except Conflict:
                    continue
                self.held = {**self.held, name: changed}
                return changed
        raise StoreError(f"key {name}: others keep changing it")
