"""What was made of an object is kept while the same object is asked for again.

Markets never change, and studies play many policies on one. To find a market by its value costs a
hash of all its arms each time; to find it by its identity costs nothing.
"""

import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

_First = TypeVar("_First")
_Rest = ParamSpec("_Rest")
_Made = TypeVar("_Made")

_MOST = 32  # results of one function


def kept_by_identity(
    function: Callable[Concatenate[_First, _Rest], _Made],
) -> Callable[Concatenate[_First, _Rest], _Made]:
    """Keep the last results: the first argument is known by its identity, others by their value.

    Examples
    --------
    >>> total = kept_by_identity(lambda given, more: print("adding") or sum(given) + more)
    >>> numbers = (1, 2)
    >>> total(numbers, 3), total(numbers, 3)
    adding
    (6, 6)
    """
    kept: dict[tuple[Any, ...], tuple[_First, _Made]] = {}
    lock = threading.Lock()

    @wraps(function)
    def found(first: _First, /, *rest: _Rest.args, **named: _Rest.kwargs) -> _Made:
        key = (id(first), *rest, *named.items())
        known = kept.get(key)
        if known is None:
            known = (first, function(first, *rest, **named))  # alive, so that its id is its own
            with lock:
                if len(kept) >= _MOST:
                    kept.pop(next(iter(kept)))
                kept[key] = known
        return known[1]

    return found
