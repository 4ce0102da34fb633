"""Routes answer with data: what is so now, and whether the request changed it."""

from typing import Any

import pytest

from tests.service.conftest import Service

A = "/v1/markets/shop"
Z = f"{A}/agents/zoe"
ON = {"agent": "zoe", "arm": "z1", "suspended": True}
OFF = {"agent": "zoe", "arm": "z1", "suspended": False}
WRITES: list[tuple[str, str, Any, dict[str, Any], dict[str, Any]]] = [
    (
        *("POST", f"{A}/agents", {"agent": "zoe"}),
        {"agent": "zoe", "registered": True, "changed": True},
        {"agent": "zoe", "registered": True, "changed": False},
    ),
    ("POST", f"{Z}/arms", {"arms": ["z1", "z2", "z3"]}, {"registered": 3}, {"registered": 0}),
    ("POST", f"{Z}/arms", {"arms": ["z3", "z4"]}, {"registered": 1}, {"registered": 0}),
    (
        *("POST", f"{Z}/suspend", None),
        {"agent": "zoe", "arm": None, "suspended": True, "changed": True},
        {"agent": "zoe", "arm": None, "suspended": True, "changed": False},
    ),
    (
        *("POST", f"{Z}/resume", None),
        {"agent": "zoe", "arm": None, "suspended": False, "changed": True},
        {"agent": "zoe", "arm": None, "suspended": False, "changed": False},
    ),
    (
        *("POST", f"{Z}/arms/suspend", {"arm": "z1"}),
        {**ON, "changed": True},
        {**ON, "changed": False},
    ),
    (
        *("POST", f"{Z}/arms/resume", {"arm": "z1"}),
        {**OFF, "changed": True},
        {**OFF, "changed": False},
    ),
    (
        *("POST", f"{Z}/arms/retire", {"arm": "z2"}),
        {"agent": "zoe", "arm": "z2", "retired": True, "changed": True},
        {"agent": "zoe", "arm": "z2", "retired": True, "changed": False},
    ),
    (
        *("PUT", f"{A}/policy", {"policy": "default-anytime"}),
        {"policy": "trial-anytime", "changed": True, "share": None},
        {"policy": "trial-anytime", "changed": False, "share": None},
    ),
    (
        *("PUT", f"{A}/policy", {"policy": "h-ucb", "share": 0.5}),
        {"policy": "h-ucb", "changed": True, "share": 0.5},
        {"policy": "h-ucb", "changed": False, "share": 0.5},
    ),
    (
        *("DELETE", f"{A}/candidate", None),
        {"market": "shop", "changed": True},
        {"market": "shop", "changed": False},
    ),
    (
        *("PUT", f"{A}/rails", {"rails": [], "fallback": "ucb1"}),
        {"market": "shop", "changed": True},
        {"market": "shop", "changed": False},
    ),
    (
        *("POST", f"{A}/pause", {"reason": "a test"}),
        {"market": "shop", "paused": True, "changed": True},
        {"market": "shop", "paused": True, "changed": False},
    ),
    (
        *("POST", f"{A}/resume", None),
        {"market": "shop", "paused": False, "changed": True},
        {"market": "shop", "paused": False, "changed": False},
    ),
]


def test_what_was_changed_is_told_as_data(service: Service) -> None:
    call = service.caller()
    for number, (method, path, body, first, again) in enumerate(WRITES):
        sent = {"Idempotency-Key": f"n{number}"}
        assert call(method, path, body, headers=sent).json == first
        assert call(method, path, body).json == again
        assert call(method, path, body, headers=sent).json == first  # a retry of the first


@pytest.mark.parametrize("path", ["/v1/keys", "/v1/markets"])
def test_lists(service: Service, path: str) -> None:
    answer = service.caller()("GET", path).json
    assert answer.pop("next") is None
    [(name, found)] = answer.items()
    assert (name, len(found)) in (("keys", 7), ("markets", 2))
    assert all("key" not in each for each in found)  # no secret, not even an empty one


SITE = "/v1/markets/site"


def test_a_market_says_what_it_promises_under_the_policy_that_it_runs(service: Service) -> None:
    call = service.caller()
    found = call("GET", SITE).json
    assert found["policy"] == "h-ucb"
    assert found["guarantee"].startswith("proven: copies of an agent's only arm change nothing")
    call("PUT", f"{SITE}/policy", {"policy": "ucb1"})
    found = call("GET", SITE).json
    assert (found["policy"], found["config"]["policy"]) == ("ucb1", "h-ucb")
    assert found["guarantee"].startswith("none: ucb1 is flat")


def test_a_slate_says_how_many_places_are_empty(service: Service) -> None:
    call = service.caller()
    found = call("POST", f"{SITE}/decisions", {"count": 5, "slate": True}).json
    assert (len(found["decisions"]), found["missing"]) == (3, 2)
    assert call("POST", f"{SITE}/decisions").json["missing"] == 0
    seen = [one["id"] for one in found["decisions"][:2]]
    rest = call("POST", f"{SITE}/decisions", {"count": 3, "slate": True, "seen": seen}).json
    assert [one["agent"] for one in rest["decisions"]] == [found["decisions"][2]["agent"]]
    assert call("POST", f"{SITE}/decisions", {"segment": "de/mobile"}).status == 200
    assert call("POST", f"{SITE}/decisions", {"segment": ""}).field == "segment"
    body = {"seen": {"ann": ["a1"], "bob": [], "eve": ["x"]}, "strict": True}
    answer = call("POST", f"{SITE}/decisions", body)
    assert (answer.status, answer.field) == (404, "seen.eve[0]")


def test_what_an_arm_is_is_the_operators_to_say(service: Service) -> None:
    body = {"arms": ["n1", "n2"], "content": {"n1": "9f86d081"}}
    path = f"{SITE}/agents/ann/arms"
    assert service.caller("agent")("POST", path, body).field == "content"
    call = service.caller()
    assert call("POST", path, body).json == {"registered": 2}
    assert call("POST", path, {"arms": ["n1"], "content": {"n1": "7"}}).field == "arms[0].content"
    assert call("POST", path, {"arms": ["n1"], "content": {"n3": "7"}}).field == "content"
    line = call("GET", f"{SITE}/journal").body.decode().splitlines()[-1]
    assert '"arms":[["ann","n1","9f86d081"],["ann","n2"]]' in line


BAD_PRINTS = [
    ({"hash": "zz"}, "is not a 64-bit hash"),
    ({"vector": []}, "is not 1 to 10,000 finite numbers"),
    ({"vector": [1, 2, "x"]}, "is not 1 to 10,000 finite numbers"),
    ({"nope": 1}, "is not a fingerprint"),
    ({"hash": "00000000000000ff", "hashes": ["a"]}, "is not a fingerprint"),
    (5, "is not a fingerprint"),
]


@pytest.mark.parametrize(("given", "said"), BAD_PRINTS)
def test_a_bad_fingerprint_of_a_new_arm_changes_nothing(
    service: Service, given: object, said: str
) -> None:
    call, arm = service.caller(), f"arm {BAD_PRINTS.index((given, said))}"
    body = {"arms": [arm, "other"], "fingerprints": {arm: given}}
    answer = call("POST", f"{A}/agents/ann/arms", body)
    assert (answer.status, answer.field) == (422, f"fingerprints['{arm}']")
    assert said in answer.json["error"]["message"]
    assert call("POST", f"{A}/agents/ann/arms", {"arms": [arm]}).json == {"registered": 1}


def test_another_fingerprint_of_an_arm_keeps_new_ones_from_being_registered(
    service: Service,
) -> None:
    call = service.caller()
    where, has = f"{A}/agents/ann/arms", {"hash": "00000000000000ff"}
    assert call("POST", where, {"arms": ["x"], "fingerprints": {"x": has}}).status == 200
    body = {"arms": ["x", "new"], "fingerprints": {"x": {"hash": "f" * 16}, "new": has}}
    answer = call("POST", where, body)
    assert (answer.status, answer.field) == (422, "fingerprints['x']")
    body["fingerprints"] = {"x": has, "new": has}
    assert call("POST", where, body).json == {"registered": 1}


def test_another_config_is_named_with_both_values(service: Service) -> None:
    answer = service.caller()("PUT", A, {"policy": "h-ucb", "reward_window": 7.0})
    assert (answer.status, answer.field) == (409, "market")
    message = answer.json["error"]["message"]
    assert message.startswith("market = 'shop' exists already, with reward_window = ")
    assert message.endswith(" and not 7.0")


def test_a_config_says_every_setting_and_makes_the_same_market_again(service: Service) -> None:
    """Also those that older markets do not have written down, and so nobody has."""
    call = service.caller()
    said = {"policy": "h-ucb", "seed": 1, "per_agent": None, "seen": "content"}
    said |= {"unanswered": "omitted", "most_segments": 100}
    made = call("PUT", "/v1/markets/said", said).json["config"]
    assert {name: made[name] for name in said} == said
    read = call("GET", "/v1/markets/said").json
    assert read["config"] == made
    assert call("PUT", "/v1/markets/said", made).status == 200
    assert call("PUT", "/v1/markets/again", made).json["config"] == made
    assert call("GET", "/v1/markets/again").json["guarantee"] == read["guarantee"]
    del said["unanswered"]
    answer = call("PUT", "/v1/markets/said", said)
    assert answer.status == 409
    assert "with unanswered = 'omitted' and not 'estimated'" in answer.json["error"]["message"]
    for market in ("said", "again"):
        assert call("DELETE", f"/v1/markets/{market}").status == 200
