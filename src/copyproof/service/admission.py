"""Who comes in: so many requests of a market at a time, and the others wait for a while.

All requests share one event loop, which serves what has come in before it looks for more. A market
with thousands of connections would fill it, and every request of another market would wait for all
of them. So while several markets are asked, each has a few requests inside, which is enough to keep
the writer busy, and a queue before the door. A market that is asked alone may have many inside.
Nobody waits in the queue for longer than ``LONGEST``: then the answer is 503.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable

from copyproof.service.errors import Refusal

ALONE, AMONG_OTHERS = 1024, 64  # requests of one market inside
LONGEST = 1.0  # seconds in the queue
_RECENT = 1.0  # seconds for which a market counts as asked
_LOOK_EVERY = 0.1  # seconds


class Door:
    """The requests of one market: how many are inside, and who waits.

    Attributes
    ----------
    inside : int
        How many are served.
    queue : deque
        Who waits, the longest waiting first; some may have given up.
    asked : float
        When somebody came last.
    """

    __slots__ = ("asked", "inside", "queue")

    def __init__(self) -> None:
        self.inside = 0
        self.queue: deque[asyncio.Future[None]] = deque()
        self.asked = 0.0

    @property
    def waiting(self) -> int:
        """How many wait."""
        return sum(not one.done() for one in self.queue)


class Admission:
    """The doors of all markets; called on the event loop.

    Parameters
    ----------
    clock : callable
        Seconds; must never run backwards.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._doors: dict[Door, None] = {}  # of markets that are asked
        self._looked = 0.0
        self.room = ALONE

    async def enter(self, door: Door) -> None:
        """Come in, at once or when it is one's turn; ``leave`` must follow.

        Raises
        ------
        Refusal
            503 after ``LONGEST`` seconds in the queue.
        """
        door.asked = now = self._clock()
        self._doors[door] = None
        if now >= self._looked + _LOOK_EVERY or len(self._doors) == 2:
            self._look(now)
        while door.queue and door.queue[0].done():  # it has given up
            door.queue.popleft()
        if door.inside < self.room and not door.queue:
            door.inside += 1
            return
        await self._wait(door)

    def leave(self, door: Door) -> None:
        """Go, and let the next one in."""
        door.inside -= 1
        while door.queue and door.inside < self.room:
            one = door.queue.popleft()
            if not one.done():
                door.inside += 1
                one.set_result(None)

    def _look(self, now: float) -> None:
        """See which markets are asked."""
        self._looked = now
        self._doors = {
            door: None
            for door in self._doors
            if door.asked >= now - _RECENT or door.inside or door.queue
        }
        self.room = ALONE if len(self._doors) < 2 else AMONG_OTHERS

    async def _wait(self, door: Door) -> None:
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[None] = loop.create_future()
        door.queue.append(turn)
        timer = loop.call_later(LONGEST, _give_up, turn)
        try:
            await turn
        except asyncio.CancelledError:  # the server stops
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self.leave(door)
            raise
        finally:
            timer.cancel()


def _give_up(turn: "asyncio.Future[None]") -> None:
    if not turn.done():
        message = "too many requests for this market are waiting, try again"
        turn.set_exception(Refusal(503, "market", message, 1))
