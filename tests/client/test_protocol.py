"""Addresses, requests, and when a request is tried again."""

from email.message import Message

import pytest

from copyproof.client import ApiError, Unavailable
from copyproof.client.protocol import Address, Answer, Request, Retries, query


def answer(status: int, **headers: str) -> Answer:
    found = Message()
    for name, text in headers.items():
        found[name.replace("_", "-")] = text
    return Answer(status, found, b"")


def test_addresses() -> None:
    assert Address.of("http://[::1]:8000/").authority == "[::1]:8000"
    assert Address.of("https://bücher.example").authority == "xn--bcher-kva.example"
    assert Address.of("http://host:80/a/").url == "http://host/a"
    for url in ("host:80", "http://", "http://a b", "http://a\r\nb"):
        with pytest.raises(ValueError, match=r"^url = "):
            Address.of(url)


def test_the_key_never_leaves_an_encrypted_connection() -> None:
    request = Request.of("GET", "/v1/markets/m/head", key="k")
    for home, followed in (("http://a", True), ("https://a", False)):
        leaders: dict[str, Address] = {}
        retries = Retries(request, Address.of(home), leaders, 30.0)
        retries.address()
        there = answer(307, Location="http://b/v1/markets/m/head")
        if followed:
            assert retries.pause(there) == 0.0
            assert retries.address() == leaders["m"] == Address.of("http://b")
        else:
            with pytest.raises(Unavailable):
                retries.pause(there)
            assert leaders == {}


def test_pauses_grow_and_the_service_may_ask_for_longer_ones() -> None:
    request = Request.of("POST", "/v1/keys", {}, key="k")
    retries = Retries(request, Address.of("http://a"), {}, 60.0)
    pauses = [retries.pause(answer(503)) for _ in range(8)]
    assert all(0.5 * 0.05 * 2**n <= pause <= 0.05 * 2**n for n, pause in enumerate(pauses[:6]))
    assert all(1.0 <= pause <= 2.0 for pause in pauses[6:])
    assert retries.pause(answer(429, Retry_After="7")) == 7.0
    assert retries.pause(ConnectionResetError()) <= 2.0
    for last in (answer(503, Retry_After="61"), answer(400), answer(301, Location="http://b")):
        with pytest.raises(ApiError):
            retries.pause(last)


def test_every_write_has_a_key_of_its_own() -> None:
    first, second = (Request.of("PUT", "/v1/markets/m", {}, key="k") for _ in range(2))
    assert first.headers["Idempotency-Key"] != second.headers["Idempotency-Key"]
    assert "Idempotency-Key" not in Request.of("GET", "/v1/markets", key="k").headers
    given = Request.of("PUT", "/v1/markets/m", {}, key="k", retry_key="mine")
    assert given.headers["Idempotency-Key"] == "mine"


def test_the_market_of_a_request() -> None:
    for path, market in (
        ("/v1/markets/a%2Fb/decisions", "a%2Fb"),
        (query("/v1/markets/a", {"after": "/x"}), "a"),
        ("/v1/markets", ""),
        ("/v1/keys", ""),
    ):
        assert Request.of("GET", path, key="k").market == market
