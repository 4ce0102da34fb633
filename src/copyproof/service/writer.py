"""One market's writer, as requests see it: where they are put, and what becomes of them.

A writer has no thread of its own: the ``committer`` carries out the requests of all markets of the
process, one market after another, and stores them together. Most requests are brief. One that may
take longer (a thousand arms, statistics of all agents) says so, and is carried out on another
thread, so that it holds up its own market only.

A ``ServedMarket`` is what the service knows of a market; it has a writer while this process holds
the market's lease (``leadership``).
"""

import asyncio
import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from copyproof.live import Principal
from copyproof.live.clock import GuardedClock, counted_seconds
from copyproof.live.journaled import Later
from copyproof.service.admission import Door
from copyproof.service.errors import Refusal
from copyproof.service.metrics import Histogram, MarketSizes

_log = logging.getLogger("copyproof.service")

Answer = TypeVar("Answer")


@dataclass(slots=True, eq=False)
class Job:
    """A request that waits to be carried out and stored."""

    writer: "Writer"
    call: Callable[[Principal], Any]
    future: "asyncio.Future[Any]"
    brief: bool
    answer: Any = None
    error: Exception | None = None


class Serving(Protocol):
    """What carries requests out."""

    def put(self, job: Job) -> None:
        """Take a request in."""

    def lead(self, writer: "Writer") -> None:
        """Load a writer's market, and then serve it."""

    def save(self, writer: "Writer", done: Callable[[], None]) -> None:
        """Have a market saved while it is served, and say when that is done."""

    def leave(self, writer: "Writer") -> None:
        """Serve a writer's market no more."""


class Writer:
    """The only writer of one market in this process.

    Parameters
    ----------
    market : str
        The market's name.
    load : callable
        Opens the market; called on a thread that may take its time.
    loop : AbstractEventLoop
        Where requests come from, and answers go.
    committer : Serving
        What carries requests out.
    most : int
        The most requests that wait.
    ended : callable
        Told when the writer has ended, and whether it lost its lease; on another thread.

    Attributes
    ----------
    ready : Event
        Set once the market is loaded.
    over : Event
        Set once the writer has ended.
    failure : str or None
        Why it ended, if it should not have.
    held_until : float
        Until when the lease is held in any case, in counted seconds; set by the thread of leases.
    waiting : int
        How many requests wait for their answer; counted on the event loop.
    sizes : MarketSizes
        How large the market is, for metrics; noted by the committer.
    principal, jobs, is_away, seen
        The market, its requests in order, whether another thread works on it, and its last event
        when it was looked at. These, and the following, are the committer's own.
    is_saving, saved, began, rested
        Whether a snapshot is being taken, the event after which one was taken last, when it was
        begun, and when a busy market may take the next one.
    tries, awaited
        How many copies were begun for the snapshot that is being taken, and who is told of its end.
    is_handed_over
        Whether another process waits for the market.
    """

    principal: Principal

    def __init__(
        self,
        market: str,
        load: Callable[[], Principal],
        loop: asyncio.AbstractEventLoop,
        committer: Serving,
        *,
        most: int,
        ended: Callable[[bool], None],
    ) -> None:
        self.market = market
        self.load = load
        self.loop = loop
        self.sizes = MarketSizes()
        self.ready = threading.Event()
        self.over = threading.Event()
        self.failure: str | None = None
        self.held_until = 0.0
        self.waiting = 0
        self.is_lost = False
        self.is_closed = False
        self.jobs: deque[Job] = deque()
        self.is_away = True  # until it is loaded
        self.seen = -1
        self.is_saving = False
        self.saved = 0
        self.began = self.rested = 0.0
        self.tries = 0
        self.awaited: list[Callable[[], None]] = []
        self.is_handed_over = False
        self._committer = committer
        self._most = most
        self._ended = ended

    @property
    def rests(self) -> bool:
        """Whether nobody works on the market just now, and it is as the store has it."""
        return not self.is_away and not self.principal.is_undone

    @property
    def is_held(self) -> bool:
        """Whether no other process can have the lease now, even if this one has slept."""
        return counted_seconds() < self.held_until

    def start(self) -> None:
        """Load the market, then serve it."""
        self._committer.lead(self)

    def stop(self) -> None:
        """Serve what is waiting, then end."""
        self.is_closed = True
        self._committer.leave(self)

    def save(self) -> threading.Event:
        """Have the market saved while it is served, as it will be handed over; set once it is."""
        self.is_handed_over = True
        saved = threading.Event()
        self._committer.save(self, saved.set)
        return saved

    def lose(self) -> None:
        """Serve no more: the lease is somebody else's."""
        self.is_lost = True
        self.stop()

    def join(self) -> None:
        """Wait until it has ended."""
        self.over.wait()

    def end(self) -> None:
        """Tell that it has ended."""
        self._ended(self.is_lost)
        self.over.set()

    def submit(
        self, call: Callable[[Principal], Answer], *, brief: bool = False
    ) -> "asyncio.Future[Answer]":
        """Have a request carried out; called on the event loop.

        Returns
        -------
        Future
            The answer, after its sync.

        Raises
        ------
        Refusal
            503 if the market is still being loaded, or too many wait.
        """
        if self.is_closed or not self.ready.is_set():
            raise Refusal(503, "market", "the market is being loaded, try again", 1)
        if self.waiting >= self._most:
            raise Refusal(503, "market", "too many requests are waiting, try again", 1)
        job = Job(self, call, self.loop.create_future(), brief)
        self.waiting += 1
        self._committer.put(job)
        return job.future


def resolve(jobs: list[Job]) -> None:
    """Hand out the answers of a group; on the event loop."""
    for job in jobs:
        job.writer.waiting -= 1
        if job.future.done():  # the caller has gone away
            continue
        if job.error is None:
            found = job.answer  # some come later than the call, but before the sync
            job.future.set_result(found.rows if isinstance(found, Later) else found)
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
        The fencing token of that lease, and when it was renewed, in counted seconds.
    clock : GuardedClock or None
        The market's clock, while there is a writer.
    failure, failures, not_before
        Why the market could not be loaded, how often in a row, and when to try again.
    answered : dict
        How many "decisions" and "rewards" this process has answered for; counted on the event loop.
    seconds : Histogram
        How long requests for decisions took, from their beginning to their answer.
    door : Door
        Where requests for decisions and rewards come in.
    is_changing, leader
        Whether no process that goes on has the market's lease, and where the one that has is
        reached.
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
        self.seconds = Histogram()
        self.door = Door()
        self.is_changing = True  # until it was looked
        self.leader: str | None = None

    @property
    def is_led(self) -> bool:
        """Whether this process serves the market now."""
        return self.writer is not None and self.writer.ready.is_set()

    def submit(
        self, call: Callable[[Principal], Answer], *, brief: bool = False
    ) -> "asyncio.Future[Answer]":
        """Have something done by the market's writer; refuse if it is elsewhere."""
        writer = self.writer
        if writer is None:
            if self.leader is not None:  # which can load it, even if this one could not
                message = f"another process serves this market: {self.leader}"
                raise Refusal(307, "market", message, elsewhere=self.leader)
            if self.failure is not None:
                raise Refusal(503, "market", "the market cannot be loaded: see the log", 5)
            message = "another process serves this market, or it is not loaded yet"
            raise Refusal(503, "market", message, 1)
        return writer.submit(call, brief=brief)

    def set_clock(self, principal: Principal, at: float | None, key: str | None) -> float:
        """Set the market's clock to a time, or to what the machine says; called by the writer."""
        clock = self.clock
        assert clock is not None
        before = principal.now
        if (answered := principal.clock_answer(at, key)) is not None:
            return answered
        found = principal.set_clock(at, key=key, now=clock.wall)
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
