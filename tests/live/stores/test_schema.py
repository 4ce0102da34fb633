"""Databases of older versions are brought up to date, with everything in them."""

import contextlib
import sqlite3
from pathlib import Path

import psycopg
import pytest

from copyproof.live.stores import Damaged, Store, open_store
from copyproof.live.stores.schema import SQLITE_VERSION, STEPS, VERSION
from copyproof.live.stores.sqlite import APPLICATION
from copyproof.live.stores.texts import fingerprint
from tests.postgres import Server

# What version 1 wrote: one market whose first two events were compacted, and an empty one.
EVENTS = [("m", number, f'{{"n":{number}}}') for number in (3, 4, 5)]
SNAPSHOT = ("m", 4, b"\x00four", "digest", fingerprint(b"\x00four"))


def check(store: Store) -> None:
    assert store.markets() == {"m": {"seed": 1}, "empty": {}}
    assert (store.compacted("m"), store.last("m")) == (2, 5)
    assert (store.compacted("empty"), store.last("empty")) == (0, 0)
    assert list(store.events("m", 2)) == [(n, {"n": n}) for n in (3, 4, 5)]
    assert store.snapshot("m") == (4, b"\x00four", "digest")
    assert store.keys() == [{"id": "k"}]
    token = store.acquire("m", "a", 60.0)
    store.append("m", 6, [{"n": 6}], token=token)
    store.append("empty", 1, [{}])
    store.check()


def test_sqlite_from_version_1(tmp_path: Path) -> None:
    path = tmp_path / "live.db"
    with contextlib.closing(sqlite3.connect(path)) as old:
        for sql in STEPS[0]:
            old.execute(sql.format(blob="BLOB", without_rowid="WITHOUT ROWID"))
        old.execute("INSERT INTO markets VALUES ('m', '{\"seed\":1}'), ('empty', '{}')")
        old.executemany("INSERT INTO events VALUES (?, ?, ?)", EVENTS)
        old.execute("INSERT INTO snapshots VALUES (?, ?, ?, ?, ?)", SNAPSHOT)
        old.execute("INSERT INTO keys VALUES ('k', '{\"id\":\"k\"}')")
        old.commit()
        old.execute(f"PRAGMA application_id = {APPLICATION}")
        old.execute("PRAGMA user_version = 1")
    with open_store(f"sqlite:{path}") as store:
        check(store)
    with contextlib.closing(sqlite3.connect(path)) as new:
        assert new.execute("PRAGMA user_version").fetchone() == (SQLITE_VERSION,)


def test_a_migration_that_fails_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "live.db"
    with contextlib.closing(sqlite3.connect(path)) as old:
        for sql in STEPS[0]:
            old.execute(sql.format(blob="BLOB", without_rowid="WITHOUT ROWID"))
        old.execute("ALTER TABLE markets ADD COLUMN until REAL")
        old.execute(f"PRAGMA application_id = {APPLICATION}")
        old.execute("PRAGMA user_version = 1")
    for _ in range(2):
        with pytest.raises(Exception, match="duplicate column name: until"):
            open_store(f"sqlite:{path}")
    with contextlib.closing(sqlite3.connect(path)) as same:
        columns = [row[1] for row in same.execute("PRAGMA table_info(markets)")]
        assert columns == ["name", "config", "until"]
        assert same.execute("PRAGMA user_version").fetchone() == (1,)


def test_postgres_from_version_1(postgres: Server) -> None:
    url = postgres.new_url()
    schema = url.rpartition("=")[2]
    with psycopg.connect(postgres.url()) as old:
        old.execute(f"CREATE SCHEMA {schema}")
        old.execute(f"SET search_path = {schema}")
        for sql in STEPS[0]:
            old.execute(sql.format(blob="BYTEA", without_rowid=""))
        old.execute("INSERT INTO markets VALUES ('m', '{\"seed\":1}'), ('empty', '{}')")
        old.cursor().executemany("INSERT INTO events VALUES (%s, %s, %s)", EVENTS)
        old.execute("INSERT INTO snapshots VALUES (%s, %s, %s, %s, %s)", SNAPSHOT)
        old.execute("INSERT INTO keys VALUES ('k', '{\"id\":\"k\"}')")
        old.execute("CREATE TABLE schema (version INTEGER NOT NULL)")
        old.execute("INSERT INTO schema VALUES (1)")
    with open_store(url) as store:
        check(store)
    with psycopg.connect(postgres.url()) as new:
        assert new.execute(f"SELECT version FROM {schema}.schema").fetchall() == [(VERSION,)]
        new.execute(f"UPDATE {schema}.schema SET version = 99")
    with pytest.raises(Damaged, match="schema version 99 is newer than"):
        open_store(url)
