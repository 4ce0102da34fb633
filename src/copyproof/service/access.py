"""What a caller may do, and how much of it: roles, and limits.

Four roles: an **operator** does everything, an **application** asks and tells in its markets, an
**agent** registers and retires its own arms in its market and sees its own revenue, an **auditor**
reads. What a role can never do is refused as such (403), whatever the request names; what it could
do elsewhere, but not with this market or this agent, is not known to it (404), whether or not it
exists.

The rate is kept by a **token bucket** for each key: it holds up to ``burst`` tokens, gains ``rate``
of them a second, and every request takes one.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from copyproof_client.records import Role

from copyproof.service.errors import Refusal, unknown
from copyproof.service.keys import Key

__all__ = ["ACTIONS", "Action", "Limits", "TokenBuckets", "authorize"]


@dataclass(frozen=True, slots=True)
class Action:
    """Something that is done over HTTP, and the roles that may."""

    name: str
    roles: frozenset[Role]


def _action(name: str, *roles: Role) -> Action:
    return Action(name, frozenset(("operator", *roles)))


ACTIONS = {
    action.name: action
    for action in (
        _action("read markets", "auditor"),
        _action("write markets"),
        _action("write agents"),
        _action("write arms", "agent"),
        _action("ask", "application"),
        _action("tell", "application"),
        _action("read market statistics", "auditor"),
        _action("read agent statistics", "auditor", "agent"),
        _action("read journal", "auditor"),
        _action("keys"),
        _action("read metrics", "auditor"),
    )
}


def authorize(
    key: Key, action: Action, market: str | None = None, agent: str | None = None
) -> None:
    """Refuse what a key may not do.

    Parameters
    ----------
    key : Key
        The caller's.
    action : Action
        What is asked for.
    market, agent : str or None
        With what, as far as the action names one.

    Raises
    ------
    Refusal
        403 if the role never may; 404 if the market or the agent is not the key's own.

    Examples
    --------
    >>> from copyproof.service.keys import make_key
    >>> key, _ = make_key("application", now=0.0, markets=("site",))
    >>> authorize(key, ACTIONS["ask"], "site")
    >>> try:
    ...     authorize(key, ACTIONS["ask"], "another")
    ... except Refusal as refusal:
    ...     refusal.status
    404
    """
    role = key.role
    if role not in action.roles:
        raise Refusal(403, "Authorization", f"the role {role} may not {action.name}")
    if role in ("operator", "auditor"):
        return
    if market is not None and market not in key.markets:
        raise unknown("market")
    if role == "agent" and agent is not None and agent != key.agent:
        raise unknown("agent")


@dataclass(frozen=True)
class Limits:
    """What one request, and one caller, may ask for; a batch has at most ``MOST_DECISIONS``.

    Attributes
    ----------
    body : int
        Bytes of a request's body.
    rate : float
        Requests a second of one key, in the long run.
    burst : int
        Requests of one key at once.
    waiting : int
        Requests of one market that wait for its writer.
    """

    body: int = 1 << 20
    rate: float = 10_000.0
    burst: int = 20_000
    waiting: int = 10_000


class TokenBuckets:
    """A token bucket for every key.

    Parameters
    ----------
    rate : float
        Tokens a second.
    burst : int
        The most a bucket holds.
    clock : callable
        Seconds; must never run backwards.

    Examples
    --------
    >>> buckets = TokenBuckets(1.0, 2, lambda: 0.0)
    >>> buckets.take("k"), buckets.take("k")
    (None, None)
    >>> try:
    ...     buckets.take("k")
    ... except Refusal as refusal:
    ...     refusal.retry
    1
    """

    def __init__(self, rate: float, burst: int, clock: Callable[[], float]) -> None:
        self._rate = rate
        self._burst = float(burst)
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}

    def take(self, key: str) -> None:
        """Take a token of a key's bucket.

        Raises
        ------
        Refusal
            429 if the bucket is empty.
        """
        now = self._clock()
        tokens, then = self._buckets.get(key, (self._burst, now))
        tokens = min(self._burst, tokens + (now - then) * self._rate)
        if tokens < 1.0:
            self._buckets[key] = (tokens, now)
            wait = math.ceil((1.0 - tokens) / self._rate)
            message = f"more than {self._rate:g} requests a second with this key"
            raise Refusal(429, "Authorization", message, wait)
        self._buckets[key] = (tokens - 1.0, now)
