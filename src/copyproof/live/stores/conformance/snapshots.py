"""Snapshots, compaction and backups."""

import threading
from contextlib import closing
from pathlib import Path
from unittest.mock import patch

from copyproof.live.stores import texts
from copyproof.live.stores.chain import blinding_of
from copyproof.live.stores.conformance.base import EVENT, Opening, numbered, refused
from copyproof.live.stores.contract import Store
from copyproof.live.stores.errors import Damaged, LeaseLost
from copyproof.live.stores.open import open_store, restore


class SnapshotConformance(Opening):
    """States and whole stores are kept, and come back."""

    def test_the_newest_snapshot_comes_first(self, tmp_path: Path) -> None:
        """Two are kept; the one before can be asked for."""
        store = self.made(tmp_path)
        assert store.snapshot("m") is None
        store.append("m", 1, numbered(1, 9))
        for number in (0, 3, 5, 9):
            store.save_snapshot("m", number, bytes([0, number, 255]), f"d{number}")
        store = self.store(tmp_path)
        assert store.snapshot("m") == (9, bytes([0, 9, 255]), "d9")
        assert store.snapshot("m", before=9) == (5, bytes([0, 5, 255]), "d5")
        assert store.snapshot("m", before=5) is None
        store.save_snapshot("m", 9, b"other", "new")
        assert store.snapshot("m") == (9, b"other", "new")
        assert store.snapshot("m", before=9) is not None
        store.save_snapshot("m", 9, b"no digest")
        assert (store.snapshot("m") or ())[:2] == (9, b"no digest")
        for wrong in (-1, 10):
            refused(ValueError, store.save_snapshot, "m", wrong, b"", "")

    def test_names_are_replaced_by_what_is_chained_in_the_same_way(self, tmp_path: Path) -> None:
        """All of it or nothing, by who holds the lease; snapshots that are not given are gone."""
        store = self.made(tmp_path)
        events = [{"kind": "agent", "agent": name, "at": 0.5} for name in ("ann", "bob", "cid")]
        store.append("m", 1, events)
        for number in (1, 3):
            store.save_snapshot("m", number, b"of ann")
        head = store.head("m")
        blinding = blinding_of(store.chain("m").secret)
        token = store.acquire("m", "a", 60.0)
        wanted = {1: blinding.blinded(events[0])}
        refused(LeaseLost, store.rewrite, "m", wanted, {3: b"of nobody"})
        assert [event for _, event in store.events("m")] == events
        store.rewrite("m", wanted, {3: b"of nobody"}, token=token)
        store.scrub()
        store = self.store(tmp_path)
        assert [event for _, event in store.events("m")] == [wanted[1], *events[1:]]
        assert (store.snapshot("m") or ())[:2] == (3, b"of nobody")
        assert store.snapshot("m", before=3) is None
        assert store.head("m") == head
        store.check()

    def test_a_large_snapshot_is_kept_in_parts(self, tmp_path: Path) -> None:
        """Also in a backup, and nothing of an older one is left in it."""
        with patch.object(texts, "PART", 1000):
            store = self.made(tmp_path)
            store.append("m", 1, numbered(1, 3))
            large = bytes(range(256)) * 40
            store.save_snapshot("m", 1, large, "a")
            store.save_snapshot("m", 2, large[:3000], "b")
            assert store.snapshot("m") == (2, large[:3000], "b")
            store.save_snapshot("m", 2, large[1:], "c")
            store.backup(tmp_path / "backup.db")
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
        store.append("m", 1, numbered(1, 10))
        refused(ValueError, lambda: store.compact("m", 1))
        store.save_snapshot("m", 10, b"ten", "")
        refused(ValueError, lambda: store.compact("m", 11))
        store.compact("m", 4)
        assert store.compacted("m") == 4
        assert [number for number, _ in store.events("m", after=4)] == [5, 6, 7, 8, 9, 10]
        refused(ValueError, lambda: list(store.events("m", after=3)))
        store.compact("m", 10)
        store.compact("m", 2)
        store = self.store(tmp_path)
        assert (store.compacted("m"), store.last("m")) == (10, 10)
        assert list(store.events("m", after=10)) == []
        store.append("m", 11, numbered(11, 1))
        assert [event["n"] for _, event in store.events("m", after=10)] == [11]
        refused(ValueError, lambda: store.save_snapshot("m", 9, b"", ""))
        store.check()

    def filled(self, folder: Path) -> Store:
        """A store with something of everything, and a lease that runs."""
        store = self.made(folder)
        store.create_market("empty", {})
        store.append("m", 1, [EVENT, *numbered(2, 1999)])
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
        refused(ValueError, lambda: store.backup(path))
        with closing(open_store(f"sqlite:{path}")) as copy:
            _same(store, copy)
            copy.append("m", 2001, numbered(2001, 1))
        seen: list[Store] = []

        def refuse(copy: Store) -> None:
            _same(store, copy)
            seen.append(copy)
            raise Damaged("more was checked")

        refused(Damaged, lambda: store.backup(tmp_path / "backup2.db", refuse))
        assert len(seen) == 1
        left = [*tmp_path.glob("backup*"), *tmp_path.glob(".*")]
        assert {each.name for each in left} == {"backup.db"}

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
            refused(ValueError, lambda: mine.load(restored.dump()))
        refused(
            ValueError, lambda: restore(tmp_path / "backup.db", f"sqlite:{tmp_path}/restored.db")
        )

    def test_a_backup_under_load_is_one_moment(self, tmp_path: Path) -> None:
        """While appends of ten go on, a backup holds whole ones only, and all before it began."""
        store, done = self.made(tmp_path), threading.Event()
        store.create_market("n", {})

        def work() -> None:
            number = 1
            while not done.is_set():
                store.append("m", number, numbered(number, 10))
                store.append("n", number, numbered(number, 10))
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
