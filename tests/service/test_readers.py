"""Long reads go one after another, on a thread of their own."""

import asyncio
import threading
import time
from functools import partial

import pytest

from copyproof.service.errors import Refusal
from copyproof.service.readers import MOST_WAITING, Readers


def test_one_at_a_time_in_order_on_one_thread() -> None:
    readers = Readers()
    seen: list[tuple[int, str]] = []
    inside = threading.Lock()

    def read(n: int) -> int:
        assert inside.acquire(blocking=False)
        seen.append((n, threading.current_thread().name))
        time.sleep(0.002)
        inside.release()
        return n

    async def all_of_them() -> list[int]:
        return await asyncio.gather(*(readers.run(partial(read, n)) for n in range(20)))

    assert asyncio.run(all_of_them()) == list(range(20))
    assert [n for n, _ in seen] == list(range(20))
    assert len({name for _, name in seen}) == 1
    assert readers.waiting == 0


def test_an_error_is_the_readers_own_and_too_many_are_refused() -> None:
    readers = Readers()
    held = threading.Event()

    async def crowd() -> None:
        with pytest.raises(ZeroDivisionError):
            await readers.run(lambda: 1 // 0)
        waiting = [asyncio.create_task(readers.run(held.wait)) for _ in range(MOST_WAITING)]
        await asyncio.sleep(0.01)
        with pytest.raises(Refusal) as refused:
            await readers.run(lambda: 1)
        assert (refused.value.status, refused.value.retry) == (503, 1)
        held.set()
        await asyncio.gather(*waiting)
        assert await readers.run(lambda: 1) == 1

    asyncio.run(crowd())
