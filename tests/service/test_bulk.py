"""Many agents with their arms in one request."""

import json
from typing import Any

import pytest

from copyproof.live.stores import open_store
from tests.service.conftest import filled
from tests.service.serving import Answer, Caller, serving

PATH = "/v1/markets/site/agents"


def put(call: Caller, lines: Any, **headers: str) -> Answer:
    raw = lines if isinstance(lines, bytes) else b"\n".join(json.dumps(x).encode() for x in lines)
    sent = {"Content-Type": "application/x-ndjson", **headers}
    return call("PUT", PATH, raw=raw, headers=sent)


def test_5000_sellers_in_one_request() -> None:
    store = open_store("memory:")
    keys = filled(store)
    sellers = [{"agent": f"seller {n}", "arms": [f"{n} a", f"{n} b"]} for n in range(5000)]
    with serving(store) as running:
        call = Caller(running.url, keys["operator"])
        before = len(store.actions())
        answer = put(call, sellers)
        assert answer.json == {"agents": 5000, "new_agents": 5000, "new_arms": 10_000}
        [action] = store.actions()[before:]
        assert (action["what"], action["said"]) == (f"PUT {PATH}", {"lines": 5000})
        last = store.last("site")
        assert put(call, sellers).json == {"agents": 5000, "new_agents": 0, "new_arms": 0}
        assert store.last("site") == last
        found = call("GET", f"{PATH}/seller%204999/statistics").json
        assert [arm["arm"] for arm in found["arms"]] == ["4999 a", "4999 b"]


def test_a_retry_is_answered_alike() -> None:
    store = open_store("memory:")
    keys = filled(store)
    with serving(store) as running:
        call, retry = Caller(running.url, keys["operator"]), {"Idempotency-Key": "all"}
        first = put(call, [{"agent": "zoe", "arms": ["z"]}], **retry)
        assert put(call, [{"agent": "zoe", "arms": ["z"]}], **retry).body == first.body
        assert first.json == {"agents": 1, "new_agents": 1, "new_arms": 1}
        assert put(call, [{"agent": "zoe", "arms": ["y"]}], **retry).status == 422


def test_groups_content_and_agents_without_arms() -> None:
    store = open_store("memory:")
    keys = filled(store)
    lines = [
        {"agent": "zoe", "arms": ["z"], "group": "zoe & co", "content": {"z": "9f"}},
        {"agent": "zoe 2", "group": "zoe & co"},
    ]
    with serving(store) as running:
        call = Caller(running.url, keys["operator"])
        assert put(call, lines).json == {"agents": 2, "new_agents": 2, "new_arms": 1}
        found = call("GET", "/v1/markets/site/statistics").json
        [group] = found["groups"]
        assert (group["group"], group["agents"]) == ("zoe & co", ["zoe", "zoe 2"])


@pytest.mark.parametrize(
    ("last", "status", "field"),
    [
        (b'{"agent": "zoe", "arms": [1]}', 422, "line 2: arms[0]"),
        (b'{"agent": "a/b"}', 422, "line 2: agent"),
        (b'{"agnet": "zoe"}', 422, "line 2: agent"),
        (b"{", 400, "line 2: body"),
        (b'{"agent": "zoe", "arms": ["z"], "content": {"y": "9f"}}', 422, "line 2: content"),
    ],
)
def test_if_a_line_is_refused_nothing_is_done(last: bytes, status: int, field: str) -> None:
    store = open_store("memory:")
    keys = filled(store)
    with serving(store) as running:
        call = Caller(running.url, keys["operator"])
        before = store.last("site")
        answer = put(call, b'{"agent": "yan", "arms": ["y"]}\n' + last)
        assert (answer.status, answer.field) == (status, field)
        assert store.last("site") == before
        assert call("GET", f"{PATH}/yan/statistics").status == 404
        assert put(call, b"").status == 422
        json_body = call("PUT", PATH, {"agent": "zoe"})
        assert (json_body.status, json_body.field) == (415, "Content-Type")
        for whose in ("application", "agent", "auditor"):
            assert put(Caller(running.url, keys[whose]), b"{}").status == 403
