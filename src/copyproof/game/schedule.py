"""Registrations that change during the game: arms withdrawn, and submitted again as new.

A strategy is chosen before round 1; a ``Schedule`` says what happens after it. It has two parts.

- *Changes* at given rounds, before that round's choice: ``Retire`` withdraws registered arms of an
  original, ``Admit`` registers new ones, or brings retired ones back under their old names.
- *Renewals*, which depend on how the game goes: an agent with a ``Renew`` withdraws the arm that
  was just played and submits it again as new, as soon as it has been played ``after`` times, or its
  mean reward is below ``below``. ``Renew(agent, after=1)`` never lets an arm have a record at all;
  ``Renew(agent, below=1)`` drops a Bernoulli arm's record after its every failure.

What the principal keeps: an agent's own statistics N(i), R(i) survive whatever becomes of its arms;
an arm that comes back under its old name keeps its own; a new one starts at zero. The fee is paid
for every new arm.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from copyproof.game._fields import set_fields
from copyproof.game.market import Market
from copyproof.validation import FieldError, name, number, require, shown, whole


@dataclass(frozen=True, slots=True)
class Retire:
    """Before round ``round``, withdraw ``count`` arms of one original, the oldest first.

    Examples
    --------
    >>> Retire(round=100, agent="ann", original=0).count
    1
    """

    round: int
    agent: str
    original: int
    count: int = 1

    def __post_init__(self) -> None:
        _check_change(self)


@dataclass(frozen=True, slots=True)
class Admit:
    """Before round ``round``, register ``count`` arms of one original.

    Parameters
    ----------
    round : int
        The first round in which they can be chosen.
    agent : str
        The owner.
    original : int
        The original's position among the owner's, from 0.
    count : int
        How many.
    new : bool
        As new arms; if false, retired ones come back under their old names, in the order in which
        they were retired.

    Examples
    --------
    >>> Admit(round=100, agent="ann", original=0, count=5).count
    5
    """

    round: int
    agent: str
    original: int
    count: int = 1
    new: bool = True

    def __post_init__(self) -> None:
        _check_change(self)
        require(isinstance(self.new, bool), "new", self.new, "true or false")


@dataclass(frozen=True, slots=True)
class Renew:
    """The agent submits the arm just played again as new, once its record is long or bad enough.

    Parameters
    ----------
    agent : str
        Who does so, with all its arms.
    after : int, optional
        After this many plays of the arm since it was registered.
    below : float, optional
        When the arm's mean reward since it was registered is below this.

    Examples
    --------
    >>> Renew("ann", below=1).below
    1.0
    """

    agent: str
    after: int | None = None
    below: float | None = None

    def __post_init__(self) -> None:
        name("agent", self.agent)
        if self.after is not None:
            set_fields(self, after=whole("after", self.after, least=1))
        if self.below is not None:
            set_fields(self, below=number("below", self.below))
        if self.after is None and self.below is None:
            said = f"and below are both missing (renewal of {shown(self.agent)})"
            raise FieldError("after", None, "missing without below", said)


# What can happen to an agent's arms at a given round.
ScheduledChange: TypeAlias = Retire | Admit


@dataclass(frozen=True, slots=True, init=False)
class Schedule:
    """Changes at given rounds, in the order given within a round, and renewals.

    Parameters
    ----------
    changes : iterable of Retire or Admit
        Those after the last round of a game never come.
    renewals : iterable of Renew
        At most one for an agent.

    Examples
    --------
    >>> schedule = Schedule([Retire(50, "ann", 0), Admit(50, "ann", 0)], [Renew("bob", after=1)])
    >>> [type(change).__name__ for change in schedule.changes]
    ['Retire', 'Admit']
    """

    changes: tuple[ScheduledChange, ...]
    renewals: tuple[Renew, ...]

    def __init__(
        self, changes: Iterable[ScheduledChange] = (), renewals: Iterable[Renew] = ()
    ) -> None:
        events, renews = tuple(changes), tuple(renewals)
        for k, event in enumerate(events):
            require(isinstance(event, Retire | Admit), f"changes[{k}]", event, "a Retire or Admit")
        for k, one in enumerate(renews):
            require(isinstance(one, Renew), f"renewals[{k}]", one, "a Renew")
            if one.agent in [other.agent for other in renews[:k]]:
                said = f"= {shown(one.agent)} has one already"
                raise FieldError(f"renewals[{k}].agent", one.agent, "without a renewal", said)
        set_fields(self, changes=events, renewals=renews)

    def __bool__(self) -> bool:
        return bool(self.changes or self.renewals)

    def to_dict(self) -> dict[str, Any]:
        """Return the schedule as plain data, which ``from_dict`` reads back."""
        return {
            "changes": [
                {"kind": type(event).__name__.lower(), **asdict(event)} for event in self.changes
            ],
            "renewals": [asdict(one) for one in self.renewals],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Schedule":
        """Read what ``to_dict`` gave.

        Examples
        --------
        >>> schedule = Schedule([Retire(50, "ann", 0), Admit(50, "ann", 0, count=3)])
        >>> Schedule.from_dict(schedule.to_dict()).changes[1].count
        3
        """
        kinds: dict[str, type[ScheduledChange]] = {"retire": Retire, "admit": Admit}
        changes = []
        for event in data["changes"]:
            fields = {key: value for key, value in event.items() if key != "kind"}
            changes.append(kinds[event["kind"]](**fields))
        return cls(changes, [Renew(**one) for one in data["renewals"]])


def churn(
    market: Market, agent: str, *, every: int, horizon: int, original: int | None = None
) -> Schedule:
    """Return the schedule of an agent that submits its arms again as new every so many rounds.

    Parameters
    ----------
    market : Market
        Says how many arms of each original the agent registers.
    agent : str
        Who does so.
    every : int
        Rounds from one time to the next; the first time is before round ``every`` + 1.
    horizon : int
        T, the rounds of the game.
    original : int, optional
        Only with the arms of this original; by default with all.

    Examples
    --------
    >>> from copyproof.game import Agent
    >>> market = Market([Agent("ann", [0.5], copies=[3]), Agent("bob", [0.9])])
    >>> [change.round for change in churn(market, "ann", every=10, horizon=35).changes]
    [11, 11, 21, 21, 31, 31]
    """
    every = whole("every", every, least=1)
    copies = market.agent(agent).copies
    chosen = range(len(copies)) if original is None else [whole("original", original)]
    require(chosen[-1] < len(copies), "original", original, f"below {len(copies)}")
    changes: list[ScheduledChange] = []
    for round_ in range(every + 1, whole("horizon", horizon, least=1) + 1, every):
        mine = [k for k in chosen if copies[k] > 0]
        changes += [Retire(round_, agent, k, copies[k]) for k in mine]
        changes += [Admit(round_, agent, k, copies[k]) for k in mine]
    return Schedule(changes)


def _check_change(event: ScheduledChange) -> None:
    whole("round", event.round, least=1)
    name("agent", event.agent)
    whole("original", event.original)
    whole("count", event.count, least=1)
