"""A market in memory and its journal in a store, kept in step.

What is written is carried out in memory at once, staged, and committed at the end of a *group* with
one append. If the store fails, or the group ends with an error, nothing of it has happened, and
memory is rebuilt from the store before anything else is answered: also when it is not known whether
the store has it (``Uncertain``), as then the store decides.
"""

import hashlib
import json
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from copyproof.live.kept import Kept
from copyproof.live.market import Event, MarketState
from copyproof.live.records import KeyReused, MarketConfig, name_of
from copyproof.live.replay import recover
from copyproof.live.snapshots import to_bytes
from copyproof.live.stores import Store, StoreError
from copyproof.validation import require, shown


class Journalled:
    """What the principal does with the store."""

    config: MarketConfig
    token: int | None = None
    """The fencing token that appends are made with."""
    _state: MarketState
    _last: int
    _saved: int

    def __init__(self, store: Store, market: str, clock: Callable[[], float]) -> None:
        self.market = name_of("market", market)
        self.store = store
        self._clock = clock
        self._staged: list[Event] = []
        self._depth = 0
        self._failed = False

    @property
    def last(self) -> int:
        """The number of the last event that is stored."""
        return self._last

    @property
    def saved(self) -> int:
        """The event after which the newest snapshot was taken that is known to be good."""
        return self._saved

    @contextmanager
    def group(self) -> Iterator[None]:
        """Commit all that is written within together, at the end, with one sync.

        Nothing that was answered within may be passed on before the end. If the store fails, or
        the block ends with an error, nothing of the group has happened.
        """
        self._now()
        self._depth += 1
        before = len(self._staged) if self._depth > 1 else 0
        try:
            yield
            if self._depth == 1:
                self._commit()
        except BaseException:
            # An error that comes before anything is written leaves a larger group as it is.
            if len(self._staged) > before:
                self._failed = True
            raise
        finally:
            self._depth -= 1
            if self._depth == 0 and self._failed:
                self._staged = []

    def snapshot(self) -> None:
        """Save the state, so that the next start need not replay what came before."""
        require(self._depth == 0, "snapshot", "within a group", "possible: end the group first")
        data, digest = to_bytes(self._now())
        self.store.save_snapshot(self.market, self._last, data, digest)
        self._saved = self._last

    def compact(self) -> None:
        """Save the state, and drop the journal before the last snapshot but this one.

        So there are always two ways back, should a snapshot be damaged.
        """
        self.snapshot()
        older = self.store.snapshot(self.market, before=self._last)
        if older is not None:
            self.store.compact(self.market, older[0])

    def _now(self) -> MarketState:
        """The state; rebuilt from the store first, if something failed."""
        if self._failed:
            if self._depth > 0:
                raise StoreError("this group has failed: nothing of it is stored")
            self._rebuild()
        return self._state

    def _rebuild(self) -> None:
        self._failed = True
        self._staged = []
        self._state, self._last, self._saved = recover(self.store, self.market, self.config)
        self._failed = False

    def _commit(self) -> None:
        if self._failed:
            raise StoreError("this group has failed: nothing of it is stored")
        if self._staged:
            self.store.append(self.market, self._last + 1, self._staged, token=self.token)
            self._last += len(self._staged)
            self._staged = []

    def _time(self, now: float | None = None) -> float:
        at = float(self._clock() if now is None else now)
        require(math.isfinite(at), "now", at, "a finite number")
        return max(at, self._state.at)

    def _kept(self, key: str | None, request: Any) -> Kept | None:
        """What was answered to this key before, if it was."""
        if key is None:
            return None
        kept = self._now().keys.get(name_of("key", key))
        if kept is not None and kept.request != _digest(request):
            raise KeyReused(f"key = {shown(key)} is not free: it came with another request before")
        return kept

    def _write(
        self,
        event: Event,
        key: str | None = None,
        request: Any = None,
        *,
        answer: Any = None,
        at: float | None = None,
    ) -> Any:
        """Carry an event out in memory, and have it committed at the end of the group."""
        event["at"] = self._time() if at is None else at
        if key is not None:
            event |= {"key": key, "request": _digest(request)}
            if answer is not None:
                event["answer"] = answer
        self._staged.append(event)
        self._state.enter(event)
        return self._state.settle()


def _digest(request: Any) -> str:
    written = json.dumps(request, separators=(",", ":"))
    return hashlib.sha256(written.encode()).hexdigest()[:32]
