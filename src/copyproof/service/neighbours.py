"""The processes that serve one store together, and which market is whose.

Every process announces itself in the store, again and again; one that has not for the time of a
lease has gone. Market m goes to the process p of largest hash(p, m) (rendezvous hashing, Thaler and
Ravishankar 1998): all processes come to the same answer without a word, shares are even, and when a
process joins or leaves no market moves but those that come to it or were its own.

While processes are upgraded one by one, some cannot open a market that another version has made
(its ``numerics`` or ``rules``). The name of a process says which it opens, and a market goes to one
of those that can open it.
"""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from copyproof.live.records import VERSIONS
from copyproof.live.stores import Store

_OURS = VERSIONS["numerics"], VERSIONS["rules"]
_NO_CONFIG: Mapping[str, Any] = {}


def named(owner: str) -> str:
    """Return the name of a process that says, too, which markets this version can open."""
    return "{}/{}.{}".format(owner, *_OURS)


def _known_to(process: str) -> tuple[int, int]:
    """Return the numerics and rules that a process opens, by its name; ours if it says nothing."""
    numerics, _, rules = process.rpartition("/")[2].partition(".")
    if "/" in process and numerics.isdecimal() and rules.isdecimal():
        return int(numerics), int(rules)
    return _OURS


def preferred(market: str, processes: Iterable[str]) -> str:
    """Return the process that a market goes to.

    Examples
    --------
    >>> three, two = ["a", "b", "c"], ["a", "c"]
    >>> moved = [m for m in "0123456789" if preferred(m, three) != preferred(m, two)]
    >>> {preferred(m, three) for m in moved}  # only what was b's
    {'b'}
    """

    def height(process: str) -> bytes:
        return hashlib.sha256(f"{process}\n{market}".encode()).digest()

    return max(processes, key=height)


def _version(config: Mapping[str, Any], name: str) -> int:
    """Return a number of a market's config; what is none is found out when the market is loaded."""
    found = config.get(name)
    return found if isinstance(found, int) else 1


class Neighbours:
    """The processes of a store, as this one sees them.

    Parameters
    ----------
    store : Store
        Where they announce themselves; one that is not shared has this process alone.
    owner : str
        The name of this process, best as ``named`` gives it.
    address : str
        Where others send requests for its markets; empty if nobody is told.
    seconds : float
        For how long an announcement holds.

    Examples
    --------
    >>> from copyproof.live.stores import open_store
    >>> alone = Neighbours(open_store("memory:"), "me", "", 6.0)
    >>> alone.look()
    >>> alone.is_mine("a market")
    True
    """

    def __init__(self, store: Store, owner: str, address: str, seconds: float) -> None:
        self._store = store
        self._owner = owner
        self._address = address
        self._seconds = seconds
        self._addresses: dict[str, str] = {}
        self._preferred: dict[tuple[str, int, int], str] = {}
        self.has_left = False

    @property
    def others(self) -> int:
        """How many other processes there are."""
        return len(self._addresses.keys() - {self._owner})

    def announce(self) -> None:
        """Let the others know that this process is there."""
        if self._store.shared and not self.has_left:
            self._store.announce(self._owner, self._address, self._seconds)

    def look(self) -> None:
        """Look who is there."""
        found = self._store.processes() if self._store.shared else {}
        if found.keys() != self._addresses.keys():
            self._preferred = {}
        self._addresses = found

    def is_mine(self, market: str, config: Mapping[str, Any] = _NO_CONFIG) -> bool:
        """Whether a market, made with ``config``, goes to this process."""
        if self.has_left:
            return False
        numerics, rules = (_version(config, name) for name in ("numerics", "rules"))
        wanted = (market, numerics, rules)
        found = self._preferred.get(wanted)
        if found is None:
            known = {each: _known_to(each) for each in self._addresses}
            known[self._owner] = _OURS
            able = [one for one, opens in known.items() if opens == (numerics, rules)]
            found = self._preferred[wanted] = preferred(market, sorted(able or known))
        return found == self._owner

    def keeps(self, market: str, config: Mapping[str, Any] = _NO_CONFIG) -> bool:
        """Whether a market that this process leads stays here; one that leaves gives all away."""
        return self.has_left or self.is_mine(market, config)

    def knows(self, owner: str) -> bool:
        """Whether a process is there, and goes on."""
        return owner in self._addresses

    def address(self, owner: str | None) -> str | None:
        """Return where a process is reached, if it says so."""
        return None if owner in (None, self._owner) else self._addresses.get(owner or "") or None

    def leave(self) -> None:
        """Let the others know that this process takes no markets any more."""
        self.has_left = True
        self._preferred = {}
        if self._store.shared:
            self._store.withdraw(self._owner)
