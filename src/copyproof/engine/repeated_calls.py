"""Calls of a kernel with the same records of arrays, again and again, for a tenth of their price.

Numba looks at the type of every array in every argument before it calls the machine code that was
compiled for these types: with the sixty arrays of a market that takes 5 µs, and the call itself
0.5 µs. The same record holds the same arrays, so that its types need to be looked at once.
"""

from collections.abc import Callable
from typing import Any


class RepeatedCalls:
    """Calls a kernel, and looks at the types of what it is given only if that is new.

    What comes behind the records must be of the same types in every call.

    Examples
    --------
    >>> calls = RepeatedCalls()
    >>> calls(max, ((1, 2),))  # which is not compiled: it is called as it is
    2
    """

    def __init__(self) -> None:
        self._code: Callable[..., Any] | None = None
        self._kernel: Callable[..., Any] | None = None
        self._records: tuple[Any, ...] = ()

    def __call__(self, kernel: Callable[..., Any], records: tuple[Any, ...], *more: Any) -> Any:
        """Call a kernel with records of arrays, and with what comes behind them."""
        if self._code is not None and records is self._records and kernel is self._kernel:
            return self._code(*records, *more)
        found = kernel(*records, *more)
        # If it was ever compiled for one set of types only, then this call was of these types.
        compiled = getattr(kernel, "overloads", {})
        self._code = next(iter(compiled.values())).entry_point if len(compiled) == 1 else None
        self._kernel, self._records = kernel, records
        return found
