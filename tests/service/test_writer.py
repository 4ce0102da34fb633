"""Group commit: one sync for all that wait, no answer before it, everybody told if it fails."""

import asyncio
import math
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from copyproof.live import Principal
from copyproof.live.clock import counted_seconds
from copyproof.live.stores import LeaseLost, StoreError
from copyproof.live.stores.memory import MemoryStore
from copyproof.service import snapshots as snapshots_module
from copyproof.service.committer import Committer
from copyproof.service.errors import Refusal
from copyproof.service.metrics import GroupMetrics
from copyproof.service.writer import Writer
from tests.patience import PATIENCE
from tests.service.conftest import Service, filled
from tests.service.serving import Caller, serving

ASK = "/v1/markets/site/decisions"
TELL = "/v1/markets/site/rewards"


class Gate(MemoryStore):
    """A store whose commits can be held up, counted and made to fail."""

    def __init__(self) -> None:
        super().__init__()
        self.open = threading.Event()
        self.open.set()
        self.error: StoreError | None = None
        self.commits: list[int] = []

    def append(
        self, market: str, first: int, events: Sequence[dict[str, Any]], **more: Any
    ) -> None:
        self.open.wait(PATIENCE)
        if self.error is not None:
            raise self.error
        super().append(market, first, events, **more)
        self.commits.append(len(events))


@pytest.fixture
def gated() -> Iterator[tuple[Service, Gate]]:
    store = Gate()
    keys = filled(store)
    with serving(store) as running:
        yield Service(running, store, keys), store


def _ask(service: Service, count: int) -> list[int]:
    """Ask from ``count`` connections at once; the statuses."""
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(lambda _: service.caller()("POST", ASK).status, range(count)))


def test_many_share_one_sync_and_wait_for_it(gated: tuple[Service, Gate]) -> None:
    service, store = gated
    store.open.clear()
    store.commits.clear()
    with ThreadPoolExecutor(20) as pool:
        waiting = [pool.submit(service.caller(), "POST", ASK) for _ in range(20)]
        time.sleep(1.0)
        assert not any(one.done() for one in waiting)  # nobody before the sync
        store.open.set()
        rounds = [one.result().json["decisions"][0]["round"] for one in waiting]
    assert sorted(rounds) == list(range(1, 21))
    # The first one may have gone alone; the others gathered meanwhile.
    assert len(store.commits) <= 3
    assert sum(store.commits) == 20


def test_a_failed_commit_is_told_to_everyone_and_changed_nothing(
    gated: tuple[Service, Gate],
) -> None:
    service, store = gated
    assert _ask(service, 3) == [200] * 3
    principal = Principal(store=store, market="site")
    before = principal.digest()
    store.error = StoreError("/some/where/live.db: the disk is full")
    assert _ask(service, 8) == [503] * 8
    answer = service.caller()("POST", ASK)
    assert (answer.field, answer.headers["retry-after"]) == ("store", "1")
    assert b"/some/where" not in answer.body
    store.error = None
    [decision] = service.caller()("POST", ASK).json["decisions"]
    assert decision["round"] == 4
    assert Principal(store=store, market="site").round == 4
    assert before != Principal(store=store, market="site").digest()
    metrics = service.caller()("GET", "/metrics").body.decode()
    assert 'copyproof_store_failures_total{market="site"}' in metrics


def test_bad_requests_in_a_group_leave_the_others_alone(gated: tuple[Service, Gate]) -> None:
    service, store = gated
    store.open.clear()
    bodies: list[tuple[str, Any]] = [
        (ASK, {"count": 2}),
        (TELL, {"decision": "site-1-0", "reward": 1}),
        (ASK, {"eligible": ["nobody"]}),
        (ASK, {"count": 3, "eligible": ["ann"]}),
    ]
    with ThreadPoolExecutor(4) as pool:
        waiting = [pool.submit(service.caller(), "POST", *body) for body in bodies * 4]
        time.sleep(0.5)
        store.open.set()
        statuses = [one.result().status for one in waiting]
    assert statuses[0::4] == statuses[3::4] == [200] * 4
    assert all(400 <= status < 500 for status in statuses[1::4] + statuses[2::4])
    assert Principal(store=store, market="site").round == 4 * 5


def test_a_refusal_in_a_failed_group_is_withdrawn(gated: tuple[Service, Gate]) -> None:
    """It may rest on what the others of the group did, and that has not happened."""
    service, store = gated
    headers = {"Idempotency-Key": "k"}
    store.open.clear()
    with ThreadPoolExecutor(3) as pool:
        waiting = []
        for count in (5, 1, 2):  # the first keeps the writer busy, the others gather
            keyed = headers if count < 5 else None
            call = service.caller()
            waiting.append(pool.submit(call, "POST", ASK, {"count": count}, headers=keyed))
            time.sleep(0.3)
        store.error = StoreError("away")
        store.open.set()
        assert [one.result().status for one in waiting] == [503] * 3
    store.error = None
    answer = service.caller()("POST", ASK, {"count": 2}, headers=headers)
    assert answer.status == 200
    answer = service.caller()("POST", ASK, {"count": 1}, headers=headers)
    assert (answer.status, answer.field) == (422, "Idempotency-Key")
    assert service.keys["operator"][3:15] not in answer.json["error"]["message"]


def test_nobody_is_forgotten_by_a_writer_that_ends() -> None:
    async def last_moment() -> None:
        loop = asyncio.get_running_loop()
        ends: list[bool] = []
        principal = Principal("h-ucb")
        committer = Committer(principal.store, GroupMetrics())
        committer.start()
        writer = Writer("m", lambda: principal, loop, committer, most=9, ended=ends.append)
        writer.held_until = math.inf
        writer.start()
        writer.stop()
        while not ends:
            await asyncio.sleep(0.01)
        writer.is_closed = False  # as submit saw it, just before
        writer.ready.set()
        with pytest.raises(Refusal, match="another process"):
            await asyncio.wait_for(writer.submit(lambda principal: principal.round), 5)
        committer.stop()

    asyncio.run(last_moment())


def test_what_was_replayed_at_the_start_is_in_the_next_snapshot(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Or a process that is killed again and again would replay more and more."""
    monkeypatch.setattr(snapshots_module, "_IDLE", 5)
    store = MemoryStore()
    filled(store)
    assert store.snapshot("site") is None
    with serving(store):
        until = time.monotonic() + PATIENCE
        while store.snapshot("site") is None:
            assert time.monotonic() < until
            time.sleep(0.05)


def test_a_busy_market_does_not_spend_its_time_on_snapshots(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(snapshots_module, "_BUSY", 1)

    class Slow(MemoryStore):
        taken = 0

        def save_snapshot(
            self, market: str, number: int, data: bytes, digest: str | None = None
        ) -> None:
            self.taken += 1
            time.sleep(0.1)
            super().save_snapshot(market, number, data, digest)

    store = Slow()
    call_key = filled(store)["operator"]
    with serving(store) as running:
        call = Caller(running.url, call_key)
        assert [call("POST", ASK).status for _ in range(30)] == [200] * 30
        assert store.taken == 1


async def _started(store: MemoryStore, committer: Committer) -> Writer:
    """A writer of the market of a store that is filled, once it serves it."""
    loop = asyncio.get_running_loop()
    load = lambda: Principal(store=store, market="site")  # noqa: E731
    writer = Writer("site", load, loop, committer, most=10, ended=lambda lost: None)
    writer.held_until = math.inf
    writer.start()
    assert await asyncio.to_thread(writer.ready.wait, 10)
    return writer


@pytest.mark.parametrize("few", [1, 1000])
def test_a_market_is_saved_while_it_is_served_before_it_is_handed_over(
    monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    monkeypatch.setattr(snapshots_module, "_FEW", few)
    store = MemoryStore()
    filled(store)
    committer = Committer(store, GroupMetrics())
    committer.start()

    async def hand_over() -> None:
        writer = await _started(store, committer)
        before = store.last("site")
        assert await asyncio.to_thread(writer.save().wait, 10)
        found = store.snapshot("site")
        assert (found is not None) == (few == 1)
        assert found is None or found[0] == before
        # It is still served; and what comes now is few, and left to the next process.
        await writer.submit(lambda principal: principal.ask_rows(), brief=True)
        monkeypatch.setattr(snapshots_module, "_FEW", 1000)
        writer.stop()
        await asyncio.to_thread(writer.join)
        assert store.last("site") == before + 1
        again = store.snapshot("site")
        assert again == found

    asyncio.run(hand_over())
    committer.stop()


def test_a_lost_lease_ends_the_writing_at_once(gated: tuple[Service, Gate]) -> None:
    service, store = gated
    store.error = LeaseLost("somebody else")
    answer = service.caller()("POST", ASK)
    assert (answer.status, answer.field) == (503, "market")
    assert "another process" in answer.json["error"]["message"]
    store.error = None
    until = time.monotonic() + PATIENCE  # the lease is still ours in the store, so it is taken back
    while service.caller()("POST", ASK).status != 200:
        assert time.monotonic() < until
        time.sleep(0.1)


def test_a_stop_answers_what_was_taken() -> None:
    store = Gate()
    keys = filled(store)
    with serving(store) as running, ThreadPoolExecutor(8) as pool:
        store.open.clear()
        waiting = [
            pool.submit(Caller(running.url, keys["operator"]), "POST", ASK) for _ in range(8)
        ]
        time.sleep(0.5)
        threading.Timer(0.5, store.open.set).start()
        running.stop()
        assert [one.result().status for one in waiting] == [200] * 8
    assert Principal(store=store, market="site").round == 8


def test_a_stop_that_cannot_wait_says_so() -> None:
    """A retry with the same Idempotency-Key finds out what became of it."""
    store = Gate()
    keys = filled(store)
    with serving(store) as running, ThreadPoolExecutor(1) as pool:
        running.server.config.timeout_graceful_shutdown = 1
        store.open.clear()
        waiting = pool.submit(Caller(running.url, keys["operator"]), "POST", ASK)
        time.sleep(0.5)
        threading.Timer(3.0, store.open.set).start()
        running.stop()
        answer = waiting.result()
        assert (answer.status, answer.field, answer.headers["retry-after"]) == (503, "store", "1")


def test_reads_do_not_wait_for_a_sync(gated: tuple[Service, Gate]) -> None:
    service, store = gated
    store.open.clear()
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(service.caller(), "POST", ASK)
        time.sleep(0.3)
        for path in ("/healthz", "/readyz", "/metrics", "/v1/markets/site/journal", "/v1/keys"):
            assert service.caller()("GET", path).status == 200
        assert not waiting.done()
        store.open.set()
        assert waiting.result().status == 200


@pytest.mark.parametrize("brief", [True, False])
def test_what_is_read_is_not_answered_without_a_lease(brief: bool) -> None:
    """The lease may be another's: what is known is not, and a write is settled by the store."""
    store = MemoryStore()
    filled(store)
    committer = Committer(store, GroupMetrics())
    committer.start()

    async def read() -> None:
        writer = await _started(store, committer)
        look = lambda principal: principal.round  # noqa: E731
        assert await writer.submit(look, brief=brief) == 0
        writer.held_until = counted_seconds() - 0.01
        with pytest.raises(Refusal, match="may serve this market") as refused:
            await writer.submit(look, brief=brief)
        assert refused.value.status == 503
        await writer.submit(lambda principal: principal.ask_rows(), brief=brief)
        writer.held_until = math.inf
        assert await writer.submit(look, brief=brief) == 1
        writer.stop()
        await asyncio.to_thread(writer.join)

    asyncio.run(read())
    committer.stop()
