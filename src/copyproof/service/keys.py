"""Making and keeping API keys.

A key reads ``cp_<id>_<secret>``. The secret is 256 random bits, and the store holds a salted hash
of it (``access.hash_secret``).

A rotated key keeps its id, and its old secret works for a while longer, so that a caller who loses
the answer to the rotation of its own key can ask again. A revoked key stays in the list, and a
retried request that made it makes no new one; of a key that was forgotten its id is kept, so that
nothing makes it again. A key may end by itself at a given time.
"""

import hmac
import secrets
import threading
from base64 import urlsafe_b64encode
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import get_args

from copyproof.client.records import Role
from copyproof.defaults import OVERLAP_SECONDS
from copyproof.live.clock import counted_seconds
from copyproof.live.records import KeyReused
from copyproof.live.stores import Conflict, Store, StoreError
from copyproof.service.access import Key, hash_secret
from copyproof.validation import FieldError, known, require


def new_secret(seed: bytes | None = None) -> str:
    """Return a secret: random, or a function of ``seed``, which is then a secret itself.

    Examples
    --------
    >>> new_secret(b"a seed")
    'Kl3gx7SuFPNGv3pukNv2Jim03T9DnBB9A7spu_SXbuA'
    """
    return urlsafe_b64encode(_bytes(32, seed, b"secret")).rstrip(b"=").decode()


def _bytes(count: int, seed: bytes | None, purpose: bytes) -> bytes:
    """Return bytes: random ones, or a function of ``seed`` and their purpose."""
    if seed is None:
        return secrets.token_bytes(count)
    return hmac.digest(seed, purpose, "sha256")[:count]


def _check(role: Role, markets: tuple[str, ...], agent: str | None, there: Collection[str]) -> None:
    """Refuse markets that are not there, or that do not go with the role, as an agent may not."""
    known("role", role, get_args(Role))
    if role == "application" and not markets:
        raise _mismatch("markets", markets, "is empty: an application needs at least one")
    if role == "agent" and (len(markets) != 1 or not agent):
        raise _mismatch("agent", agent, "needs exactly one market and the name of the agent")
    if role != "agent" and agent is not None:
        raise _mismatch("agent", agent, f"= {agent!r} has no meaning for the role {role}")
    for n, market in enumerate(markets):
        require(market in there, f"markets[{n}]", market, "a market of this store")


def _mismatch(field: str, value: object, said: str) -> FieldError:
    return FieldError(field, value, "what goes with the role", said)


def _forgotten(name: str) -> str:
    """Return where it is noted that a key was forgotten."""
    return f"forgotten key {name}"


_ALWAYS = 1e300  # seconds since 1970
_TRIES = 20  # how often a key is changed anew because another process was faster


class Keyring:
    """The keys of a store, held in memory; what has changed is read from time to time.

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
    read_at : float
        When what has changed was read last, in counted seconds.
    """

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self._store = store
        self.clock = clock
        self.held: dict[str, Key] = {}
        self._moment: int | None = None
        self._writing = threading.RLock()
        self.refresh()

    def refresh(self) -> None:
        """Read the keys that have changed: other processes make and revoke them, too."""
        with self._writing:  # or else a key that is being made could be forgotten again
            now = counted_seconds()
            moment, stored, ids = self._store.changed_keys(self._moment)
            self.read_at = now
            if stored or ids is not None:
                self._hold([Key.from_dict(data) for data in stored], ids)
            self._moment = moment

    def _hold(self, changed: Sequence[Key], ids: Collection[str] | None = None) -> None:
        """Hold keys that have changed, and none but those with these ids."""
        held = {**self.held, **{key.id: key for key in changed}}
        self.held = held if ids is None else {name: held[name] for name in held if name in ids}

    def __len__(self) -> int:
        now = self.clock()
        return sum(key.works(now) for key in self.held.values())

    def all(self) -> list[Key]:
        """Return all keys, the oldest first."""
        return sorted(self.held.values(), key=lambda key: (key.created, key.id))

    def add(
        self,
        role: Role,
        *,
        markets: tuple[str, ...] = (),
        agent: str | None = None,
        note: str = "",
        rate: float | None = None,
        burst: int | None = None,
        expires: float | None = None,
        seed: bytes | None = None,
    ) -> tuple[Key, str]:
        """Make and store a key; the same seed again gives the same answer and stores nothing.

        Parameters
        ----------
        role : Role
            ``operator``, ``application``, ``agent`` or ``auditor``.
        markets : tuple of str
            At least one for an application, exactly one for an agent; an operator or an auditor
            has all if none is given. They must be there.
        agent : str or None
            For the role ``agent`` only.
        note : str
            Free text.
        rate, burst : float or None, int or None
            Requests a second, and at once; those of the role if they are not given.
        expires : float or None
            When it stops working by itself, in seconds since 1970.
        seed : bytes or None
            Equal seeds make equal keys.

        Returns
        -------
        key : Key
            As it is stored.
        text : str
            The key's text, which is not stored and cannot be had again.

        Raises
        ------
        ValueError
            If role, markets and agent do not go together, or the seed made another key before, or
            one that was forgotten.

        Examples
        --------
        >>> from copyproof.live.stores import open_store
        >>> store = open_store("memory:")
        >>> store.create_market("site", {})
        >>> keyring = Keyring(store, lambda: 0.0)
        >>> key, text = keyring.add("agent", markets=("site",), agent="ann")
        >>> text.startswith(f"cp_{key.id}_")
        True
        """
        there = [market for market in markets if self._store.config(market) is not None]
        _check(role, markets, agent, there)
        if expires is not None:
            require(expires > self.clock(), "expires", expires, "a time to come")
        name = _bytes(6, seed, b"id").hex()
        salt = _bytes(16, seed, b"salt").hex()
        secret = new_secret(seed)
        hashed = hash_secret(salt, secret)
        key = Key(
            *(name, role, markets, agent, note, self.clock(), salt, hashed),
            rate=rate,
            burst=burst,
            expires=expires,
        )
        text = f"cp_{name}_{secret}"
        with self._writing:
            self.refresh()
            before = self.held.get(key.id)
            if before is None and self._store.answer(_forgotten(key.id)) is not None:
                said = "Idempotency-Key made a key that was deleted since: send another one"
                raise KeyReused(said)
            if before is None:
                self._store.put_key(key.to_dict())
                self._hold([key])
                return key, text
        wanted = attrgetter("role", "markets", "agent", "note", "rate", "burst", "expires")
        if wanted(before) != wanted(key):
            raise KeyReused("Idempotency-Key came with another request before")
        return before, text

    def rotate(
        self, name: str, *, overlap: float = OVERLAP_SECONDS, seed: bytes | None = None
    ) -> tuple[Key, str]:
        """Give a key a new secret; the same seed again gives the same answer.

        Raises
        ------
        KeyError
            If there is no such key, or it has ended.
        """
        secret = new_secret(seed)

        def rotated(key: Key) -> Key:
            if not key.works(self.clock()):
                raise KeyError(name)
            hashed = hash_secret(key.salt, secret)
            if hashed == key.hash:
                return key
            until = self.clock() + overlap
            return replace(key, hash=hashed, old_hash=key.hash, old_until=until)

        return self._change(name, rotated), f"cp_{name}_{secret}"

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

    def forget(self, name: str) -> Key:
        """Refuse a key from now on, and list it no more.

        Raises
        ------
        KeyError
            If there is no such key.
        """
        key = self.revoke(name)
        with self._writing:
            self._store.put_answer(_forgotten(name), {}, self.clock(), _ALWAYS)
            self._store.drop_key(name)
            self._hold((), self.held.keys() - {name})
        return key

    def revoke_market(self, market: str, agent: str | None = None) -> None:
        """Take a market, or one agent of it, from all keys, and revoke those that have no other."""

        def without(key: Key) -> Key:
            rest = tuple(each for each in key.markets if each != market)
            return replace(key, markets=rest) if rest else replace(key, revoked=self.clock())

        for key in self.all():
            if key.revoked is None and market in key.markets and agent in (None, key.agent):
                self._change(key.id, without)

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
                    self._store.put_key(changed.to_dict(), replacing=key.to_dict())
                except Conflict:
                    continue
                self._hold([changed])
                return changed
        raise StoreError(f"key {name}: others keep changing it")
