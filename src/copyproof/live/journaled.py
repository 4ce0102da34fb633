"""A market in memory and its journal in a store, which are kept in step.

What is written is carried out in memory at once, staged, and committed at the end of a *group* with
one append. If the store fails, or the group ends with an error, nothing of it has happened, and
memory is rebuilt from the store before anything else is answered: also when it is not known whether
the store has it (``Uncertain``), as then the store decides.

Plain decisions and rewards within a group are **gathered**, and carried out with one call of the
kernel, in their order, as soon as somebody wants to know something of the state: a call takes as
long as three decisions. Their answers come ``Later``.
"""

import math
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from copyproof.live import events
from copyproof.live.events import IdempotencyKey, MarketEvent
from copyproof.live.ids import Ids
from copyproof.live.outcomes import CarriedOut
from copyproof.live.records import MarketConfig
from copyproof.live.replay import ids_of, recover
from copyproof.live.snapshots import StateCopy, to_bytes
from copyproof.live.stores import Store, StoreError
from copyproof.live.stores.appends import Append
from copyproof.live.stores.blinding import TOKEN, Blinding
from copyproof.live.stores.chain import blinding_of
from copyproof.live.switch import SwitchState
from copyproof.validation import FieldError, name, require

_UNDONE = "this group has failed: nothing of it is stored"


class Later:
    """An answer that is there as soon as what was gathered is carried out.

    Parameters
    ----------
    of : Journaled
        The market that was asked.

    Attributes
    ----------
    rows : list or None
        The answer, if it is there.
    """

    __slots__ = ("_of", "rows")

    def __init__(self, of: "Journaled") -> None:
        self._of = of
        self.rows: list[Any] | None = None

    def __call__(self) -> list[Any]:
        """Return the answer."""
        if self.rows is None:
            self._of.carry_out()
        if self.rows is None:
            raise StoreError(_UNDONE)
        return self.rows


class Journaled:
    """One market, in memory and in its store.

    Attributes
    ----------
    last : int
        The number of the last event that is stored.
    saved : int
        The event after which the newest snapshot was taken that is known to be good.
    """

    config: MarketConfig
    _ids: Ids
    _blinding: Blinding
    _forgotten: set[str]
    _state: SwitchState
    last: int
    saved: int

    def __init__(
        self, store: Store, market: str, clock: Callable[[], float], token: int | None
    ) -> None:
        self.store = store
        self.market = name("market", market)
        self.token = token
        self._clock = clock
        self._staged: list[dict[str, Any]] = []
        self._begun: tuple[int, str] | None = None  # a generation of ids, to be stored
        self._depth = 0
        self._failed = False
        # What is to be done with the outcomes of what was gathered, the keys that came with it, and
        # the market's time before it.
        self._gathered: list[Callable[[CarriedOut], None]] = []
        self._gathered_keys: set[str] = set()
        self._gathered_since = 0.0

    def group(self) -> AbstractContextManager[None]:
        """Commit all that is written within together, at the end, with one sync.

        Nothing that was answered within may be passed on before the end. If the store fails, or
        the block ends with an error, nothing of the group has happened.
        """
        return _Group(self, commits=True)

    def staging(self) -> AbstractContextManager[None]:
        """Carry out in memory all that is written within, and leave it to the caller to store it.

        What is to be stored is ``staged``; then ``stored`` or ``undo`` must be called.
        """
        return _Group(self, commits=False)

    def _enter_group(self) -> int:
        """Begin a group; how many events of a larger one are staged already."""
        self._rebuilt()
        self._depth += 1
        return len(self._staged) if self._depth > 1 else 0

    def _leave_group(self, before: int, failed: bool, commits: bool) -> None:
        """End a group, and maybe commit if it is the largest."""
        try:
            if not failed and self._depth == 1:
                failed = True
                self.carry_out()
                if commits:
                    self._commit()
                failed = False
        finally:
            # An error that comes before anything is written leaves a larger group as it is.
            if failed and len(self._staged) > before:
                self._failed = True
            self._depth -= 1
            if self._depth == 0 and self._failed:
                self.undo()

    @property
    def staged(self) -> Append | None:
        """What is carried out in memory, and not stored yet."""
        if not self._staged:
            return None
        return Append(self.market, self.last + 1, self._staged, self.token, self._begun)

    def stored(self) -> None:
        """Go on from what was staged: the store has it."""
        if self._begun is not None:
            self._begun = None
            self._ids.stored()
        self.last += len(self._staged)
        self._staged = []

    def undo(self) -> None:
        """Let nothing of what was staged have happened; memory is rebuilt before it is used."""
        self._failed = True
        self._staged, self._gathered, self._gathered_keys = [], [], set()

    @property
    def is_undone(self) -> bool:
        """Whether memory must be rebuilt from the store first, which takes its time."""
        return self._failed

    def recover(self) -> None:
        """Rebuild memory from the store, if it must be."""
        self._current()

    def snapshot(self) -> None:
        """Save the state, so that the next start need not replay what came before."""
        require(self._depth == 0, "snapshot", "within a group", "possible: end the group first")
        self.store.save_snapshot(self.market, self.last, to_bytes(self._current()))
        self.saved = self.last

    def begin_copy(self) -> StateCopy:
        """Begin a copy of the state, which is made in steps between groups.

        It is of no use once the state was rebuilt: ``is_copied_by`` tells.
        """
        return StateCopy(self._current())

    def is_copied_by(self, copy: StateCopy) -> bool:
        """Whether a copy can still be finished."""
        return not self._failed and copy.state is self._state and not copy.is_spoilt

    def compact(self) -> None:
        """Save the state, and drop the journal before the last snapshot but this one.

        So there are always two ways back, should a snapshot be damaged.
        """
        self.snapshot()
        older = self.store.snapshot(self.market, before=self.last)
        if older is not None:
            self.store.compact(self.market, older[0])

    def carry_out(self) -> None:
        """Carry out what was gathered, with one call of the kernel, and answer it."""
        gathered, self._gathered = self._gathered, []
        if not gathered or self._failed:
            return
        self._gathered_keys.clear()
        try:
            done = self._state.carry_out()
            self._state.at = self._gathered_since  # time goes on by events alone
            for finish in gathered:
                finish(done)
        except BaseException:
            self._failed = True  # some of it may be carried out
            raise

    def _gather(self, finish: Callable[[CarriedOut], None], keyed: IdempotencyKey | None) -> None:
        """Say what is to be done with the outcomes of what is given to the state next."""
        if not self._gathered:
            self._gathered_since = self._state.at
        if keyed is not None:
            self._gathered_keys.add(keyed.key)
        self._gathered.append(finish)

    def _current(self) -> SwitchState:
        """The state after all that was gathered."""
        state = self._rebuilt()
        if self._gathered:
            self.carry_out()
        return state

    def _rebuilt(self) -> SwitchState:
        """The state; rebuilt from the store first, if something failed."""
        if self._failed:
            if self._depth > 0:
                raise StoreError(_UNDONE)
            self._rebuild()
        return self._state

    def _rebuild(self) -> None:
        self.undo()
        self._state, self.last, self.saved = recover(self.store, self.market, self.config)
        self._ids = ids_of(self.store, self.market)
        self._blinding = blinding_of(self.store.chain(self.market).secret)
        # Tokens of agents whose names were forgotten: none comes as long as the market is open.
        agents = self._state.registry.agents
        self._forgotten = {agent for agent in agents if TOKEN.fullmatch(agent)}
        self._begun = None
        self._failed = False

    def _commit(self) -> None:
        self._current()
        if (append := self.staged) is not None:
            market, first, listed, token, generation = append
            self.store.append(market, first, listed, token=token, generation=generation)
            self.stored()

    def _time(self, now: float | None = None) -> float:
        at = float(self._clock() if now is None else now)
        if not math.isfinite(at):
            raise FieldError("now", at, "a finite number")
        return max(at, self._state.at)

    def _write(self, event: MarketEvent) -> Any:
        """Carry an event out in memory, and have it committed at the end of the group."""
        self.carry_out()
        self._staged.append(events.encode(event))
        self._state.enter(event)
        return self._state.settle()


class _Group(AbstractContextManager[None]):
    """What lies within is committed together."""

    __slots__ = ("_before", "_commits", "_of")

    def __init__(self, of: Journaled, *, commits: bool) -> None:
        self._of = of
        self._commits = commits

    def __enter__(self) -> None:
        self._before = self._of._enter_group()

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._of._leave_group(self._before, kind is not None, self._commits)
