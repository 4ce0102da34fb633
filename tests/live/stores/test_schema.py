"""A database of an earlier version is brought up to date, step by step; a later one is refused."""

import contextlib
import sqlite3
from pathlib import Path

import psycopg
import pytest

from copyproof.live.stores import Damaged, Store, open_store, schema
from tests.postgres import Server

TOY = schema.Step(
    ("ALTER TABLE markets ADD COLUMN colour TEXT NOT NULL DEFAULT 'red'",),
    sqlite=("CREATE TABLE toy (name TEXT)", "INSERT INTO toy VALUES ('sqlite')"),
    postgres=("CREATE TABLE toy (name TEXT)", "INSERT INTO toy VALUES ('postgres')"),
)
"""A step to a version that only this test knows."""


def fill(store: Store) -> None:
    store.create_market("m", {"seed": 1})
    store.append("m", 1, [{"n": n} for n in (1, 2, 3)])
    store.save_snapshot("m", 2, b"two", "digest")


def check(store: Store) -> None:
    assert store.markets() == {"m": {"seed": 1}}
    assert list(store.events("m")) == [(n, {"n": n}) for n in (1, 2, 3)]
    assert store.snapshot("m") == (2, b"two", "digest")
    store.append("m", 4, [{"n": 4}])
    store.check()


def test_sqlite_walks_the_step_of_a_toy_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "live.db"
    with open_store(f"sqlite:{path}") as store:
        fill(store)
    with monkeypatch.context() as later:
        later.setattr(schema, "STEPS", (*schema.STEPS, TOY))
        with open_store(f"sqlite:{path}") as store:
            check(store)
        with contextlib.closing(sqlite3.connect(path)) as raw:
            assert raw.execute("SELECT name, colour FROM markets").fetchall() == [("m", "red")]
            assert raw.execute("SELECT name FROM toy").fetchall() == [("sqlite",)]
            assert raw.execute("PRAGMA user_version").fetchone() == (2,)
    with pytest.raises(Damaged, match="schema version 2 is not 1, the newest that this program"):
        open_store(f"sqlite:{path}")


def test_a_step_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "live.db"
    with open_store(f"sqlite:{path}") as store:
        fill(store)
    wrong = schema.Step((*TOY.shared, "ALTER TABLE markets ADD COLUMN until REAL"))
    with monkeypatch.context() as later:
        later.setattr(schema, "STEPS", (*schema.STEPS, wrong))
        for _ in range(2):
            with pytest.raises(Exception, match="duplicate column name: until"):
                open_store(f"sqlite:{path}")
    with open_store(f"sqlite:{path}") as store:
        check(store)


def test_postgres_walks_the_step_of_a_toy_version(
    postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgres.new_url()
    with open_store(url) as store:
        fill(store)
    with monkeypatch.context() as later:
        later.setattr(schema, "STEPS", (*schema.STEPS, TOY))
        with open_store(url) as store:
            check(store)
        with psycopg.connect(postgres.url()) as raw:
            tables = url.rpartition("=")[2]
            found = raw.execute(f"SELECT name, colour FROM {tables}.markets").fetchall()
            assert found == [("m", "red")]
            assert raw.execute(f"SELECT name FROM {tables}.toy").fetchall() == [("postgres",)]
    with pytest.raises(Damaged, match="schema version 2 is not 1, the newest that this program"):
        open_store(url)
