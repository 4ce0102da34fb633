"""What operators did is on record: before it is done, and with the answer."""

from pathlib import Path
from typing import Any

import pytest

from copyproof.live.forgetting import forget
from copyproof.live.stores import Store, StoreError, open_store
from copyproof.live.stores.memory import MemoryStore
from copyproof.service.access import Key
from copyproof.service.actions import action_of
from tests.service.conftest import Service, filled
from tests.service.serving import Caller, serving

A = "/v1/markets/site"
KEY = Key("k", "operator", (), None, "", 0.0, "", "")


def test_what_an_operator_does_is_listed_and_nothing_else(service: Service) -> None:
    call = service.caller("operator")
    key = service.keys["operator"].split("_")[1]
    before = call("GET", "/v1/actions").json["actions"]
    last = before[-1]["id"] if before else "0"
    assert call("PUT", f"{A}/policy", {"policy": "ucb1"}).status == 200
    assert call("PUT", f"{A}/policy", {"policy": "nonsense"}).status == 422
    assert call("POST", f"{A}/agents/ann/suspend").status == 200
    assert call("POST", f"{A}/decisions").status == 200
    assert call("GET", f"{A}/statistics").status == 200
    assert service.caller("agent")("POST", f"{A}/agents/ann/arms", {"arms": ["x"]}).status == 200
    found = service.caller("auditor")("GET", f"/v1/actions?after={last}").json
    assert found["next"] is None
    told = [
        (each["what"], each["market"], each["agent"], each["status"], each["said"])
        for each in found["actions"]
    ]
    assert told == [
        (f"PUT {A}/policy", "site", None, 200, {"policy": "ucb1"}),
        (f"PUT {A}/policy", "site", None, 422, {"policy": "nonsense"}),
        (f"POST {A}/agents/ann/suspend", "site", "ann", 200, None),
    ]
    assert {each["key"] for each in found["actions"]} == {key}


def test_who_decides_is_on_record(service: Service) -> None:
    call = service.caller("operator")
    found = call("GET", "/v1/actions").json["actions"]
    last = found[-1]["id"] if found else "0"
    rails = {"rails": [{"measure": "share", "last": 9, "at_most": 0.9}]}
    done: list[tuple[str, str, Any]] = [
        ("PUT", "policy", {"policy": "fair", "share": 0.1}),
        ("DELETE", "candidate", None),
        ("PUT", "rails", rails),
        ("POST", "pause", {"reason": "a look"}),
        ("POST", "resume", None),
    ]
    for method, path, body in done:
        assert call(method, f"{A}/{path}", body).status == 200
    told = call("GET", f"/v1/actions?after={last}").json["actions"]
    assert [(each["what"], each["market"], each["status"], each["said"]) for each in told] == [
        (f"{method} {A}/{path}", "site", 200, body) for method, path, body in done
    ]


def test_pages_and_markets(service: Service) -> None:
    call = service.caller("operator")
    found = call("GET", "/v1/actions").json["actions"]
    last = found[-1]["id"] if found else "0"  # the service of the tests before
    for market in ("site", "shop", "site"):
        assert call("PUT", f"/v1/markets/{market}/policy", {"policy": "ucb1"}).status == 200
    first = call("GET", f"/v1/actions?limit=2&after={last}").json
    rest = call("GET", f"/v1/actions?after={first['next']}").json
    done = [each["market"] for each in first["actions"] + rest["actions"]]
    assert done == ["site", "shop", "site"]
    made = call("POST", "/v1/keys", {"role": "auditor", "markets": ["shop"]}).json
    call.key = made["key"]
    seen = {each["market"] for each in call("GET", f"/v1/actions?after={last}").json["actions"]}
    assert seen == {"shop"}


class _NoRecords(MemoryStore):
    def put_action(self, action: dict[str, Any]) -> None:
        raise StoreError("the disk is full")


def test_nothing_is_done_without_a_record() -> None:
    store = _NoRecords()
    keys = filled(store)
    with serving(store) as running:
        call = Caller(running.url, keys["operator"])
        refused = call("PUT", f"{A}/policy", {"policy": "ucb1"})
        assert (refused.status, refused.field) == (503, "store")
        assert call("GET", A).json["policy"] != "ucb1"
        assert call("POST", f"{A}/decisions").status == 200


def test_bodies_about_arms_and_long_ones_are_left_out() -> None:
    arms = action_of(1.0, KEY, "POST", f"{A}/agents/ann/arms", b'{"arms": ["x"]}')
    assert (arms["said"], arms["agent"]) == (None, "ann")
    long = action_of(1.0, KEY, "PUT", A, b'{"policy": "' + b"x" * 3000 + b'"}')
    assert long["said"] is None
    keys = action_of(1.0, KEY, "POST", "/v1/keys", b'{"role": "auditor"}')
    assert (keys["market"], keys["said"]) == (None, {"role": "auditor"})


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_a_forgotten_name_is_not_on_record(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "live.db"
    store: Store = open_store("memory:" if kind == "memory" else f"sqlite:{path}")
    keys = filled(store)
    with serving(store) as running:
        call = Caller(running.url, keys["operator"])
        assert call("POST", f"{A}/agents", {"agent": "annabel-lee"}).status == 200
        assert call("POST", f"{A}/agents/annabel-lee/suspend").status == 200
        wanted = {"role": "agent", "markets": ["site"], "agent": "annabel-lee"}
        made = call("POST", "/v1/keys", wanted).json
        assert call("DELETE", f"/v1/keys/{made['id']}?forget=true").status == 200
    token, _ = forget(store, "site", "annabel-lee")
    told = store.actions()
    assert "annabel-lee" not in str(told)
    assert str(told).count(token) == 4
    store.close()
    if kind == "sqlite":
        assert b"annabel-lee" not in path.read_bytes()
