"""Long reads, one slice after another: statistics and journals.

Python runs one thread at a time. Whoever reads much would share it with the event loop and the
writers, and with several readers those would wait for each of them in turn. So all reading is cut
into slices of a few milliseconds, there is **one** thread that works on them, first come, first
served, and after each it rests for as long as the slice took: readers together get no more than
half of the time, however many they are, and wait for each other instead of keeping others waiting.
"""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from copyproof.service.errors import Refusal

MOST_WAITING = 64  # slices
_LONGEST_REST = 0.1  # seconds

Slice = TypeVar("Slice")


class Readers:
    """The thread that reads.

    Examples
    --------
    >>> asyncio.run(Readers().run(lambda: 6 * 7))
    42
    """

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, "reader")
        self._rests_until = 0.0
        self.waiting = 0  # counted on the event loop

    async def run(self, read: Callable[[], Slice]) -> Slice:
        """Do a slice of work when its turn has come.

        Raises
        ------
        Refusal
            503 if too many are waiting.
        """
        if self.waiting >= MOST_WAITING:
            raise Refusal(503, "readers", f"{MOST_WAITING} readers are waiting, try again", 1)
        self.waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, self._work, read)
        finally:
            self.waiting -= 1

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
