"""The committer: one thread that serves all markets of a process, with one sync for all that wait.

It takes **all** requests that are waiting, of all markets, carries them out market by market in
the order in which they came, and has the store commit them together (group commit): while one group
waits for the disk, the next one gathers. Nobody is answered before the sync of their group. What a
market waits for does therefore not depend on how many others there are. A write is refused by the
store if another process has the lease; what was answered from memory is given only while the lease
is known to be held.

If a market's events cannot be stored, nothing of its part of the group has happened: its principal
is rebuilt from the store, and its requests are told to try again. The others are not concerned.

Whatever takes longer is done for one market on another thread, while the others go on: loading and
rebuilding, requests that are not brief, and waiting for a lock that somebody holds on its row.
Until then a market is **away**, and its requests wait in their order. A snapshot stops nobody: the
state is copied in steps between groups, and written by another thread.
"""

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue

from copyproof.live import Principal
from copyproof.live.stores import LeaseLost, Store, StoreError
from copyproof.live.stores.appends import Append
from copyproof.live.stores.errors import Locked
from copyproof.service.errors import Refusal, refusal_of
from copyproof.service.metrics import GroupMetrics
from copyproof.service.snapshots import Snapshots, end, line_of
from copyproof.service.writer import Job, Writer, resolve

_log = logging.getLogger("copyproof.service")

_GROUP = 1024  # the most requests in one group
_LONGEST = 0.01  # seconds after which no more requests are carried out before a commit
_LOOK_EVERY = 1.0  # seconds between two looks for plays whose reward window is over
_WORKERS = 4  # threads for what takes longer
_ELSEWHERE = "another process serves this market"
_UNKNOWN = "another process may serve this market by now, try again"
_LOCKED = 8  # threads that wait for locks; a market beyond these waits for one of them


class Committer(threading.Thread):
    """Carries out the requests of all markets, and commits them together.

    Parameters
    ----------
    store : Store
        Where everything is kept.
    groups : GroupMetrics
        Where groups are counted.
    """

    def __init__(self, store: Store, groups: GroupMetrics) -> None:
        super().__init__(name="committer", daemon=True)
        self._store = store
        self._groups = groups
        self._arrived: SimpleQueue[Job | Callable[[], None]] = SimpleQueue()
        self._workers = ThreadPoolExecutor(_WORKERS, "worker")
        self._waiters = ThreadPoolExecutor(_LOCKED, "waiter")
        self._led: dict[Writer, None] = {}
        self._leaving: dict[Writer, None] = {}
        # Whose turn it is: writers with requests that are not away, the longest waiting first.
        self._turn: dict[Writer, None] = {}
        self._expiring: set[Writer] = set()  # those of them with plays whose window is over
        # What was carried out on another thread, to be committed with the next group.
        self._returned: list[tuple[Writer, list[Job]]] = []
        self._snapshots = Snapshots(store, self._workers, self._arrived.put)
        self._looked = time.monotonic()
        self._stopping = False

    # --- on any thread ----------------------------------------------------------------------------

    def put(self, job: Job) -> None:
        """Take a request in."""
        self._arrived.put(job)

    def lead(self, writer: Writer) -> None:
        """Load a writer's market, and then serve it."""
        self._workers.submit(self._load, writer)

    def save(self, writer: Writer, done: Callable[[], None]) -> None:
        """Have a market saved while it is served, and say when that is done."""
        self._arrived.put(partial(self._snapshots.ask_for, writer, done))

    def leave(self, writer: Writer) -> None:
        """Serve what waits for a writer, if it is not lost, then serve its market no more."""
        self._arrived.put(partial(self._leave, writer))

    def stop(self) -> None:
        """End the thread; the writers have ended before."""
        self._arrived.put(self._stop)
        if self.ident is not None:
            self.join()
        self._workers.shutdown()
        self._waiters.shutdown()

    # --- on the committer's thread: what comes ----------------------------------------------------

    def run(self) -> None:
        """Serve until the end."""
        while not self._stopping:
            try:
                self._take()
                self._look()
                if self._turn or self._returned:
                    self._serve()
                self._snapshots.go_on()
                if self._leaving:
                    self._see_off()
            except Exception:  # whatever it is: without this thread no market is served
                _log.exception("the committer failed, and goes on")

    def _stop(self) -> None:
        self._stopping = True

    def _take(self) -> None:
        """Take all that has arrived; wait for it if there is nothing else to do."""
        block = not (self._turn or self._returned or self._snapshots.can_go_on)
        timeout = max(0.0, self._looked + _LOOK_EVERY - time.monotonic())
        refused: list[Job] = []
        with suppress(Empty):
            for _ in range(_GROUP):
                one = self._arrived.get(block, timeout)
                block = False
                if not isinstance(one, Job):
                    one()
                elif one.writer in self._led:
                    one.writer.jobs.append(one)
                    self._give_turn(one.writer)
                else:  # it has ended just now
                    refused.append(one)
        _refuse(refused, _ELSEWHERE)
        _answer(refused)

    def _give_turn(self, writer: Writer) -> None:
        if not writer.is_away and (writer.jobs or writer in self._expiring):
            self._turn[writer] = None

    def _look(self) -> None:
        """See once in a while where plays are over, who can be saved, and how large all are."""
        now = time.monotonic()
        if now < self._looked + _LOOK_EVERY:
            return
        self._looked = now
        for writer in self._led:
            if not writer.rests:
                continue
            if _has_expired(writer.principal):
                self._expiring.add(writer)
                self._give_turn(writer)
            self._snapshots.consider(writer)
            writer.sizes.note(writer.principal)

    # --- a group ----------------------------------------------------------------------------------

    def _serve(self) -> None:
        """Carry out what is waiting, commit it, and answer."""
        began = time.perf_counter()
        until = began + _LONGEST
        group, self._returned = self._returned, []
        turn, self._turn = self._turn, {}
        unfinished: list[Writer] = []
        for number, writer in enumerate(turn):
            now = time.perf_counter()
            if now > until:
                self._turn[writer] = None
                continue
            # Each has a share of what is left, so that nobody waits for all that another has.
            jobs = self._carry_out(writer, now + (until - now) / (len(turn) - number))
            if jobs is not None:
                group.append((writer, jobs))
            unfinished.append(writer)
        if group:
            self._commit(group, began)
        for writer in unfinished:
            self._give_turn(writer)

    def _carry_out(self, writer: Writer, until: float) -> list[Job] | None:
        """Carry out the brief requests of a market; None if there is nothing to be committed."""
        principal, waiting = writer.principal, writer.jobs
        if principal.is_undone:
            self._send_away(writer, principal.recover, self._recovered)
            return None
        expiring = writer in self._expiring
        if not expiring and not waiting[0].brief:
            job = waiting.popleft()
            done = partial(self._back, jobs=[job])
            self._send_away(writer, partial(_carry_out_one, principal, job), done)
            return None
        self._expiring.discard(writer)
        jobs: list[Job] = []
        try:
            with principal.staging():
                if expiring:
                    principal.expire()
                while waiting and waiting[0].brief and len(jobs) < _GROUP:
                    job = waiting.popleft()
                    jobs.append(job)
                    _call(principal, job)
                    if time.perf_counter() > until:
                        break
            _check(principal)
        except Exception as error:
            self._fail(writer, jobs, error)
            return None
        return jobs

    def _commit(self, group: list[tuple[Writer, list[Job]]], began: float) -> None:
        """Store what a group has done, with one sync, and answer."""
        appends = [writer.principal.staged for writer, _ in group]
        done = time.perf_counter()
        outcomes = iter(self._append([one for one in appends if one is not None]))
        now = time.perf_counter()
        answered: list[Job] = []
        for (writer, jobs), append in zip(group, appends, strict=True):
            error = None if append is None else next(outcomes)
            if isinstance(error, Locked):
                assert append is not None
                self._wait_for_lock(writer, jobs, append)
                continue
            if error is not None:
                self._fail(writer, jobs, error)
                continue
            if append is not None:
                writer.principal.stored()
            elif not writer.is_held:
                _refuse(jobs, _UNKNOWN)
            answered += jobs
            writer.is_away = False
            self._give_turn(writer)
            self._snapshots.consider_busy(writer)
        if answered:
            self._groups.add(len(answered), now - began, now - done)
        _answer(answered)

    def _append(self, appends: list[Append]) -> list[Exception | None]:
        if not appends:
            return []
        try:
            return self._store.append_all(appends)
        except Exception as error:
            _log.exception("a group of %d markets failed", len(appends))
            return [error] * len(appends)

    def _wait_for_lock(self, writer: Writer, jobs: list[Job], append: Append) -> None:
        """Let a market wait for its lock alone."""

        def store() -> None:
            self._store.append(*append[:3], token=append.token, generation=append.generation)
            writer.principal.stored()

        self._send_away(writer, store, partial(self._back, jobs=jobs), self._waiters)

    def _fail(self, writer: Writer, jobs: list[Job], error: Exception) -> None:
        """Undo a market's part of a group, and tell everyone in it."""
        self._groups.add_failure(writer.market)
        writer.principal.undo()
        writer.is_away = False
        is_known = isinstance(error, StoreError | LookupError)
        refusal = refusal_of(
            error if isinstance(error, StoreError) else StoreError(type(error).__name__), "store"
        )
        for job in jobs:  # also those that were refused: for what the others did, maybe
            job.error, job.answer = refusal, None
        _answer(jobs)
        if isinstance(error, LeaseLost):
            writer.is_lost = True
            self._leave(writer)
        elif not is_known:
            _log.error(
                "market %s: a group of %d failed",
                *(writer.market, len(jobs)),
                exc_info=error,
                extra={"market": writer.market},
            )
            writer.failure = line_of(error)
            self._leave(writer)
        else:
            self._give_turn(writer)

    # --- what takes longer ------------------------------------------------------------------------

    def _send_away(
        self,
        writer: Writer,
        work: Callable[[], None],
        back: Callable[[Writer, Exception | None], None],
        pool: ThreadPoolExecutor | None = None,
    ) -> None:
        """Have something done for a market on another thread, and then call ``back`` here."""
        writer.is_away = True
        self._turn.pop(writer, None)

        def do() -> None:
            error = None
            try:
                work()
            except Exception as raised:
                error = raised
            self._arrived.put(partial(back, writer, error))

        (pool or self._workers).submit(do)

    def _back(self, writer: Writer, error: Exception | None, jobs: list[Job]) -> None:
        """Commit what was carried out elsewhere, if anything is left to be stored, and answer."""
        if error is not None:
            self._fail(writer, jobs, error)
        else:
            self._returned.append((writer, jobs))

    def _recovered(self, writer: Writer, error: Exception | None) -> None:
        """Go on with a market that was rebuilt; if it could not be, tell everyone who waits."""
        jobs: list[Job] = []
        if error is not None:
            jobs = list(writer.jobs)
            writer.jobs.clear()
            self._fail(writer, jobs, error)
        else:
            writer.is_away = False
            self._give_turn(writer)

    def _load(self, writer: Writer) -> None:
        """Load a market; on another thread."""
        try:
            writer.principal = writer.load()
        except LeaseLost:
            writer.is_lost = True
        except Exception as error:
            writer.failure = line_of(error)
        self._arrived.put(partial(self._loaded, writer))

    def _loaded(self, writer: Writer) -> None:
        writer.is_away = False
        if writer.is_lost or writer.failure is not None:
            self._leaving[writer] = None
            return
        writer.saved = writer.principal.saved
        self._led[writer] = None
        writer.ready.set()

    # --- the end of a market ----------------------------------------------------------------------

    def _leave(self, writer: Writer) -> None:
        writer.is_closed = True
        self._leaving[writer] = None

    def _see_off(self) -> None:
        """End the writers that have nothing left to do, or must do nothing more."""
        for writer in list(self._leaving):
            self._snapshots.stop(writer)
            if writer.is_away or writer.is_saving:
                continue
            is_broken = writer.is_lost or writer.failure is not None
            if writer.jobs and not is_broken:
                continue
            del self._leaving[writer]
            was_led = writer in self._led
            self._led.pop(writer, None)
            self._turn.pop(writer, None)
            self._expiring.discard(writer)
            rest = list(writer.jobs)
            writer.jobs.clear()
            _refuse(rest, _ELSEWHERE)
            _answer(rest)
            save = was_led and not is_broken
            self._workers.submit(end, writer, save=save)


def _has_expired(principal: Principal) -> bool:
    """Whether plays are over, or it cannot be told, which the attempt to end them will show."""
    try:
        return principal.has_expired
    except ValueError:
        return True


def _call(principal: Principal, job: Job) -> None:
    try:
        job.answer = job.call(principal)
    except (ValueError, LookupError) as error:
        job.error = error


def _carry_out_one(principal: Principal, job: Job) -> None:
    """Carry out a request that may take its time."""
    with principal.staging():
        _call(principal, job)
    _check(principal)


def _check(principal: Principal) -> None:
    """Refuse a group in which something was carried out in part."""
    if principal.is_undone:
        raise StoreError("this group has failed: nothing of it is stored")


def _refuse(jobs: list[Job], message: str) -> None:
    """Say 503 in place of what was answered."""
    for job in jobs:
        job.answer, job.error = None, Refusal(503, "market", message, 1)


def _answer(jobs: list[Job]) -> None:
    if jobs and not jobs[0].writer.loop.is_closed():
        jobs[0].writer.loop.call_soon_threadsafe(resolve, jobs)
