"""Markets, agents and keys can be deleted, and what that leaves behind."""

import time
from pathlib import Path
from typing import Any

import pytest

from copyproof.client import ApiError, Client
from copyproof.live import Principal, forgetting
from copyproof.live.checks import check_store
from copyproof.live.stores import LeaseLost, Store, UnknownMarket, open_store
from tests.postgres import Server
from tests.service.conftest import filled
from tests.service.serving import Caller, serving

A = "/v1/markets/site"


def _delete(store: Store, keys: dict[str, str]) -> None:
    with serving(store) as running:
        call = Caller(running.url, keys["operator"])
        both = {"role": "application", "markets": ["site", "shop"]}
        of_both = call("POST", "/v1/keys", both).json
        assert call("POST", f"{A}/decisions", {"count": 100}).status == 200
        answer = call("DELETE", A)
        assert answer.json == {"market": "site", "agent": None, "deleted": True}
        assert call("DELETE", A).status == 404
        assert call("GET", A).status == call("POST", f"{A}/decisions").status == 404
        assert call("POST", "/v1/markets/shop/decisions").status == 200
        for whose in ("application", "agent", "bob"):  # whoever gets the name next is not theirs
            assert call("GET", "/v1/markets", key=keys[whose]).status == 401
        assert call("POST", "/v1/markets/shop/decisions", key=of_both["key"]).status == 200
        assert call("POST", f"{A}/decisions", key=of_both["key"]).status == 404
        assert call("PUT", A, {"policy": "ucb1"}).status == 200
        assert call("POST", f"{A}/agents/new/arms", {"arms": ["n"]}).status == 200
        [decision] = call("POST", f"{A}/decisions").json["decisions"]
        assert (decision["agent"], decision["round"]) == ("new", 1)
    assert Principal(store=store, market="site").round == 1


def test_a_market_in_memory() -> None:
    store = open_store("memory:")
    _delete(store, filled(store))


def test_a_market_in_a_file(tmp_path: Path) -> None:
    with open_store(f"sqlite:{tmp_path / 'live.db'}") as store:
        _delete(store, filled(store))
        store.check()


def test_a_market_in_postgresql(postgres: Server) -> None:
    with open_store(postgres.new_url()) as store:
        _delete(store, filled(store))
        store.check()


def test_a_store_deletes_nothing_that_is_being_served(tmp_path: Path) -> None:
    for url in ("memory:", f"sqlite:{tmp_path / 'live.db'}"):
        with open_store(url) as store:
            filled(store)
            token = store.acquire("site", "somebody", 60.0)
            with pytest.raises(LeaseLost):
                store.drop_market("site")
            assert token is not None
            store.release("site", "somebody", token)
            principal = Principal(store=store, market="site")
            principal.ask(3)
            principal.snapshot()
            store.drop_market("site")
            with pytest.raises(UnknownMarket):
                store.drop_market("site")
            assert {table for table, row in store.dump() if "site" in row} == set()
            store.create_market("site", {})
            assert (store.last("site"), store.snapshot("site")) == (0, None)


def test_an_agent() -> None:
    store = open_store("memory:")
    keys = filled(store)
    with serving(store) as running:
        call = Caller(running.url, keys["operator"])
        assert call("POST", f"{A}/decisions", {"count": 100}).status == 200
        before = call("GET", f"{A}/agents/ann/statistics").json
        for _ in range(2):
            answer = call("DELETE", f"{A}/agents/ann")
            assert answer.json == {"market": "site", "agent": "ann", "deleted": True}
        assert call("DELETE", f"{A}/agents/nobody").status == 404
        assert call("GET", f"{A}/agents/ann/statistics", key=keys["agent"]).status == 401
        assert call("GET", f"{A}/agents/bob/statistics", key=keys["bob"]).status == 200
        decisions = call("POST", f"{A}/decisions", {"count": 100}).json["decisions"]
        assert "ann" not in {decision["agent"] for decision in decisions}
        after = call("GET", f"{A}/agents/ann/statistics").json
        assert (after["plays"], after["suspended"]) == (before["plays"], True)
        assert not any(arm["registered"] for arm in after["arms"])


def test_the_name_of_an_agent(tmp_path: Path) -> None:
    path = tmp_path / "live.db"
    with open_store(f"sqlite:{path}") as store:
        keys = filled(store)
        with serving(store) as running, Client(running.url, keys["operator"]) as client:
            client.register_arms("site", "forgettable", ["its-arm"])
            client.make_key("agent", markets=["site"], agent="forgettable")
            before = client.ask("site", 50)
            plays = client.statistics("site")["plays"]
            assert b"forgettable" in path.read_bytes() + Path(f"{path}-wal").read_bytes()
            for _ in range(2):  # as if the answer to the first was lost
                client.remove_agent("site", "forgettable", forget=True)
            with pytest.raises(ApiError, match="404"):
                client.remove_agent("site", "nobody", forget=True)
            for file in tmp_path.iterdir():
                content = file.read_bytes()
                assert b"forgettable" not in content
                assert b"its-arm" not in content
            assert client.statistics("site")["plays"] == plays
            agents = {one["agent"]: one for one in client.statistics("site")["agents"]}
            [token] = [agent for agent in agents if agent.startswith("~")]
            assert agents[token]["suspended"]
            assert token not in {one.agent for one in client.ask("site", 50)}
            assert client.tell("site", before[0].id, 1.0).status == "counted"
            assert "forgettable" not in {one.agent for one in list(client.keys())}
            with pytest.raises(ApiError, match="its agent was forgotten"):
                client.register_agent("site", "forgettable")
        check_store(store, replay=True)


def test_the_name_of_an_agent_in_postgresql(postgres: Server) -> None:
    with open_store(postgres.new_url()) as store:
        keys = filled(store)
        with serving(store) as running, Client(running.url, keys["operator"]) as client:
            client.ask("site", 50)
            client.remove_agent("site", "ann", forget=True)
            assert "ann" not in {one["agent"] for one in client.statistics("site")["agents"]}
            assert len(client.ask("site", 5)) == len(client.ask("shop", 5)) == 5
        check_store(store, replay=True)
        assert not any('"ann"' in str(row) for _, row in store.dump() if "site" in row)


def test_a_market_in_which_a_name_is_forgotten_is_not_said_to_be_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    replace = forgetting._replace

    def slowly(*of: Any) -> tuple[str, int]:
        time.sleep(1.0)  # leases are looked at six times meanwhile
        return replace(*of)

    monkeypatch.setattr(forgetting, "_replace", slowly)
    with open_store(f"sqlite:{tmp_path / 'live.db'}") as store:
        key = filled(store)["operator"]
        with serving(store, lease=1.0) as running:
            call = Caller(running.url, key)
            assert call("DELETE", f"{A}/agents/ann?forget=true").status == 200
            assert call("POST", f"{A}/decisions").status == 200
    assert "another process" not in caplog.text


def test_names_are_checked_at_the_door() -> None:
    store = open_store("memory:")
    key = filled(store)["operator"]
    odd = ("%2520", "%20x", "x%20", "%20", "a%3Fb", "a%23", "a%5Cb", "%2e%2e")
    with serving(store) as running:
        call = Caller(running.url, key)
        for name in odd:
            answer = call("PUT", f"/v1/markets/{name}", {})
            assert (answer.status, answer.field) == (422, "market"), answer.body
            answer = call("POST", f"{A}/agents/{name}/arms", {"arms": ["a"]})
            assert (answer.status, answer.field) == (422, "agent"), answer.body
        assert set(store.markets()) == {"site", "shop"}
        # Who has such a name from before goes on.
        assert call("PUT", "/v1/markets/caf%C3%A9%20x", {}).status == 200
    Principal(store=store, market="site").register_agent("100%")
    with serving(store) as running:
        call = Caller(running.url, key)
        answer = call("POST", f"{A}/agents/100%25/arms", {"arms": ["50 %"]})
        assert answer.json == {"registered": 1}


def test_the_name_of_an_agent_in_the_backups_of_the_service(tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    with open_store(f"sqlite:{tmp_path / 'live.db'}") as store:
        keys = filled(store)
        with serving(store, backups_to=folder) as running:
            call = Caller(running.url, keys["operator"])
            call("POST", f"{A}/agents/forgettable/arms", {"arms": ["its-arm"]})
            made = folder / call("POST", "/v1/backups").json["name"]
            store.backup(folder / "by hand.db")
            bad = folder / "bad.db"
            bad.write_text("no database " * 100)
            removal = f"{A}/agents/forgettable?forget=true"
            answer = call("DELETE", removal)
            assert (answer.status, answer.field) == (409, "backups")
            assert b"nothing was forgotten anywhere" in answer.body
            assert "bad.db is damaged" in answer.json["error"]["message"]
            assert str(tmp_path) not in answer.json["error"]["message"]
            # Backups that are only looked at stay as they are, to the byte.
            there = {
                path: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()
            }
            assert call("DELETE", f"{A}/agents/nobody?forget=true").status == 409
            assert there == {
                path: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()
            }
            assert b"forgettable" in made.read_bytes()
            [listed] = call("GET", "/v1/backups").json["backups"]
            assert call("GET", f"{A}/agents/forgettable/statistics").json["suspended"] is False
            bad.unlink()
            assert call("DELETE", removal).status == 200
            assert call("POST", f"{A}/decisions").status == 200
            [again] = call("GET", "/v1/backups").json["backups"]
            assert again["at"] == listed["at"]
    assert {path.name for path in folder.iterdir()} == {made.name, "by hand.db"}
    for path in folder.iterdir():
        assert b"forgettable" not in path.read_bytes()
        assert b"its-arm" not in path.read_bytes()
    with open_store(f"sqlite:{made}") as copy:
        check_store(copy, replay=True)
