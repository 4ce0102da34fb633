"""Copies for snapshots that are spoilt again and again: nobody waits for one made at once."""

import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from copyproof.live import MarketConfig, Principal
from copyproof.live.snapshots import StateCopy
from copyproof.live.stores import open_store
from copyproof.service import snapshots
from copyproof.service.snapshots import Snapshots
from copyproof.service.writer import Writer


class _Copying:
    """A market with a snapshot under way, and a clock that only steps of its copy move."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, steps: int) -> None:
        self.store = open_store("memory:")
        config = MarketConfig("h-ucb", seed=1)
        self.principal = Principal(store=self.store, market="m", config=config)
        self.principal.register_arms([("ann", "a"), ("bob", "b")])
        unused: Any = None
        self.writer = Writer("m", unused, unused, unused, most=9, ended=lambda lost: None)
        self.writer.principal = self.principal
        self.writer.is_away = False
        self.writer.ready.set()
        self.later: list[Callable[[], None]] = []
        self.workers = ThreadPoolExecutor(1)
        self.snapshots = Snapshots(self.store, self.workers, self.later.append)
        self.now, self.left = 100.0, 0
        self.taken: list[float] = []
        begin = self.principal.begin_copy

        def begun() -> StateCopy:
            self.left = steps
            return begin()

        def step(copy: StateCopy) -> bool:
            self.now += 0.001
            self.left -= 1
            return self.left == 0

        monkeypatch.setattr(self.principal, "begin_copy", begun)
        monkeypatch.setattr(StateCopy, "step", step)
        for clock in ("perf_counter", "monotonic"):
            monkeypatch.setattr(time, clock, lambda: self.now)
        monkeypatch.setattr(snapshots, "_BUSY", 1)

    def go_on(self, *, spoiling: bool) -> None:
        """Make the next steps, and end the copy that they are of."""
        began = self.now
        self.snapshots.go_on()
        self.taken.append(self.now - began)
        if spoiling:
            self.principal._state.copying = None

    def is_saving(self) -> bool:
        """Whether a snapshot is under way."""
        return self.writer.is_saving

    def saved(self) -> int:
        """The event after which a snapshot was saved, once all threads are done."""
        self.workers.shutdown()
        for do in self.later:
            do()
        found = self.store.snapshot("m")
        return 0 if found is None else found[0]


def test_no_copy_is_made_without_a_break(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    of = _Copying(monkeypatch, steps=100)
    told: list[bool] = []
    of.snapshots.consider_busy(of.writer)
    of.writer.awaited.append(lambda: told.append(True))
    with caplog.at_level(logging.WARNING):
        while of.is_saving():
            assert len(of.taken) < 20
            of.go_on(spoiling=True)
    assert max(of.taken) < 0.015
    assert (of.writer.tries, of.snapshots.can_go_on, told) == (snapshots._MOST_TRIES, False, [True])
    assert "market m: no snapshot was taken: 8 copies were spoilt" in caplog.text
    assert of.principal._state.copying is None  # nothing is noted for it any more
    # It is put off, not given up.
    of.snapshots.consider_busy(of.writer)
    assert not of.is_saving()
    of.now += snapshots._PUT_OFF
    of.snapshots.consider_busy(of.writer)
    assert of.is_saving()
    while of.snapshots.can_go_on:
        of.go_on(spoiling=False)
    assert of.saved() == of.principal.last
    assert not of.is_saving()


def test_after_three_that_were_spoilt_the_next_takes_fewer_and_longer_steps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    of = _Copying(monkeypatch, steps=100)
    of.snapshots.consider_busy(of.writer)
    for _ in range(3):
        of.go_on(spoiling=True)
    assert max(of.taken) < 0.004
    while of.snapshots.can_go_on:
        of.go_on(spoiling=False)
    assert len(of.taken) < 3 + 12
    assert max(of.taken) < 0.015
    assert of.saved() == of.principal.last
