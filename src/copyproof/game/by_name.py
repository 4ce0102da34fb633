"""Records in order, found by their position or by their name.

A market's agents, and what a result says of each of them, stand in the market's order: code goes by
position, people go by name. Both are the same ``[]``; everything else is a tuple's.
"""

from collections.abc import Sequence
from typing import Protocol, SupportsIndex, TypeVar, overload

from copyproof.validation import FieldError, did_you_mean, shown

# Names that an error lists.
_MOST_NAMES = 10


class Named(Protocol):
    """What has a name."""

    @property
    def name(self) -> str:
        """Unique among its like."""


T = TypeVar("T", bound=Named)


class ByName(tuple[T, ...]):
    """A tuple whose items can be asked for by name, too.

    Examples
    --------
    >>> from copyproof import paper_market
    >>> agents = paper_market("2a").agents
    >>> agents["0.5-agent"] is agents[0]
    True
    >>> agents["0.5agent"]
    Traceback (most recent call last):
    copyproof.validation.FieldError: agent = '0.5agent' is not one of ...; did you mean '0.5-agent'?
    """

    __slots__ = ()

    @overload
    def __getitem__(self, place: SupportsIndex, /) -> T: ...
    @overload
    def __getitem__(self, place: slice, /) -> tuple[T, ...]: ...
    @overload
    def __getitem__(self, place: str, /) -> T: ...
    def __getitem__(self, place: SupportsIndex | slice | str, /) -> T | tuple[T, ...]:
        """Return the item at a position or of a name, or the items of a slice."""
        if isinstance(place, str):
            return super().__getitem__(position_of(place, [one.name for one in self]))
        return super().__getitem__(place)


def position_of(name: str, names: Sequence[str]) -> int:
    """Return where an agent's name stands among others; suggest the closest if it does not.

    Examples
    --------
    >>> position_of("bob", ["ann", "bob"])
    1
    """
    if name in names:
        return names.index(name)
    known = ", ".join(shown(known) for known in names[:_MOST_NAMES])
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    raise FieldError("agent", name, f"one of {known}{more}{did_you_mean(name, names)}")
