"""How frozen records take their numbers: checked, as floats."""

from collections.abc import Callable

from copyproof.validation import number, require

__all__ = ["set_number"]


def set_number(record: object, field: str, holds: Callable[[float], bool], accepted: str) -> None:
    """Make a field of a frozen record a finite float, and refuse one that does not hold."""
    value = number(field, getattr(record, field))
    require(holds(value), field, value, accepted)
    object.__setattr__(record, field, value)
