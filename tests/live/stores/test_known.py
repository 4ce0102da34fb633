"""A log beside a file that is not its own, a file that was replaced, one that has lost its end."""

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from copyproof.live.stores import Damaged, StoreError, open_store
from copyproof.live.stores.log_file import commits_behind_damage
from copyproof.live.stores.open import restore
from copyproof.live.stores.sqlite import SqliteStore

# Serves a store and is killed: what it stored last is in the log only.
KILLED = """
import os, signal, sys
from copyproof.live.stores import open_store
store = open_store(sys.argv[1])
store.begin_serving()
if "m" not in store.markets():
    store.create_market("m", {})
last = store.last("m")
for number in range(last + 1, last + int(sys.argv[2]) + 1):
    store.append("m", number, [{"n": number, "text": "x" * 500}])
if len(sys.argv) < 4:
    store.note_heads()
os.kill(os.getpid(), signal.SIGKILL)
"""


def killed(path: Path, events: int, *more: str) -> None:
    """Let a process store events in a file, and be killed."""
    arguments = [sys.executable, "-c", KILLED, f"sqlite:{path}", str(events), *more]
    done = subprocess.run(arguments, capture_output=True, check=False)
    assert done.returncode == -9, done.stderr.decode()
    assert path.with_name(f"{path.name}-wal").stat().st_size > 0


def last_of(path: Path) -> int:
    with open_store(f"sqlite:{path}") as store:
        store.check()
        return store.last("m")


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {one.name: one.read_bytes() for one in folder.iterdir()}


@pytest.fixture
def monday(tmp_path: Path) -> Path:
    """A backup; the store went on after it, and its process was killed."""
    killed(tmp_path / "live.db", 10)
    with open_store(f"sqlite:{tmp_path}/live.db") as store:
        store.backup(tmp_path / "monday.db")
    killed(tmp_path / "live.db", 30)
    return tmp_path / "monday.db"


def test_a_store_that_was_killed_opens_as_it_was(tmp_path: Path) -> None:
    for times in range(1, 4):
        killed(tmp_path / "live.db", 20)
        assert last_of(tmp_path / "live.db") == times * 20


def test_no_store_is_made_beside_the_log_of_another(monday: Path) -> None:
    folder = monday.parent
    (folder / "live.db").rename(folder / "live.db.bad")
    before = bytes_of(folder)
    with pytest.raises(StoreError, match=r"live\.db-wal, live\.db-shm, live\.db\.known"):
        restore(monday, f"sqlite:{folder}/live.db")
    assert bytes_of(folder) == before
    (folder / "live.db.bad").rename(folder / "live.db")
    assert last_of(folder / "live.db") == 40


def test_a_backup_is_not_opened_beside_the_log_of_another(monday: Path) -> None:
    folder = monday.parent
    shutil.copy(folder / "live.db", folder / "live.db.bad")
    shutil.copy(monday, folder / "live.db")  # in place: even the inode is the same
    before = bytes_of(folder)
    with pytest.raises(StoreError, match="is not its own"):
        open_store(f"sqlite:{folder}/live.db")
    assert bytes_of(folder) == before
    shutil.copy(folder / "live.db.bad", folder / "live.db")
    assert last_of(folder / "live.db") == 40


def test_an_earlier_copy_is_not_opened_beside_a_later_log(tmp_path: Path) -> None:
    killed(tmp_path / "live.db", 10)
    last_of(tmp_path / "live.db")  # which writes the log back
    shutil.copy(tmp_path / "live.db", tmp_path / "copy.db")
    killed(tmp_path / "live.db", 30)
    shutil.copy(tmp_path / "copy.db", tmp_path / "live.db")
    with pytest.raises(StoreError, match="is not its own"):
        open_store(f"sqlite:{tmp_path}/live.db")


def test_a_backup_is_restored_in_place_when_all_files_are_moved(monday: Path) -> None:
    folder = monday.parent
    (folder / "before").mkdir()
    for each in folder.glob("live.db*"):
        each.rename(folder / "before" / each.name)
    restore(monday, f"sqlite:{folder}/live.db")
    assert last_of(folder / "live.db") == 10
    assert last_of(folder / "before" / "live.db") == 40


def test_a_file_that_was_replaced_is_never_taken_for_the_store(tmp_path: Path) -> None:
    with SqliteStore(tmp_path / "live.db") as store:
        store.create_market("m", {})
        store.append("m", 1, [{}])
        store.backup(tmp_path / "backup.db")
        store.append("m", 2, [{}])
        (tmp_path / "live.db").rename(tmp_path / "live.db.bad")
        (tmp_path / "backup.db").rename(tmp_path / "live.db")
        for _ in range(3):
            with pytest.raises(StoreError, match="replaced by another"):
                store.append("m", 3, [{}])
            with pytest.raises(StoreError, match="replaced by another"):
                store.last("m")
        (tmp_path / "live.db").rename(tmp_path / "backup.db")
        (tmp_path / "live.db.bad").rename(tmp_path / "live.db")
        store.append("m", 3, [{}])
        assert store.last("m") == 3


def test_a_log_that_is_damaged_in_the_middle_is_refused(tmp_path: Path) -> None:
    killed(tmp_path / "live.db", 50, "without heads")
    log = tmp_path / "live.db-wal"
    damaged = bytearray(log.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    log.write_bytes(damaged)
    before = bytes_of(tmp_path)
    with pytest.raises(Damaged, match="commits behind that would be lost"):
        open_store(f"sqlite:{tmp_path}/live.db")
    assert bytes_of(tmp_path) == before
    damaged[len(damaged) // 2] ^= 1
    log.write_bytes(damaged)
    assert last_of(tmp_path / "live.db") == 50


def test_a_log_that_a_loss_of_power_has_cut_is_opened(tmp_path: Path) -> None:
    killed(tmp_path / "live.db", 50, "without heads")
    log = tmp_path / "live.db-wal"
    cut = log.read_bytes()[:-5000]
    log.write_bytes(cut + bytes(3000))
    assert commits_behind_damage(log.read_bytes()) == 0
    assert last_of(tmp_path / "live.db") == 49


@pytest.mark.parametrize("place", [8, 20, 30, 32 + 17, 32 + 4120 * 3 + 9, 32 + 4120 * 5 + 4000])
def test_sqlite_and_the_check_agree_on_what_is_damaged(tmp_path: Path, place: int) -> None:
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        raw.execute("PRAGMA journal_mode = WAL")
        raw.execute("CREATE TABLE t (x)")
        for n in range(20):
            raw.execute("INSERT INTO t VALUES (?)", (n,))
        log = bytearray((tmp_path / "a.db-wal").read_bytes())
        shutil.copy(path, tmp_path / "b.db")
    commits = sum(int.from_bytes(log[at + 4 : at + 8]) > 0 for at in range(32, len(log), 4120))
    assert commits == 21
    assert commits_behind_damage(bytes(log)) == 0
    log[place] ^= 1
    (tmp_path / "b.db-wal").write_bytes(log)
    lost = commits_behind_damage(bytes(log))
    assert lost > 0
    with closing(sqlite3.connect(tmp_path / "b.db")) as raw:
        rows = 0
        if raw.execute("SELECT 1 FROM sqlite_master").fetchall():
            [(rows,)] = raw.execute("SELECT count(*) FROM t").fetchall()
            rows += 1  # the table
    # The commit whose own frame is damaged is not counted where it cannot be told from others.
    assert rows + lost in (commits, commits - 1)


def test_a_store_whose_log_is_gone_is_refused(tmp_path: Path) -> None:
    killed(tmp_path / "live.db", 20)
    os.remove(tmp_path / "live.db-wal")
    os.remove(tmp_path / "live.db-shm")
    with pytest.raises(Damaged) as error:
        open_store(f"sqlite:{tmp_path}/live.db")
    assert "live.db.known" in str(error.value)
    (tmp_path / "live.db.known").unlink()  # which is the way out
    open_store(f"sqlite:{tmp_path}/live.db").close()


def test_a_market_that_ends_before_a_known_head_is_refused(tmp_path: Path) -> None:
    killed(tmp_path / "live.db", 20)
    with closing(sqlite3.connect(tmp_path / "live.db")) as raw:
        raw.execute("UPDATE markets SET last = 15")
        raw.commit()
    with pytest.raises(Damaged, match="event 20 was stored, and 15 is the last"):
        open_store(f"sqlite:{tmp_path}/live.db")
    with closing(sqlite3.connect(tmp_path / "live.db")) as raw:
        raw.execute("UPDATE markets SET last = 21, head = 'f'")
        raw.execute("UPDATE events SET mark = 'another' WHERE number = 20")
        raw.commit()
    with pytest.raises(Damaged, match="event 20 is not the one that was stored"):
        open_store(f"sqlite:{tmp_path}/live.db")


def test_a_market_that_was_made_again_has_another_past(tmp_path: Path) -> None:
    killed(tmp_path / "live.db", 20)
    with open_store(f"sqlite:{tmp_path}/live.db") as store:
        store.drop_market("m")
        store.create_market("m", {})
        store.append("m", 1, [{}])
    assert last_of(tmp_path / "live.db") == 1


def test_keys_are_read_while_a_store_is_served(tmp_path: Path) -> None:
    with open_store(f"sqlite:{tmp_path}/live.db") as store:
        store.begin_serving()
        store.put_key({"id": "a"})
        moment, stored, ids = store.changed_keys(None)
        assert (stored, ids) == ([{"id": "a"}], {"a"})
        assert store.changed_keys(moment).stored == []
