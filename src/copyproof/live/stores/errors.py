"""What stores raise.

``StoreError`` is everything that is the store's fault: the caller did nothing wrong, and the same
call may work later. Nothing of a failed append is stored, with one exception, ``Uncertain``.
Whoever keeps state in memory rebuilds it from the store after any of these.
"""

from pathlib import Path

from copyproof.validation import FieldError, shown


class StoreError(Exception):
    """The store cannot do it now: away, full, read-only, locked. Nothing of the call is stored."""


class Uncertain(StoreError):
    """The commit was sent and its answer lost: all of the append is stored, or nothing of it.

    Only the store knows. Read ``last`` (or rebuild from the journal) before the next append.
    """


class Conflict(StoreError):
    """Somebody else has written: an event's number is not the next, a key is another by now."""


class LeaseLost(StoreError):
    """Somebody else writes this market now; this process must not, and cannot."""


class Locked(StoreError):
    """Somebody else holds a lock on the market now, and it was not waited for."""


class Damaged(StoreError):
    """What is stored cannot be trusted: not our file, a hole in the journal, a newer schema."""


class UnknownMarket(LookupError):
    """There is no market of this name in the store."""


def exists_already(field: str, value: object) -> FieldError:
    """Return the error about something that must be new."""
    written = value if isinstance(value, Path) else shown(value)  # a path is never cut
    return FieldError(field, value, "new", said=f"= {written} exists already")


def was_compacted(after: int, compacted: int) -> FieldError:
    """Return the error about events that were dropped."""
    said = f"= {after}: events up to {compacted} were compacted"
    return FieldError("after", after, f"{compacted} or more", said=said)


def not_empty() -> FieldError:
    """Return the error about a store that is to be filled, and holds something."""
    return FieldError("store", None, "empty", said="is not empty: a backup needs a new one")
