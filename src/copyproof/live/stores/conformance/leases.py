"""One writer at a time, and none after it has lost its lease."""

import threading
from pathlib import Path

from copyproof.live.stores.conformance.base import Opening, numbered, refused
from copyproof.live.stores.contract import Store
from copyproof.live.stores.errors import LeaseLost


def _taken(store: Store, owner: str, seconds: float = 60.0) -> int:
    """The token of the lease, which must be free."""
    token = store.acquire("m", owner, seconds)
    assert token is not None
    return token


class LeaseConformance(Opening):
    """Leases and their tokens."""

    def test_one_owner_at_a_time(self, tmp_path: Path) -> None:
        """While one holds the lease, another does not get it; markets have leases of their own."""
        store, other = self.made(tmp_path), self.store(tmp_path)
        store.create_market("n", {})
        token = _taken(store, "a")
        assert other.acquire("m", "b", 60.0) is None
        assert other.acquire("n", "b", 60.0) is not None
        assert store.renew("m", "a", token, 60.0)
        assert not other.renew("m", "b", token, 60.0)
        assert not other.renew("m", "a", token + 1, 60.0)
        store.release("m", "a", token)
        assert _taken(other, "b") > token
        refused(ValueError, lambda: store.acquire("m", "", 1.0))
        refused(ValueError, lambda: store.acquire("m", "a", 0.0))
        refused(ValueError, lambda: store.renew("m", "a", 1, float("nan")))

    def test_who_lost_the_lease_cannot_write(self, tmp_path: Path) -> None:
        """An old token is refused by the store, whatever its owner believes."""
        store, other = self.made(tmp_path), self.store(tmp_path)
        old = _taken(store, "a", 0.05)
        store.append("m", 1, numbered(1, 1), token=old)
        new = None
        while new is None:
            new = other.acquire("m", "b", 60.0)
        assert new > old
        refused(LeaseLost, lambda: store.append("m", 2, numbered(2, 1), token=old))
        refused(LeaseLost, lambda: store.append("m", 2, numbered(2, 1)))
        assert not store.renew("m", "a", old, 60.0)
        store.release("m", "a", old)
        other.append("m", 2, numbered(2, 1), token=new)
        other.release("m", "b", new)
        refused(LeaseLost, lambda: other.append("m", 3, numbered(3, 1), token=new))
        store.append("m", 3, numbered(3, 1))
        assert [event["n"] for _, event in store.events("m")] == [1, 2, 3]

    def test_an_owner_may_take_its_lease_again(self, tmp_path: Path) -> None:
        """It gets a new token, and the old one ends; a lease that ran out can be renewed."""
        store = self.made(tmp_path)
        old, new = _taken(store, "a"), _taken(store, "a", 0.001)
        assert new > old
        refused(LeaseLost, lambda: store.append("m", 1, numbered(1, 1), token=old))
        threading.Event().wait(0.01)
        assert store.renew("m", "a", new, 60.0)
        assert store.acquire("m", "b", 60.0) is None
        store.append("m", 1, numbered(1, 1), token=new)

    def test_leases_are_taken_and_renewed_together(self, tmp_path: Path) -> None:
        """Each by itself: those of others are not taken, and a lost one is not renewed."""
        store, other = self.made(tmp_path), self.store(tmp_path)
        for market in ("n", "o"):
            store.create_market(market, {})
        assert store.acquire("o", "b", 60.0) is not None
        assert store.takeable("a").keys() == {"m", "n", "o"}
        tokens = store.acquire_all(["m", "n", "o"], "a", 60.0)
        assert tokens.keys() == {"m", "n"}
        assert other.takeable("a")["m"]
        assert store.renew_all(tokens, "a", 60.0) == {"m": True, "n": True}
        store.append("m", 1, numbered(1, 1), token=tokens["m"])
        other.release("n", "a", tokens["n"])
        assert _taken(other, "a") > tokens["m"]
        assert store.renew_all({**tokens, "o": 1}, "a", 60.0) == dict.fromkeys("mno", False)
        assert store.renew_all({}, "a", 60.0) == {}
