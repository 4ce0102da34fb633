"""Markets, their journals, and API keys."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from copyproof.live.stores.appends import Append
from copyproof.live.stores.conformance.base import EVENT, Opening, numbered, refused
from copyproof.live.stores.errors import Conflict, LeaseLost, UnknownMarket


class JournalConformance(Opening):
    """Journals are whole, in order, and of one market each; keys come back."""

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
            store.create_market(name, EVENT)
        assert list(self.store(tmp_path).markets()) == sorted(store.markets())
        assert store.markets()["a"] == EVENT
        assert "a" in refused(ValueError, store.create_market, "a", {})
        for wrong in ("", "x" * 201, "a\x00", "a\nb", "\ud800"):
            refused(ValueError, store.create_market, wrong, {})

    def test_what_was_appended_comes_back_to_the_last_bit(self, tmp_path: Path) -> None:
        """Texts, integers and floats are not changed; another process sees them at once."""
        store = self.made(tmp_path)
        store.append("m", 1, [EVENT])
        store.append("m", 2, [{"kind": "x", "v": value / 7} for value in range(2500)])
        again = list(self.store(tmp_path).events("m"))
        assert [number for number, _ in again] == list(range(1, 2502))
        assert again[0][1] == EVENT
        assert [event["v"] for _, event in again[1:]] == [value / 7 for value in range(2500)]
        assert store.last("m") == 2501
        assert [number for number, _ in store.events("m", after=2499)] == [2500, 2501]
        assert list(store.events("m", after=2501)) == []
        store.check()

    def test_journals_of_markets_are_apart(self, tmp_path: Path) -> None:
        """Every market counts its own events."""
        store = self.made(tmp_path)
        store.create_market("other", {})
        store.append("m", 1, numbered(1, 3))
        store.append("other", 1, numbered(7, 1))
        assert (store.last("m"), store.last("other")) == (3, 1)
        assert [event["n"] for _, event in store.events("other")] == [7]

    def test_only_the_next_number_is_taken(self, tmp_path: Path) -> None:
        """A number that is taken, or leaves a hole, is a conflict, and nothing is stored."""
        store = self.made(tmp_path)
        store.append("m", 1, numbered(1, 2))
        for wrong in (0, 1, 2, 4):
            refused(Conflict, store.append, "m", wrong, numbered(9, 2))
        assert [event["n"] for _, event in store.events("m")] == [1, 2]
        store.append("m", 3, [])
        assert store.last("m") == 2

    def test_an_append_is_all_or_nothing(self, tmp_path: Path) -> None:
        """One event that cannot be stored, and none is."""
        store = self.made(tmp_path)
        for wrong in (float("nan"), float("inf"), {1, 2}):
            events = [*numbered(1, 2), {"kind": "x", "value": wrong}]
            refused(ValueError, store.append, "m", 1, events)
        assert store.last("m") == 0
        assert list(store.events("m")) == []
        store.append("m", 1, numbered(1, 1))
        assert store.last("m") == 1

    def test_appends_of_several_markets_succeed_or_fail_one_by_one(self, tmp_path: Path) -> None:
        """One that is refused leaves the others as they are."""
        store = self.made(tmp_path)
        for market in ("n", "o"):
            store.create_market(market, {})
        token = store.acquire("o", "somebody", 60.0)
        appends = [
            Append("m", 1, numbered(1, 2)),
            Append("n", 2, numbered(2, 1)),
            Append("o", 1, numbered(1, 1)),
        ]
        first, second, third = store.append_all(appends)
        assert first is None
        assert isinstance(second, Conflict)
        assert isinstance(third, LeaseLost)
        more = [Append("m", 3, numbered(3, 1)), Append("o", 1, numbered(1, 1), token)]
        assert store.append_all(more) == [None, None]
        assert store.append_all([]) == []
        [unknown] = store.append_all([Append("nowhere", 1, numbered(1, 1))])
        assert unknown is not None
        assert [store.last(market) for market in ("m", "n", "o")] == [3, 0, 1]
        store.check()

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
                refused(UnknownMarket, call, name)

    def test_a_reader_sees_one_moment(self, tmp_path: Path) -> None:
        """Events that come while the journal is read are not in it, and need not wait."""
        store = self.made(tmp_path)
        store.append("m", 1, numbered(1, 3000))
        reader = store.events("m")
        assert next(reader)[0] == 1
        store.append("m", 3001, numbered(3001, 10))
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

        with ThreadPoolExecutor(4) as threads:
            list(threads.map(work, range(4)))
        stored = [(number, event["who"]) for number, event in store.events("m")]
        assert stored == sorted(won)
        assert len(stored) >= 40

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
            refused(Conflict, lambda key=changed: store.put_key(key, replacing=kept))
        assert store.keys()[2] == {"id": "b", "role": "agent"}
        store.drop_key("a")
        for unknown in ("a", "", "\x00", "\ud800"):
            refused(LookupError, store.drop_key, unknown)
        refused(ValueError, lambda: store.put_key({"role": "operator"}))
        assert len(store.keys()) == 2

    def test_actions(self, tmp_path: Path) -> None:
        """What operators did comes back in order, in pages, and can be completed."""
        store = self.store(tmp_path)
        for name in ("2", "1", "3"):
            store.put_action({"id": name, "status": None})
        store.end_action("1", 200)
        store.end_action("unknown", 200)
        assert [each["id"] for each in store.actions(limit=2)] == ["1", "2"]
        assert [each["id"] for each in store.actions("2")] == ["3"]
        assert self.store(tmp_path).actions()[0] == {"id": "1", "status": 200}
        refused(ValueError, lambda: store.put_action({"status": 200}))

    def test_keys_are_read_by_change(self, tmp_path: Path) -> None:
        """What was stored since a moment is told, and all ids if any was dropped."""
        store, other = self.store(tmp_path), self.store(tmp_path)
        for name in "abc":
            store.put_key({"id": name, "n": 0})
        moment, stored, ids = other.changed_keys(None)
        assert [key["id"] for key in stored] == ["a", "b", "c"]
        assert ids is not None
        assert {*ids} == {"a", "b", "c"}
        store.put_key({"id": "b", "n": 1})
        store.put_key({"id": "d", "n": 0}, replacing=None)
        held = {key["id"]: key for key in stored}
        moment, stored, ids = other.changed_keys(moment)
        held |= {key["id"]: key for key in stored}
        assert {"b", "d"} <= {key["id"] for key in stored}
        store.drop_key("a")
        store.put_key({"id": "c", "n": 2}, replacing={"id": "c", "n": 0})
        moment, stored, ids = other.changed_keys(moment)
        held |= {key["id"]: key for key in stored}
        assert ids is not None
        assert [held[name] for name in sorted(ids)] == store.keys()
