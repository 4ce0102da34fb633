"""What is refused before anything is done, and how it is said."""

import time

import pytest

from copyproof.live.stores import open_store
from copyproof.service import Limits
from copyproof.service.keys import Keyring
from tests.service.conftest import Service, filled
from tests.service.serving import Caller, serving

ASK = "/v1/markets/site/decisions"
TELL = "/v1/markets/site/rewards"
ARMS = "/v1/markets/site/agents/ann/arms"


BAD = [
    (ASK, b"{", 400, "body"),
    (ASK, b'{"count": NaN}', 400, "body"),
    (ASK, b'{"count": 1} x', 400, "body"),
    (ASK, b"\xff", 400, "body"),
    (ASK, b"[" * 100_000, 400, "body"),
    (ASK, b"[]", 422, "body"),
    (ASK, b'{"eligible": ' + b"[" * 900 + b"]" * 900 + b"}", 422, "eligible"),
    (TELL, b"[" * 900 + b"]" * 900, 422, "body"),
    (ARMS, b"[" * 900 + b"]" * 900, 422, "body"),
    (ARMS, b'{"arms": ' * 500 + b"1" + b"}" * 500, 422, "body"),
    (ARMS, b"[" * 100_000, 400, "body"),
    (ASK, b'{"count": 0}', 422, "count"),
    (ASK, b'{"count": 1001}', 422, "count"),
    (ASK, b'{"count": 1.0}', 422, "count"),
    (ASK, b'{"count": true}', 422, "count"),
    (ASK, b'{"count": "1"}', 422, "count"),
    (ASK, b'{"cuont": 1}', 422, "cuont"),
    (ASK, b'{"slate": 1}', 422, "slate"),
    (ASK, b'{"eligible": "ann"}', 422, "eligible"),
    (ASK, b'{"eligible": [1]}', 422, "eligible"),
    (ASK, b'{"eligible": {"ann": "a1"}}', 422, "eligible.ann"),
    (ASK, b'{"eligible": []}', 409, "eligible"),
    (TELL, b"", 400, "body"),
    (TELL, b"{}", 422, "decision"),
    (TELL, b'{"decision": "x"}', 422, "reward"),
    (TELL, b'{"decision": 1, "reward": 1}', 422, "decision"),
    (TELL, b'{"decision": "", "reward": 1}', 422, "decision"),
    (TELL, b'{"decision": "x", "reward": 1.0000001}', 422, "reward"),
    (TELL, b'{"decision": "x", "reward": -0.1}', 422, "reward"),
    (TELL, b'{"decision": "x", "reward": 1e400}', 400, "body"),
    (TELL, b'{"decision": "x", "reward": NaN}', 400, "body"),
    (TELL, b'{"decision": "x", "reward": "1"}', 422, "reward"),
    (TELL, b'{"decision": "x", "reward": true}', 422, "reward"),
    (TELL, b'{"decision": "x", "reward": null}', 422, "reward"),
    (TELL, b'{"decision": "x", "reward": 1, "extra": 1}', 422, "extra"),
    (TELL, b'{"decision": "x", "reward": 1}', 404, "decision"),
    (TELL, b'{"rewards": []}', 422, "rewards"),
    (TELL, b'{"rewards": {}}', 422, "rewards"),
    (TELL, b'{"rewards": [1]}', 422, "rewards[0]"),
    (TELL, b'{"rewards": [{"decision": "x", "reward": 2}]}', 422, "rewards[0].reward"),
    (TELL, b'{"rewards": [], "more": 1}', 422, "more"),
    (ARMS, b'{"arms": []}', 422, "arms"),
    (ARMS, b'{"arms": [""]}', 422, "arms[0]"),
    (ARMS, b'{"arms": ["a", 3]}', 422, "arms[1]"),
    (ARMS, b'{"arms": ["\\u0000"]}', 422, "arms[0]"),
    (ARMS, b'{"arms": ["\\ud800"]}', 400, "body"),
    (ARMS, b'{"names": ["a"]}', 422, "arms"),
]


@pytest.mark.parametrize(("path", "raw", "status", "field"), BAD)
def test_bad_bodies(service: Service, path: str, raw: bytes, status: int, field: str) -> None:
    answer = service.caller()("POST", path, raw=raw)
    assert (answer.status, answer.field) == (status, field), answer.body
    assert "\n" not in answer.json["error"]["message"]


@pytest.mark.parametrize("path", [ASK, TELL, ARMS])
@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "application/xml", "", "json"]
)
def test_content_types(service: Service, path: str, kind: str) -> None:
    answer = service.caller()("POST", path, raw=b"{}", headers={"Content-Type": kind})
    assert (answer.status, answer.field) == (415, "Content-Type")


def test_content_type_with_parameters(service: Service) -> None:
    for kind in ("application/json; charset=utf-8", "Application/JSON"):
        answer = service.caller()("POST", ASK, raw=b"{}", headers={"Content-Type": kind})
        assert answer.status == 200


def test_batches_end_at_a_thousand(service: Service) -> None:
    call = service.caller()
    decisions = call("POST", ASK, {"count": 1000}).json["decisions"]
    assert len(decisions) == 1000
    rewards = [{"decision": each["id"], "reward": 1} for each in decisions]
    assert call("POST", TELL, {"rewards": [*rewards, rewards[0]]}).field == "rewards"
    assert len(call("POST", TELL, {"rewards": rewards}).json["told"]) == 1000
    arms = [str(number) for number in range(1001)]
    assert call("POST", ARMS, {"arms": arms}).field == "arms"


def test_idempotency_keys_have_a_form(service: Service) -> None:
    call = service.caller()
    for text in ("", "x" * 151, "\xff"):
        answer = call("POST", ASK, {}, headers={"Idempotency-Key": text})
        assert (answer.status, answer.field) == (422, "Idempotency-Key")


def test_unknown_paths_and_methods(service: Service) -> None:
    call = service.caller()
    for path in ("/", "/v2/markets", "/v1/markets/site/nothing", "/v1/markets/site/decisions/"):
        assert call("GET", path).status in (404, 405)
        assert call("POST", path, {}).status in (404, 405)
    for path in ("/v1/markets/", "/v1/keys/", "/healthz/"):  # and nobody is sent elsewhere
        assert call("GET", path, headers={"Host": "example.org"}).status == 404
    for method, path in (("GET", ASK), ("PUT", TELL)):
        answer = call(method, path)
        assert (answer.status, answer.field) == (404, "path")
    answer = call("PATCH", "/v1/markets/site")
    assert (answer.status, answer.field) == (405, "method")


def test_a_path_is_utf8(service: Service) -> None:
    call = service.caller()
    for method, path in (
        ("PUT", "/v1/markets/%ff"),
        ("DELETE", "/v1/markets/%fe"),
        ("POST", "/v1/markets/%ff/decisions"),
        ("DELETE", "/v1/keys/%fe"),
    ):
        answer = call(method, path, {} if method != "DELETE" else None)
        assert (answer.status, answer.field) == (422, "path")
        assert answer.json["error"]["message"] == f"path = '{path}' is not UTF-8"
    # A market of before may have the name: it is found, and no other is made.
    assert call("DELETE", "/v1/markets/%EF%BF%BD").status == 404
    assert call("PUT", "/v1/markets/%EF%BF%BD", {}).field == "market"
    assert call("GET", "/v1/markets/%C3%A9").status == 404


def test_no_body_is_one_of_defaults(service: Service) -> None:
    call = service.caller()
    for headers in ({}, {"Content-Type": "text/plain"}):
        assert call("PUT", "/v1/markets/plain", headers=headers).status == 200
        assert call("PUT", "/v1/markets/plain/clock", headers=headers).status == 200
        answer = call("POST", "/v1/markets/site/pause", headers=headers)
        assert answer.json["error"] == {"field": "reason", "message": "reason is missing"}


MARKET = "/v1/markets/another"
RAILS = "/v1/markets/site/rails"
SAID = [
    ("PUT", MARKET, {"polcy": "h-ucb"}, "unanswered are known; did you mean 'policy'?"),
    ("PUT", MARKET, {"seed": "x"}, 'seed = "x" is not a whole number'),
    ("PUT", MARKET, {"seed": 2**64}, f"seed = {2**64} is not less than {2**64}"),
    ("PUT", MARKET, {"reward_window": "x"}, 'reward_window = "x" is not a number'),
    ("PUT", MARKET, {"default_reward": 2}, "default_reward = 2 is not at most 1.0"),
    ("PUT", MARKET, {"most_arms": 0}, "most_arms = 0 is not at least 1"),
    ("PUT", MARKET, {"late": "x"}, "late = \"x\" is not 'refuse' or 'correct'"),
    ("PUT", MARKET, {"policy": 3}, "policy = 3 is not a text"),
    ("PUT", MARKET, {"policy": ""}, 'policy = "" is not a text of 1 or more characters'),
    ("PUT", MARKET, {"reward_window": 0}, "reward_window = 0.0 is not above 0: with late 'refuse'"),
    ("PUT", "/v1/markets/site/clock", {"at": 0}, "at = 0 is not greater than 0"),
    ("PUT", RAILS, {"rails": "x"}, 'rails = "x" is not a list'),
    ("PUT", RAILS, {"rails": [3]}, "rails[0] = 3 is not an object"),
    (
        *("PUT", RAILS, {"rails": [{"measure": "share", "last": 5, "most": 1}]}),
        "only agent, at_least, at_most, last, measure, then are known; did you mean 'at_most'?",
    ),
    (
        *("PUT", RAILS, {"rails": [{"measure": "reward", "last": 5, "at_most": 0, "at_least": 1}]}),
        "rails[0].at_least = 1.0 is not at most 0, the rail's at_most",
    ),
    ("POST", ARMS, {"arms": ["a"] * 1001}, "... is not at most 1000 long"),
    ("POST", "/v1/keys", {"role": "king"}, "role = \"king\" is not 'operator', 'application', "),
    (
        *("POST", "/v1/keys", {"role": "operator", "expires": "90d"}),
        'expires = "90d" is not a time in seconds since 1970',
    ),
    ("GET", "/v1/markets?limit=x", None, 'limit = "x" is not a whole number'),
    (
        "POST",
        ASK,
        {"eligible": ["ann", "nobody"], "strict": True},
        'eligible[1] = "nobody" is not known',
    ),
    ("POST", ASK, {"eligible": {"nobody": []}, "strict": True}, 'eligible = "nobody" is not known'),
    ("POST", ASK, {"seen": {"ann": ["a1", "x"]}, "strict": True}, 'seen.ann[1] = "x" is not known'),
    ("POST", ASK, {"eligible": []}, "eligible is empty"),
]


@pytest.mark.parametrize(("method", "path", "body", "said"), SAID)
def test_what_is_wrong_is_said_with_its_value(
    service: Service, method: str, path: str, body: object, said: str
) -> None:
    answer = service.caller()(method, path, body)
    assert said in answer.json["error"]["message"]
    assert answer.status in (404, 409, 422)


def test_a_window_of_nothing_is_for_rewards_that_correct(service: Service) -> None:
    call, market = service.caller(), "/v1/markets/corrected"
    assert call("PUT", market, {"reward_window": 0, "late": "correct"}).status == 200
    assert call("POST", f"{market}/agents/ann/arms", {"arms": ["a"]}).status == 200
    [decision] = call("POST", f"{market}/decisions").json["decisions"]
    body = {"decision": decision["id"], "reward": 1}
    [told] = call("POST", f"{market}/rewards", body).json["told"]
    assert (told["status"], told["reward"]) == ("corrected", 1.0)


def test_health_needs_no_key(service: Service) -> None:
    call = Caller(service.url)
    assert call("GET", "/healthz").json == {"alive": True}
    assert call("GET", "/readyz").json == {"ready": True}


def test_large_bodies_are_not_read() -> None:
    store = open_store("memory:")
    key = filled(store)["operator"]
    with serving(store, limits=Limits(body=1000)) as running:
        call = Caller(running.url, key)
        answer = call("POST", ASK, raw=b" " * 1001)
        assert (answer.status, answer.field) == (413, "body")
        call.close()
        parts = (b" " * 100 for _ in range(11))  # chunked: no length is announced
        answer = call("POST", ASK, raw=parts)
        assert (answer.status, answer.field) == (413, "body")
        call.close()
        assert call("POST", ASK, raw=b" " * 998 + b"{}").status == 200


def test_rates_go_by_role_and_by_key() -> None:
    store = open_store("memory:")
    keys = filled(store)
    own = Keyring(store, time.time).add(
        "agent", markets=("site",), agent="eve", rate=0.25, burst=3
    )[1]
    mine = {"agent": "ann", "bob": "bob"}
    with serving(store, limits=Limits(agent_rate=0.5, agent_burst=4)) as running:

        def statuses(key: str, agent: str, times: int) -> list[int]:
            call = Caller(running.url, key)
            path = f"/v1/markets/site/agents/{agent}/statistics"
            return [call("GET", path).status for _ in range(times)]

        for whose, agent in mine.items():
            assert statuses(keys[whose], agent, 5) == [200] * 4 + [429]
        assert statuses(own, "eve", 4) == [200] * 3 + [429]
        answer = Caller(running.url, own)("GET", "/v1/markets/site/agents/eve/statistics")
        assert answer.headers["retry-after"] == "4"
        said = "more than 0.25 requests, decisions or rewards a second with this key, and 3 at once"
        assert answer.json["error"]["message"] == said
        assert statuses(keys["operator"], "ann", 20) == [200] * 20


def test_an_agent_cannot_fill_the_journal_with_what_changes_nothing() -> None:
    store = open_store("memory:")
    keys = filled(store)
    with serving(store, limits=Limits(agent_rate=1e6, agent_burst=1000)) as running:
        call = Caller(running.url, keys["agent"])
        last = store.last("site")
        for n in range(50):
            path, sent = "/v1/markets/site/agents/ann/arms", {"Idempotency-Key": f"{n}"}
            answer = call("POST", path, {"arms": ["a1", "a2"]}, headers=sent)
            assert answer.json == {"registered": 0}
        assert store.last("site") == last


def test_agents_have_a_limit_of_arms_unless_the_operator_says_otherwise() -> None:
    store = open_store("memory:")
    keys = filled(store)
    with serving(store) as running:
        call = Caller(running.url, keys["operator"])
        made = call("PUT", "/v1/markets/new", {"policy": "h-ucb"})
        assert made.json["config"]["most_arms"] == 10_000
        for start in range(0, 10_000, 1000):
            arms = [f"arm {n}" for n in range(start, start + 1000)]
            answer = call("POST", "/v1/markets/new/agents/ann/arms", {"arms": arms})
            assert answer.json == {"registered": 1000}
        answer = call("POST", "/v1/markets/new/agents/ann/arms", {"arms": ["one more"]})
        assert (answer.status, answer.field) == (422, "arms")
        free = call("PUT", "/v1/markets/free", {"policy": "h-ucb", "most_arms": None})
        assert free.json["config"]["most_arms"] is None
        # A market that the library has made without a limit is not another one.
        assert call("PUT", "/v1/markets/site", {"policy": "h-ucb", "seed": 7}).status == 200
        other = {"policy": "h-ucb", "seed": 7, "most_arms": 10_000}
        assert call("PUT", "/v1/markets/site", other).status == 409


def test_rates_are_kept_for_each_key() -> None:
    store = open_store("memory:")
    keys = filled(store)
    with serving(store, limits=Limits(rate=0.5, burst=5)) as running:
        one, other = Caller(running.url, keys["operator"]), Caller(running.url, keys["application"])
        assert [one("POST", ASK).status for _ in range(6)] == [200] * 5 + [429]
        answer = one("POST", ASK)
        assert (answer.field, answer.headers["retry-after"]) == ("Authorization", "2")
        assert other("POST", ASK).status == 200


def test_a_request_counts_for_its_decisions_and_its_rewards() -> None:
    store = open_store("memory:")
    keys = filled(store)
    with serving(store, limits=Limits(rate=0.5, burst=5)) as running:
        one, other = Caller(running.url, keys["operator"]), Caller(running.url, keys["application"])
        made = one("POST", ASK, {"count": 100}).json["decisions"]
        assert len(made) == 100
        answer = one("POST", ASK)
        assert (answer.status, answer.field) == (429, "Authorization")
        assert 180 <= int(answer.headers["retry-after"]) <= 192  # (100 − 5 + 1) / 0.5
        rewards = [{"decision": each["id"], "reward": 1} for each in made]
        path = "/v1/markets/site/rewards"
        assert other("POST", path, {"rewards": rewards}).status == 200
        assert other("POST", path, {"rewards": rewards[:1]}).status == 429


def test_plays_that_wait_have_a_limit() -> None:
    store = open_store("memory:")
    keys = filled(store)
    with serving(store, limits=Limits(most_pending=250)) as running:
        call = Caller(running.url, keys["application"])
        made = [call("POST", ASK, {"count": 100}).json["decisions"] for _ in range(2)]
        refused = call("POST", ASK, {"count": 100})
        assert (refused.status, refused.field) == (409, "count")
        assert "250 plays of this market may wait" in refused.json["error"]["message"]
        assert call("POST", ASK, {"count": 50}).status == 200
        assert call("POST", ASK).status == 409
        rewards = [{"decision": each["id"], "reward": 0} for each in made[0]]
        assert call("POST", "/v1/markets/site/rewards", {"rewards": rewards}).status == 200
        assert call("POST", ASK, {"count": 100}).status == 200
        assert call("POST", ASK).status == 409
        other = Caller(running.url, keys["shop application"])
        assert other("POST", "/v1/markets/shop/decisions").status == 200
        text = Caller(running.url, keys["operator"])("GET", "/metrics").body.decode()
        assert "copyproof_pending_plays_limit 250" in text
