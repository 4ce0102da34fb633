"""Who is calling, what they may do, and how much of it: keys, roles, limits.

The store holds a salted SHA-256 of a key's secret: with 256 random bits in the secret a slow hash
adds nothing but load. Comparing takes the same time for a right secret, a wrong one and an unknown
id.

Four roles: an **operator** does everything, an **application** asks and tells in its markets, an
**agent** registers and retires its own arms in its market and sees its own revenue, an **auditor**
reads. The keys of operators and auditors may be for some markets only.

What a role can never do is refused as such (403), whatever the request names; what it could do
elsewhere, but not with this market or this agent, is not known to it (404), whether or not it
exists.

The rate is kept by a **token bucket** for each key: it holds up to ``burst`` tokens and gains
``rate`` of them a second. A request takes one, or as many as it asks for decisions or brings
rewards. It is served if there is one token, and what it takes beyond those that are there is paid
back before the next. How large they are is said by the key, or else by its role: an agent's are
small.
"""

import hashlib
import hmac
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from copyproof.client.records import ApiKey, Role
from copyproof.defaults import (
    AGENT_BURST,
    AGENT_RATE,
    MOST_PENDING,
    REQUEST_BURST,
    REQUEST_BYTES,
    REQUEST_RATE,
    WAITING_REQUESTS,
)
from copyproof.service.errors import Refusal, unknown

# --- who -----------------------------------------------------------------------------------------

_SHOWN = {field.name for field in fields(ApiKey)} - {"key"}


@dataclass(frozen=True, slots=True)
class Key:
    """An API key as it is stored: no secret in it.

    Attributes
    ----------
    id : str
        Twelve hexadecimal digits, part of the key's text.
    role : Role
        What its bearer may do.
    markets : tuple of str
        The markets of an application, the one market of an agent; for the other roles those that
        the key is for, all if there are none.
    agent : str or None
        Whose arms the bearer owns, if the role is ``agent``.
    note : str
        Free text.
    created : float
        Seconds since 1970.
    salt, hash : str
        Of the secret, in hexadecimal digits.
    revoked : float or None
        Since when the key is refused.
    old_hash, old_until : str or None, float or None
        The secret before the last rotation, and until when it works.
    rate, burst : float or None, int or None
        Requests a second, and at once; those of the role if they are None.
    expires : float or None
        When the key stops working by itself.
    """

    id: str
    role: Role
    markets: tuple[str, ...]
    agent: str | None
    note: str
    created: float
    salt: str
    hash: str
    revoked: float | None = None
    old_hash: str | None = None
    old_until: float | None = None
    rate: float | None = None
    burst: int | None = None
    expires: float | None = None

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Key":
        """Read a key from the store."""
        return cls(**{**data, "markets": tuple(data["markets"])})

    def to_dict(self) -> dict[str, Any]:
        """Return the key for the store."""
        return {**asdict(self), "markets": list(self.markets)}

    def works(self, now: float) -> bool:
        """Whether the key is neither revoked nor over."""
        return self.revoked is None and (self.expires is None or now < self.expires)

    def shown(self) -> dict[str, Any]:
        """Return what an operator may see of the key: the fields of an ``ApiKey``, but its text."""
        return {name: value for name, value in self.to_dict().items() if name in _SHOWN}


def hash_secret(salt: str, secret: str) -> str:
    """Return what is stored of a secret.

    Examples
    --------
    >>> hash_secret("00", "a secret")[:16]
    'ba55494f148598c5'
    """
    return hashlib.sha256(f"{salt}:{secret}".encode()).hexdigest()


# What an unknown id is compared against.
_NOBODY = Key("", "auditor", (), None, "", 0.0, "0" * 32, "0" * 64)


def authenticate(text: str, keys: Mapping[str, Key], clock: Callable[[], float]) -> Key | None:
    """Return the key with this text, or None: unknown, wrong and ended take equally long.

    Parameters
    ----------
    text : str
        What the caller sent.
    keys : mapping of str to Key
        All keys, by their ids.
    clock : callable
        Seconds since 1970.
    """
    prefix, _, rest = text.partition("_")
    name, _, secret = rest.partition("_")
    key = keys.get(name, _NOBODY)
    given = hash_secret(key.salt, secret)
    right = hmac.compare_digest(given, key.hash)
    old = hmac.compare_digest(given, key.old_hash or _NOBODY.hash)
    now = clock()
    old = old and key.old_until is not None and now < key.old_until
    is_valid = prefix == "cp" and (right or old) and key.works(now) and key is not _NOBODY
    return key if is_valid else None


# --- what ----------------------------------------------------------------------------------------


# What is done over HTTP, and the roles that may.
_ROLES: dict[str, tuple[Role, ...]] = {
    "read markets": ("operator", "auditor"),
    "write markets": ("operator",),
    "write agents": ("operator",),
    "write arms": ("operator", "agent"),
    "ask": ("operator", "application"),
    "tell": ("operator", "application"),
    "read market statistics": ("operator", "auditor"),
    "read agent statistics": ("operator", "auditor", "agent"),
    "read journal": ("operator", "auditor"),
    "read head": ("operator", "application", "agent", "auditor"),
    "read own key": ("operator", "application", "agent", "auditor"),
    "watch": ("operator", "auditor", "agent"),
    "keys": ("operator",),
    "back up": ("operator",),
    "read metrics": ("operator", "auditor"),
    "read actions": ("operator", "auditor"),
}
# What tells of all markets at once.
_OF_ALL = ("read metrics", "back up")


def authorize(key: Key, action: str, market: str | None = None, agent: str | None = None) -> None:
    """Refuse what a key may not do.

    Parameters
    ----------
    key : Key
        The caller's.
    action : str
        What is asked for.
    market, agent : str or None
        With what, as far as the action names one.

    Raises
    ------
    Refusal
        403 if the role never may, or not with a key for some markets only; 404 if the market or the
        agent is not the key's own.

    Examples
    --------
    >>> from copyproof.live.stores import open_store
    >>> from copyproof.service.keys import Keyring
    >>> store = open_store("memory:")
    >>> store.create_market("site", {})
    >>> keyring = Keyring(store, lambda: 0.0)
    >>> key, _ = keyring.add("application", markets=("site",))
    >>> authorize(key, "ask", "site")
    >>> try:
    ...     authorize(key, "ask", "another")
    ... except Refusal as refusal:
    ...     refusal.status
    404
    """
    role = key.role
    if role not in _ROLES[action]:
        raise Refusal(403, "Authorization", f"the role {role} may not {action}")
    if key.markets and action in _OF_ALL:
        raise Refusal(403, "Authorization", f"a key for some markets only may not {action}")
    if key.markets and market is not None and market not in key.markets:
        raise unknown("market")
    if role == "agent" and agent is not None and agent != key.agent:
        raise unknown("agent")


# --- how much ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Limits:
    """What one request, and one caller, may ask for; a batch has at most ``MOST_DECISIONS``.

    Attributes
    ----------
    body : int
        Bytes of a request's body.
    rate : float
        Requests a second of one key, in the long run; a request for several decisions counts for
        as many, and so do rewards.
    burst : int
        The same at once.
    agent_rate, agent_burst : float, int
        The same for the key of an agent.
    waiting : int
        Requests of one market that wait for its writer.
    most_pending : int
        Plays of one market that wait for their reward.
    """

    body: int = REQUEST_BYTES
    rate: float = REQUEST_RATE
    burst: int = REQUEST_BURST
    agent_rate: float = AGENT_RATE
    agent_burst: int = AGENT_BURST
    waiting: int = WAITING_REQUESTS
    most_pending: int = MOST_PENDING

    def of(self, key: Key) -> tuple[float, int]:
        """Return the rate and the burst of a key.

        Examples
        --------
        >>> from dataclasses import replace
        >>> Limits().of(replace(_NOBODY, role="agent")), Limits().of(replace(_NOBODY, rate=0.2))
        ((20.0, 200), (0.2, 1))
        """
        if key.rate is not None:
            return key.rate, key.burst or max(1, math.ceil(2 * key.rate))
        is_agent = key.role == "agent"
        burst = self.agent_burst if is_agent else self.burst
        return self.agent_rate if is_agent else self.rate, key.burst or burst


class TokenBuckets:
    """A token bucket for every key.

    Parameters
    ----------
    clock : callable
        Seconds; must never run backwards.

    Examples
    --------
    >>> buckets = TokenBuckets(lambda: 0.0)
    >>> buckets.take("k", 1.0, 2), buckets.take("k", 1.0, 2)
    (None, None)
    >>> try:
    ...     buckets.take("k", 1.0, 2)
    ... except Refusal as refusal:
    ...     refusal.retry
    1
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}

    def take(self, key: str, rate: float, burst: int) -> None:
        """Take a token of a key's bucket, which holds ``burst`` and gains ``rate`` a second.

        Raises
        ------
        Refusal
            429 if the bucket is empty.
        """
        now = self._clock()
        tokens, then = self._buckets.get(key, (float(burst), now))
        tokens = min(float(burst), tokens + (now - then) * rate)
        if tokens < 1.0:
            wait = math.ceil((1.0 - tokens) / rate)
            said = f"{rate:g} requests, decisions or rewards a second"
            message = f"more than {said} with this key, and {burst} at once"
            raise Refusal(429, "Authorization", message, wait)
        self._buckets[key] = (tokens - 1.0, now)

    def charge(self, key: str, more: int) -> None:
        """Take more tokens for a request that was let in, whether they are there or not.

        Examples
        --------
        >>> buckets = TokenBuckets(lambda: 0.0)
        >>> buckets.take("k", 1.0, 2)
        >>> buckets.charge("k", 999)
        >>> try:
        ...     buckets.take("k", 1.0, 2)
        ... except Refusal as refusal:
        ...     refusal.retry
        999
        """
        tokens, then = self._buckets[key]
        self._buckets[key] = (tokens - more, then)
