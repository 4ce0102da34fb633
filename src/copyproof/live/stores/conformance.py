"""The contract as tests, for every store: inherit and say how yours is opened.

.. code-block:: python

    class TestMine(StoreConformance):
        def opened(self, folder):
            return MyStore(folder / "store")

pytest runs it as it is. ``opened`` is called with the same folder to open the same store again, as
another process would; a store that lives in memory gives the same object, and ``close`` is no end
to it. Temporary folders come from pytest's ``tmp_path``.
"""

import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from copyproof.live.stores import contract
from copyproof.live.stores.contract import (
    Conflict,
    LeaseLost,
    Store,
    UnknownMarket,
)
from copyproof.live.stores.open import open_store, restore

__all__ = ["StoreConformance"]

_EVENT: dict[str, Any] = {
    "kind": "asked",
    "at": 1.7e9 + 0.1,
    "tiny": 5e-324,
    "text": 'ü\U0001f600 "\\\x00\n',
    "list": [1, -(2**62), None, {"a": 0.1}],
}


def _refused(kind: type[Exception], call: Callable[..., object], *arguments: object) -> str:
    """The message of the error that ``call`` must raise; it is one line."""
    try:
        call(*arguments)
    except kind as error:
        message = str(error)
        assert message, "an error without a message"
        assert "\n" not in message, f"a message of more than one line: {message}"
        return message
    raise AssertionError(f"{kind.__name__} was not raised")


def _numbered(first: int, count: int) -> list[dict[str, Any]]:
    return [{"kind": "told", "n": number} for number in range(first, first + count)]


class StoreConformance:
    """What every store must do. A subclass says how it is opened."""

    def opened(self, folder: Path) -> Store:
        """Open the store that belongs to a folder, again and again."""
        raise NotImplementedError

    def setup_method(self) -> None:
        """Begin a test: nothing is open."""
        self._open: list[Store] = []

    def teardown_method(self) -> None:
        """End a test: close what it opened."""
        for store in self._open:
            store.close()

    def store(self, folder: Path) -> Store:
        """Open the store of a folder, and remember to close it."""
        store = self.opened(folder)
        self._open.append(store)
        return store

    def made(self, folder: Path) -> Store:
        """A new store with the market "m"."""
        store = self.store(folder)
        store.create_market("m", {"policy": "prh-ucb", "seed": 1})
        return store

    # --- journal ---------------------------------------------------------------------------

    def test_an_empty_store_has_no_markets_and_no_keys(self, tmp_path: Path) -> None:
        """A new store is empty."""
        store = self.store(tmp_path)
        assert store.markets() == {}
        assert store.keys() == []
        assert isinstance(store.durable, bool)

    def test_markets_come_back_with_their_configuration(self, tmp_path: Path) -> None:
        """Names are free as far as they can be printed, and are never given twice."""
        store = self.store(tmp_path)
        for name in ("b", "a", "größe 'x' \"y\"; --", "%s ?", "é" * 200):
            store.create_market(name, _EVENT)
        assert list(self.store(tmp_path).markets()) == sorted(store.markets())
        assert store.markets()["a"] == _EVENT
        assert "a" in _refused(ValueError, store.create_market, "a", {})
        for wrong in ("", "x" * 201, "a\x00", "a\nb", "\ud800"):
            _refused(ValueError, store.create_market, wrong, {})

    def test_what_was_appended_comes_back_to_the_last_bit(self, tmp_path: Path) -> None:
        """Texts, integers and floats are not changed; another process sees them at once."""
        store = self.made(tmp_path)
        store.append("m", 1, [_EVENT])
        store.append("m", 2, [{"kind": "x", "v": value / 7} for value in range(2500)])
        again = list(self.store(tmp_path).events("m"))
        assert [number for number, _ in again] == list(range(1, 2502))
        assert again[0][1] == _EVENT
        assert [event["v"] for _, event in again[1:]] == [value / 7 for value in range(2500)]
        assert store.last("m") == 2501
        assert [number for number, _ in store.events("m", after=2499)] == [2500, 2501]
        assert list(store.events("m", after=2501)) == []
        store.check()

    def test_journals_of_markets_are_apart(self, tmp_path: Path) -> None:
        """Every market counts its own events."""
        store = self.made(tmp_path)
        store.create_market("other", {})
        store.append("m", 1, _numbered(1, 3))
        store.append("other", 1, _numbered(7, 1))
        assert (store.last("m"), store.last("other")) == (3, 1)
        assert [event["n"] for _, event in store.events("other")] == [7]

    def test_only_the_next_number_is_taken(self, tmp_path: Path) -> None:
        """A number that is taken, or leaves a hole, is a conflict, and nothing is stored."""
        store = self.made(tmp_path)
        store.append("m", 1, _numbered(1, 2))
        for wrong in (0, 1, 2, 4):
            _refused(Conflict, store.append, "m", wrong, _numbered(9, 2))
        assert [event["n"] for _, event in store.events("m")] == [1, 2]
        store.append("m", 3, [])
        assert store.last("m") == 2

    def test_an_append_is_all_or_nothing(self, tmp_path: Path) -> None:
        """One event that cannot be stored, and none is."""
        store = self.made(tmp_path)
        for wrong in (float("nan"), float("inf"), {1, 2}):
            events = [*_numbered(1, 2), {"kind": "x", "value": wrong}]
            _refused(ValueError, store.append, "m", 1, events)
        assert store.last("m") == 0
        assert list(store.events("m")) == []
        store.append("m", 1, _numbered(1, 1))
        assert store.last("m") == 1

    def test_unknown_markets_are_named(self, tmp_path: Path) -> None:
        """Every method says that the market is not there, whatever its name."""
        store = self.made(tmp_path)
        calls: list[Callable[[str], object]] = [
            store.last,
            store.compacted,
            store.snapshot,
            lambda name: list(store.events(name)),
            lambda name: store.append(name, 1, [{}]),
            lambda name: store.save_snapshot(name, 0, b"", ""),
            lambda name: store.compact(name, 0),
            lambda name: store.acquire(name, "a", 1.0),
            lambda name: store.renew(name, "a", 1, 1.0),
            lambda name: store.release(name, "a", 1),
        ]
        for call in calls:
            for name in ("nobody", "", "a\x00b", "\ud800"):
                _refused(UnknownMarket, call, name)

    def test_a_reader_sees_one_moment(self, tmp_path: Path) -> None:
        """Events that come while the journal is read are not in it, and need not wait."""
        store = self.made(tmp_path)
        store.append("m", 1, _numbered(1, 3000))
        reader = store.events("m")
        assert next(reader)[0] == 1
        store.append("m", 3001, _numbered(3001, 10))
        assert [number for number, _ in reader][-1] == 3000
        assert store.last("m") == 3010

    def test_threads_come_one_after_the_other(self, tmp_path: Path) -> None:
        """Of two appends of one number exactly one is stored, and reads go on meanwhile."""
        store = self.made(tmp_path)
        won: list[tuple[int, int]] = []

        def work(who: int) -> None:
            while (first := store.last("m") + 1) <= 40:
                try:
                    store.append("m", first, [{"who": who}])
                except Conflict:
                    continue
                won.append((first, who))

        threads = [threading.Thread(target=work, args=(who,)) for who in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        stored = [(number, event["who"]) for number, event in store.events("m")]
        assert stored == sorted(won)
        assert len(stored) >= 40

    # --- snapshots and compaction ------------------------------------------------------------

    def test_the_newest_snapshot_comes_first(self, tmp_path: Path) -> None:
        """Two are kept; the one before can be asked for."""
        store = self.made(tmp_path)
        assert store.snapshot("m") is None
        store.append("m", 1, _numbered(1, 9))
        for number in (0, 3, 5, 9):
            store.save_snapshot("m", number, bytes([0, number, 255]), f"d{number}")
        store = self.store(tmp_path)
        assert store.snapshot("m") == (9, bytes([0, 9, 255]), "d9")
        assert store.snapshot("m", before=9) == (5, bytes([0, 5, 255]), "d5")
        assert store.snapshot("m", before=5) is None
        store.save_snapshot("m", 9, b"other", "new")
        assert store.snapshot("m") == (9, b"other", "new")
        assert store.snapshot("m", before=9) is not None
        for wrong in (-1, 10):
            _refused(ValueError, store.save_snapshot, "m", wrong, b"", "")

    def test_a_large_snapshot_is_kept_in_parts(self, tmp_path: Path) -> None:
        """Also in a backup, and nothing of an older one is left in it."""
        whole = contract.PART
        contract.PART = 1000
        try:
            store = self.made(tmp_path)
            store.append("m", 1, _numbered(1, 3))
            large = bytes(range(256)) * 40
            store.save_snapshot("m", 1, large, "a")
            store.save_snapshot("m", 2, large[:3000], "b")
            assert store.snapshot("m") == (2, large[:3000], "b")
            store.save_snapshot("m", 2, large[1:], "c")
            store.backup(tmp_path / "backup.db")
        finally:
            contract.PART = whole
        with closing(open_store(f"sqlite:{tmp_path}/backup.db")) as copy:
            there = tmp_path / "new"
            there.mkdir()
            other = self.store(there)
            other.load(copy.dump())
            for one in (self.store(tmp_path), copy, other):
                assert one.snapshot("m") == (2, large[1:], "c")
                assert one.snapshot("m", before=2) == (1, large, "a")
            other.save_snapshot("m", 3, b"short", "d")
            other.save_snapshot("m", 2, b"other", "e")
            assert other.snapshot("m", before=3) == (2, b"other", "e")

    def test_compaction_needs_a_snapshot(self, tmp_path: Path) -> None:
        """What no snapshot covers stays; the numbers go on as if nothing had been dropped."""
        store = self.made(tmp_path)
        store.append("m", 1, _numbered(1, 10))
        _refused(ValueError, lambda: store.compact("m", 1))
        store.save_snapshot("m", 10, b"ten", "")
        _refused(ValueError, lambda: store.compact("m", 11))
        store.compact("m", 4)
        assert store.compacted("m") == 4
        assert [number for number, _ in store.events("m", after=4)] == [5, 6, 7, 8, 9, 10]
        _refused(ValueError, lambda: list(store.events("m", after=3)))
        store.compact("m", 10)
        store.compact("m", 2)
        store = self.store(tmp_path)
        assert (store.compacted("m"), store.last("m")) == (10, 10)
        assert list(store.events("m", after=10)) == []
        store.append("m", 11, _numbered(11, 1))
        assert [event["n"] for _, event in store.events("m", after=10)] == [11]
        _refused(ValueError, lambda: store.save_snapshot("m", 9, b"", ""))
        store.check()

    # --- leases ------------------------------------------------------------------------------

    def test_one_owner_at_a_time(self, tmp_path: Path) -> None:
        """While one holds the lease, another does not get it; markets have leases of their own."""
        store, other = self.made(tmp_path), self.store(tmp_path)
        store.create_market("n", {})
        token = store.acquire("m", "a", 60.0)
        assert token is not None
        assert other.acquire("m", "b", 60.0) is None
        assert other.acquire("n", "b", 60.0) is not None
        assert store.renew("m", "a", token, 60.0)
        assert not other.renew("m", "b", token, 60.0)
        assert not other.renew("m", "a", token + 1, 60.0)
        store.release("m", "a", token)
        following = other.acquire("m", "b", 60.0)
        assert following is not None
        assert following > token
        _refused(ValueError, lambda: store.acquire("m", "", 1.0))
        _refused(ValueError, lambda: store.acquire("m", "a", 0.0))
        _refused(ValueError, lambda: store.renew("m", "a", 1, float("nan")))

    def test_who_lost_the_lease_cannot_write(self, tmp_path: Path) -> None:
        """An old token is refused by the store, whatever its owner believes."""
        store, other = self.made(tmp_path), self.store(tmp_path)
        old = store.acquire("m", "a", 0.05)
        store.append("m", 1, _numbered(1, 1), token=old)
        new = None
        while new is None:
            new = other.acquire("m", "b", 60.0)
        assert old is not None
        assert new > old
        _refused(LeaseLost, lambda: store.append("m", 2, _numbered(2, 1), token=old))
        _refused(LeaseLost, lambda: store.append("m", 2, _numbered(2, 1)))
        assert not store.renew("m", "a", old, 60.0)
        store.release("m", "a", old)
        other.append("m", 2, _numbered(2, 1), token=new)
        other.release("m", "b", new)
        _refused(LeaseLost, lambda: other.append("m", 3, _numbered(3, 1), token=new))
        store.append("m", 3, _numbered(3, 1))
        assert [event["n"] for _, event in store.events("m")] == [1, 2, 3]

    def test_an_owner_may_take_its_lease_again(self, tmp_path: Path) -> None:
        """It gets a new token, and the old one ends; a lease that ran out can be renewed."""
        store = self.made(tmp_path)
        old, new = store.acquire("m", "a", 60.0), store.acquire("m", "a", 0.001)
        assert old is not None
        assert new is not None
        assert new > old
        _refused(LeaseLost, lambda: store.append("m", 1, _numbered(1, 1), token=old))
        threading.Event().wait(0.01)
        assert store.renew("m", "a", new, 60.0)
        assert store.acquire("m", "b", 60.0) is None
        store.append("m", 1, _numbered(1, 1), token=new)

    # --- keys --------------------------------------------------------------------------------

    def test_keys_are_put_replaced_and_dropped(self, tmp_path: Path) -> None:
        """Keys come back in order of their ids."""
        store = self.store(tmp_path)
        for name in ("b", "a", "B"):
            store.put_key({"id": name, "role": "operator", "made": 0.1})
        store.put_key({"id": "b", "role": "auditor"})
        found = self.store(tmp_path).keys()
        assert [key["id"] for key in found] == ["B", "a", "b"]
        assert store.keys()[2] == {"id": "b", "role": "auditor"}
        [_, _, kept] = store.keys()
        store.put_key({"id": "b", "role": "agent"}, replacing=kept)
        for changed in (kept, {"id": "x"}):  # not what is there, and not there at all
            _refused(Conflict, lambda key=changed: store.put_key(key, replacing=kept))
        assert store.keys()[2] == {"id": "b", "role": "agent"}
        store.drop_key("a")
        for unknown in ("a", "", "\x00", "\ud800"):
            _refused(LookupError, store.drop_key, unknown)
        _refused(ValueError, lambda: store.put_key({"role": "operator"}))
        assert len(store.keys()) == 2

    # --- backup ------------------------------------------------------------------------------

    def filled(self, folder: Path) -> Store:
        """A store with something of everything, and a lease that runs."""
        store = self.made(folder)
        store.create_market("empty", {})
        store.append("m", 1, [_EVENT, *_numbered(2, 1999)])
        store.save_snapshot("m", 1000, b"\x00half", "d")
        store.save_snapshot("m", 2000, b"\x00all", "e")
        store.compact("m", 500)
        store.put_key({"id": "k", "hash": "00"})
        store.acquire("m", "a", 60.0)
        return store

    def test_a_backup_is_a_store(self, tmp_path: Path) -> None:
        """It holds everything but the lease, and is never written over."""
        store = self.filled(tmp_path)
        path = tmp_path / "backup.db"
        store.backup(path)
        _refused(ValueError, lambda: store.backup(path))
        with closing(open_store(f"sqlite:{path}")) as copy:
            _same(store, copy)
            copy.append("m", 2001, _numbered(2001, 1))
        left = {each.name for each in tmp_path.glob("backup*")} | {
            each.name for each in tmp_path.glob(".*")
        }
        assert left == {"backup.db"}

    def test_a_backup_is_restored(self, tmp_path: Path) -> None:
        """Into any kind of store, also into this one; what is not empty is refused."""
        source = self.filled(tmp_path)
        source.backup(tmp_path / "backup.db")
        restore(tmp_path / "backup.db", f"sqlite:{tmp_path}/restored.db")
        with closing(open_store(f"sqlite:{tmp_path}/restored.db")) as restored:
            _same(source, restored)
            there = tmp_path / "new"
            there.mkdir()
            mine = self.store(there)
            mine.load(restored.dump())
            _same(source, mine)
            token = mine.acquire("m", "b", 60.0)
            assert token is not None
            assert token > _token(source) + 1
            _refused(ValueError, lambda: mine.load(restored.dump()))
        _refused(
            ValueError,
            lambda: restore(tmp_path / "backup.db", f"sqlite:{tmp_path}/restored.db"),
        )

    def test_a_backup_under_load_is_one_moment(self, tmp_path: Path) -> None:
        """While appends of ten go on, a backup holds whole ones only, and all before it began."""
        store, done = self.made(tmp_path), threading.Event()
        store.create_market("n", {})

        def work() -> None:
            number = 1
            while not done.is_set():
                store.append("m", number, _numbered(number, 10))
                store.append("n", number, _numbered(number, 10))
                number += 10
                done.wait(0.001)

        thread = threading.Thread(target=work)
        thread.start()
        try:
            for turn in range(3):
                path = tmp_path / f"backup{turn}.db"
                before = store.last("n")
                store.backup(path)
                with closing(open_store(f"sqlite:{path}")) as copy:
                    copy.check()
                    ends = copy.last("m"), copy.last("n")
                    assert ends[0] % 10 == ends[1] % 10 == 0
                    assert ends[0] - ends[1] in (0, 10)
                    assert ends[1] >= before
        finally:
            done.set()
            thread.join()


def _token(store: Store) -> int:
    """The current fencing token of market "m"."""
    return int(next(row for table, row in store.dump() if table == "markets" and row[0] == "m")[4])


def _same(one: Store, two: Store) -> None:
    """Both hold the same, apart from leases."""
    two.check()
    assert one.markets() == two.markets()
    assert one.keys() == two.keys()
    for market in one.markets():
        after = one.compacted(market)
        assert two.compacted(market) == after
        assert two.last(market) == one.last(market)
        assert list(two.events(market, after)) == list(one.events(market, after))
        newest = one.snapshot(market)
        assert two.snapshot(market) == newest
        if newest is not None:
            assert two.snapshot(market, newest[0]) == one.snapshot(market, newest[0])
