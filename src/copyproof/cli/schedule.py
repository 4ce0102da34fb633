"""Do something again and again, at fixed distances: what ``--every`` means."""

import sys
import time
from collections.abc import Callable
from itertools import count


def repeat(
    every: float,
    do: Callable[[], None],
    failures: tuple[type[Exception], ...],
    *,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
    times: int | None = None,
) -> None:
    """Call ``do`` now, and then every so many seconds, until the process is ended.

    A failure is told in one line, and the next time comes as planned; a turn that takes longer than
    ``every`` makes the next one late, and those that are over are left out.

    Parameters
    ----------
    every : float
        Seconds.
    do : callable
        What is done.
    failures : tuple of exception types
        What may go wrong without an end to it all.
    clock, sleep : callable
        Seconds that never run backwards, and how to wait.
    times : int, optional
        How often; without an end by default.

    Examples
    --------
    >>> repeat(0.01, lambda: print("done"), (), times=2)
    done
    done
    """
    begun = clock()
    for turn in count() if times is None else range(times):
        due = begun + turn * every
        late = clock() - due
        if late > every:
            begun += late - late % every
        elif late < 0:
            sleep(-late)
        try:
            do()
        except failures as error:
            print(f"copyproof: {error}", file=sys.stderr, flush=True)
