"""A market with thousands of requests leaves room for the others."""

import asyncio
import threading
import time
from typing import Any

import pytest

from copyproof.live import Principal
from copyproof.live.stores import open_store
from copyproof.service import admission
from copyproof.service.admission import ALONE, AMONG_OTHERS, Admission, Door
from copyproof.service.committer import Committer
from copyproof.service.errors import Refusal
from copyproof.service.metrics import GroupMetrics
from copyproof.service.writer import Job, Writer
from tests.service.conftest import Service


def test_a_market_alone_has_room_for_many_and_among_others_for_few() -> None:
    async def crowd() -> None:
        now = [0.0]
        doors = Admission(lambda: now[0])
        busy, other = Door(), Door()
        waiting = [asyncio.create_task(doors.enter(busy)) for _ in range(ALONE + 10)]
        await asyncio.sleep(0)
        assert (busy.inside, busy.waiting) == (ALONE, 10)
        await doors.enter(other)  # at once
        assert (other.inside, doors.room) == (1, AMONG_OTHERS)
        for _ in range(ALONE - AMONG_OTHERS + 1):
            doors.leave(busy)
        assert (busy.inside, busy.waiting) == (AMONG_OTHERS, 9)
        for _ in range(9):
            doors.leave(busy)
        await asyncio.gather(*waiting)
        assert (busy.inside, busy.waiting) == (AMONG_OTHERS, 0)
        doors.leave(other)
        now[0] = 5.0
        await doors.enter(busy)
        assert doors.room == ALONE

    asyncio.run(crowd())


def test_nobody_waits_for_long_and_the_first_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admission, "ALONE", 1)
    monkeypatch.setattr(admission, "LONGEST", 0.05)

    async def crowd() -> None:
        doors, door = Admission(), Door()
        doors.room = 1
        await doors.enter(door)
        with pytest.raises(Refusal) as refused:
            await doors.enter(door)
        assert (refused.value.status, refused.value.retry) == (503, 1)
        came: list[int] = []

        async def one(n: int) -> None:
            await doors.enter(door)
            came.append(n)
            doors.leave(door)

        monkeypatch.setattr(admission, "LONGEST", 30.0)
        some = [asyncio.create_task(one(n)) for n in range(5)]
        await asyncio.sleep(0)
        some[2].cancel()
        await asyncio.sleep(0)
        doors.leave(door)
        await asyncio.gather(*some, return_exceptions=True)
        assert came == [0, 1, 3, 4]
        assert (door.inside, door.waiting) == (0, 0)

    asyncio.run(crowd())


def test_requests_that_wait_are_refused_over_http(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admission, "LONGEST", 0.05)
    leadership = service.running.app.leadership
    door = leadership.markets["site"].door
    before, door.inside = door.inside, ALONE
    try:
        refused = service.caller("application")("POST", "/v1/markets/site/decisions")
        assert (refused.status, refused.field, refused.headers["retry-after"]) == (
            *(503, "market"),
            "1",
        )
        other = service.caller("shop application")("POST", "/v1/markets/shop/decisions")
        assert other.status == 200
    finally:
        door.inside = before
    assert service.caller("application")("POST", "/v1/markets/site/decisions").status == 200


def test_each_market_has_a_share_of_a_group() -> None:
    """A market with much to do does not take the whole time of a group."""
    store = open_store("memory:")
    committer = Committer(store, GroupMetrics())
    loop = asyncio.new_event_loop()
    writers = []
    for name in ("busy", "other"):
        principal = Principal(store=store, market=name)
        principal.register_arm("ann", "a")
        writer = Writer(name, Principal, loop, committer, most=100, ended=lambda _: None)
        writer.principal, writer.is_away = principal, False
        committer._led[writer] = None
        writers.append(writer)
    busy, other = writers
    done: list[str] = []

    def slow(market: str) -> Any:
        def call(_: Principal) -> None:
            time.sleep(0.004)
            done.append(market)

        return call

    for _ in range(20):
        busy.jobs.append(Job(busy, slow("busy"), loop.create_future(), True))
    other.jobs.append(Job(other, slow("other"), loop.create_future(), True))
    committer._give_turn(busy)
    committer._give_turn(other)
    committer._serve()
    assert "other" in done
    assert done.count("busy") < 20
    assert threading.current_thread() is not committer
    loop.close()
