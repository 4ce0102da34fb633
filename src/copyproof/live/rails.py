"""Guard rails: limits on what a market shows and earns, and what happens when they are left.

A rail looks at the last N decisions, or at the last N plays whose worth is known, once there are so
many. It watches the largest *share* of them that any agent has, that of one certain agent, or their
mean *reward*; of names that are bound to one principal, the share is that of all of them. A play's
worth is known when its first reward comes, where the first one counts; else when its reward window
is over. A rail that says ``pause`` looks at all decisions; one that says ``fall-back`` looks at
those of the policy that can be taken back: the candidate's, where one has a share.

What has been seen is forgotten, and N begins anew, whenever who decides changes, rails are set, one
of them is left, or the market is resumed.
"""

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from copyproof.validation import FieldError, known, name, number, require, whole_in

Measure: TypeAlias = Literal["share", "reward"]
Then: TypeAlias = Literal["pause", "fall-back"]

MOST_RAILS = 20
LARGEST_WINDOW = 100_000


@dataclass(frozen=True, slots=True)
class Rail:
    """A limit, and what happens when it is left.

    Parameters
    ----------
    measure : {"share", "reward"}
        The largest share of the decisions that one agent has, or the mean reward.
    last : int
        N, how many decisions, or plays of known worth, are looked at: up to 100,000.
    at_most, at_least : float, optional
        The limits, from 0 to 1; the largest share has no lower one.
    then : {"pause", "fall-back"}
        Decide nothing more until the market is resumed, or let the former policy decide.
    agent : str, optional
        The agent whose share it is, in place of the largest one.
    owner : int, optional
        That agent's number, which journals have in place of its name.

    Examples
    --------
    >>> Rail("share", 1000, at_most=0.5).then
    'pause'
    """

    measure: Measure
    last: int
    at_most: float | None = None
    at_least: float | None = None
    then: Then = "pause"
    agent: str | None = None
    owner: int | None = None

    def __post_init__(self) -> None:
        known("measure", self.measure, get_args(Measure))
        known("then", self.then, get_args(Then))
        object.__setattr__(self, "last", whole_in("last", self.last, 1, LARGEST_WINDOW))
        for limit in ("at_most", "at_least"):
            given = getattr(self, limit)
            if given is not None:
                found = number(limit, given)
                require(0.0 <= found <= 1.0, limit, given, "in [0, 1]")
                object.__setattr__(self, limit, found)
        if self.agent is not None:
            object.__setattr__(self, "agent", name("agent", self.agent))
        if self.owner is not None:
            object.__setattr__(self, "owner", whole_in("owner", self.owner, 0, 2**31 - 1))
        is_bad = self.measure == "reward" and not (self.agent is None and self.owner is None)
        require(not is_bad, "agent", self.agent, "there: only a share is that of an agent")
        no_limit = self.at_most is None and self.at_least is None
        if no_limit or (self.is_largest and self.at_most is None):
            needed = "at_most" if self.is_largest else "at_most or at_least"
            said = f"is missing: a rail of measure {self.measure!r} needs {needed}"
            raise FieldError("at_most", None, needed, said)
        is_bad = self.is_largest and self.at_least is not None
        accepted = "there: a share has only at_most, unless it is that of an agent"
        require(not is_bad, "at_least", self.at_least, accepted)

    @property
    def is_largest(self) -> bool:
        """Whether it looks at the largest share, whose ever that is."""
        return self.measure == "share" and self.agent is None and self.owner is None

    def is_left_at(self, measured: float) -> bool:
        """Whether a measured value is beyond the limits."""
        too_much = self.at_most is not None and measured > self.at_most
        return too_much or (self.at_least is not None and measured < self.at_least)

    def to_dict(self) -> dict[str, Any]:
        """Write the rail as plain data, ready for JSON; what is None is left out."""
        found = {one.name: getattr(self, one.name) for one in fields(self)}
        return {field: value for field, value in found.items() if value is not None}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Rail":
        """Read what ``to_dict`` writes."""
        for field in data:
            known("rail", field, [one.name for one in fields(cls)])
        return cls(**data)


class Crossing(NamedTuple):
    """A rail that was left: its place in the list, what was measured, and whose share it was."""

    rail: int
    measured: float
    agent: int | None


class Window:
    """The last N of what a rail looks at: agents by number, or rewards.

    For the share of one agent it is given 1 for each decision that is the agent's, else 0.

    Examples
    --------
    >>> window = Window(Rail("share", 3, at_most=0.5))
    >>> window.add([0, 1])
    >>> window.crossed() is None  # there are not enough yet
    True
    >>> window.add([0])
    >>> window.crossed()
    (0.6666666666666666, 0)
    """

    def __init__(self, rail: Rail) -> None:
        self.rail = rail
        self._seen: deque[float] = deque()
        self._plays: Counter[int] = Counter()
        self._total = 0.0
        self._new: set[int] = set()  # agents whose share may have grown since the last look

    def add(self, seen: Sequence[float]) -> None:
        """Look at more of them, the oldest first."""
        is_largest, most = self.rail.is_largest, self.rail.last
        for one in seen:
            self._seen.append(one)
            gone = self._seen.popleft() if len(self._seen) > most else None
            if is_largest:
                self._plays[int(one)] += 1
                if gone is not None:
                    self._drop(int(gone))
            else:
                self._total += one - (gone or 0.0)
        if is_largest:
            self._new.update(int(one) for one in seen)

    def _drop(self, agent: int) -> None:
        self._plays[agent] -= 1
        if not self._plays[agent]:
            del self._plays[agent]

    def crossed(self) -> tuple[float, int | None] | None:
        """What is measured, if the window is full and the limits are left."""
        if len(self._seen) < self.rail.last:
            return None
        measured, agent = self.measured(self._new)
        self._new.clear()
        return (measured, agent) if self.rail.is_left_at(measured) else None

    def measured(self, among: set[int] | None = None) -> tuple[float, int | None]:
        """The largest share, of all agents or of some, and whose it is; or the mean."""
        if not self._seen:
            return 0.0, None
        if not self.rail.is_largest:
            return self._total / len(self._seen), self.rail.owner
        some = self._plays if among is None else {one: self._plays[one] for one in among}
        agent = max(some, key=lambda one: (some[one], -one), default=None)
        return (0.0 if agent is None else some[agent] / len(self._seen)), agent

    def __len__(self) -> int:
        return len(self._seen)

    def to_lists(self) -> tuple[list[float], float]:
        """What is remembered: what was seen, and the sum of it as it was rounded."""
        return list(self._seen), self._total

    def load(self, seen: Sequence[float], total: float) -> None:
        """Take over what ``to_lists`` gave."""
        self.add(seen)
        self._total = total


def checked_rails(given: object) -> list[Rail]:
    """Return guard rails given as records or as plain data.

    Examples
    --------
    >>> checked_rails([{"measure": "reward", "last": 500, "at_least": 2}])
    Traceback (most recent call last):
    copyproof.validation.FieldError: rails[0].at_least = 2 is not in [0, 1]
    """
    if not isinstance(given, Sequence) or isinstance(given, str | bytes):
        raise FieldError("rails", given, "a list of rails")
    require(len(given) <= MOST_RAILS, "len(rails)", len(given), f"at most {MOST_RAILS}")
    found = []
    for n, one in enumerate(given):
        is_rail = isinstance(one, Rail)
        if not is_rail and not (isinstance(one, Mapping) and {"measure", "last"} <= one.keys()):
            accepted = "a rail: measure, last, at_most, at_least, then, agent"
            raise FieldError(f"rails[{n}]", one, accepted)
        try:
            rail = one if is_rail else Rail.from_dict(one)
            require(rail.owner is None, "owner", rail.owner, "there: name the agent")
            # Here and not in the rail: markets that have such a one still load.
            if rail.at_least is not None and rail.at_most is not None:
                accepted = f"at most {rail.at_most:g}, the rail's at_most: it would always be left"
                require(rail.at_least <= rail.at_most, "at_least", rail.at_least, accepted)
            found.append(rail)
        except FieldError as error:
            raise error.within(f"rails[{n}]") from None
    return found
