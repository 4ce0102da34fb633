"""Who may stand behind several names: groups, fingerprints of arms, and what is suspected of them.

An operator binds agents to a *group*: names of one principal. What is known of arms' contents are
fingerprints (``copyproof.fingerprints``): hashes, never the content. Arms whose fingerprints are
alike, and that belong to several agents, are a **suspicion**, which waits until an operator
confirms or dismisses it. Only a confirmation binds. Content alone never does: whoever copies a
rival's item makes that item alike, and would drag the rival in.

Arms are taken in the order in which their fingerprints came: one that is like the first arm of a
suspicion joins it, and one that is like none opens its own (as ``fingerprints.alike`` sorts them,
but arm by arm, so that a new arm costs one look into the index). A suspicion is one of
certain arms: if another arm joins, it is another one, and open, whatever was said of it before. It
goes by a digest of the arms' numbers, in which no name is.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Literal, TypeAlias, assert_never, cast

from copyproof.client.records import ArmName, IdentitySuspicion
from copyproof.fingerprints import Fingerprint, Index, of_hash, of_hashes, of_vector
from copyproof.live.events import Bound, Fingerprinted, Reviewed
from copyproof.validation import FieldError, require

IdentityEvent: TypeAlias = Fingerprinted | Bound | Reviewed
Review: TypeAlias = Literal["confirmed", "dismissed"]
_MADE = {"hash": of_hash, "hashes": of_hashes, "vector": of_vector}
_ACCEPTED = 'a fingerprint: its text form, or {"hash": …}, {"hashes": […]} or {"vector": […]}'
_MOST_HASHES = 100_000


def checked_fingerprint(field: str, given: object) -> str:
    """Return the text form of a fingerprint.

    Parameters
    ----------
    field : str
        What errors call it.
    given : str or mapping
        A text form, as ``str`` of a ``Fingerprint`` gives it; or one key that says what it is to
        be made of: ``hash`` (64 bits: a whole number or 16 hex digits), ``hashes`` or ``vector``.

    Examples
    --------
    >>> checked_fingerprint("fingerprint", {"hash": "00000000000000ff"})
    'hash:00000000000000ff'
    """
    try:
        if isinstance(given, str):
            return str(Fingerprint.parse(given))
        if isinstance(given, Mapping) and len(given) == 1:
            ((kind, value),) = given.items()
            made: Any = _MADE.get(kind)
            is_list = isinstance(value, Sequence) and not isinstance(value, str | bytes)
            if made is not None and (kind == "hash" or (is_list and len(value) <= _MOST_HASHES)):
                return str(made(value))
    except FieldError as error:
        raise FieldError(field, given, error.accepted) from None
    except OverflowError:
        raise FieldError(field, given, "a fingerprint of finite numbers") from None
    raise FieldError(field, given, _ACCEPTED)


class Identities:
    """Groups of agents, fingerprints of arms, and what operators said of suspicions.

    Attributes
    ----------
    groups : dict
        The group of each agent that is bound, by the agent's number.
    fingerprints : dict
        Text forms by the arms' numbers, in the order in which they came.
    reviews : dict
        What operators said, by the ids of suspicions.

    Examples
    --------
    >>> known = Identities()
    >>> for arm in (0, 1):
    ...     known.fingerprints[arm] = "hash:00000000000000ff"
    >>> names = [("ann", "a"), ("bob", "b")]
    >>> [one], following = known.suspicions(names.__getitem__, [0, 1])
    >>> one.status, following
    ('open', None)
    """

    def __init__(self) -> None:
        self.groups: dict[int, str] = {}
        self._members: dict[str, dict[int, None]] = {}
        self.fingerprints: dict[int, str] = {}
        self.reviews: dict[str, Review] = {}
        # The arms that are alike, by the first of them, with their similarity to it; and the
        # firsts, as far as fingerprints were looked at.
        self._alike: dict[int, dict[int, float]] = {}
        self._several: set[int] = set()  # of the firsts, those that are not alone
        self._firsts: Index[int] = Index()
        self._looked_at = 0

    def enter(self, event: IdentityEvent) -> None:
        """Take in what was said."""
        match event:
            case Fingerprinted():
                self.fingerprints.update((arm, text) for arm, text in event.arms)
            case Bound():
                self.bind(event.members, event.group)
            case Reviewed():
                self.reviews[event.suspicion] = cast(Review, event.review)
            case _:
                assert_never(event)

    def bind(self, agents: Iterable[int], group: str | None) -> None:
        """Bind agents to a group, or free them."""
        for agent in agents:
            before = self.groups.pop(agent, None)
            if before is not None:
                del self._members[before][agent]
            if group is not None:
                self.groups[agent] = group
                self._members.setdefault(group, {})[agent] = None

    def members(self, group: str) -> list[int]:
        """The agents of a group, in the order in which they were bound."""
        return list(self._members.get(group, ()))

    def by_group(self) -> dict[str, list[int]]:
        """The agents of each group, in order of their registration."""
        return {group: sorted(members) for group, members in self._members.items() if members}

    def bound_with(self, agent: int) -> list[int]:
        """The agents of an agent's group, itself included."""
        group = self.groups.get(agent)
        return [agent] if group is None else self.members(group)

    def suspicions(
        self,
        name_of: Callable[[int], tuple[str, str]],
        owners: Sequence[int],
        after: str | None = None,
        limit: int | None = None,
    ) -> tuple[list[IdentitySuspicion], str | None]:
        """What is suspected: arms of several agents that are alike, the oldest first, in pages.

        Parameters
        ----------
        name_of : callable
            Gives agent and arm for an arm's number.
        owners : sequence of int
            The arms' agents, by number.
        after : str, optional
            What the page before said at its end: the number of the first arm of its last suspicion,
            which stays, as the suspicion's id does not, if another arm joins meanwhile.
        limit : int, optional
            Most of a page.

        Returns
        -------
        list of IdentitySuspicion
            The page.
        str or None
            What to ask for the next page with, if there is one.
        """
        self._look()
        before = -1
        if after is not None:
            before = int(after) if after.isdecimal() else -1
            require(before in self._several, "after", after, "the suspicion at the end of a page")
        found: list[IdentitySuspicion] = []
        for first in sorted(each for each in self._several if each > before):
            arms = self._alike[first]
            agents = list(dict.fromkeys(owners[arm] for arm in sorted(arms)))
            if len(agents) < 2:
                continue
            if len(found) == limit:
                return found, str(before)
            id_ = _id_of(arms)
            named = [name_of(arm) for arm in sorted(arms)]
            groups = {self.groups.get(agent) for agent in agents}
            is_bound = len(groups) == 1 and None not in groups
            found.append(
                IdentitySuspicion(
                    id=id_,
                    agents=tuple(dict.fromkeys(agent for agent, _ in named)),
                    arms=tuple(ArmName(*name) for name in named),
                    evidence="fingerprints",
                    similarity=min(arms.values()),
                    status="confirmed" if is_bound else self.reviews.get(id_, "open"),
                )
            )
            before = first
        return found, None

    def _look(self) -> None:
        """Sort fingerprints that came since into those that are alike."""
        for arm in list(islice(self.fingerprints, self._looked_at, None)):
            fingerprint = Fingerprint.parse(self.fingerprints[arm])
            near = {one.key: one.similarity for one in self._firsts.near(fingerprint)}
            if near:
                first = min(near)
                self._alike[first][arm] = near[first]
                self._several.add(first)
            else:
                self._alike[arm] = {arm: 1.0}
                self._firsts.add(arm, fingerprint)
            self._looked_at += 1

    def words(self) -> dict[str, Any]:
        """All of it, ready for JSON; nothing where nothing is known."""
        words = {
            "groups": list(self.groups.items()),
            "fingerprints": list(self.fingerprints.items()),
            "reviews": list(self.reviews.items()),
        }
        return {name: rows for name, rows in words.items() if rows}

    @classmethod
    def restore(cls, words: dict[str, Any]) -> "Identities":
        """Read what ``words`` gave, among other words."""
        found = cls()
        for agent, group in words.get("groups", ()):
            found.bind([agent], group)
        found.fingerprints = dict(words.get("fingerprints", ()))
        found.reviews = dict(words.get("reviews", ()))
        return found


def _id_of(arms: Iterable[int]) -> str:
    text = ",".join(map(str, sorted(arms)))
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
