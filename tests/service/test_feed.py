"""The stream of events: what is told to whom, how soon, and when it ends."""

import http.client
import json
import threading
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlsplit

import pytest

from copyproof.live.stores import open_store
from copyproof.service import feed
from tests.patience import PATIENCE
from tests.service.conftest import Service, filled
from tests.service.serving import Caller, serving


class Stream:
    """A watcher."""

    def __init__(self, url: str, key: str, market: str | None = None) -> None:
        parts = urlsplit(url)
        assert parts.hostname is not None
        self._connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=PATIENCE)
        query = "" if market is None else f"?market={quote(market)}"
        headers = {"Authorization": f"Bearer {key}"}
        self._connection.request("GET", f"/v1/events{query}", headers=headers)
        self.answer = self._connection.getresponse()
        self.status = self.answer.status

    def events(self) -> Iterator[tuple[str, Any]]:
        """Events as they come, until the end."""
        name = ""
        while line := self.answer.readline().decode():
            if line.startswith("event: "):
                name = line[7:].strip()
            elif line.startswith("data: "):
                yield name, json.loads(line[6:])

    def next(self, wanted: str) -> Any:
        """The next event of a name."""
        return next(data for name, data in self.events() if name == wanted)

    def close(self) -> None:
        self._connection.close()


def test_what_operators_and_auditors_are_told(service: Service) -> None:
    for whose in ("operator", "auditor"):
        stream = Stream(service.url, service.keys[whose], "site")
        assert stream.answer.headers["content-type"].startswith("text/event-stream")
        first = stream.next("markets")
        assert first["whole"]
        assert [(row["market"], row["state"]) for row in first["markets"]] == [("site", "serving")]
        found = stream.next("agents")
        assert {one["agent"] for one in found["agents"]} == {"ann", "bob", "eve"}
        before = found["plays"]
        began = time.monotonic()
        service.caller()("POST", "/v1/markets/site/decisions", {"count": 7})
        while (found := stream.next("agents"))["plays"] != before + 7:
            assert time.monotonic() - began < PATIENCE
        row = next(
            row
            for name, data in stream.events()
            if name == "markets"
            for row in data["markets"]
            if row["market"] == "site"
        )
        assert row["rate"] > 0
        assert row["p99"] is not None
        stream.close()


def test_only_what_has_changed_is_told_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "EVERY", 0.05)
    monkeypatch.setattr(feed, "_WINDOW", 0.5)
    store = open_store("memory:")
    key = filled(store)["auditor"]
    with serving(store) as running:
        stream = Stream(running.url, key)
        first = stream.next("markets")
        assert first["whole"]
        assert [row["market"] for row in first["markets"]] == ["shop", "site"]
        seen = [stream.next("markets") for _ in range(30)]
        assert not any(one["whole"] for one in seen)
        assert seen[-1]["markets"] == []  # nothing is done, and rates have settled
        stream.close()


def test_an_agent_is_told_of_itself_alone(service: Service) -> None:
    stream = Stream(service.url, service.keys["agent"], "site")
    found = stream.next("agents")
    assert [one["agent"] for one in found["agents"]] == ["ann"]
    assert found["agents"][0]["play_share"] is None
    assert "candidate" not in found
    names = [name for (name, _), _ in zip(stream.events(), range(3), strict=False)]
    assert set(names) <= {"agents", "time"}
    stream.close()
    whole = Stream(service.url, service.keys["agent"])
    assert whole.status == 422
    whole.close()


@pytest.mark.parametrize(
    ("whose", "market", "status"),
    [
        ("application", None, 403),
        ("application", "site", 403),
        ("agent", "shop", 404),
        ("agent", "nothing", 404),
        ("operator", "nothing", 404),
    ],
)
def test_who_may_not_watch(service: Service, whose: str, market: str | None, status: int) -> None:
    stream = Stream(service.url, service.keys[whose], market)
    assert stream.status == status
    stream.close()


def test_an_operator_of_some_markets_is_told_of_these(service: Service) -> None:
    made = service.caller()("POST", "/v1/keys", {"role": "operator", "markets": ["shop"]}).json
    stream = Stream(service.url, made["key"])
    assert [row["market"] for row in stream.next("markets")["markets"]] == ["shop"]
    stream.close()
    other = Stream(service.url, made["key"], "site")
    assert other.status == 404
    other.close()


def test_a_stream_ends_with_its_key(service: Service) -> None:
    call = service.caller()
    made = call("POST", "/v1/keys", {"role": "auditor"}).json
    stream = Stream(service.url, made["key"])
    stream.next("markets")
    call("DELETE", f"/v1/keys/{made['id']}")
    began = time.monotonic()
    for _ in stream.events():
        assert time.monotonic() - began < PATIENCE
    stream.close()


def test_there_are_so_many_streams_and_no_more(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "MOST_OF_KEY", {"auditor": 2})
    made = service.caller()("POST", "/v1/keys", {"role": "auditor"}).json
    streams = [Stream(service.url, made["key"]) for _ in range(3)]
    assert [one.status for one in streams] == [200, 200, 429]
    for one in streams:
        one.close()


def test_a_server_that_stops_does_not_wait_for_watchers() -> None:
    store = open_store("memory:")
    key = filled(store)["operator"]
    with serving(store) as running:
        stream = Stream(running.url, key, "site")
        stream.next("agents")
        ended = threading.Thread(target=lambda: list(stream.events()))
        ended.start()
    ended.join(PATIENCE)  # the server has stopped
    assert not ended.is_alive()
    stream.close()


def test_a_market_that_is_deleted(service: Service) -> None:
    call = service.caller()
    assert call("PUT", "/v1/markets/short", {}).status == 200
    stream = Stream(service.url, service.keys["operator"], "short")
    assert stream.next("agents")["agents"] == []
    call("DELETE", "/v1/markets/short")
    assert stream.next("trouble")["market"] == "short"
    stream.close()


def test_the_own_key(service: Service) -> None:
    found = Caller(service.url, service.keys["agent"])("GET", "/v1/key").json
    assert (found["role"], found["agent"], found["markets"]) == ("agent", "ann", ["site"])
    assert not {"key", "hash", "salt"} & found.keys()
