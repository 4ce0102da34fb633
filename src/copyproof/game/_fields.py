"""How frozen records are filled when they are made."""

from collections.abc import Callable, Iterable
from typing import Any

from copyproof.validation import number, require


def set_number(record: object, field: str, holds: Callable[[float], bool], accepted: str) -> None:
    """Make a field of a frozen record a finite float, and refuse one that does not hold."""
    value = number(field, getattr(record, field))
    require(holds(value), field, value, accepted)
    set_fields(record, **{field: value})


def set_numbers(
    record: object,
    field: str,
    given: Iterable[object],
    holds: Callable[[float], bool],
    accepted: str,
) -> None:
    """Make a field of a frozen record a tuple of finite floats; an error names the entry."""
    values = tuple(number(f"{field}[{k}]", value) for k, value in enumerate(given))
    for k, value in enumerate(values):
        require(holds(value), f"{field}[{k}]", value, accepted)
    set_fields(record, **{field: values})


def set_fields(record: object, **values: Any) -> None:
    """Set fields of a frozen record, in its own ``__init__`` or ``__post_init__``."""
    for field, value in values.items():
        object.__setattr__(record, field, value)
