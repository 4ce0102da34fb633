"""Every write of an operator is done once for an idempotency key, whatever happens in between."""

import re
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidTag

from copyproof.live.stores import Store, open_store
from copyproof.service import document
from copyproof.service.retries import Retry
from tests.service.conftest import filled
from tests.service.serving import Answer, Caller, Running, serving

A = "/v1/markets/site"
# One request for each write of the document, in an order in which all succeed.
WRITES: list[tuple[str, str, Any]] = [
    ("PUT", "/v1/markets/new", {"policy": "ucb1", "seed": 3}),
    ("POST", f"{A}/agents", {"agent": "zoe"}),
    ("POST", f"{A}/agents/zoe/arms", {"arms": ["z1", "z2"]}),
    ("PUT", f"{A}/agents/zoe/group", {"group": "zoe & co"}),
    ("PUT", f"{A}/agents", b'{"agent": "zed"}'),
    ("POST", f"{A}/agents/zoe/arms/suspend", {"arm": "z1"}),
    ("POST", f"{A}/agents/zoe/arms/resume", {"arm": "z1"}),
    ("POST", f"{A}/agents/zoe/arms/retire", {"arm": "z2"}),
    ("POST", f"{A}/agents/zoe/suspend", None),
    ("POST", f"{A}/agents/zoe/resume", None),
    ("DELETE", f"{A}/agents/zoe", None),
    ("PUT", f"{A}/policy", {"policy": "ucb1", "share": 0.5}),
    ("DELETE", f"{A}/candidate", None),
    ("PUT", f"{A}/rails", {"rails": []}),
    ("POST", f"{A}/pause", {"reason": "a test"}),
    ("POST", f"{A}/resume", None),
    ("PUT", f"{A}/clock", {"at": 2e9}),
    ("PUT", f"{A}/clock", None),
    ("POST", f"{A}/audits", {"horizon": 10}),
    ("POST", f"{A}/decisions", {"count": 2}),
    ("POST", "/v1/keys", {"role": "auditor"}),
    ("POST", "/v1/backups", None),
    ("POST", "/v1/keys/KEY/rotate", None),
    ("DELETE", "/v1/keys/KEY?forget=true", None),
    ("DELETE", "/v1/markets/new", None),
]
# A reward needs a decision, and a suspicion agents that are alike: they are in other tests.
ELSEWHERE = {
    "POST /v1/markets/{market}/rewards",
    "POST /v1/markets/{market}/suspicions/{suspicion}/confirm",
    "POST /v1/markets/{market}/suspicions/{suspicion}/dismiss",
}


def _all(running: Running, store: Store, key: str) -> list[Answer]:
    """Make all writes; KEY stands for the key that was made."""
    call, made, answers = Caller(running.url, key), "", []
    for number, (method, path, body) in enumerate(WRITES):
        sent = {"Idempotency-Key": f"write {number}"}
        answer = call(method, path.replace("KEY", made), body, headers=sent)
        if path == "/v1/keys":
            made = answer.json["id"]
        answers.append(answer)
    return answers


def test_every_write_of_the_document_is_here() -> None:
    patterns = {
        f"{method.upper()} {path}": re.compile(re.sub(r"\{\w+\}", "[^/]+", path))
        for path, methods in document()["paths"].items()
        for method in methods
        if method != "get"
    }
    tried = {
        name
        for name, pattern in patterns.items()
        for method, path, _ in WRITES
        if name.startswith(f"{method} ") and pattern.fullmatch(path.partition("?")[0])
    }
    assert patterns.keys() - tried == ELSEWHERE


def test_all_writes_twice_and_after_a_restart(tmp_path: Path) -> None:
    url, backups = f"sqlite:{tmp_path / 'live.db'}", tmp_path / "backups"
    backups.mkdir()
    with open_store(url) as store:
        key = filled(store)["operator"]
    first: list[Answer] = []
    for turn in range(2):
        with open_store(url) as store, serving(store, backups_to=backups) as running:
            if not first:
                first = _all(running, store, key)
                assert [one.status for one in first] == [200] * len(WRITES), first
                before = (store.last("site"), len(store.actions()), len(store.keys()))
            again = _all(running, store, key)
            assert [one.body for one in again] == [one.body for one in first], turn
            decisions = 1  # a decision is not an operator's work, but is on record, too
            assert store.last("site") == before[0]
            assert len(store.keys()) == before[2]
            assert len(store.actions()) <= before[1] + decisions * (turn + 1)
            assert len(list(backups.glob("*.db"))) == 1
            assert "new" not in store.markets()


def test_a_retried_delete_spares_a_market_that_was_made_again() -> None:
    store = open_store("memory:")
    keys = filled(store)
    with serving(store) as running:
        call, retry = Caller(running.url, keys["operator"]), {"Idempotency-Key": "once"}
        body = {"policy": "ucb1", "seed": 3}
        assert call("PUT", "/v1/markets/new", body).status == 200
        first = call("DELETE", "/v1/markets/new", headers=retry)
        assert call("PUT", "/v1/markets/new", body).status == 200
        again = call("DELETE", "/v1/markets/new", headers=retry)
        assert (first.status, again.status, again.body) == (200, 200, first.body)
        assert "new" in store.markets()
        # The service may have ended after the market was deleted, and before that was noted.
        one = Retry(
            f"{keys['operator'].split('_')[1]}:once",
            keys["operator"].encode(),
            b"DELETE /v1/markets/new\n",
        )
        note = store.answer(one.id)
        assert note is not None
        assert note["request"] == one.digest
        store.put_answer(one.id, {**note, "answer": None, "deleted": "another"}, 0.0, 1e12)
        again = call("DELETE", "/v1/markets/new", headers=retry)
        assert (again.status, again.json) == (200, first.json)
        assert "new" in store.markets()
        assert call("DELETE", "/v1/markets/new").status == 200


def test_a_retry_does_not_revive_a_forgotten_key() -> None:
    store = open_store("memory:")
    keys = filled(store)
    with serving(store) as running:
        call, retry = Caller(running.url, keys["operator"]), {"Idempotency-Key": "a key"}
        made = call("POST", "/v1/keys", {"role": "auditor"}, headers=retry).json
        assert Caller(running.url, made["key"])("GET", "/v1/markets").status == 200
        assert call("DELETE", f"/v1/keys/{made['id']}?forget=true").status == 200
        again = call("POST", "/v1/keys", {"role": "auditor"}, headers=retry)
        assert (again.status, again.json) == (200, made)  # what was answered then
        assert Caller(running.url, made["key"])("GET", "/v1/markets").status == 401
        for request in [one for one in store._answers if one.startswith("request ")]:  # type: ignore[attr-defined]
            store.drop_answer(request)  # as after a day
        late = call("POST", "/v1/keys", {"role": "auditor"}, headers=retry)
        assert (late.status, late.field) == (422, "Idempotency-Key")
        assert Caller(running.url, made["key"])("GET", "/v1/markets").status == 401


def test_a_retry_does_not_remove_an_agent_that_came_back() -> None:
    store = open_store("memory:")
    keys = filled(store)
    with serving(store) as running:
        call, retry = Caller(running.url, keys["operator"]), {"Idempotency-Key": "gone"}
        first = call("DELETE", f"{A}/agents/eve", headers=retry)
        assert call("POST", f"{A}/agents/eve/resume").status == 200
        assert call("POST", f"{A}/agents/eve/arms", {"arms": ["e1"]}).status == 200
        assert call("DELETE", f"{A}/agents/eve", headers=retry).body == first.body
        found = call("GET", f"{A}/agents/eve/statistics").json
        assert found["suspended"] is False
        assert [arm["arm"] for arm in found["arms"] if arm["registered"]] == ["e1"]


def test_another_request_or_secret_with_the_key_is_refused() -> None:
    store = open_store("memory:")
    keys = filled(store)
    with serving(store) as running:
        call, retry = Caller(running.url, keys["operator"]), {"Idempotency-Key": "mine"}
        assert call("POST", "/v1/keys", {"role": "auditor"}, headers=retry).status == 200
        other = call("POST", "/v1/keys", {"role": "operator"}, headers=retry)
        assert (other.status, other.field) == (422, "Idempotency-Key")
        own = keys["operator"].split("_")[1]
        call.key = call("POST", f"/v1/keys/{own}/rotate").json["key"]
        rotated = call("POST", "/v1/keys", {"role": "auditor"}, headers=retry)
        assert (rotated.status, rotated.field) == (422, "Idempotency-Key")


def test_a_refusal_is_not_kept() -> None:
    store = open_store("memory:")
    key = filled(store)["operator"]
    with serving(store) as running:
        call, retry = Caller(running.url, key), {"Idempotency-Key": "mine"}
        assert call("POST", f"{A}/agents/zoe/suspend", headers=retry).status == 404
        assert call("POST", f"{A}/agents", {"agent": "zoe"}).status == 200
        assert call("POST", f"{A}/agents/zoe/suspend", headers=retry).status == 200


def test_what_is_stored_tells_nothing_without_the_secret() -> None:
    retry = Retry("caller:mine", b"cp_1_secret", b"POST /v1/keys\n{}")
    answer = {"status": 200, "headers": [], "body": "cp_2_another"}
    text = retry.sealed(answer)
    assert "another" not in text
    assert retry.opened(text) == answer
    other = Retry("caller:mine", b"cp_1_changed", b"POST /v1/keys\n{}")
    assert other.id == retry.id
    assert other.digest != retry.digest
    with pytest.raises(InvalidTag):
        other.opened(text)
