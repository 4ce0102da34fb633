"""A journal by age: what is older goes, two ways back stay, and nothing else changes."""

from copyproof.live import MarketConfig, Principal
from copyproof.live.checks import check_store
from copyproof.live.retention import drop_older, last_before
from copyproof.live.stores import open_store


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def played(clock: Clock) -> Principal:
    principal = Principal(
        "h-ucb", open_store("memory:"), market="m", config=MarketConfig(seed=3), clock=clock
    )
    principal.register_arms([("ann", "a"), ("bob", "b")])
    return principal


def test_only_what_is_older_goes() -> None:
    clock = Clock()
    principal, store = played(clock), None
    store = principal.store
    for day in range(1, 11):
        clock.now = float(day)
        principal.tell(principal.ask()[0].id, 1.0)
        principal.snapshot()
    before = principal.statistics()
    assert last_before(store, "m", 5.0) == 2 + 2 * 4 + 1
    dropped = drop_older(store, "m", 5.0)
    assert dropped == last_before(store, "m", 5.0) == store.compacted("m")
    first, event = next(iter(store.events("m", store.compacted("m"))))
    assert (first, event["at"]) == (dropped + 1, 5.0)
    assert drop_older(store, "m", 5.0) == 0
    check_store(store, replay=True)
    assert Principal(store=store, market="m").statistics() == before


def test_two_ways_back_stay() -> None:
    clock = Clock()
    principal = played(clock)
    store = principal.store
    principal.tell(principal.ask()[0].id, 1.0)
    clock.now = 100.0
    assert drop_older(store, "m", 50.0) == 0  # one snapshot is taken, and only one is there
    principal.ask()
    assert drop_older(store, "m", 50.0) == 5  # agents, arms, a decision and its reward
    assert store.snapshot("m") is not None
    check_store(store, replay=True)


def test_a_market_without_events() -> None:
    store = open_store("memory:")
    store.create_market("m", MarketConfig(seed=1).to_dict())
    assert drop_older(store, "m", 1e9) == 0
