"""Audits run beside the service, on what its arms seem to pay; previews change nothing."""

import os
import time
from typing import Any

import pytest

from copyproof.live.estimates import Estimates
from copyproof.service.audits import Audits
from copyproof.service.errors import Refusal
from tests.patience import PATIENCE
from tests.service.conftest import Service

SITE = "/v1/markets/site"


def finished(service: Service, market: str, of: str) -> dict[str, Any]:
    until = time.monotonic() + PATIENCE
    while True:
        every = service.caller()("GET", f"/v1/markets/{market}/audits").json["audits"]
        [one] = [each for each in every if each["id"] == of]
        if one["state"] in ("done", "failed"):
            return dict(one)
        assert time.monotonic() < until
        time.sleep(0.2)


def test_copies_pay_under_a_flat_policy(service: Service) -> None:
    call = service.caller()
    for market in ("two", "empty"):
        assert call("PUT", f"/v1/markets/{market}", {"policy": "h-ucb"}).status == 200
    call("POST", "/v1/markets/two/agents/ann/arms", {"arms": ["a"]})
    call("POST", "/v1/markets/two/agents/bob/arms", {"arms": ["b", "c"]})
    assert call("POST", "/v1/markets/empty/audits").status == 409
    for policy, verdict in ((None, "no-gain"), ("ucb1", "prone")):
        body = {"policy": policy, "horizon": 10}
        started = service.caller()("POST", "/v1/markets/two/audits", body).json
        assert started["state"] == "waiting"
        found = finished(service, "two", started["id"])
        assert (found["state"], found["verdict"]) == ("done", verdict)
        assert {one["agent"] for one in found["agents"]} == {"ann", "bob"}
        assert found["arms"] == 3
        assert max(one["gain"] for one in found["agents"]) > 0 or verdict == "no-gain"
    [newest, *_] = service.caller()("GET", "/v1/markets/two/audits").json["audits"]
    assert newest["policy"] == "ucb1"


def test_what_cannot_be_audited_is_told(service: Service) -> None:
    call = service.caller()
    assert call("POST", f"{SITE}/audits", {"policy": "nothing"}).field == "policy"
    assert call("POST", f"{SITE}/audits", {"horizon": 9}).field == "horizon"


def test_an_audit_knows_no_store(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}

    class Process:
        pid = os.getpid()
        returncode = 2

        def __init__(self, command: list[str], **options: Any) -> None:
            asked.update(options, command=command)

        def communicate(self, timeout: float | None = None) -> tuple[str, str]:
            return "", "error: no\n"

    monkeypatch.setenv("COPYPROOF_STORE", "postgresql://me:secret@db/markets")
    monkeypatch.setattr("copyproof.service.audits.subprocess.Popen", Process)
    monkeypatch.setattr("copyproof.service.audits.os.setpriority", lambda *_: None)
    one = Audits(time.time)
    started = one.start("m", "h-ucb", 10, Estimates({"ann": [0.5]}, 0))
    one._pool.shutdown(wait=True)
    [found] = one.of("m")
    assert (found.id, found.state, found.error) == (started.id, "failed", "error: no")
    assert "secret" not in str(asked)
    assert asked["command"][1:4] == ["-m", "copyproof", "audit"]


def test_so_many_wait_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    one = Audits(time.time)
    monkeypatch.setattr(one._pool, "submit", lambda *_: None)
    found = Estimates({"ann": [0.5]}, 0)
    for _ in range(8):
        one.start("m", "h-ucb", 10, found)
    with pytest.raises(Refusal, match="8 audits are waiting"):
        one.start("m", "h-ucb", 10, found)
    one.close()


def test_a_preview_says_what_would_be_promised(service: Service) -> None:
    call = service.caller()
    path = f"{SITE}/policy/preview"
    before = call("GET", SITE).json
    found = call("GET", f"{path}?policy=ucb1").json
    assert found["guarantee"] == "none: ucb1 is flat, it chooses among arms, and copies are arms"
    assert (found["policy_now"], found["guarantee_now"]) == (before["policy"], before["guarantee"])
    shadow = call("GET", f"{path}?policy=ucb1&share=0").json
    assert shadow["guarantee"] == before["guarantee"]
    assert call("GET", f"{path}?policy=ucb1&share=2").field == "share"
    assert call("GET", f"{path}?policy=rh-ucb").field in ("policy", "horizon")
    assert call("GET", SITE).json == before
