"""When snapshots are taken, so that the next start is short, and how: without stopping any market.

The state is copied in steps between two groups of requests (``live.arrays_copy``). Encoding the
copy and saving it is another thread's work.
"""

import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from copyproof.live.snapshots import StateCopy
from copyproof.live.stores import Store
from copyproof.service.writer import Writer

_log = logging.getLogger("copyproof.service")

_IDLE = 1_000  # events after which a snapshot is taken when nothing else is to do
_FEW = 1_000  # events that the next process may have to replay when a market is handed over
_BUSY = 10_000  # events after which it is taken anyway
# How many times as long as the last one took a busy market then goes without one.
_REST = 100.0
_STEP = 0.002  # seconds after which no more of a copy is made before the next group
# A copy is spoilt by what changes all rows at once, such as the end of an epoch. After three the
# next are made in longer steps, and so in a fraction of the time. None is made without a break: of
# a large market it would keep everybody waiting. If these are spoilt, too, the snapshot is put off,
# and the journal gets longer. It comes, as nothing that spoils copies goes on at such a rate:
# epochs get longer and longer, and there is a limit to the number of segments.
_TRIES = 3
_LONG_STEP = 0.012
_MOST_TRIES = 8
_PUT_OFF = 60.0  # seconds


class Snapshots:
    """The snapshots that are being taken; one thread's, that of the committer.

    Parameters
    ----------
    store : Store
        Where they are kept.
    workers : ThreadPoolExecutor
        Threads that save them.
    hand_in : callable
        Has something done on the committer's thread.
    """

    def __init__(
        self,
        store: Store,
        workers: ThreadPoolExecutor,
        hand_in: Callable[[Callable[[], None]], None],
    ) -> None:
        self._store = store
        self._workers = workers
        self._hand_in = hand_in
        # The copies, as far as they are made; one after another.
        self._copies: dict[Writer, StateCopy | None] = {}

    def consider(self, writer: Writer) -> None:
        """Take a snapshot of a market if nothing has happened in it since this was asked last."""
        last = writer.principal.last
        if last == writer.seen and last - writer.saved >= _IDLE:
            self._begin(writer)
        writer.seen = last

    def consider_busy(self, writer: Writer) -> None:
        """Take a snapshot of a market that never rests, if it has gone long enough without one."""
        if writer.principal.last - writer.saved >= _BUSY and time.monotonic() >= writer.rested:
            self._begin(writer)

    def ask_for(self, writer: Writer, done: Callable[[], None]) -> None:
        """Take a snapshot of a market that will soon be handed over, and say when it is saved."""
        is_served = writer.ready.is_set() and not writer.is_closed
        if is_served and (writer.is_saving or writer.principal.last - writer.saved >= _FEW):
            writer.awaited.append(done)
            self._begin(writer)
        else:
            done()

    def _begin(self, writer: Writer) -> None:
        if not writer.is_saving and not writer.is_closed:
            writer.is_saving = True
            writer.tries = 0
            self._copies[writer] = None

    @property
    def can_go_on(self) -> bool:
        """Whether there is a step to be made."""
        return any(writer.rests for writer in self._copies)

    def go_on(self) -> None:
        """Go on with one copy for a moment."""
        writer = next((each for each in self._copies if each.rests), None)
        if writer is None:
            return
        principal, copy = writer.principal, self._copies[writer]
        if copy is None or not principal.is_copied_by(copy):
            if writer.tries == _MOST_TRIES:
                self._put_off(writer)
                return
            copy = self._copies[writer] = principal.begin_copy()
            writer.began = time.monotonic()
            writer.tries += 1
        until = time.perf_counter() + (_STEP if writer.tries <= _TRIES else _LONG_STEP)
        is_done = copy.step()
        while not is_done and time.perf_counter() < until:
            is_done = copy.step()
        if is_done:
            del self._copies[writer]
            self._workers.submit(self._save, writer, principal.last, copy.finish())

    def _put_off(self, writer: Writer) -> None:
        """Take no snapshot of a market for a while: it changes too much for a copy to be made."""
        self.stop(writer)
        writer.rested = time.monotonic() + _PUT_OFF
        _log.warning(
            "market %s: no snapshot was taken: %d copies were spoilt by what happened meanwhile; "
            "it is tried again in %d s",
            *(writer.market, _MOST_TRIES, _PUT_OFF),
            extra={"market": writer.market},
        )

    def _save(self, writer: Writer, number: int, data: Callable[[], bytes]) -> None:
        """Save a snapshot; on another thread."""
        error = None
        try:
            self._store.save_snapshot(writer.market, number, data())
        except Exception as raised:
            error = raised
        self._hand_in(partial(self._saved, writer, number, error))

    def _saved(self, writer: Writer, number: int, error: Exception | None) -> None:
        _note(writer, error)
        now = time.monotonic()
        if error is None:
            writer.principal.saved = number
            writer.sizes.saved = now
        writer.saved = number
        writer.rested = now + _REST * (now - writer.began)
        _end_saving(writer)

    def stop(self, writer: Writer) -> None:
        """Give up the copy of a market, if one is being made."""
        if writer in self._copies:
            if (copy := self._copies.pop(writer)) is not None:
                copy.end()
            _end_saving(writer)


def _end_saving(writer: Writer) -> None:
    writer.is_saving = False
    for done in writer.awaited:
        done()
    writer.awaited.clear()


def end(writer: Writer, *, save: bool) -> None:
    """End a writer whose market is served no more; on a thread that may take its time.

    A market that is handed over was saved just before, and is waited for: few events are left.
    """
    least = _FEW if writer.is_handed_over else 1
    if save and not writer.principal.is_undone and writer.principal.last - writer.saved >= least:
        try:
            writer.principal.snapshot()
        except Exception as error:
            _note(writer, error)
    writer.end()


def _note(writer: Writer, error: Exception | None) -> None:
    """Log that a snapshot failed: it is only a shortcut, the journal is the truth."""
    if error is not None:
        _log.warning(
            "market %s: no snapshot was taken: %s",
            *(writer.market, line_of(error)),
            extra={"market": writer.market},
        )


def line_of(error: Exception) -> str:
    """Return an error in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())
