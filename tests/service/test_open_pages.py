"""Pages that need no key are written once, and take little from those who have one."""

import asyncio
import threading

import pytest

from copyproof.service import reference
from copyproof.service.errors import Refusal
from copyproof.service.open_pages import Pace
from tests.service.conftest import Service
from tests.service.serving import Caller


@pytest.mark.parametrize("path", ["/docs", "/openapi.json"])
def test_a_page_is_written_once_and_has_a_tag(
    service: Service, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = Caller(service.url)
    first = call("GET", path)
    assert first.status == 200

    def fail(document: object) -> str:
        raise AssertionError("rendered again")

    monkeypatch.setattr(reference, "reference_page", fail)
    again = call("GET", path)
    assert (again.status, again.body) == (200, first.body)
    had = call("GET", path, headers={"If-None-Match": first.headers["etag"]})
    assert (had.status, had.body) == (304, b"")


def test_pages_wait_for_their_turn_and_are_refused_first(service: Service) -> None:
    gateway = service.running.app
    before = gateway._pages, gateway._probes, gateway._strangers
    gateway._pages = Pace(1e-3, 2, 0.01)
    gateway._probes = Pace(1e-3, 1, 0.01)
    gateway._strangers = Pace(1e-3, 1, 0.01)
    try:
        stranger = Caller(service.url)
        assert [stranger("GET", "/docs").status for _ in range(3)] == [200, 200, 503]
        refused = stranger("GET", "/console/main.js")
        assert (refused.status, refused.field, refused.headers["retry-after"]) == (503, "path", "5")
        assert [stranger("GET", "/healthz").status for _ in range(3)] == [200] * 3
        assert [stranger("GET", "/v1/markets").status for _ in range(3)] == [401] * 3
        decided = service.caller()("POST", "/v1/markets/site/decisions", {})
        assert decided.status == 200
    finally:
        gateway._pages, gateway._probes, gateway._strangers = before


def test_the_last_in_the_queue_waits_as_long_as_those_who_are_refused() -> None:
    now = [0.0]
    pace = Pace(10.0, 2, 0.15, lambda: now[0])
    assert [pace.wait() for _ in range(4)] == [0.0, 0.0, pytest.approx(0.1), None]
    now[0] = 10.0
    assert [pace.wait() for _ in range(3)] == [0.0, 0.0, pytest.approx(0.1)]


def test_a_refusal_takes_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr("copyproof.service.open_pages.asyncio.sleep", sleep)
    pace = Pace(1.0, 1, 0.5, lambda: 0.0)
    asyncio.run(pace.turn(refuses=True))
    with pytest.raises(Refusal):
        asyncio.run(pace.turn(refuses=True))
    asyncio.run(pace.turn(refuses=False))
    assert slept == [0.5, 0.5]


def test_pages_are_written_on_another_thread(service: Service) -> None:
    threads: list[str] = []

    def document() -> dict[str, object]:
        threads.append(threading.current_thread().name)
        return {"components": {"schemas": {}}, "paths": {}, "info": {"title": "", "summary": ""}}

    async def both() -> None:
        pages = reference.DescribedPages(document)
        await asyncio.gather(pages.written(), pages.written())

    asyncio.run(both())
    assert len(threads) == 1
    assert threads != [threading.current_thread().name]
