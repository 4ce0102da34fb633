"""API keys: hashed, rotated, revoked, made again by a retry; over HTTP and in the store."""

import json
from typing import Any

import pytest

from copyproof.client.records import Role
from copyproof.live.stores import open_store
from copyproof.live.stores.contract import KeyChanges
from copyproof.live.stores.memory import MemoryStore
from copyproof.service.access import Key, authenticate
from copyproof.service.keys import Keyring
from tests.service.conftest import Service, filled
from tests.service.serving import Caller, serving


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def checked(ring: Keyring, text: str) -> Key | None:
    return authenticate(text, ring.held, ring.clock)


def test_the_store_never_sees_a_secret() -> None:
    store = open_store("memory:")
    ring = Keyring(store, Clock())
    key, text = ring.add("operator", note="mine")
    stored = json.dumps(store.keys())
    assert text.split("_", 2)[2] not in stored
    assert "hash" in stored
    assert set(key.shown()) == {
        *("id", "role", "markets", "agent", "note", "created", "revoked", "rate", "burst"),
        "expires",
    }
    assert checked(ring, text) == key
    assert checked(Keyring(store, Clock()), text) == key


def test_a_key_that_another_process_made_is_known_at_once(service: Service) -> None:
    elsewhere = Keyring(service.store, Clock())
    key, text = elsewhere.add("auditor")
    assert Caller(service.url, text)("GET", "/v1/markets").status == 200
    _, turned = elsewhere.rotate(key.id)
    assert Caller(service.url, turned)("GET", "/v1/markets").status == 200


def test_who_has_no_key_cannot_keep_the_store_busy() -> None:
    store = open_store("memory:")
    key = filled(store)["operator"]
    read = 0
    changed_keys = store.changed_keys

    def counted(since: int | None) -> KeyChanges:
        nonlocal read
        read += 1
        return changed_keys(since)

    with serving(store) as running:
        store.changed_keys = counted  # type: ignore[method-assign]
        wrong = [f"cp_{n:012x}_{'x' * 43}" for n in range(100)]
        for text in ("", "cp_", "cp_1_2", f"cp_{key}", *wrong):
            assert Caller(running.url, text)("GET", "/v1/markets").status == 401
        assert 20 <= read < 60  # also without being asked, a few times a second
        assert Caller(running.url, key)("GET", "/v1/markets").status == 200


def test_two_keys_of_one_secret_have_different_hashes() -> None:
    ring = Keyring(open_store("memory:"), Clock())
    one, _ = ring.add("auditor")
    other, _ = ring.add("auditor")
    assert one.salt != other.salt
    assert one.hash != other.hash


@pytest.mark.parametrize(
    ("role", "markets", "agent", "field"),
    [
        ("king", (), None, "role"),
        ("application", (), None, "markets"),
        ("agent", (), "ann", "agent"),
        ("agent", ("a", "b"), "ann", "agent"),
        ("agent", ("a",), None, "agent"),
        ("operator", ("unknown",), None, r"markets\[0\]"),
        ("auditor", (), "ann", "agent"),
    ],
)
def test_what_does_not_go_together(
    role: Role, markets: tuple[str, ...], agent: str | None, field: str
) -> None:
    ring = Keyring(open_store("memory:"), Clock())
    with pytest.raises(ValueError, match=f"^{field} "):
        ring.add(role, markets=markets, agent=agent)


def test_a_key_is_for_markets_that_are_there(service: Service) -> None:
    call = service.caller()
    for body in (
        {"role": "application", "markets": ["site", "nowhere"]},
        {"role": "agent", "markets": ["nowhere"], "agent": "ann"},
    ):
        answer = call("POST", "/v1/keys", body)
        assert (answer.status, answer.field[:8]) == (422, "markets["), answer.body
        assert "is not a market of this store" in answer.json["error"]["message"]


def test_a_key_can_be_deleted(service: Service) -> None:
    call = service.caller()
    made = call("POST", "/v1/keys", {"role": "auditor", "rate": 2.5, "burst": 7}).json
    assert (made["rate"], made["burst"]) == (2.5, 7)
    assert call("GET", "/v1/markets", key=made["key"]).status == 200
    gone = call("DELETE", f"/v1/keys/{made['id']}?forget=true")
    assert (gone.status, gone.json["id"]) == (200, made["id"])
    assert call("GET", "/v1/markets", key=made["key"]).status == 401
    assert made["id"] not in Keyring(service.store, Clock()).held
    assert call("DELETE", f"/v1/keys/{made['id']}?forget=true").status == 404


def test_rotation_overlaps() -> None:
    clock = Clock()
    ring = Keyring(open_store("memory:"), clock)
    key, old = ring.add("operator")
    _, new = ring.rotate(key.id, overlap=60.0)
    assert new != old
    assert checked(ring, new) is not None
    assert checked(ring, old) is not None
    clock.now += 61
    assert checked(ring, old) is None
    assert checked(ring, new) is not None


def test_revocation_reaches_other_processes() -> None:
    store = open_store("memory:")
    here, there = Keyring(store, Clock()), None
    key, text = here.add("operator")
    there = Keyring(store, Clock())
    here.revoke(key.id)
    assert checked(here, text) is None
    assert checked(there, text) is not None
    there.refresh()
    assert checked(there, text) is None
    with pytest.raises(KeyError):
        here.rotate(key.id)


def test_a_rotation_does_not_undo_a_revocation_of_another_process() -> None:
    class Crossed(MemoryStore):
        """Just before a key is written, another process revokes it."""

        def put_key(self, key: dict[str, Any], *, replacing: dict[str, Any] | None = None) -> None:
            if replacing is not None and not crossed:
                crossed.append(key["id"])
                Keyring(self, Clock()).revoke(key["id"])
            super().put_key(key, replacing=replacing)

    crossed: list[str] = []
    store = Crossed()
    ring = Keyring(store, Clock())
    key, text = ring.add("operator")
    with pytest.raises(KeyError):
        ring.rotate(key.id)
    assert crossed == [key.id]
    assert checked(ring, text) is None
    assert checked(Keyring(store, Clock()), text) is None


def test_keys_over_http(service: Service) -> None:
    call = service.caller()
    made = call(
        "POST",
        "/v1/keys",
        {"role": "application", "markets": ["site"], "note": "web"},
        headers={"Idempotency-Key": "one"},
    ).json
    again = call(
        "POST",
        "/v1/keys",
        {"role": "application", "markets": ["site"], "note": "web"},
        headers={"Idempotency-Key": "one"},
    ).json
    assert made == again
    other = call("POST", "/v1/keys", {"role": "auditor"}, headers={"Idempotency-Key": "one"})
    assert (other.status, other.field) == (422, "Idempotency-Key")
    ask = "/v1/markets/site/decisions"
    assert call("POST", ask, key=made["key"]).status == 200
    listed = [key for key in call("GET", "/v1/keys").json["keys"] if key["id"] == made["id"]]
    assert [key["note"] for key in listed] == ["web"]
    assert made["key"] not in call("GET", "/v1/keys").body.decode()

    turned = call(
        "POST", f"/v1/keys/{made['id']}/rotate", {"overlap": 0}, headers={"Idempotency-Key": "two"}
    ).json
    twice = call(
        "POST", f"/v1/keys/{made['id']}/rotate", {"overlap": 0}, headers={"Idempotency-Key": "two"}
    ).json
    assert turned == twice
    assert call("POST", ask, key=made["key"]).status == 401
    assert call("POST", ask, key=turned["key"]).status == 200

    assert call("DELETE", f"/v1/keys/{made['id']}").json["revoked"] is not None
    assert call("DELETE", f"/v1/keys/{made['id']}").status == 200
    assert call("POST", ask, key=turned["key"]).status == 401
    assert call("POST", f"/v1/keys/{made['id']}/rotate", {}).status == 404
    assert call("DELETE", "/v1/keys/nothing").field == "key"
    # The retry of a request that made a key since revoked gets the same answer, and no new key.
    body = {"role": "application", "markets": ["site"], "note": "web"}
    late = call("POST", "/v1/keys", body, headers={"Idempotency-Key": "one"}).json
    assert late == made
    assert call("POST", ask, key=late["key"]).status == 401


def test_a_caller_that_rotates_its_own_key_may_ask_again(service: Service) -> None:
    made = service.caller()("POST", "/v1/keys", {"role": "operator"}).json
    call = service.caller()
    call.key = made["key"]
    sent = {"Idempotency-Key": "mine"}
    first = call("POST", f"/v1/keys/{made['id']}/rotate", headers=sent).json
    assert call("POST", f"/v1/keys/{made['id']}/rotate", headers=sent).json == first
    call.key = first["key"]
    assert call("GET", "/v1/markets").status == 200


def test_a_key_ends_by_itself() -> None:
    clock = Clock()
    ring = Keyring(open_store("memory:"), clock)
    key, text = ring.add("auditor", expires=1010.0)
    assert checked(ring, text) == key
    assert len(ring) == 1
    clock.now = 1010.0
    assert checked(ring, text) is None
    assert len(ring) == 0
    with pytest.raises(KeyError):
        ring.rotate(key.id)
    with pytest.raises(ValueError, match=r"expires = 1010.0 is not a time to come"):
        ring.add("auditor", expires=1010.0)


def test_a_key_of_before_never_ends() -> None:
    key, _ = Keyring(open_store("memory:"), Clock()).add("auditor")
    stored = {name: value for name, value in key.to_dict().items() if name != "expires"}
    assert Key.from_dict(stored).works(1e10)


def test_keys_of_long_ago_are_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process may have revoked them while this one slept; it alone shares no store."""

    class Shared(MemoryStore):
        shared = True

    for store in (Shared(), MemoryStore()):
        key = filled(store)["operator"]
        with serving(store) as running:
            call, ring = Caller(running.url, key), running.app.leadership.keyring
            assert call("GET", "/v1/keys").status == 200
            monkeypatch.setattr(ring, "refresh", lambda: None)
            ring.read_at -= 3600.0
            assert call("GET", "/v1/keys").status == (503 if store.shared else 200)
            assert call("GET", "/readyz").status == (503 if store.shared else 200)
            assert call("GET", "/metrics").status == 200
