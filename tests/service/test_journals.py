"""Heads are signed, and journals for auditors and agents are checked by those who get them."""

import json
from pathlib import Path

import pytest

from copyproof.live.heads import SignedHead, SigningKey
from copyproof.live.stores import open_store
from copyproof.live.verification import verify
from copyproof.validation import FieldError
from tests.service.conftest import filled
from tests.service.serving import Caller, serving

A = "/v1/markets/site"


def test_a_provider_checks_what_the_service_says(tmp_path: Path) -> None:
    key = SigningKey.from_file(tmp_path / "key.pem")
    with open_store(f"sqlite:{tmp_path}/live.db") as store:
        keys = filled(store)
        with serving(store, signing_key=key) as running:
            operator, ann = (
                Caller(running.url, keys["operator"]),
                Caller(running.url, keys["agent"]),
            )
            heads = []
            for n in range(30):
                [decision] = operator("POST", f"{A}/decisions").json["decisions"]
                told = {"decision": decision["id"], "reward": n % 2}
                assert operator("POST", f"{A}/rewards", told).status == 200
                if n % 10 == 5:
                    heads.append(SignedHead.from_dict(ann("GET", f"{A}/head").json))
            assert {head.public_key for head in heads} == {key.public}
            audit = operator("GET", f"{A}/journal/audit").body.splitlines()
            verdict = verify(map(json.loads, audit), heads)
            assert (verdict.first_violation, verdict.not_replayed, verdict.heads) == (None, None, 3)
            own = ann("GET", f"{A}/agents/ann/journal").body.splitlines()
            verdict = verify(map(json.loads, own), heads)
            assert (verdict.first_violation, verdict.heads) == (None, 3)
            report = ann("GET", f"{A}/agents/ann/statistics").json
            assert verdict.sums is not None
            assert verdict.sums["revenue"] == report["revenue"]
            assert verdict.sums["plays"] == report["plays"] > 0
            answer = operator("GET", f"{A}/agents/nobody/journal")
            assert (answer.status, answer.field) == (404, "agent")
            secret = store.chain("site").secret
            for body in (*audit, *own, operator("GET", f"{A}/statistics").body):
                assert secret.encode() not in body


def test_a_reward_of_an_undone_past_is_refused(tmp_path: Path) -> None:
    with open_store(f"sqlite:{tmp_path}/live.db") as store:
        keys = filled(store)
        store.backup(tmp_path / "backup.db")
        with serving(store) as running:
            call = Caller(running.url, keys["operator"])
            [lost] = call("POST", f"{A}/decisions").json["decisions"]
    with open_store(f"sqlite:{tmp_path}/backup.db") as store, serving(store) as running:
        call = Caller(running.url, keys["operator"])
        for _ in range(2):
            answer = call("POST", f"{A}/rewards", {"decision": lost["id"], "reward": 1})
            assert (answer.status, answer.field) == (409, "decision")
            call("POST", f"{A}/decisions", {"count": 3})
        many = {"rewards": [{"decision": lost["id"], "reward": 1}]}
        answer = call("POST", f"{A}/rewards", many)
        assert (answer.status, answer.field) == (409, "rewards[0].decision")
        assert call("GET", f"{A}/statistics").json["revenue"] == 0


def test_without_a_key_heads_are_not_signed() -> None:
    with open_store("memory:") as store:
        keys = filled(store)
        with serving(store) as running:
            head = Caller(running.url, keys["application"])("GET", f"{A}/head").json
    assert (head["signature"], head["public_key"]) == (None, None)
    assert (head["number"], head["digest"]) == store.head("site")


def test_the_key_is_a_file_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    made = SigningKey.from_file(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert SigningKey.from_file(path).public == made.public
    path.write_text("no key")
    with pytest.raises(FieldError, match="is not a file with an Ed25519 key"):
        SigningKey.from_file(path)
