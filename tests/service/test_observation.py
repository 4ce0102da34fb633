"""Every answer carries the id of its request; the log says whose it was, and never the key."""

import io
import json
import logging
import re
from collections.abc import Iterator
from typing import Any

import pytest

from copyproof.live.stores import open_store
from copyproof.service.logs import set_up
from tests.service.conftest import Service, filled
from tests.service.serving import serving

ASK = "/v1/markets/site/decisions"


@pytest.fixture
def logged() -> Iterator[tuple[Service, io.StringIO]]:
    """A service that writes a line for every request, and where it writes them."""
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    stream = io.StringIO()
    set_up("json", "warning", stream)
    store = open_store("memory:")
    keys = filled(store)
    try:
        with serving(store, log_requests=True) as running:
            yield Service(running, store, keys), stream
    finally:
        root.handlers[:] = before
        root.setLevel(level)


def _lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


@pytest.mark.parametrize("path", [ASK, "/v1/markets/site/head", "/healthz", "/none", "/v1/keys"])
@pytest.mark.parametrize("whose", ["application", "nobody"])
def test_an_id_is_taken_over(service: Service, path: str, whose: str) -> None:
    call = service.caller("application")
    call.key = None if whose == "nobody" else call.key
    method = "POST" if path == ASK else "GET"
    answer = call(method, path, headers={"X-Request-Id": "abc-1.2:3"})
    assert answer.headers["x-request-id"] == "abc-1.2:3"


@pytest.mark.parametrize("given", ["", "two words", "x" * 129, 'a"b', "-x", "é", "a;b"])
def test_an_id_that_is_no_plain_word_is_not(service: Service, given: str) -> None:
    call = service.caller()
    made = [
        call("POST", ASK, headers={"X-Request-Id": given}).headers["x-request-id"] for _ in range(2)
    ]
    assert made[0] != made[1]
    assert given not in made
    assert all(re.fullmatch("[0-9a-f]{16}", each) for each in made)


def test_a_request_has_a_line(logged: tuple[Service, io.StringIO]) -> None:
    service, stream = logged
    call = service.caller("application")
    assert call.key is not None
    assert call("POST", ASK, {"count": 2}, headers={"X-Request-Id": "mine"}).status == 200
    assert service.caller()("GET", "/v1/markets/shop/agents/ann/statistics").status == 200
    assert call("GET", "/v1/markets/shop/head").status == 404
    assert call("POST", "/v1/markets/secret-name/decisions").status == 404
    service.running.stop()
    asked, read, refused, other = _lines(stream)
    assert asked.pop("time").endswith("Z")
    assert 0 < asked.pop("seconds") < 30
    assert asked == {
        "level": "info",
        "logger": "copyproof.requests",
        "message": "POST /v1/markets/{market}/decisions 200",
        "request": "mine",
        "market": "site",
        "key": call.key.split("_")[1],
        "method": "POST",
        "route": "/v1/markets/{market}/decisions",
        "status": 200,
    }
    assert (read["market"], read["status"]) == ("shop", 200)
    assert "market" not in refused  # it is not the caller's
    assert other["status"] == 404
    text = stream.getvalue()
    assert not any(key.split("_", 2)[2] in text for key in service.keys.values())
    assert "secret-name" not in text
    assert "ann" not in text


def test_lines_of_others_carry_the_request_that_they_were_written_for(
    logged: tuple[Service, io.StringIO], monkeypatch: pytest.MonkeyPatch
) -> None:
    service, stream = logged

    def broken(*_: object) -> None:
        logging.getLogger("copyproof.elsewhere").warning("about to break")
        raise RuntimeError("broken")

    monkeypatch.setattr(service.running.app.leadership, "all", broken)
    answer = service.caller()("GET", "/v1/markets", headers={"X-Request-Id": "r1"})
    assert (answer.status, answer.headers["x-request-id"]) == (500, "r1")
    monkeypatch.undo()
    service.running.stop()
    warning, failed, line = _lines(stream)
    assert (warning["message"], warning["request"]) == ("about to break", "r1")
    assert (failed["level"], failed["message"]) == ("error", "GET /v1/markets failed")
    assert failed["exception"].endswith("RuntimeError: broken")
    assert {each["request"] for each in (warning, failed, line)} == {"r1"}


def test_so_do_lines_that_the_writer_of_a_market_writes(
    logged: tuple[Service, io.StringIO],
) -> None:
    service, stream = logged
    clock = "/v1/markets/site/clock"
    assert service.caller()("PUT", clock, {}, headers={"X-Request-Id": "r2"}).status == 200
    rail = {"measure": "share", "last": 1, "at_most": 0.5}
    assert service.caller()("PUT", "/v1/markets/site/rails", {"rails": [rail]}).status == 200
    assert service.caller()("POST", ASK).status == 200
    service.running.stop()
    lines = _lines(stream)
    [of_clock] = [one for one in lines if "its clock was set" in one["message"]]
    assert (of_clock["request"], of_clock["market"]) == ("r2", "site")
    [of_rail] = [one for one in lines if "a guard rail was left" in one["message"]]
    assert of_rail["market"] == "site"  # of a group of requests, which has no one id
    assert "the share of an agent in the last 1 decisions is 1" in of_rail["message"]


def test_without_being_asked_for_there_are_no_lines(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, "copyproof"):
        assert service.caller()("POST", ASK).status == 200
    assert caplog.records == []
