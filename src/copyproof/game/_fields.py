"""How frozen records are filled when they are made."""

from collections.abc import Callable
from typing import Any

from copyproof.validation import number, require


def set_number(record: object, field: str, holds: Callable[[float], bool], accepted: str) -> None:
    """Make a field of a frozen record a finite float, and refuse one that does not hold."""
    value = number(field, getattr(record, field))
    require(holds(value), field, value, accepted)
    set_fields(record, **{field: value})


def set_fields(record: object, **values: Any) -> None:
    """Set fields of a frozen record, in its own ``__init__`` or ``__post_init__``."""
    for field, value in values.items():
        object.__setattr__(record, field, value)
