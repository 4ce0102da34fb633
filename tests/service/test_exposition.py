"""Metrics are what Prometheus reads."""

import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from copyproof.live.stores import StoreError, open_store
from copyproof.live.stores.memory import MemoryStore
from copyproof.service import snapshots
from copyproof.service.exposition import METRICS
from copyproof.service.keys import Keyring
from tests.patience import PATIENCE
from tests.service.conftest import Service, filled
from tests.service.serving import Caller, serving

_DECISIONS = "/v1/markets/{market}/decisions"
Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def scraped(service: Service) -> Samples:
    text = service.caller("auditor")("GET", "/metrics").body.decode()
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def of(found: Samples, name: str, **labels: str) -> float:
    return found[name, frozenset(labels.items())]


@pytest.fixture
def fresh() -> Iterator[Service]:
    store = open_store("memory:")
    keys = filled(store)
    with serving(store) as running:
        yield Service(running, store, keys)


def test_what_was_asked_for_is_counted(fresh: Service) -> None:
    call = fresh.caller()
    for number in range(5):
        # Three agents are there, so a slate of a thousand has three arms.
        body = {"count": 1000, "slate": True} if number == 0 else {"count": 3}
        assert call("POST", "/v1/markets/site/decisions", body).status == 200
    assert call("POST", "/v1/markets/none/decisions").status == 404
    assert call("GET", "/v1/markets/site/agents/ann/statistics").status == 200
    assert call("GET", "/v1/actions?limit=1").status == 200
    assert call("GET", "/no/such/thing").status == 404
    assert call("GET", "/v1/keys", key="cp_no_key").status == 401
    found = scraped(fresh)
    assert of(found, "copyproof_decisions_total", market="site") == 3 + 4 * 3
    requests = "copyproof_requests_total"
    assert of(found, requests, method="POST", route=_DECISIONS, status="200") == 5
    assert of(found, requests, method="POST", route=_DECISIONS, status="404") == 1
    assert of(found, requests, method="GET", route="other", status="404") == 1
    assert of(found, requests, method="GET", route="/v1/keys", status="401") == 1
    assert of(found, requests, method="GET", route="/v1/actions", status="200") == 1
    agents = "/v1/markets/{market}/agents/{agent}/statistics"
    assert of(found, "copyproof_request_seconds_count", method="GET", route=agents) == 1
    assert of(found, "copyproof_request_seconds_count", method="POST", route=_DECISIONS) == 6
    for name in ("group_requests", "commit_seconds", "sync_seconds"):
        assert of(found, f"copyproof_{name}_count") == 6  # the statistics are the writer's, too
        assert of(found, f"copyproof_{name}_bucket", le="+Inf") == 6
    assert of(found, "copyproof_group_requests_sum") == 6
    total, alone = (of(found, f"copyproof_{name}_seconds_sum") for name in ("commit", "sync"))
    assert 0 < alone < total


def test_what_is_so_now_is_told(fresh: Service) -> None:
    call = fresh.caller()
    assert call("POST", "/v1/markets/site/decisions", {"count": 7}).status == 200
    until = time.monotonic() + PATIENCE
    while of(found := scraped(fresh), "copyproof_pending_plays", market="site") != 7:
        assert time.monotonic() < until
        time.sleep(0.1)
    assert of(found, "copyproof_unsaved_events", market="site") >= 1
    assert of(found, "copyproof_pending_plays", market="shop") == 0
    assert 0 < of(found, "copyproof_snapshot_age_seconds", market="site") < 60
    assert of(found, "copyproof_leases") == 2
    assert of(found, "copyproof_lease_seconds") == 5
    assert 0 <= of(found, "copyproof_lease_age_seconds", market="site") < 5
    assert of(found, "copyproof_market_served", market="shop") == 1
    assert of(found, "copyproof_market_failed", market="shop") == 0
    assert of(found, "copyproof_store_away") == 0
    assert of(found, "copyproof_waiting_readers") == 0
    assert of(found, "copyproof_keys", role="agent") == 3
    assert of(found, "copyproof_clock_lag_seconds", market="site") == 0
    assert of(found, "copyproof_market_paused", market="site") == 0
    assert of(found, "process_resident_memory_bytes") > 1e6


def test_pauses_and_candidates_are_told(fresh: Service) -> None:
    call, share = fresh.caller(), "copyproof_candidate_share"
    assert (share, frozenset({("market", "site")})) not in scraped(fresh)
    shadow = {"policy": "h-ucb", "share": 0.25}
    assert call("PUT", "/v1/markets/site/policy", shadow).status == 200
    assert call("POST", "/v1/markets/site/pause", {"reason": "a new printer"}).status == 200
    until = time.monotonic() + PATIENCE
    while of(found := scraped(fresh), "copyproof_market_paused", market="site") != 1:
        assert time.monotonic() < until
        time.sleep(0.1)
    assert of(found, share, market="site") == 0.25
    assert of(found, "copyproof_market_paused", market="shop") == 0


def test_keys_that_are_over_are_not_counted() -> None:
    now = [time.time()]
    store = open_store("memory:")
    keys = filled(store)
    Keyring(store, time.time).add("application", markets=("site",), expires=now[0] + 1000.0)
    with serving(store, clock=lambda: now[0]) as running:
        service = Service(running, store, keys)
        before = of(scraped(service), "copyproof_keys", role="application")
        now[0] += 1000.0
        assert of(scraped(service), "copyproof_keys", role="application") == before - 1


class Fragile(MemoryStore):
    """A store that takes snapshots while it is told to."""

    takes = False
    tried = 0

    def save_snapshot(self, market: str, *given: Any, **more: Any) -> None:
        self.tried += market == "site"
        if not self.takes:
            raise StoreError("no room")
        super().save_snapshot(market, *given, **more)


def test_events_are_unsaved_until_a_snapshot_was_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "_IDLE", 5)
    store = Fragile()
    keys = filled(store)
    with serving(store) as running:
        call = Caller(running.url, keys["operator"])
        writer = running.app.leadership.markets["site"].writer
        assert writer is not None

        def asked(tried: int) -> int:
            """Events that are not saved after a look for snapshots."""
            for _ in range(5):
                assert call("POST", "/v1/markets/site/decisions").status == 200
            while store.tried < tried or writer.is_saving:
                time.sleep(0.05)
            writer.sizes.note(writer.principal)
            return writer.sizes.unsaved

        before = writer.sizes.saved
        assert asked(1) >= 5
        assert writer.sizes.saved == before
        store.takes = True
        assert asked(2) == 0
        assert writer.sizes.saved > before


def test_the_table_says_what_there_is(fresh: Service) -> None:
    text = fresh.caller()("GET", "/metrics").body.decode()
    told = re.findall(r"^# TYPE (copyproof_\S+) (\S+)$", text, re.MULTILINE)
    assert told == [(row.name, row.kind) for row in METRICS]
    labels = {row.name: {*row.labels} for row in METRICS}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            if sample.name.startswith("copyproof_"):
                name = re.sub("_(bucket|sum|count)$", "", sample.name)
                assert set(sample.labels) - {"le"} == labels[name]


def test_a_market_that_is_named_badly_is_escaped(fresh: Service) -> None:
    call = fresh.caller()
    assert call("PUT", "/v1/markets/a%22b", {"seed": 1}).status == 200
    assert of(scraped(fresh), "copyproof_market_served", market='a"b') == 1


def test_the_format_is_the_one_asked_for(fresh: Service) -> None:
    call = fresh.caller()
    plain = call("GET", "/metrics")
    assert plain.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    wanted = {"Accept": "application/openmetrics-text; version=1.0.0"}
    other = call("GET", "/metrics", headers=wanted)
    assert other.headers["content-type"].startswith("application/openmetrics-text; version=1.0.0")
    assert other.body.endswith(b"# EOF\n")
