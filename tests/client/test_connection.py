"""A market that another process leads: the request goes there, and later ones go there at once."""

import pytest

from copyproof.client import ApiError, Unavailable
from tests.client.callers import CALLERS, OK, Caller, Scripted

CLOCK = "/v1/markets/m/clock"


@pytest.fixture(params=list(CALLERS))
def caller(request: pytest.FixtureRequest) -> Caller:
    return CALLERS[request.param]


def elsewhere(url: str, status: str = "307 Temporary Redirect", path: str = CLOCK) -> bytes:
    body = b'{"error": {"field": "market", "message": "another process leads it"}}'
    head = f"HTTP/1.1 {status}\r\nLocation: {url}{path}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


@pytest.mark.parametrize("status", ["307 Temporary Redirect", "421 Misdirected Request"])
def test_the_leader_is_followed_and_remembered(caller: Caller, status: str) -> None:
    with Scripted() as first, Scripted(OK, OK) as leader:
        first.add(elsewhere(leader.url, status), OK)
        with caller(first.url, "k", patience=0.0) as client:
            assert client.set_clock("m", retry_key="one") == 1.5
            assert client.set_clock("m", retry_key="two") == 1.5
            assert client.set_clock("other") == 1.5
    assert (first.paths, leader.paths) == ([CLOCK, "/v1/markets/other/clock"], [CLOCK, CLOCK])
    sent, repeated = first.seen[0][1], leader.seen[0][1]
    for said in (b"Bearer k", b"one", b'{"at": null}'):
        assert said in sent
        assert said in repeated


def test_no_more_connections_are_kept_than_requests_may_be_under_way(caller: Caller) -> None:
    with Scripted() as first, Scripted(OK, OK) as leader:
        first.add(elsewhere(leader.url), OK)
        with caller(first.url, "k", connections=1) as client:
            for market in ("m", "m", "other"):
                assert client.set_clock(market) == 1.5
    assert (leader.connections, first.connections) == ([1, 1], [1, 2])


def test_a_prefix_may_differ(caller: Caller) -> None:
    with Scripted() as first, Scripted(OK) as leader:
        first.add(elsewhere(f"{leader.url}/b"))
        with caller(f"{first.url}/a", "k") as client:
            assert client.set_clock("m") == 1.5
    assert (first.paths, leader.paths) == ([f"/a{CLOCK}"], [f"/b{CLOCK}"])


def test_a_leader_that_fails_is_forgotten(caller: Caller) -> None:
    with Scripted() as first:
        with Scripted(OK) as leader:
            first.add(elsewhere(leader.url), OK)
            client = caller(first.url, "k")
            assert client.set_clock("m") == 1.5
        with client:
            assert client.set_clock("m") == 1.5
    assert first.paths == [CLOCK, CLOCK]


def test_processes_that_point_at_each_other(caller: Caller) -> None:
    """They are asked again after a pause, and the last word is that nobody was there."""
    with Scripted() as first, Scripted() as second:
        first.add(elsewhere(second.url), elsewhere(second.url))
        second.add(elsewhere(first.url), OK)
        with caller(first.url, "k") as client:
            assert client.set_clock("m") == 1.5
        assert (len(first.seen), len(second.seen)) == (2, 2)
        first.add(elsewhere(second.url))
        second.add(elsewhere(first.url))
        with (
            caller(first.url, "k", patience=0.0) as client,
            pytest.raises(Unavailable, match=r"^307: another process leads it"),
        ):
            client.set_clock("m")


@pytest.mark.parametrize("place", ["http://127.0.0.1:1/v1/keys", "ftp://127.0.0.1", "", None])
def test_other_places_are_not_followed(caller: Caller, place: str | None) -> None:
    """Only the same path elsewhere: the API key goes with the request."""
    with Scripted() as first:
        path = CLOCK if place and "ftp" in place else ""
        answer = elsewhere("" if place is None else place, path=path)
        if place == "":
            answer = answer.replace(b"Location: \r\n", b"")
        if place is None:  # back to where it came from
            answer = elsewhere(first.url)
        first.add(answer)
        with (
            caller(first.url, "k") as client,
            pytest.raises(ApiError, match=r"^307: another process leads it"),
        ):
            client.set_clock("m")
        assert len(first.seen) == 1


def test_a_stream_follows_too(caller: Caller, tmp_path: object) -> None:
    path = "/v1/markets/m/journal/audit"
    stream = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{}\n\r\n0\r\n\r\n"
    with Scripted() as first, Scripted(stream) as leader:
        first.add(elsewhere(leader.url, path=path))
        with caller(first.url, "k") as client:
            client.export("m", f"{tmp_path}/journal")
    assert leader.paths == [path]
    with open(f"{tmp_path}/journal") as file:
        assert file.read() == "{}\n"
