"""A clock that leaps is not followed; one that only stood still for long is."""

import logging

import pytest

from copyproof.live import MarketConfig, Principal
from copyproof.live.clock import GuardedClock, counted_seconds
from copyproof.live.stores import open_store

YEAR = 366 * 86400.0
START = 1.7e9


class Machine:
    """Both clocks of a machine."""

    def __init__(self) -> None:
        self.wall, self.counted = START, 50.0

    def passes(self, seconds: float) -> None:
        self.wall += seconds
        self.counted += seconds

    def clock(self, **settings: float) -> GuardedClock:
        return GuardedClock("m", lambda: self.wall, counted=lambda: self.counted, **settings)


def test_a_leap_is_not_followed_and_time_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    machine = Machine()
    clock = machine.clock()
    assert clock() == START
    machine.wall += 10 * YEAR
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            machine.passes(5.0)
            clock()
    assert clock() == START + 15.0
    assert clock.lag == 10 * YEAR
    machine.wall -= 10 * YEAR
    with caplog.at_level(logging.WARNING):
        assert clock() == START + 15.0
    assert clock.lag == 0.0
    said = [record.getMessage() for record in caplog.records]  # once each, however often it is read
    assert len(said) == 2
    assert "is not followed" in said[0]
    assert "2033" in said[0]
    assert "again" in said[1]


def test_small_steps_long_waits_and_steps_back_are_followed() -> None:
    machine = Machine()
    clock = machine.clock()
    clock()
    machine.wall += 3599.0
    assert clock() == machine.wall
    machine.passes(30 * 86400.0)  # nobody asked for a month
    assert clock() == machine.wall
    machine.wall -= 5000.0
    assert clock() == machine.wall  # the market itself stands still until then
    assert clock.lag == -5000.0
    machine.wall += 5011.0
    assert clock() == machine.wall


def test_a_market_that_was_idle_for_months_is_opened_at_the_present() -> None:
    machine = Machine()
    clock = machine.clock()
    clock.begin(START - 200 * 86400.0)
    assert clock() == START
    machine.wall += 2 * 3600.0  # from now on the seconds are counted
    assert clock() == START


def test_a_market_is_not_opened_ten_years_later() -> None:
    machine = Machine()
    clock = machine.clock()
    clock.begin(START - 10 * YEAR)
    machine.passes(3.0)
    assert clock() == START - 10 * YEAR + 3.0
    clock.set(machine.wall)
    machine.passes(3.0)
    assert clock() == machine.wall


def test_a_new_market_believes_what_it_is_told() -> None:
    machine = Machine()
    clock = machine.clock()
    clock.begin(0.0)
    assert clock() == START


def test_counted_seconds_grow() -> None:
    first = counted_seconds()
    assert counted_seconds() >= first


@pytest.mark.parametrize("snapshot", [False, True])
def test_a_clock_set_back_lets_plays_expire_and_keys_be_forgotten(snapshot: bool) -> None:
    now = [START + 10 * YEAR]
    store = open_store("memory:")
    config = MarketConfig("h-ucb", reward_window=60.0)
    principal = Principal(store=store, config=config, clock=lambda: now[0])
    principal.register_arms([("ann", "a"), ("bob", "b")])
    principal.ask(3, key="in the future")
    now[0] = START
    principal.ask(2)
    assert principal.now == START + 10 * YEAR  # it would stand still for ten years
    assert principal.set_clock(key="mine") == START
    if snapshot:
        principal.snapshot()
    now[0] = START + 30.0
    principal.ask(1, key="another")
    assert principal.pending == 6
    now[0] = START + 61.0
    assert principal.expire() == 5
    now[0] = START + 86461.0
    principal.ask(1, key="a day later")
    again = Principal(store=store, market="default", clock=lambda: now[0])
    assert again.digest() == principal.digest()
    assert again.ask(1, key="in the future")[0].round == 8  # forgotten, so it is a new one


@pytest.mark.parametrize("at", [0.0, -1.0, 1e12, float("nan")])
def test_a_clock_is_not_set_to_nonsense(at: float) -> None:
    with pytest.raises(ValueError, match=r"^at = "):
        Principal("h-ucb").set_clock(at)
