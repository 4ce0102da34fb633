"""The store: what is committed stays, what is not is gone, and trouble is one line."""

import sqlite3
from pathlib import Path

import pytest

from copyproof.studies.store import Status, Store

POINTS = [(cell, {"policy": "h-ucb", "cell": cell}) for cell in "abca"]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(tmp_path / "study.db")
    made.plan(POINTS)
    return made


def test_points_that_share_a_cell_are_done_together(store: Store) -> None:
    with store.transaction():
        store.finish("a", {"regret_mean": 0.1})
        store.fail("b", "why not")
    assert store.status() == Status(cells=4, done=2, failed=1)
    assert store.finished() == {"a"}
    assert [row.get("regret_mean") for row in store.rows()] == [0.1, None, None, 0.1]
    assert [row["failure"] for row in store.rows()] == [None, "why not", None, None]
    assert store.failures() == [({"policy": "h-ucb", "cell": "b"}, "why not")]


def test_a_new_plan_forgets_failures_and_keeps_cells(store: Store) -> None:
    with store.transaction():
        store.finish("a", {})
        store.finish("z", {})
        store.fail("b", "why not")
    store.plan(POINTS[:2])
    assert store.status() == Status(cells=2, done=1, failed=0)
    store.plan([("z", {})])
    assert store.status() == Status(cells=1, done=1, failed=0)


def test_slices_go_when_their_cell_is_whole(store: Store) -> None:
    with store.transaction():
        store.keep("a", [(0, 3, {"games": 30}), (5, 6, {"games": 10}), (-1, 0, {"x": 1.5})])
    assert store.begun() == {
        "a": [(-1, 0, {"x": 1.5}), (0, 3, {"games": 30}), (5, 6, {"games": 10})]
    }
    with store.transaction():
        store.keep("a", [(0, 6, {"games": 60})])
    assert store.begun() == {"a": [(0, 6, {"games": 60})]}
    assert store.begun_cells() == {"a"}
    with store.transaction():
        store.finish("a", {})
    assert store.begun() == {}


def test_half_a_transaction_is_none(store: Store, tmp_path: Path) -> None:
    def half() -> None:
        with store.transaction():
            store.finish("a", {})
            raise KeyError

    with pytest.raises(KeyError):
        half()
    assert store.status().done == 0
    other = Store(tmp_path / "study.db")
    assert other.status() == store.status()


def test_a_full_disk_is_one_line_and_keeps_what_was_committed(store: Store, tmp_path: Path) -> None:
    with store.transaction():
        store.finish("a", {"regret_mean": 0.5})
    (pages,) = store._open.execute("PRAGMA page_count").fetchone()
    store._open.execute(f"PRAGMA max_page_count = {pages + 1}")
    message = r"study\.db cannot be written: no space left on the disk; what was committed is kept"

    def much() -> None:
        with store.transaction():
            for k in range(1000):
                store.finish(f"cell {k}", {"values": [0.5] * 100})

    with pytest.raises(ValueError, match=message):
        much()
    assert store.status().done == 2
    store.close()
    assert Store(tmp_path / "study.db").finished() == {"a"}


def test_a_store_of_another_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    with sqlite3.connect(path) as made:
        made.execute("PRAGMA user_version = 9")
    with pytest.raises(ValueError, match="is of version 9: this one knows 1"):
        Store(path)
