"""URLs, and backups from one kind of store into another."""

from pathlib import Path

import pytest

from copyproof.live.stores import StoreError, open_store, restore
from copyproof.live.stores.memory import MemoryStore
from copyproof.live.stores.sqlite import SqliteStore
from tests.postgres import Server


def test_urls(tmp_path: Path) -> None:
    assert isinstance(open_store("memory:"), MemoryStore)
    for url in (
        f"{tmp_path}/a.db",
        f"sqlite:{tmp_path}/a.db",
        f"sqlite://{tmp_path}/a.db",
        f"sqlite:{tmp_path}/a%20b.db",
    ):
        with open_store(url) as store:
            assert isinstance(store, SqliteStore)
            assert store.durable
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a b.db", "a.db"]
    with open_store(f"sqlite:{tmp_path}/a.db?synchronous=off") as store:
        assert not store.durable


@pytest.mark.parametrize(
    "url",
    [
        *("", "memory", "mysql://x/y", "sqlite:", "sqlite:a?b=c", "sqlite:a?synchronous=maybe"),
        *("sqlite3:live.db", "postgresql", "sqlite", "mysql:x"),
    ],
)
def test_other_urls_are_refused(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=r"store = |synchronous = ") as error:
        open_store(url)
    assert "\n" not in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_postgres_url_is_bad_input() -> None:
    for url, words in (
        ("postgresql://host/db?nonsense=1", "nonsense"),
        ("postgresql://host/db?schema=A-B", "schema = 'A-B'"),
        ("postgresql://host/db?synchronous=no", "synchronous = 'no'"),
    ):
        with pytest.raises(ValueError, match=words) as error:
            open_store(url)
        assert "\n" not in str(error.value)


def test_a_file_is_not_made_where_it_should_be_there(tmp_path: Path) -> None:
    for url in (f"sqlite:{tmp_path}/live.db", f"{tmp_path}/live.db"):
        with pytest.raises(StoreError, match=r"live\.db: cannot be opened: it is not there"):
            open_store(url, create=False)
    assert list(tmp_path.iterdir()) == []
    open_store(f"sqlite:{tmp_path}/live.db").close()
    open_store(f"sqlite:{tmp_path}/live.db", create=False).close()


def test_secrets_are_not_told() -> None:
    with pytest.raises(ValueError, match=r"store = 'postgress:\.\.\.' is not") as wrong:
        open_store("postgress://me:secret@127.0.0.1:1/db")
    assert "secret" not in str(wrong.value)
    with pytest.raises(StoreError) as error:
        open_store("postgresql://me:secret@127.0.0.1:1/db")
    assert "'db' at 127.0.0.1: away" in str(error.value)
    assert "secret" not in str(error.value)
    assert "\n" not in str(error.value)


def test_from_sqlite_to_postgres_and_back(tmp_path: Path, postgres: Server) -> None:
    url = postgres.new_url()
    with open_store(f"sqlite:{tmp_path}/live.db") as store:
        store.create_market("m", {"seed": 1})
        store.append("m", 1, [{"n": n, "x": n / 7} for n in range(3000)])
        store.save_snapshot("m", 3000, b"\x00\xff", "d")
        store.compact("m", 10)
        store.put_key({"id": "k"})
        store.backup(tmp_path / "one.db")
        before = [row for row in store.dump() if row[0] != "markets"]
    restore(tmp_path / "one.db", url)
    with open_store(url) as store:
        store.backup(tmp_path / "two.db")
        with pytest.raises(ValueError, match="not empty"):
            restore(tmp_path / "one.db", url)
    with open_store(f"sqlite:{tmp_path}/two.db") as store:
        assert [row for row in store.dump() if row[0] != "markets"] == before
        assert store.markets() == {"m": {"seed": 1}}
        assert (store.compacted("m"), store.last("m")) == (10, 3000)


def test_what_is_no_backup_is_not_restored(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is not a file"):
        restore(tmp_path / "none.db", "memory:")
    (tmp_path / "text.db").write_text("hello" * 1000)
    with pytest.raises(StoreError, match="not a database"):
        restore(tmp_path / "text.db", "memory:")
