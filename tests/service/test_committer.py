"""One thread for all markets: they share a sync, and what happens to one stays with it."""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg

from copyproof.live.stores import StoreError
from copyproof.live.stores.appends import Append
from copyproof.live.stores.postgres import PostgresStore
from copyproof.live.stores.sqlite import SqliteStore
from copyproof.service.writer import Writer
from tests.patience import PATIENCE
from tests.postgres import Server
from tests.service.conftest import MARKETS, filled
from tests.service.serving import Answer, Caller, Running, serving


class Gate(SqliteStore):
    """A file whose commits can be held up, and fail for some markets."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.open = threading.Event()
        self.open.set()
        self.groups: list[list[str]] = []
        self.failing: set[str] = set()

    def append_all(self, appends: Sequence[Append]) -> list[Exception | None]:
        self.open.wait(PATIENCE)
        self.groups.append([one.market for one in appends])
        good = [one for one in appends if one.market not in self.failing]
        found = dict(zip((one.market for one in good), super().append_all(good), strict=True))
        return [found.get(one.market, StoreError("no")) for one in appends]


def _ask(running: Running, key: str, market: str) -> Answer:
    return Caller(running.url, key)("POST", f"/v1/markets/{market}/decisions")


def test_markets_share_one_sync(tmp_path: Path) -> None:
    with Gate(tmp_path / "live.db") as store, ThreadPoolExecutor(9) as pool:
        assert isinstance(store, Gate)
        key = filled(store)["operator"]
        with serving(store) as running:
            store.open.clear()
            waiting = [pool.submit(_ask, running, key, "site")]
            time.sleep(0.5)  # it has begun, and the others gather
            waiting += [pool.submit(_ask, running, key, MARKETS[n % 2]) for n in range(8)]
            time.sleep(1.0)
            store.groups.clear()
            store.open.set()
            assert [one.result().status for one in waiting] == [200] * 9
            assert ["site"] in store.groups
            assert any(sorted(group) == ["shop", "site"] for group in store.groups)
            groups = running.app.leadership.groups  # one for each sync, of however many markets
            assert groups.requests.buckets()[-1] == ("+Inf", len(store.groups))
            assert groups.requests.sum == 9
            assert groups.seconds.sum > groups.sync.sum > 1.0  # it was held up within the sync
        assert (store.last("site"), store.last("shop")) == (6 + 5, 6 + 4)
        store.check()


def test_what_fails_for_one_market_is_done_for_another(tmp_path: Path) -> None:
    with Gate(tmp_path / "live.db") as store, ThreadPoolExecutor(2) as pool:
        assert isinstance(store, Gate)
        key = filled(store)["operator"]
        with serving(store) as running:
            store.failing = {"site"}
            for _ in range(5):
                both = [pool.submit(_ask, running, key, market) for market in MARKETS]
                site, shop = (one.result() for one in both)
                assert (site.status, site.field) == (503, "store")
                assert shop.status == 200
            groups = running.app.leadership.groups
            assert (groups.requests.sum, groups.failures) == (5, {"site": 5})
            store.failing = set()
            [decision] = _ask(running, key, "site").json["decisions"]
            assert decision["round"] == 1
            [decision] = _ask(running, key, "shop").json["decisions"]
            assert decision["round"] == 6


def _on_loop(running: Running, do: Callable[[Writer], Any], market: str) -> "Future[Any]":
    """Have something done with a market's writer on the event loop; its answer."""
    writer = running.app.leadership.markets[market].writer
    assert writer is not None
    found: Future[Any] = Future()

    def submit() -> None:
        answer = do(writer)
        answer.add_done_callback(lambda one: found.set_result(one.result()))

    writer.loop.call_soon_threadsafe(submit)
    return found


def test_a_long_request_holds_up_its_own_market_only(tmp_path: Path) -> None:
    with Gate(tmp_path / "live.db") as store, ThreadPoolExecutor(1) as pool:
        key = filled(store)["operator"]
        with serving(store) as running:
            over = threading.Event()
            begun = threading.Event()

            def long(principal: Any) -> int:
                begun.set()
                over.wait(PATIENCE)
                return int(principal.round)

            answer = _on_loop(running, lambda writer: writer.submit(long), "site")
            assert begun.wait(PATIENCE)
            waiting = pool.submit(_ask, running, key, "site")
            for _ in range(10):
                assert _ask(running, key, "shop").status == 200
            assert not waiting.done()
            over.set()
            assert answer.result(PATIENCE) == 0
            assert waiting.result().json["decisions"][0]["round"] == 1


def test_a_lock_on_one_market_keeps_the_service_answering_for_the_others(postgres: Server) -> None:
    url = postgres.new_url()
    schema = url.rpartition("schema=")[2]
    with PostgresStore(url) as store:
        key = filled(store)["operator"]
        with serving(store, lease=1.5) as running, ThreadPoolExecutor(1) as pool:
            site, shop = Caller(running.url, key), Caller(running.url, key)
            assert site("POST", "/v1/markets/site/decisions").status == 200
            with psycopg.connect(postgres.url()) as other:
                other.execute(f"SELECT 1 FROM {schema}.markets WHERE name = 'site' FOR UPDATE")
                waiting = pool.submit(site, "POST", "/v1/markets/site/decisions")
                until = time.monotonic() + 3.0  # longer than a lease
                while time.monotonic() < until:
                    assert shop("POST", "/v1/markets/shop/decisions").status == 200
                assert not waiting.done()
            assert waiting.result().status == 200
            assert shop("POST", "/v1/markets/shop/decisions").status == 200
