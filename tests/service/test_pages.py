"""Lists come in pages, so that no answer is larger than it must be; the client follows them."""

from collections import Counter
from hashlib import blake2b
from itertools import product
from typing import Any
from urllib.parse import quote

import pytest

from copyproof.client import Client
from copyproof.live import MarketConfig, Principal
from copyproof.live.stores import open_store
from tests.service.conftest import filled
from tests.service.serving import Caller, serving

LISTS = (
    ("/v1/markets", "markets"),
    ("/v1/keys", "keys"),
    ("/v1/markets/site/statistics", "agents"),
    ("/v1/markets/site/agents/zoe/statistics", "arms"),
    ("/v1/markets/site/suspicions", "suspicions"),
)


def test_pages_make_up_the_whole() -> None:
    store = open_store("memory:")
    key = filled(store)["operator"]
    with serving(store) as running:
        call = Caller(running.url, key)
        for n in range(3):
            assert call("PUT", f"/v1/markets/m{n}", {}).status == 200
        arms = {"arms": [f"z{n}" for n in range(7)]}
        assert call("POST", "/v1/markets/site/agents/zoe/arms", arms).status == 200
        assert call("POST", "/v1/markets/site/decisions", {"count": 50}).status == 200
        for agent, name in product(("ann", "bob"), "uvwxy"):
            prints = {name: {"hash": name.encode().hex() * 8}}
            body = {"arms": [name], "fingerprints": prints}
            assert call("POST", f"/v1/markets/site/agents/{agent}/arms", body).status == 200

        def pages(path: str, rows: str, limit: int) -> list[Any]:
            found = [call("GET", f"{path}?limit={limit}").json]
            while (after := found[-1].get("next")) is not None:
                assert len(found[-1][rows]) == limit
                found.append(call("GET", f"{path}?limit={limit}&after={quote(after)}").json)
            return found

        for path, rows in LISTS:
            whole = call("GET", path).json
            assert whole.get("next") is None
            assert len(whole[rows]) >= 3
            for limit in (1, 2, 3, 1000):
                found = pages(path, rows, limit)
                assert [each for page in found for each in page[rows]] == whole[rows]
                if rows in ("agents", "arms"):
                    assert {page["plays"] for page in found} == {whole["plays"]}
            for bad, field in (
                ("limit=0", "limit"),
                ("limit=10001", "limit"),
                ("after=nobody", "after"),
            ):
                answer = call("GET", f"{path}?{bad}")
                assert (answer.status, answer.field) == (422, field), answer.body


def test_large_answers_are_cut_and_the_client_puts_them_together() -> None:
    store = open_store("memory:")
    key = filled(store)["operator"]
    principal = Principal(store=store, market="large", config=MarketConfig("h-ucb"))
    arms = [("big", f"arm {n}") for n in range(2500)]
    principal.register_arms(arms + [(f"agent {n}", "a") for n in range(1200)])
    with serving(store) as running, Client(running.url, key) as client:
        call = Caller(running.url, key)
        cut = call("GET", "/v1/markets/large/agents/big/statistics").json
        assert (len(cut["arms"]), cut["next"]) == (1000, "arm 999")
        assert len(call("GET", "/v1/markets/large/statistics").json["agents"]) == 1000
        whole = client.statistics("large", "big")
        assert [arm["arm"] for arm in whole["arms"]] == [arm for _, arm in arms]
        assert whole["next"] is None
        agents = client.statistics("large")["agents"]
        assert [agent["agent"] for agent in agents] == ["big", *(f"agent {n}" for n in range(1200))]
        assert len(client.keys()) == 7
        assert [market["market"] for market in client.markets()] == ["large", "shop", "site"]


def test_many_suspicions_come_in_pages_also_if_one_changes_between_them() -> None:
    store = open_store("memory:")
    key = filled(store)["operator"]
    principal = Principal(store=store, market="many", config=MarketConfig("h-ucb"))
    pairs = [(agent, f"{n}") for n in range(1001) for agent in ("ann", "eve")]
    principal.register_arms([*pairs, ("zoe", "z")])
    digest = {name: blake2b(name.encode(), digest_size=8).hexdigest() for _, name in pairs}
    principal.set_fingerprints({one: {"hash": digest[one[1]]} for one in pairs})
    whole = principal.suspicions()
    assert len(whole) == 1001
    path = "/v1/markets/many/suspicions"
    with serving(store) as running, Client(running.url, key) as client:
        call = Caller(running.url, key)
        cut = call("GET", path).json
        assert [one["id"] for one in cut["suspicions"]] == [one.id for one in whole[:1000]]
        assert client.suspicions("many") == whole
        joins = {"arms": ["z"], "fingerprints": {"z": {"hash": digest["999"]}}}
        assert call("POST", "/v1/markets/many/agents/zoe/arms", joins).status == 200
        rest = call("GET", f"{path}?after={cut['next']}").json
        assert ([one["id"] for one in rest["suspicions"]], rest["next"]) == ([whole[-1].id], None)
        assert client.suspicions("many")[999].agents == ("ann", "eve", "zoe")
        for bad in (whole[0].id, "1", "-1", "9" * 99):
            answer = call("GET", f"{path}?after={bad}")
            assert (answer.status, answer.field) == (422, "after"), answer.body
            assert answer.json["error"]["message"].endswith(
                "is not the suspicion at the end of a page"
            )


def test_the_client_fetches_a_journal_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    store = open_store("memory:")
    key = filled(store)["operator"]
    monkeypatch.setattr("copyproof.client.client._EVENTS", 2)
    with serving(store) as running, Client(running.url, key) as client:
        numbers = [event["number"] for event in client.journal("site")]
        assert numbers == list(range(1, store.last("site") + 1))
        assert client.connection.attempts == len(numbers) // 2 + 1
        assert [event["number"] for event in client.journal("site", 3)] == numbers[3:]


def test_suspected_copies_are_cut_too() -> None:
    principal = Principal("ucb1")
    principal.register_arms([("eve", f"{n}") for n in range(5)])
    answered: Counter[str] = Counter()
    while min(answered.values(), default=0) < 20 or len(answered) < 5:
        [decision] = principal.ask()
        answered[decision.arm] += 1
        principal.tell(decision.id, answered[decision.arm] * 7 % 11 / 11)
    [whole] = principal.view().statistics().suspected
    assert len(whole.arms) == 5
    [cut] = principal.view(None, None, 2).statistics().suspected
    assert (cut.arms, cut.more) == (whole.arms[:2], 3)
    assert principal.view("eve", "3", 2).statistics().suspected == ()
