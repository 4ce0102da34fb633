"""Long reads, one slice after another: statistics and journals.

Python runs one thread at a time. A caller who reads much would share it with the event loop and
the writers, and with several readers those would wait for each of them in turn. So all reading is
cut into slices of a few milliseconds, there is **one** thread that works on them, and after each it
rests for as long as the slice took: readers together get no more than half of the time, however
many they are, and wait for each other instead of keeping others waiting.

Slices are done **in turns by key**: a key with a hundred of them waits for itself. Operators and
auditors have every second turn, and seats of their own. A key has so many slices that wait, and two
exports, as a journal that is read slice by slice is called.
"""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from copyproof.service.access import Key
from copyproof.service.errors import Refusal

MOST_WAITING = 64  # slices
MOST_OF_KEY = 16  # of these
MOST_EXPORTS = 256
MOST_EXPORTS_OF_KEY = 2
_RESERVED = 4  # one in so many seats is for operators and auditors only
_LONGEST_REST = 0.1  # seconds

Slice = TypeVar("Slice")


@dataclass(slots=True)
class _Lane:
    """The slices that wait, by key; the key whose turn is next comes first."""

    waiting: dict[str, deque[tuple[Callable[[], Any], "asyncio.Future[Any]"]]] = field(
        default_factory=dict
    )

    def put(self, key: str, read: Callable[[], Any], done: "asyncio.Future[Any]") -> None:
        self.waiting.setdefault(key, deque()).append((read, done))

    def take(self) -> tuple[Callable[[], Any], "asyncio.Future[Any]"]:
        key = next(iter(self.waiting))
        mine = self.waiting.pop(key)
        one = mine.popleft()
        if mine:
            self.waiting[key] = mine  # behind all others
        return one


class Readers:
    """The thread that reads, and who waits for it; called on the event loop.

    Attributes
    ----------
    waiting : int
        How many slices wait, or are worked on.
    exports : dict
        How many exports each key has, which has any.

    Examples
    --------
    >>> from copyproof.live.stores import open_store
    >>> from copyproof.service.keys import Keyring
    >>> key, _ = Keyring(open_store("memory:"), lambda: 0.0).add("auditor")
    >>> async def read():
    ...     return await Readers().run(lambda: 6 * 7, key)
    >>> asyncio.run(read())
    42
    """

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, "reader")
        self._rests_until = 0.0
        self._staff, self._others = _Lane(), _Lane()
        self._is_staffs_turn = True
        self._is_busy = False
        self._of_key: dict[str, int] = {}
        self.waiting = 0
        self.exports: dict[str, int] = {}

    def run(
        self, read: Callable[[], Slice], key: Key, *, goes_on: bool = False
    ) -> Awaitable[Slice]:
        """Do a slice of work when its turn has come.

        Parameters
        ----------
        read : callable
            The work.
        key : Key
            The caller's.
        goes_on : bool
            Whether it is part of an export that was let in, and therefore not refused.

        Raises
        ------
        Refusal
            429 if too many of the key wait, 503 if too many do.
        """
        is_staff = _is_staff(key)
        if not goes_on:
            if self._of_key.get(key.id, 0) >= MOST_OF_KEY:
                message = f"{MOST_OF_KEY} reads with this key are waiting, try again"
                raise Refusal(429, "Authorization", message, 1)
            _check_room("readers", self.waiting, MOST_WAITING, is_staff=is_staff)
        done: asyncio.Future[Slice] = asyncio.get_running_loop().create_future()
        self.waiting += 1
        self._of_key[key.id] = self._of_key.get(key.id, 0) + 1
        (self._staff if is_staff else self._others).put(key.id, read, done)
        done.add_done_callback(lambda _: self._leave(key.id))
        self._begin_next()
        return done

    @contextmanager
    def export(self, key: Key) -> Iterator[None]:
        """Hold a seat for an export.

        Raises
        ------
        Refusal
            429 if the key has too many, 503 if there are too many.
        """
        mine = self.exports.get(key.id, 0)
        if mine >= MOST_EXPORTS_OF_KEY:
            message = f"{MOST_EXPORTS_OF_KEY} exports with this key are running, try again"
            raise Refusal(429, "Authorization", message, 5)
        _check_room("exports", sum(self.exports.values()), MOST_EXPORTS, is_staff=_is_staff(key))
        self.exports[key.id] = mine + 1
        try:
            yield
        finally:
            self.exports[key.id] -= 1
            if not self.exports[key.id]:
                del self.exports[key.id]

    def _leave(self, key: str) -> None:
        self.waiting -= 1
        self._of_key[key] -= 1
        if not self._of_key[key]:
            del self._of_key[key]

    def _begin_next(self) -> None:
        """Have the thread work on the slice whose turn it is, unless it works."""
        while not self._is_busy and (self._staff.waiting or self._others.waiting):
            first, second = self._staff, self._others
            if not self._is_staffs_turn:
                first, second = second, first
            read, done = (first if first.waiting else second).take()
            self._is_staffs_turn = not self._is_staffs_turn
            if not done.done():  # else the caller has gone away
                self._is_busy = True
                working = asyncio.get_running_loop().run_in_executor(self._pool, self._work, read)
                working.add_done_callback(partial(self._end, done))

    def _end(self, done: "asyncio.Future[Any]", worked: "asyncio.Future[Any]") -> None:
        self._is_busy = False
        error = None if worked.cancelled() else worked.exception()
        if worked.cancelled():
            done.cancel()
        elif done.done():  # the caller has gone away
            pass
        elif error is not None:
            done.set_exception(error)
        else:
            done.set_result(worked.result())
        self._begin_next()

    def _work(self, read: Callable[[], Slice]) -> Slice:
        """Rest for the slice before, then do this one; on the reading thread."""
        time.sleep(max(0.0, self._rests_until - time.monotonic()))
        began = time.monotonic()
        try:
            return read()
        finally:
            ended = time.monotonic()
            self._rests_until = ended + min(ended - began, _LONGEST_REST)

    def close(self) -> None:
        """Begin nothing new."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def _is_staff(key: Key) -> bool:
    return key.role in ("operator", "auditor")


def _check_room(what: str, count: int, most: int, *, is_staff: bool) -> None:
    """Refuse one too many; some seats are for operators and auditors."""
    if count >= (most if is_staff else most - most // _RESERVED):
        raise Refusal(503, what, f"{count} {what} are waiting, try again", 1)
