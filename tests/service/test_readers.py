"""Long reads go in turns by key, on a thread of their own."""

import asyncio
import http.client
import threading
import time
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import pytest

from copyproof.live.stores import open_store
from copyproof.service import feed
from copyproof.service.access import Key
from copyproof.service.errors import Refusal
from copyproof.service.keys import Keyring
from copyproof.service.readers import (
    MOST_EXPORTS,
    MOST_EXPORTS_OF_KEY,
    MOST_OF_KEY,
    MOST_WAITING,
    Readers,
)
from tests.service.conftest import Service

OPERATOR, _ = Keyring(open_store("memory:"), lambda: 0.0).add("operator")


def agent(name: str) -> Key:
    return replace(OPERATOR, id=name, role="agent", agent=name)


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
        return await asyncio.gather(
            *(readers.run(partial(read, n), OPERATOR) for n in range(MOST_OF_KEY))
        )

    assert asyncio.run(all_of_them()) == list(range(MOST_OF_KEY))
    assert [n for n, _ in seen] == list(range(MOST_OF_KEY))
    assert len({name for _, name in seen}) == 1
    assert readers.waiting == 0


def _order(requests: list[tuple[Key, str]]) -> list[str]:
    """In which order slices are done that come while the thread works."""
    readers, done = Readers(), list[str]()
    held = threading.Event()

    async def all_of_them() -> None:
        first = readers.run(held.wait, agent("zoe"))
        waiting = [
            readers.run(partial(done.append, name), key, goes_on=True) for key, name in requests
        ]
        held.set()
        await asyncio.gather(first, *waiting)

    asyncio.run(all_of_them())
    return done


def test_keys_take_turns() -> None:
    ann, bob = agent("ann"), agent("bob")
    requests = [(ann, f"ann {n}") for n in range(4)] + [(bob, "bob 0"), (bob, "bob 1")]
    assert _order(requests) == ["ann 0", "bob 0", "ann 1", "bob 1", "ann 2", "ann 3"]


def test_operators_have_every_second_turn() -> None:
    crowd = [(agent(f"a{n}"), f"a{n}") for n in range(100)]
    order = _order([*crowd, (OPERATOR, "operator 0"), (OPERATOR, "operator 1")])
    assert {"operator 0", "operator 1"} <= set(order[:4])


def test_an_error_is_the_readers_own_and_too_many_are_refused() -> None:
    readers = Readers()
    held = threading.Event()

    async def crowd() -> None:
        with pytest.raises(ZeroDivisionError):
            await readers.run(lambda: 1 // 0, OPERATOR)
        waiting = [readers.run(held.wait, agent("ann")) for _ in range(MOST_OF_KEY)]
        with pytest.raises(Refusal) as refused:
            readers.run(lambda: 1, agent("ann"))
        assert (refused.value.status, refused.value.retry) == (429, 1)
        room = MOST_WAITING - MOST_WAITING // 4 - MOST_OF_KEY
        waiting += [readers.run(held.wait, agent(f"a{n}")) for n in range(room)]
        with pytest.raises(Refusal) as refused:
            readers.run(held.wait, agent("one more"))
        assert (refused.value.status, refused.value.retry) == (503, 1)
        assert len(waiting) < MOST_WAITING
        waiting.append(readers.run(held.wait, OPERATOR))  # which has seats of its own
        held.set()
        await asyncio.gather(*waiting)
        assert await readers.run(lambda: 1, agent("ann")) == 1

    asyncio.run(crowd())


def test_a_caller_that_has_gone_is_passed_over() -> None:
    readers = Readers()
    held, done = threading.Event(), list[str]()

    async def crowd() -> None:
        first = readers.run(held.wait, OPERATOR)
        gone = asyncio.ensure_future(readers.run(lambda: done.append("gone"), OPERATOR))
        last = readers.run(lambda: done.append("last"), OPERATOR)
        gone.cancel()
        held.set()
        await asyncio.gather(first, last)

    asyncio.run(crowd())
    assert done == ["last"]
    assert readers.waiting == 0


def test_a_key_has_two_exports_and_operators_have_seats_of_their_own() -> None:
    readers = Readers()
    ann = agent("ann")
    with readers.export(ann), readers.export(ann):
        with pytest.raises(Refusal) as refused, readers.export(ann):
            pass
        assert (refused.value.status, refused.value.retry) == (429, 5)
    assert readers.exports == {}
    with ExitStack() as seats:
        for n in range(MOST_EXPORTS - MOST_EXPORTS // 4):
            seats.enter_context(readers.export(agent(f"a{n}")))
        with pytest.raises(Refusal) as refused, readers.export(ann):
            pass
        assert refused.value.status == 503
        seats.enter_context(readers.export(OPERATOR))


def _begun(service: Service, whose: str, path: str) -> tuple[Any, http.client.HTTPResponse]:
    """Ask, and read none of the answer's body."""
    parts = urlsplit(service.url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)
    connection.request("GET", path, headers={"Authorization": f"Bearer {service.keys[whose]}"})
    return connection, connection.getresponse()


def test_exports_over_http_hold_seats_until_they_end(service: Service) -> None:
    path = "/v1/markets/site/agents/ann/journal"
    readers = service.running.app.leadership.readers
    key = service.running.app.leadership.keyring.held[service.keys["agent"].split("_")[1]]
    with ExitStack() as seats:
        for _ in range(MOST_EXPORTS_OF_KEY):
            seats.enter_context(readers.export(key))
        refused = service.caller("agent")("GET", path)
        assert (refused.status, refused.headers["retry-after"]) == (429, "5")
        assert service.caller("bob")("GET", path.replace("ann", "bob")).status == 200
        assert service.caller("auditor")("GET", "/v1/markets/site/journal").status == 200
        own = service.caller("agent")("GET", "/v1/markets/site/agents/ann/statistics")
        assert own.status == 200
    assert service.caller("agent")("GET", path).status == 200
    until = time.monotonic() + 10
    while readers.exports and time.monotonic() < until:
        time.sleep(0.01)
    assert readers.exports == {}


def test_agents_cannot_take_all_streams(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "MOST", 4)
    monkeypatch.setattr(feed, "MOST_OF_KEY", {"agent": 2})
    path = "/v1/events?market=site"
    streams = [_begun(service, whose, path) for whose in ("agent", "agent", "agent", "bob", "bob")]
    assert [answer.status for _, answer in streams] == [200, 200, 429, 200, 503]
    streams.append(_begun(service, "operator", path))
    assert streams[-1][1].status == 200
    for connection, answer in streams:
        answer.close()
        connection.close()
