"""Which market is whose: even shares, and nothing moves that need not."""

from collections import Counter

import pytest

from copyproof.engine.version import NUMERICS
from copyproof.live.records import RULES
from copyproof.live.stores import open_store
from copyproof.live.stores.memory import MemoryStore
from copyproof.service.neighbours import Neighbours, named, preferred
from tests.postgres import Server

MARKETS = [f"market {n}" for n in range(3000)]


def test_shares_are_even() -> None:
    found = Counter(preferred(market, ["a", "b", "c"]) for market in MARKETS)
    # 1,000 each, with a standard deviation of 26.
    assert all(900 < each < 1100 for each in found.values())
    assert found.keys() == {"a", "b", "c"}


def test_only_what_must_moves() -> None:
    for market in MARKETS:
        before, after = preferred(market, ["a", "b"]), preferred(market, ["a", "b", "c"])
        assert after in (before, "c")


class _Shared(MemoryStore):
    shared = True

    def __init__(self) -> None:
        super().__init__()
        self.there: dict[str, str] = {}

    def announce(self, owner: str, address: str, seconds: float) -> None:
        self.there[owner] = address

    def withdraw(self, owner: str) -> None:
        del self.there[owner]

    def processes(self) -> dict[str, str]:
        return dict(self.there)


def test_all_see_the_same() -> None:
    store = _Shared()
    one, two = Neighbours(store, "one", "http://1", 6.0), Neighbours(store, "two", "", 6.0)
    for each in (one, two, one):
        each.announce()
        each.look()
    assert one.others == two.others == 1
    assert [one.is_mine(market) for market in MARKETS] == [
        not two.is_mine(market) for market in MARKETS
    ]
    assert two.address("one") == "http://1"
    assert one.address("two") is None  # it does not say
    assert one.address("one") is None  # no need to go anywhere
    two.leave()
    one.look()
    assert all(one.is_mine(market) for market in MARKETS)
    assert not any(two.is_mine(market) for market in MARKETS)
    two.announce()  # and does not come back
    assert store.processes() == {"one": "http://1"}


def test_a_market_goes_to_who_can_open_it() -> None:
    store = _Shared()
    old, new, newer = "says nothing", named("new"), "newer/9.9"
    for name in (old, new, newer):
        store.announce(name, "", 6.0)
    me = Neighbours(store, new, "", 6.0)
    me.look()

    def mine(config: dict[str, object]) -> set[str]:
        return {market for market in MARKETS if me.is_mine(market, config)}

    everybody = {market for market in MARKETS if preferred(market, [old, new, newer]) == new}
    ours = {market for market in MARKETS if preferred(market, [old, new]) == new}
    assert mine({}) == mine({"numerics": NUMERICS, "rules": RULES}) == ours > everybody
    assert mine({"numerics": 9, "rules": 9}) == set()
    assert mine({"rules": 99}) == everybody  # nobody can: whose it is says so in the log
    assert mine({"rules": "two"}) == ours
    store.withdraw(old)
    store.withdraw(newer)
    me.look()
    assert mine({"numerics": 9, "rules": 9}) == set(MARKETS)


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_stores_know_the_living(postgres: Server, tmp_path: object, kind: str) -> None:
    url = postgres.new_url() if kind == "postgresql" else f"sqlite:{tmp_path}/live.db"
    with open_store(url) as store:
        assert store.shared == (kind == "postgresql")
        store.announce("a", "http://a", 60.0)
        store.announce("b", "", 60.0)
        store.announce("c", "http://c", -1.0)  # long ago
        assert store.processes() == {"a": "http://a", "b": ""}
        store.announce("a", "http://elsewhere", 60.0)
        store.withdraw("b")
        assert store.processes() == {"a": "http://elsewhere"}
        store.create_market("m", {})
        store.create_market("n", {})
        assert store.leaders() == {}
        token = store.acquire("m", "a", 60.0)
        assert token is not None
        assert store.leaders() == {"m": "a"}
        store.release("m", "a", token)
        assert store.leaders() == {}
