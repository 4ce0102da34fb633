"""The same key gives the same answer and changes nothing, also after a restart."""

from pathlib import Path
from typing import Any

from copyproof.live import Principal
from copyproof.live.stores import open_store
from tests.service.conftest import filled
from tests.service.serving import Caller, serving

A = "/v1/markets/site"
WRITES: list[tuple[str, str, Any]] = [
    ("POST", f"{A}/agents", {"agent": "zoe"}),
    ("POST", f"{A}/agents/zoe/arms", {"arms": ["z1", "z2"]}),
    ("PUT", f"{A}/agents/zoe/group", {"group": "zoe & co"}),
    ("POST", f"{A}/agents/zoe/suspend", None),
    ("POST", f"{A}/agents/zoe/resume", None),
    ("POST", f"{A}/agents/zoe/arms/suspend", {"arm": "z1"}),
    ("POST", f"{A}/agents/zoe/arms/resume", {"arm": "z1"}),
    ("POST", f"{A}/agents/zoe/arms/retire", {"arm": "z2"}),
    ("PUT", f"{A}/policy", {"policy": "prh-ucb"}),
    ("POST", f"{A}/decisions", {"count": 7}),
    ("POST", f"{A}/decisions", {"count": 3, "slate": True, "eligible": ["ann", "eve"]}),
    ("POST", f"{A}/rewards", None),
    ("DELETE", f"{A}/agents/zoe", None),
    ("PUT", "/v1/markets/new", {"policy": "ucb1", "seed": 3}),
    ("POST", "/v1/keys", {"role": "auditor"}),
]


def test_every_write_can_be_retried_before_and_after_a_restart(tmp_path: Path) -> None:
    url = f"sqlite:{tmp_path / 'live.db'}"
    with open_store(url) as store:
        key = filled(store)["operator"]
    answers: list[bytes] = []
    bodies = [body for _, _, body in WRITES]
    for turn in range(3):
        with open_store(url) as store, serving(store) as running:
            call = Caller(running.url, key)
            for number, (method, path, _) in enumerate(WRITES):
                if bodies[number] is None and path.endswith("rewards"):
                    [first, *_] = call("POST", f"{A}/decisions").json["decisions"]
                    bodies[number] = {"decision": first["id"], "reward": 0.5}
                for _ in range(2):
                    sent = {"Idempotency-Key": f"write {number}"}
                    answer = call(method, path, bodies[number], headers=sent)
                    assert answer.status == 200, answer.body
                    if turn == 0 and len(answers) == number:
                        answers.append(answer.body)
                    assert answer.body == answers[number]
            with_other_body = {"Idempotency-Key": "write 7"}
            other = call("POST", f"{A}/decisions", {"count": 8}, headers=with_other_body)
            assert (other.status, other.field) == (422, "Idempotency-Key")
            [digest] = {Principal(store=store, market="site").digest()}
            last = store.last("site")
        if turn == 0:
            kept = (digest, last)
        assert (digest, last) == kept  # nothing happened after the first time


def test_two_callers_may_choose_the_same_key() -> None:
    store = open_store("memory:")
    keys = filled(store)
    with serving(store) as running:
        rounds = []
        for whose in ("operator", "application"):
            call = Caller(running.url, keys[whose])
            sent = {"Idempotency-Key": "mine"}
            [decision] = call("POST", f"{A}/decisions", {}, headers=sent).json["decisions"]
            rounds.append(decision["round"])
        assert rounds == [1, 2]


def test_a_market_is_created_once() -> None:
    store = open_store("memory:")
    key = filled(store)["operator"]
    with serving(store) as running:
        call = Caller(running.url, key)
        body = {"policy": "rh-ucb(L=3)", "horizon": 1000, "seed": 5}
        first = call("PUT", "/v1/markets/m", body)
        assert (first.status, first.json["served_here"]) == (200, True)
        assert call("PUT", "/v1/markets/m", body).body == first.body
        assert call("PUT", "/v1/markets/m", {**body, "seed": 6}).status == 409
        for bad, field in (
            ({"policy": "nothing"}, "policy"),
            ({"policy": "rh-ucb(L=3)"}, "policy"),  # it needs T
            ({"seed": -1}, "seed"),
            ({"late": "maybe"}, "late"),
            ({"default_reward": 2}, "default_reward"),
        ):
            answer = call("PUT", "/v1/markets/other", bad)
            assert answer.status == 422, answer.body
            assert answer.field.startswith(field), answer.body
        for name in ("x" * 201, "%00", "a%0Ab"):
            assert call("PUT", f"/v1/markets/{name}", {}).status == 422
        assert set(store.markets()) == {"site", "shop", "m"}
