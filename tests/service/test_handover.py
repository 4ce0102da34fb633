"""Markets that are given to others: saved while they are served, and a few at a time."""

import logging
import threading
import time

import pytest

from copyproof.live import Principal
from copyproof.live.stores import open_store
from copyproof.live.stores.postgres import PostgresStore
from copyproof.service import handover as handover_module
from copyproof.service import snapshots as snapshots_module
from copyproof.service.handover import Handover
from copyproof.service.neighbours import named, preferred
from copyproof.service.writer import Writer
from tests.patience import PATIENCE
from tests.postgres import Server
from tests.service.serving import Running, serving


class _Writer(Writer):
    """A writer that notes what it is asked for."""

    def __init__(self, market: str) -> None:
        self.market = market
        self.is_closed = self.is_handed_over = False
        self.saves: list[threading.Event] = []

    def save(self) -> threading.Event:
        self.is_handed_over = True
        self.saves.append(threading.Event())
        return self.saves[-1]

    def stop(self) -> None:
        self.is_closed = True


def test_a_market_is_given_away_once_it_is_saved(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    writer, handover = _Writer("m"), Handover("me")
    for _ in range(3):
        handover.go_on([writer], {"m": "me"}, 3)
        assert handover.is_going_on
        assert (len(writer.saves), writer.is_closed) == (1, False)
    writer.saves[0].set()
    handover.go_on([writer], {"m": "me"}, 3)
    assert writer.is_closed
    assert not handover.is_going_on
    [said] = caplog.records  # as all is well, it is no warning
    assert (said.levelname, said.message) == ("INFO", "market m is given to another process")


def test_a_market_that_cannot_be_saved_is_given_away_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(handover_module, "_SAVE", 0.05)
    writer, handover = _Writer("m"), Handover("me")
    handover.go_on([writer], {"m": "me"}, 3)
    time.sleep(0.1)
    handover.go_on([writer], {"m": "me"}, 3)
    assert writer.is_closed


def test_no_more_are_away_than_others_take(monkeypatch: pytest.MonkeyPatch) -> None:
    writers, handover = [_Writer(f"m{n}") for n in range(7)], Handover("me")

    def given(leaders: dict[str, str]) -> int:
        for _ in "ab":  # begin to save, then give away
            handover.go_on(writers, leaders, 2)
            for save in (save for each in writers for save in each.saves):
                save.set()
        return sum(each.is_closed for each in writers)

    ours = {each.market: "me" for each in writers}
    assert given(ours) == 2
    assert sum(bool(each.saves) for each in writers) == 4  # the next ones are saved meanwhile
    assert given(ours) == 2  # nobody has taken one
    assert given({**ours, "m0": "other"}) == 3
    assert given({**ours, "m0": "other", "m1": "other", "m2": "other"}) == 5
    monkeypatch.setattr(handover_module, "_TAKEN", 0.0)
    assert given(ours) > 5  # those that nobody takes are not waited for


def test_one_that_stays_after_all_is_as_before() -> None:
    writer, handover = _Writer("m"), Handover("me")
    handover.go_on([writer], {"m": "me"}, 3)
    assert writer.is_handed_over
    handover.go_on([], {"m": "me"}, 3)  # who had joined has gone again
    assert (writer.is_handed_over, handover.is_going_on) == (False, False)
    writer.saves[0].set()
    handover.go_on([], {"m": "me"}, 3)
    assert not writer.is_closed


class _Noting(PostgresStore):
    """Notes whether a market was served when it was saved."""

    running: Running

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.noted: list[tuple[str, bool]] = []

    def save_snapshot(
        self, market: str, number: int, data: bytes, digest: str | None = None
    ) -> None:
        writer = self.running.app.leadership.markets[market].writer
        self.noted.append((market, writer is not None and not writer.is_closed))
        super().save_snapshot(market, number, data, digest)


def test_who_joins_gets_markets_that_were_saved_while_they_were_served(
    postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots_module, "_FEW", 1)
    url = postgres.new_url()
    one, two = named("a"), named("b")
    markets = [f"m{n}" for n in range(40)]
    names = [each for each in markets if preferred(each, [one, two]) == two][:5]
    with _Noting(url) as store, open_store(url) as joined:
        for name in names:
            Principal("h-ucb", store, market=name).register_arms([("ann", "a")])
        with serving(store, one) as store.running:
            assert store.leaders() == dict.fromkeys(names, one)
            with serving(joined, two):
                until = time.monotonic() + PATIENCE
                while joined.leaders() != dict.fromkeys(names, two):
                    assert time.monotonic() < until
                    time.sleep(0.05)
                assert sorted(store.noted) == [(name, True) for name in sorted(names)]
