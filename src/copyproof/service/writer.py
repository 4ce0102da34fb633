"""One market's writer: a thread, a queue, and one sync for all that wait.

Requests of a market are put into its queue. The writer takes **all** that are waiting, runs them
one after another on the principal, and commits them together (group commit): while one group
waits for the disk, the next one gathers. Nobody is answered before the sync of their group. If it
fails, nothing of the group happened, the principal is rebuilt from the store, and everyone in the
group is told to try again.

The thread also loads the market before its first group, ends plays whose reward window is over, and
takes a snapshot now and then, so that the next start is short.

A ``ServedMarket`` is what requests see of all that; it has a writer while this process holds the
market's lease (``leadership``).
"""

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from copyproof.live import Principal
from copyproof.live.clock import GuardedClock
from copyproof.live.stores import LeaseLost, StoreError
from copyproof.service.errors import Refusal, refusal_of
from copyproof.service.metrics import GroupMetrics, MarketSizes

_log = logging.getLogger("copyproof.service")

_GROUP = 1024  # the most requests in one group
_EXPIRE_EVERY = 1.0  # seconds between two looks for plays whose reward window is over
_SNAPSHOT_IDLE = 10_000  # events after which a snapshot is taken when nothing else is to do
# Events after which it is taken anyway: it may keep requests waiting, but so would a replay.
_SNAPSHOT_BUSY = 100_000
# How many times as long as the last one took a busy market then goes without one.
_SNAPSHOT_REST = 100.0

Answer = TypeVar("Answer")


@dataclass(slots=True, eq=False)
class _Job:
    call: Callable[[Principal], Any]
    future: "asyncio.Future[Any]"
    answer: Any = None
    error: Exception | None = None


class Writer(threading.Thread):
    """The only writer of one market in this process: a thread that loads and then serves it.

    Parameters
    ----------
    market : str
        The market's name.
    load : callable
        Opens the market; called on the writer's own thread.
    loop : AbstractEventLoop
        Where requests come from, and answers go.
    waiting : int
        The most requests in the queue.
    groups : GroupMetrics
        Where groups are counted.
    ended : callable
        Told, on the writer's thread, when the writer has ended, and whether it lost its lease.
    """

    def __init__(
        self,
        market: str,
        load: Callable[[], Principal],
        loop: asyncio.AbstractEventLoop,
        *,
        waiting: int,
        groups: GroupMetrics,
        ended: Callable[[bool], None],
    ) -> None:
        super().__init__(name=f"writer of {market}", daemon=True)
        self.sizes = MarketSizes()
        self.ready = threading.Event()
        self.failure: str | None = None
        self._market = market
        self._load = load
        self._loop = loop
        self._waiting = waiting
        self._groups = groups
        self._ended = ended
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._lost = False
        self._closed = False
        self._over = False

    def stop(self) -> None:
        """Serve what is waiting, then end."""
        self._closed = True
        self._jobs.put(None)

    def lose(self) -> None:
        """Serve no more: the lease is somebody else's."""
        self._lost = True
        self.stop()

    @property
    def waiting(self) -> int:
        """How many requests are in the queue."""
        return self._jobs.qsize()

    def submit(self, call: Callable[[Principal], Answer]) -> "asyncio.Future[Answer]":
        """Put a request into the queue; called on the event loop.

        Returns
        -------
        Future
            The answer, after its sync.

        Raises
        ------
        Refusal
            503 if the market is still being loaded, or too many wait.
        """
        if self._closed or not self.ready.is_set():
            raise Refusal(503, "market", "the market is being loaded, try again", 1)
        if self._jobs.qsize() >= self._waiting:
            raise Refusal(503, "market", "too many requests are waiting, try again", 1)
        job = _Job(call, self._loop.create_future())
        self._jobs.put(job)
        if self._over:  # it ended just now, and may not look into its queue again
            self._refuse_rest()
        return job.future

    # --- on the writer's thread ----------------------------------------------------------------

    def run(self) -> None:
        """Load the market, then serve it to the end."""
        try:
            self._serve(self._load())
        except LeaseLost:
            self._lost = True
        except Exception as error:
            self.failure = " ".join(f"{type(error).__name__}: {error}".split())
        finally:
            self._closed = self._over = True
            self._refuse_rest()
            self._ended(self._lost)

    def _serve(self, principal: Principal) -> None:
        saved, rested = principal.saved, 0.0
        self.ready.set()
        expired = time.monotonic()
        more = True
        while more and not self._lost:
            jobs, more = self._take()
            now = time.monotonic()
            expire = now - expired >= _EXPIRE_EVERY
            if expire:
                expired = now
            if jobs or expire:
                self._group(principal, jobs, expire)
            if expire:
                self._note_sizes(principal)
            new = principal.last - saved
            busy = new >= _SNAPSHOT_BUSY and now >= rested
            idle = new >= _SNAPSHOT_IDLE and not jobs
            if busy or idle:
                took = self._snapshot(principal)
                saved, rested = principal.last, time.monotonic() + _SNAPSHOT_REST * took
        if not self._lost and principal.last > saved:
            self._snapshot(principal)

    def _take(self) -> tuple[list[_Job], bool]:
        """Wait for requests, and take all there are; also whether to go on after them."""
        jobs: list[_Job] = []
        with contextlib.suppress(Empty):
            while len(jobs) < _GROUP:
                job = self._jobs.get(block=not jobs, timeout=_EXPIRE_EVERY)
                if job is None:
                    return jobs, False
                jobs.append(job)
        return jobs, True

    def _group(self, principal: Principal, jobs: list[_Job], expire: bool) -> None:
        began = done = time.perf_counter()
        try:
            with principal.group():
                if expire:
                    principal.expire()
                for job in jobs:
                    try:
                        job.answer = job.call(principal)
                    except (ValueError, LookupError) as error:
                        job.error = error
                done = time.perf_counter()
        except StoreError as error:
            self._failed(jobs, error)
            if isinstance(error, LeaseLost):
                self._lost = True
        except Exception as error:
            _log.exception(
                "market %s: a group of %d failed",
                *(self._market, len(jobs)),
                extra={"market": self._market},
            )
            self._failed(jobs, StoreError(f"internal error ({type(error).__name__})"))
            raise
        else:
            if jobs:
                now = time.perf_counter()
                self._groups.add(len(jobs), now - began, now - done)
        self._answer(jobs)

    def _failed(self, jobs: list[_Job], error: StoreError) -> None:
        self._groups.add_failure(self._market)
        refusal = refusal_of(error, "store")
        for job in jobs:  # also those that were refused: for what the others did, maybe
            job.error = refusal

    def _snapshot(self, principal: Principal) -> float:
        """Take one if possible; how many seconds that took."""
        began = time.monotonic()
        try:
            principal.snapshot()
            self.sizes.saved = time.monotonic()
            self._note_sizes(principal)
        except StoreError as error:  # only a shortcut: the journal is the truth
            _log.warning(
                "market %s: no snapshot was taken: %s",
                *(self._market, error),
                extra={"market": self._market},
            )
        return time.monotonic() - began

    def _note_sizes(self, principal: Principal) -> None:
        self.sizes.unsaved = principal.last - principal.saved
        with contextlib.suppress(StoreError):  # after a failure it is read anew, or not yet
            self.sizes.pending = principal.pending

    def _refuse_rest(self) -> None:
        jobs = []
        with contextlib.suppress(Empty):
            while True:
                job = self._jobs.get_nowait()
                if job is not None:
                    job.error = Refusal(503, "market", "another process serves this market", 1)
                    jobs.append(job)
        self._answer(jobs)

    def _answer(self, jobs: list[_Job]) -> None:
        if jobs and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(_resolve, jobs)


def _resolve(jobs: list[_Job]) -> None:
    """Hand out the answers of a group; on the event loop."""
    for job in jobs:
        if job.future.done():  # the caller has gone away
            continue
        if job.error is None:
            job.future.set_result(job.answer)
        else:
            job.future.set_exception(job.error)


class ServedMarket:
    """A market of the store, as this process sees it.

    Attributes
    ----------
    name : str
        Its name.
    config : dict
        What it was created with.
    writer : Writer or None
        There while this process has the market's lease.
    elsewhere : bool
        Whether another process had it when this one last looked.
    token, renewed
        The fencing token of that lease, and when it was renewed.
    clock : GuardedClock or None
        The market's clock, while there is a writer.
    failure, failures, not_before
        Why the market could not be loaded, how often in a row, and when to try again.
    answered : dict
        How many "decisions" and "rewards" this process has answered for; counted on the event loop.
    """

    def __init__(self, name: str, config: dict[str, Any]) -> None:
        self.name = name
        self.config = config
        self.writer: Writer | None = None
        self.elsewhere = False
        self.clock: GuardedClock | None = None
        self.token = 0
        self.renewed = 0.0
        self.failure: str | None = None
        self.failures = 0
        self.not_before = 0.0
        self.answered = {"decisions": 0, "rewards": 0}

    @property
    def is_led(self) -> bool:
        """Whether this process serves the market now."""
        return self.writer is not None and self.writer.ready.is_set()

    def submit(self, call: Callable[[Principal], Answer]) -> "asyncio.Future[Answer]":
        """Have something done by the market's writer; refuse if it is elsewhere."""
        writer = self.writer
        if writer is None:
            if self.failure is not None:
                raise Refusal(503, "market", "the market cannot be loaded: see the log", 5)
            message = "another process serves this market, or it is not loaded yet"
            raise Refusal(503, "market", message, 1)
        return writer.submit(call)

    def set_clock(self, principal: Principal, at: float | None, key: str | None) -> float:
        """Set the market's clock to a time, or to what the machine says; called by the writer."""
        clock = self.clock
        assert clock is not None
        before = principal.now
        found = principal.set_clock(clock.wall() if at is None else at, key=key)
        clock.set(found)
        _log.warning(
            "market %s: its clock was set from %.3f to %.3f",
            *(self.name, before, found),
            extra={"market": self.name},
        )
        return found

    def wait(self, seconds: float) -> None:
        """Wait until the market is loaded, or cannot be."""
        until = time.monotonic() + seconds
        while (writer := self.writer) is not None and time.monotonic() < until:
            if writer.ready.wait(0.05):
                return
