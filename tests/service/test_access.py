"""Who may do what: every role on every endpoint, and nothing leaks."""

import statistics
import time
from typing import Any

import pytest

from tests.service.conftest import Service

A = "/v1/markets/site"
ROLES = ("operator", "application", "agent", "auditor")

# Who may: o(perator), a(pplication), g (an agent), u (an auditor). All others are refused.
MATRIX: list[tuple[str, str, Any, str]] = [
    ("GET", "/v1/markets", None, "ou"),
    ("GET", A, None, "ou"),
    ("PUT", A, {"policy": "h-ucb", "seed": 7}, "o"),
    ("DELETE", "/v1/markets/gone", None, "o"),
    ("DELETE", f"{A}/agents/leaver", None, "o"),
    ("PUT", f"{A}/policy", {"policy": "h-ucb"}, "o"),
    ("DELETE", f"{A}/candidate", None, "o"),
    ("PUT", f"{A}/rails", {"rails": []}, "o"),
    ("POST", "/v1/markets/gone/pause", {"reason": "a test"}, "o"),
    ("POST", f"{A}/resume", None, "o"),
    ("PUT", f"{A}/clock", {}, "o"),
    ("GET", f"{A}/statistics", None, "ou"),
    ("GET", f"{A}/journal", None, "ou"),
    ("GET", f"{A}/journal/audit", None, "ou"),
    ("GET", f"{A}/head", None, "oagu"),
    ("GET", f"{A}/agents/ann/journal", None, "oug"),
    ("POST", f"{A}/agents", {"agent": "ann"}, "o"),
    ("PUT", f"{A}/agents", b'{"agent": "ann"}', "o"),
    ("POST", f"{A}/agents/ann/suspend", None, "o"),
    ("POST", f"{A}/agents/ann/resume", None, "o"),
    ("POST", f"{A}/agents/ann/arms", {"arms": ["a1"]}, "og"),
    ("POST", f"{A}/agents/ann/arms/retire", {"arm": "a2"}, "og"),
    ("POST", f"{A}/agents/ann/arms/suspend", {"arm": "a2"}, "o"),
    ("POST", f"{A}/agents/ann/arms/resume", {"arm": "a2"}, "o"),
    ("GET", f"{A}/agents/ann/statistics", None, "oug"),
    ("PUT", f"{A}/agents/ann/group", {"group": None}, "o"),
    ("GET", f"{A}/suspicions", None, "ou"),
    ("POST", f"{A}/suspicions/SUSPICION/confirm", {}, "o"),
    ("POST", f"{A}/suspicions/SUSPICION/dismiss", None, "o"),
    ("POST", f"{A}/decisions", {"count": 2}, "oa"),
    ("POST", f"{A}/rewards", {"decision": "?", "reward": 1}, "oa"),
    ("GET", "/v1/keys", None, "o"),
    ("POST", "/v1/keys", {"role": "auditor"}, "o"),
    ("POST", "/v1/keys/ID/rotate", {}, "o"),
    ("DELETE", "/v1/keys/ID", None, "o"),
    ("GET", "/metrics", None, "ou"),
    ("GET", "/v1/actions", None, "ou"),
    ("GET", "/v1/key", None, "oagu"),
    ("GET", f"{A}/history", None, "ou"),
    ("GET", f"{A}/policy/preview?policy=ucb1", None, "ou"),
    ("GET", f"{A}/audits", None, "ou"),
    ("POST", f"{A}/audits", {"policy": "ucb1", "horizon": 10}, "o"),
    ("GET", "/v1/backups", None, "o"),
    ("POST", "/v1/backups", None, "o"),
]


def suspected(operator: Any) -> str:
    """The id of a suspicion, of two arms with one fingerprint."""
    for agent in ("copier", "copied"):
        print_ = {"an arm": {"hash": "0123456789abcdef"}}
        body = {"arms": ["an arm"], "fingerprints": print_}
        assert operator("POST", f"{A}/agents/{agent}/arms", body).status == 200
    found: str = operator("GET", f"{A}/suspicions").json["suspicions"][0]["id"]
    return found


LETTERS = {"operator": "o", "application": "a", "agent": "g", "auditor": "u"}


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(("method", "path", "body", "allowed"), MATRIX)
def test_matrix(
    service: Service, role: str, method: str, path: str, body: Any, allowed: str
) -> None:
    operator = service.caller()
    if "ID" in path:
        path = path.replace("ID", operator("POST", "/v1/keys", {"role": "auditor"}).json["id"])
    if "SUSPICION" in path:
        path = path.replace("SUSPICION", suspected(operator))
    if "/gone" in path:
        assert operator("PUT", "/v1/markets/gone", {}).status == 200
    if path.endswith("/leaver"):
        assert operator("POST", f"{A}/agents", {"agent": "leaver"}).status == 200
    if path.endswith("/rewards"):
        [decision] = operator("POST", f"{A}/decisions").json["decisions"]
        body = {"decision": decision["id"], "reward": 1}
    answer = service.caller(role)(method, path, body)
    if LETTERS[role] in allowed:
        assert answer.status == 200, answer.body
    else:
        assert (answer.status, answer.field) == (403, "Authorization")


def test_the_matrix_is_whole(service: Service) -> None:
    paths = service.caller()("GET", "/openapi.json").json["paths"]
    described = {
        (method.upper(), path) for path, methods in paths.items() for method in methods
    } - {("GET", "/healthz"), ("GET", "/readyz")}
    tested = {
        (
            method,
            path.partition("?")[0]
            .replace("/site", "/{market}")
            .replace("/gone", "/{market}")
            .replace("/ann", "/{agent}")
            .replace("/leaver", "/{agent}")
            .replace("SUSPICION", "{suspicion}")
            .replace("ID", "{key}"),
        )
        for method, path, *_ in MATRIX
    }
    assert tested == described


@pytest.mark.parametrize("key", [None, "", "x", "cp_", "cp__", "cp_000000000000_x", "ü"])
@pytest.mark.parametrize(("method", "path", "body", "allowed"), MATRIX)
def test_no_key_no_answer(
    service: Service, key: str | None, method: str, path: str, body: Any, allowed: str
) -> None:
    call = service.caller()
    call.key = None
    headers = {} if key is None else {"Authorization": f"Bearer {key}".encode().decode("latin-1")}
    answer = call(method, path, body, headers=headers)
    assert (answer.status, answer.field) == (401, "Authorization")
    assert answer.headers["www-authenticate"] == "Bearer"


def test_a_right_secret_needs_its_own_id_and_scheme(service: Service) -> None:
    whole = service.keys["operator"]
    other = service.keys["auditor"]
    mixed = "_".join([*other.split("_")[:2], whole.split("_", 2)[2]])
    call = service.caller()
    for header in (f"Basic {whole}", whole, f"Bearer {mixed}", f"Bearer {whole}x"):
        assert call("GET", "/v1/markets", headers={"Authorization": header}).status == 401
    assert call("GET", "/v1/markets", headers={"Authorization": f"bearer {whole}"}).status == 200


FOREIGN = [
    ("application", "POST", "/v1/markets/{}/decisions", None, "shop", "none"),
    ("application", "POST", "/v1/markets/{}/rewards", {"decision": "x", "reward": 1}, "shop", "no"),
    ("agent", "POST", "/v1/markets/{}/agents/ann/arms", {"arms": ["x"]}, "shop", "none"),
    ("agent", "POST", "/v1/markets/site/agents/{}/arms", {"arms": ["x"]}, "bob", "none"),
    ("agent", "POST", "/v1/markets/site/agents/{}/arms/retire", {"arm": "b1"}, "bob", "none"),
    ("agent", "GET", "/v1/markets/site/agents/{}/statistics", None, "bob", "none"),
    ("agent", "GET", "/v1/markets/{}/agents/ann/statistics", None, "shop", "none"),
]


@pytest.mark.parametrize(("role", "method", "path", "body", "foreign", "unknown"), FOREIGN)
def test_foreign_looks_unknown(
    service: Service, role: str, method: str, path: str, body: Any, foreign: str, unknown: str
) -> None:
    call = service.caller(role)
    same = {"X-Request-Id": "same"}
    there = call(method, path.format(foreign), body, headers=same)
    nowhere = call(method, path.format(unknown), body, headers=same)
    assert there.status == nowhere.status == 404
    assert there.body == nowhere.body
    assert there.headers == nowhere.headers


def test_foreign_takes_as_long_as_unknown(service: Service) -> None:
    call = service.caller("agent")
    times: dict[str, list[float]] = {"bob": [], "nobody": []}
    for _ in range(300):  # in turns, so that a busy moment meets both
        for name, kept in times.items():
            began = time.perf_counter()
            assert call("GET", f"{A}/agents/{name}/statistics").status == 404
            kept.append(time.perf_counter() - began)
    there, nowhere = (statistics.median(kept) for kept in times.values())
    spread = statistics.median(abs(t - nowhere) for t in times["nobody"])
    assert abs(there - nowhere) < 1.5 * spread


def test_decisions_of_another_market_are_unknown(service: Service) -> None:
    [decision] = service.caller("shop application")("POST", "/v1/markets/shop/decisions").json[
        "decisions"
    ]
    call = service.caller("application")
    there = call("POST", f"{A}/rewards", {"decision": decision["id"], "reward": 1})
    nowhere = call("POST", f"{A}/rewards", {"decision": "shop-1-0000000000", "reward": 1})
    assert (there.status, there.body) == (nowhere.status, nowhere.body)
    assert (there.status, there.field) == (404, "decision")


def test_an_agent_sees_its_own_and_nothing_else(service: Service) -> None:
    call = service.caller("bob")
    found = call("GET", f"{A}/agents/bob/statistics")
    assert found.json["agent"] == "bob"
    assert found.json["play_share"] is None
    assert found.json["revenue_share"] is None
    assert {arm["agent"] for arm in found.json["arms"]} == {"bob"}
    for name in (b'"ann"', b'"eve"', b'"a1"', b'"e1"'):
        assert name not in found.body


@pytest.mark.parametrize("role", ["operator", "auditor"])
def test_a_key_for_some_markets_knows_no_others(service: Service, role: str) -> None:
    boss = service.caller("operator")
    made = boss("POST", "/v1/keys", {"role": role, "markets": ["site"]}).json
    call = service.caller()
    call.key = made["key"]
    assert [each["market"] for each in call("GET", "/v1/markets").json["markets"]] == ["site"]
    assert call("GET", f"{A}/statistics").status == 200
    for path in ("/v1/markets/shop", "/v1/markets/shop/statistics", "/v1/markets/shop/journal"):
        assert call("GET", path).body == call("GET", path.replace("shop", "none")).body
        assert call("GET", path).status == 404
    refused = call("GET", "/metrics")
    assert (refused.status, refused.field) == (403, "Authorization")


def test_an_operator_of_some_markets_has_only_their_keys(service: Service) -> None:
    boss = service.caller("operator")
    call = service.caller()
    call.key = boss("POST", "/v1/keys", {"role": "operator", "markets": ["site"]}).json["key"]
    for markets in ([], ["shop"], ["site", "shop"]):
        refused = call("POST", "/v1/keys", {"role": "auditor", "markets": markets})
        assert (refused.status, refused.field) == (422, "markets")
    mine = call("POST", "/v1/keys", {"role": "application", "markets": ["site"]}).json
    other = boss("POST", "/v1/keys", {"role": "application", "markets": ["site", "shop"]}).json
    listed = {each["id"] for each in call("GET", "/v1/keys").json["keys"]}
    assert mine["id"] in listed
    assert other["id"] not in listed
    for method, path in (("DELETE", "/v1/keys/{}"), ("POST", "/v1/keys/{}/rotate")):
        foreign = call(method, path.format(other["id"]), {} if method == "POST" else None)
        nowhere = call(method, path.format("0" * 12), {} if method == "POST" else None)
        assert (foreign.status, foreign.body) == (404, nowhere.body)
    assert call("DELETE", f"/v1/keys/{mine['id']}").status == 200
    assert call("PUT", "/v1/markets/shop/policy", {"policy": "h-ucb"}).status == 404
    assert call("PUT", "/v1/markets/new", {"policy": "h-ucb"}).status == 404
    assert call("PUT", f"{A}/policy", {"policy": "h-ucb"}).status == 200
