"""A full disk, a read-only file, a database that is away, a clock set back."""

import resource
import sqlite3
import time
from pathlib import Path

from copyproof.live import Principal
from copyproof.live.stores import open_store
from copyproof.live.stores.sqlite import SqliteStore
from tests.patience import PATIENCE
from tests.postgres import Server
from tests.service.conftest import filled
from tests.service.serving import Caller, Program, serving

ASK = "/v1/markets/site/decisions"


def _recovers(call: Caller) -> list[dict[str, object]]:
    until = time.monotonic() + PATIENCE
    while True:
        answer = call("POST", ASK)
        if answer.status == 200:
            return list(answer.json["decisions"])
        assert answer.status == 503, answer.body
        assert time.monotonic() < until
        time.sleep(0.1)


def test_full_disk(tmp_path: Path) -> None:
    file = tmp_path / "live.db"
    url = f"sqlite:{file}"
    with open_store(url) as store:
        key = filled(store)["operator"]
    program = Program(url)
    try:
        program.start()
        assert program.process is not None
        call = Caller(program.url, key)
        given = [call("POST", ASK, {"count": 10}) for _ in range(5)]
        acknowledged = sum(len(answer.json["decisions"]) for answer in given)
        # No file of the process may grow beyond this: the system refuses the write.
        size = max(path.stat().st_size for path in tmp_path.iterdir())
        before = resource.prlimit(program.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(program.process.pid, resource.RLIMIT_FSIZE, (size, before[1]))
        refused = 0
        for _ in range(200):
            answer = call("POST", ASK, {"count": 10})
            if answer.status == 200:
                acknowledged += 10
                continue
            refused += 1
            assert (answer.status, answer.field) == (503, "store")
            assert answer.headers["retry-after"] == "1"
            if refused == 5:
                break
        assert refused == 5
        assert call("GET", "/healthz").status == 200
        resource.prlimit(program.process.pid, resource.RLIMIT_FSIZE, before)
        [decision] = _recovers(call)
        status, said = program.stop()
        assert status == 0
        assert "Traceback" not in said
    finally:
        program.end()
    with open_store(url) as store:
        principal = Principal(store=store, market="site")
        assert principal.round == acknowledged + 1 == decision["round"]


class _Disk(SqliteStore):
    """A file whose disk can turn read-only: SQLite itself then refuses every write."""

    read_only = False

    def _connection(self) -> sqlite3.Connection:
        raw: sqlite3.Connection = super()._connection()
        raw.execute(f"PRAGMA query_only = {int(self.read_only)}")
        return raw


def test_read_only_disk(tmp_path: Path) -> None:
    with _Disk(tmp_path / "live.db") as store:
        assert isinstance(store, _Disk)
        key = filled(store)["operator"]
        with serving(store) as running:
            call = Caller(running.url, key)
            assert call("POST", ASK, {"count": 3}).status == 200
            store.read_only = True
            for _ in range(3):
                answer = call("POST", ASK)
                assert (answer.status, answer.field) == (503, "store")
                assert "try again" in answer.json["error"]["message"]
            assert call("GET", "/healthz").status == 200
            assert call("GET", "/v1/markets/site/statistics").json["plays"] == 3
            store.read_only = False
            [decision] = _recovers(call)
            assert decision["round"] == 4


def test_database_away(postgres: Server) -> None:
    url = postgres.new_url()
    with open_store(url) as store:
        key = filled(store)["operator"]
        with serving(store) as running:
            call = Caller(running.url, key)
            assert call("POST", ASK, {"count": 3}).status == 200
            postgres.kill()
            answer = call("POST", ASK)
            assert (answer.status, answer.field) == (503, "store")
            until = time.monotonic() + PATIENCE
            while call("GET", "/readyz").status != 503:
                assert time.monotonic() < until
                time.sleep(0.1)
            assert call("GET", "/healthz").status == 200
            assert call("GET", "/v1/markets/site/journal").status == 503
            assert call("POST", "/v1/keys", {"role": "auditor"}).status == 503
            postgres.start()
            [decision] = _recovers(call)
            assert decision["round"] == 4
            while call("GET", "/readyz").status != 200:
                assert time.monotonic() < until + PATIENCE
                time.sleep(0.1)


def test_clock_set_back() -> None:
    now = [1_000_000.0]
    store = open_store("memory:")
    key = filled(store)["operator"]
    # The markets were made by the real clock; this one is far behind.
    with serving(store, clock=lambda: now[0]) as running:
        call = Caller(running.url, key)
        assert call("PUT", "/v1/markets/m", {"reward_window": 10}).status == 200
        assert call("POST", "/v1/markets/m/agents/ann/arms", {"arms": ["a"]}).status == 200
        ask, tell = "/v1/markets/m/decisions", "/v1/markets/m/rewards"
        [first] = call("POST", ask).json["decisions"]
        now[0] -= 5000.0
        [second] = call("POST", ask).json["decisions"]
        for each in (first, second):
            told = call("POST", tell, {"decision": each["id"], "reward": 1}).json["told"][0]
            assert told["status"] == "counted"
        [third] = call("POST", ask).json["decisions"]
        now[0] += 5000.0 + 11.0
        late = call("POST", tell, {"decision": third["id"], "reward": 1}).json["told"][0]
        assert late["status"] == "refused-late"
        assert call("POST", ASK).status == 200
    times = [event["at"] for _, event in store.events("m")]
    assert times == sorted(times)


def test_one_request_while_the_clock_is_ten_years_ahead() -> None:
    real = 1_000_000.0
    now = [real]
    store = open_store("memory:")
    key = filled(store)["operator"]
    with serving(store, clock=lambda: now[0]) as running:
        call = Caller(running.url, key)
        ask, tell = "/v1/markets/m/decisions", "/v1/markets/m/rewards"
        assert call("PUT", "/v1/markets/m", {"reward_window": 60}).status == 200
        assert call("POST", "/v1/markets/m/agents/ann/arms", {"arms": ["a"]}).status == 200
        [first] = call("POST", ask).json["decisions"]
        now[0] = real + 10 * 366 * 86400.0
        [second] = call("POST", ask).json["decisions"]
        lag = float(_metric(call, 'copyproof_clock_lag_seconds{market="m"}'))
        assert abs(lag - 10 * 366 * 86400.0) < 60.0
        told = call("POST", tell, {"decision": first["id"], "reward": 1}).json["told"][0]
        assert told["status"] == "counted"
        # The operator says that the machine is right after all.
        assert call("PUT", "/v1/markets/m/clock").json == {"market": "m", "at": now[0]}
        assert abs(float(_metric(call, 'copyproof_clock_lag_seconds{market="m"}'))) < 60.0
        told = call("POST", tell, {"decision": second["id"], "reward": 1}).json["told"][0]
        assert told["status"] == "refused-late"
        # And that it was not: the clock goes back, and plays expire as ever.
        now[0] = real + 10.0
        assert call("PUT", "/v1/markets/m/clock", {"at": now[0]}).json["at"] == now[0]
        assert call("POST", ask).status == 200
        now[0] += 61.0
        assert call("POST", ask).status == 200
    kinds = [event["kind"] for _, event in store.events("m")]
    assert kinds[-3:] == ["asked", "expired", "asked"]
    assert kinds.count("clock") == 2
    assert Principal(store=store, market="m").now == now[0]


def _metric(call: Caller, name: str) -> str:
    time.sleep(1.1)  # the writer looks at the clock once a second
    lines = call("GET", "/metrics").body.decode().splitlines()
    [found] = [line.rpartition(" ")[2] for line in lines if line.startswith(name)]
    return found


def test_plays_expire_without_anybody_asking() -> None:
    store = open_store("memory:")
    key = filled(store)["operator"]
    with serving(store) as running:
        call = Caller(running.url, key)
        assert call("PUT", "/v1/markets/m", {"reward_window": 0.5}).status == 200
        assert call("POST", "/v1/markets/m/agents/ann/arms", {"arms": ["a"]}).status == 200
        assert call("POST", "/v1/markets/m/decisions", {"count": 5}).status == 200
        until = time.monotonic() + PATIENCE
        while call("GET", "/v1/markets/m/statistics").json["pending"]:
            assert time.monotonic() < until
            time.sleep(0.1)


def test_a_snapshot_that_is_no_state_is_not_backed_up(tmp_path: Path) -> None:
    store = open_store("memory:")
    key = filled(store)["operator"]
    store.save_snapshot("site", store.last("site"), b"no state")
    with serving(store, backups_to=tmp_path) as running:
        call = Caller(running.url, key)
        answer = call("POST", "/v1/backups")
        assert (answer.status, answer.field) == (409, "backups")
        assert "the store is damaged" in answer.json["error"]["message"]
        assert list(tmp_path.iterdir()) == []
        assert call("POST", ASK).status == 200  # from its journal
