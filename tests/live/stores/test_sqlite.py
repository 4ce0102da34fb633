"""The file: how it is synced, what is said when it cannot be written, and how it comes back."""

import contextlib
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from copyproof.live.stores import Damaged, StoreError, Uncertain, contract, open_store
from copyproof.live.stores import sqlite as module
from copyproof.live.stores.appends import Append
from copyproof.live.stores.sqlite import SqliteStore
from copyproof.validation import FieldError

BIG = {"text": "x" * 100_000}


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with SqliteStore(tmp_path / "live.db") as opened:
        opened.create_market("m", {})
        opened.append("m", 1, [{"n": 1}])
        yield opened


def one_line(error: pytest.ExceptionInfo[Exception], *words: str) -> None:
    message = str(error.value)
    assert "\n" not in message
    assert all(word in message for word in words), message


def test_commits_are_synced_in_full(store: SqliteStore) -> None:
    raw = store._connection()
    assert raw.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert raw.execute("PRAGMA synchronous").fetchone() == (2,)
    assert store.durable


def test_a_full_file_stores_nothing_and_comes_back(store: SqliteStore) -> None:
    store._connection().execute("PRAGMA max_page_count = 30")
    with pytest.raises(StoreError) as error:
        store.append("m", 2, [{"n": 2}, BIG, BIG])
    one_line(error, "live.db", "disk is full")
    assert not isinstance(error.value, Uncertain)
    assert store.last("m") == 1
    store.append("m", 2, [{"n": 2}, BIG, BIG])
    assert [number for number, _ in store.events("m")] == [1, 2, 3, 4]


def test_a_limit_on_files_is_an_error_until_it_is_lifted(
    store: SqliteStore, tmp_path: Path
) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    size = (tmp_path / "live.db-wal").stat().st_size
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 20_000, hard))
        for _ in range(3):
            with pytest.raises(StoreError) as error:
                store.append("m", 2, [BIG] * 5)
            one_line(error, "live.db")
        assert store.last("m") == 1
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    store.append("m", 2, [BIG])
    assert store.last("m") == 2
    store.check()


NOBODY = """
import os, sys
from copyproof.live.stores import StoreError, open_store
if os.geteuid() == 0:
    os.setuid(65534)
try:
    open_store(sys.argv[1]).append("m", 2, [{}])
except StoreError as error:
    print(type(error).__name__, error)
"""

FULL_DISK = """
import subprocess, sys
from pathlib import Path
from types import SimpleNamespace
from copyproof.live.stores import StoreError, open_store
folder = Path(sys.argv[1])
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "none", folder], check=True)
ballast = folder / "ballast"
ballast.write_bytes(bytes(1_000_000))
store = open_store(f"sqlite:{folder}/live.db")
store.create_market("m", {})
number = 0
try:
    while True:
        store.append("m", number + 1, [{"text": "x" * 1000}])
        number += 1
except StoreError as error:
    assert "disk is full" in str(error), error
assert number > 20, number
for _ in range(3):
    try:
        store.append("m", number + 1, [{"text": "x" * 10000}])
        raise AssertionError("the disk is not full")
    except StoreError:
        pass
ballast.unlink()
assert store.last("m") == number
store.append("m", number + 1, [{"text": "x" * 10000}])
assert [n for n, _ in store.events("m")] == list(range(1, number + 2))
store.check()
store.close()
subprocess.run(["mount", "-o", "remount,ro", folder], check=True)
try:
    open_store(f"sqlite:{folder}/live.db")
    raise AssertionError("the disk is not read-only")
except StoreError as error:
    assert "read-only" in str(error), error
subprocess.run(["mount", "-o", "remount,rw", folder], check=True)
with open_store(f"sqlite:{folder}/live.db") as store:
    assert store.last("m") == number + 1
print("done")
"""


def test_a_full_disk_and_a_read_only_one(tmp_path: Path) -> None:
    unshare = shutil.which("unshare")
    if unshare is None or subprocess.run([unshare, "-rm", "true"], check=False).returncode:
        pytest.skip("this machine does not let us mount a disk of our own")
    done = subprocess.run(
        [unshare, "-rm", sys.executable, "-c", FULL_DISK, tmp_path],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "done\n", done.stderr


def test_a_running_store_that_turns_read_only(store: SqliteStore) -> None:
    store._connection().execute("PRAGMA query_only = ON")
    with pytest.raises(StoreError) as error:
        store.append("m", 2, [{}])
    one_line(error, "read-only")
    store.append("m", 2, [{}])
    assert store.last("m") == 2


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(StoreError) as error:
        SqliteStore(tmp_path / "nowhere" / "live.db")
    one_line(error, "nowhere", "its folder is not there")
    with pytest.raises(StoreError) as error:
        SqliteStore(tmp_path)
    one_line(error, "it is a folder")


def test_a_user_who_may_not_write(store: SqliteStore, tmp_path: Path) -> None:
    """In a process of its own: as another user, if this one may do everything."""
    store.close()
    folder = Path(tempfile.mkdtemp())
    try:
        shutil.copy(tmp_path / "live.db", folder)
        folder.chmod(0o555)
        (folder / "live.db").chmod(0o444)
        done = subprocess.run(
            [sys.executable, "-c", NOBODY, folder / "live.db"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert "StoreError" in done.stdout, done.stderr
        assert "read-only" in done.stdout
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


def test_a_failed_sync_is_uncertain_and_reopens(store: SqliteStore) -> None:
    class Failing:
        def __init__(self, raw: sqlite3.Connection) -> None:
            self._raw = raw

        def execute(self, sql: str, *more: Any) -> Any:
            if sql == "COMMIT":
                error = sqlite3.OperationalError("disk I/O error")
                error.sqlite_errorcode = sqlite3.SQLITE_IOERR_FSYNC
                error.sqlite_errorname = "SQLITE_IOERR_FSYNC"
                raise error
            return self._raw.execute(sql, *more)

        def __getattr__(self, name: str) -> Any:
            return getattr(self._raw, name)

    store._main = Failing(store._connection())
    with pytest.raises(Uncertain) as error:
        store.append("m", 2, [{}])
    one_line(error, "unknown", "SQLITE_IOERR_FSYNC")
    assert store.last("m") == 1
    store.append("m", 2, [{}])


def test_a_file_locked_by_another_process(
    store: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BUSY_SECONDS", 0.1)
    with SqliteStore(tmp_path / "live.db") as impatient:
        with contextlib.closing(sqlite3.connect(tmp_path / "live.db")) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreError) as error:
                impatient.append("m", 2, [{}])
            one_line(error, "locked by another process")
            assert impatient.last("m") == 1
            other.rollback()
        impatient.append("m", 2, [{}])
    assert store.last("m") == 2


def test_a_damaged_file_is_said_to_be_one(tmp_path: Path) -> None:
    path = tmp_path / "live.db"
    path.write_bytes(b"something else" * 1000)
    with pytest.raises(Damaged) as error:
        SqliteStore(path)
    one_line(error, "live.db", "not a database")
    assert path.read_bytes() == b"something else" * 1000


def test_a_damaged_page_is_found(tmp_path: Path) -> None:
    path = tmp_path / "live.db"
    with SqliteStore(path) as store:
        store.create_market("m", {})
        store.append("m", 1, [{"text": "x" * 500, "n": n} for n in range(500)])
        store.check()
    with open(path, "r+b") as file:
        file.seek(path.stat().st_size // 2)
        file.write(bytes(range(256)) * 32)
    with SqliteStore(path) as store, pytest.raises(Damaged) as error:
        store.check()
    one_line(error)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("DELETE FROM events WHERE number = 2", "event 2 is missing"),
        ("DELETE FROM events WHERE number = 3", "ends at 2, not at 3"),
        ("UPDATE events SET body = '{' WHERE number = 2", "not JSON"),
        ("UPDATE events SET body = '1' WHERE number = 2", "not a JSON object"),
        ("UPDATE events SET body = '{},{}' WHERE number = 2", "not a JSON object"),
    ],
)
def test_a_journal_with_a_hole_is_not_read(
    store: SqliteStore, tmp_path: Path, change: str, words: str
) -> None:
    store.append("m", 2, [{"n": 2}, {"n": 3}])
    with contextlib.closing(sqlite3.connect(tmp_path / "live.db")) as other:
        other.execute(change)
        other.commit()
    with pytest.raises(Damaged) as error:
        list(store.events("m"))
    one_line(error, words)
    with pytest.raises(Damaged):
        store.check()


def test_a_damaged_snapshot_is_passed_over(store: SqliteStore, tmp_path: Path) -> None:
    store.append("m", 2, [{"n": 2}])
    store.save_snapshot("m", 1, b"one", "")
    store.save_snapshot("m", 2, b"two", "")
    with contextlib.closing(sqlite3.connect(tmp_path / "live.db")) as other:
        other.execute("UPDATE snapshots SET data = x'00' WHERE number = 2")
        other.commit()
    assert store.snapshot("m") == (1, b"one", "")
    with pytest.raises(ValueError, match="upto = 2 is not covered"):
        store.compact("m", 2)
    store.compact("m", 1)
    with pytest.raises(Damaged, match="the snapshot after event 2 is damaged"):
        store.check()
    with contextlib.closing(sqlite3.connect(tmp_path / "live.db")) as other:
        other.execute("UPDATE snapshots SET data = x'00' WHERE number = 1")
        other.commit()
    with pytest.raises(Damaged) as error:  # now there is no way back to event 1
        store.check()
    one_line(error, "snapshot after event 2 is damaged")


def test_a_slow_reader_does_not_let_the_log_grow(store: SqliteStore, tmp_path: Path) -> None:
    store._connection().execute("PRAGMA wal_autocheckpoint = 1000")  # so that few events fill it
    events = [{"n": 0, "text": "x" * 100} for _ in range(2000)]
    for number in range(2, 40_000, 2000):
        store.append("m", number, events)
    log = tmp_path / "live.db-wal"
    before = log.stat().st_size
    reader = store.events("m")
    next(reader)
    for number in range(40_002, 140_000, 2000):
        store.append("m", number, events)
    assert log.stat().st_size < 2 * before
    assert sum(1 for _ in reader) == 40_000  # what was there when it began
    reader = store.events("m")
    next(reader)
    store.save_snapshot("m", 100_000, b"", "")
    store.compact("m", 100_000)
    with pytest.raises(ValueError, match="events up to 100000 were compacted"):
        list(reader)


def test_a_file_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with contextlib.closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE markets (x)")
    before = path.read_bytes()
    with pytest.raises(Damaged) as error:
        SqliteStore(path)
    one_line(error, "not of copyproof")
    assert path.read_bytes() == before


def test_a_newer_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "live.db"
    SqliteStore(path).close()
    with contextlib.closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA user_version = 99")
    with pytest.raises(Damaged) as error:
        SqliteStore(path)
    one_line(error, "schema version 99 is not 1, the newest that this program opens")


def test_a_file_that_is_taken_away_is_missed(store: SqliteStore, tmp_path: Path) -> None:
    os.rename(tmp_path / "live.db", tmp_path / "away.db")
    for _ in range(2):
        with pytest.raises(StoreError) as error:
            store.append("m", 2, [{}])
        one_line(error, "the file is gone")
    assert not (tmp_path / "live.db").exists()
    os.rename(tmp_path / "away.db", tmp_path / "live.db")
    store.append("m", 2, [{}])
    assert store.last("m") == 2


def test_a_file_that_was_replaced_is_noticed(store: SqliteStore, tmp_path: Path) -> None:
    store.append("m", 2, [{}])
    store.backup(tmp_path / "backup.db")
    store.append("m", 3, [{}])
    for suffix in ("-wal", "-shm"):
        (tmp_path / f"live.db{suffix}").unlink()
    os.replace(tmp_path / "backup.db", tmp_path / "live.db")
    for _ in range(2):
        with pytest.raises(StoreError) as error:
            store.append("m", 4, [{}])
        one_line(error, "replaced")
    with open_store(f"sqlite:{tmp_path}/live.db") as other:
        assert other.last("m") == 2


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "live.db")
    store.close()
    store.close()
    with pytest.raises(StoreError, match="the store is closed"):
        store.markets()


def test_many_open_a_new_file_at_once(tmp_path: Path) -> None:
    barrier = threading.Barrier(8)

    def work(who: int) -> int:
        barrier.wait()
        with SqliteStore(tmp_path / "live.db") as store:
            store.create_market(f"m{who}", {})
            store.append(f"m{who}", 1, [{}])
            return store.last(f"m{who}")

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(8))) == [1] * 8


def test_leases_outlive_a_clock_that_is_set_back(tmp_path: Path) -> None:
    now = [1000.0]
    with SqliteStore(tmp_path / "live.db", clock=lambda: now[0]) as store:
        store.create_market("m", {})
        old = store.acquire("m", "a", 10.0)
        now[0] = 100.0
        assert store.renew("m", "a", old or 0, 10.0)
        assert store.acquire("m", "b", 10.0) is None
        now[0] = 50.0
        new = store.acquire("m", "b", 10.0)
        assert new is not None
        store.append("m", 1, [{}], token=new)
        with pytest.raises(StoreError):
            store.append("m", 2, [{}], token=old)


def test_a_backup_that_fails_leaves_nothing(store: SqliteStore, tmp_path: Path) -> None:
    with pytest.raises(StoreError) as error:
        store.backup(tmp_path / "nowhere" / "backup.db")
    one_line(error, "the backup cannot be written")
    target = tmp_path / "folder"
    target.mkdir()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, hard))
        with pytest.raises(StoreError) as error:
            store.backup(target / "backup.db")
        one_line(error, "backup.db", "cannot be written")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list(target.iterdir()) == []
    store.backup(target / "backup.db")
    with open_store(f"sqlite:{target}/backup.db") as copy:
        assert copy.last("m") == 1


def test_a_compaction_that_is_broken_off_has_dropped_whole_steps(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.append("m", 2, [{"n": number} for number in range(2, 21)])
    store.save_snapshot("m", 20, b"state", "digest")
    monkeypatch.setattr(contract, "DROPPED_AT_ONCE", 4)
    pauses: list[int] = []

    def interrupted(_: float) -> None:
        pauses.append(store.compacted("m"))
        if len(pauses) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(contract, "time", SimpleNamespace(sleep=interrupted))
    with pytest.raises(KeyboardInterrupt):
        store.compact("m", 18)
    assert pauses == [4, 8, 12]
    assert [number for number, _ in store.events("m", 12)] == list(range(13, 21))
    store.check()
    store.compact("m", 18)
    assert pauses[3:] == [16, 18]
    assert [number for number, _ in store.events("m", 18)] == [19, 20]
    store.check()


def sixty_markets(store: SqliteStore) -> list[str]:
    """Make the markets, so that a group of an event each has many."""
    markets = [f"m{n}" for n in range(60)]
    for market in markets:
        store.create_market(market, {})
    return markets


def grouped(store: SqliteStore, markets: list[str], groups: range, text: str = "") -> None:
    """Append an event to each market, group by group."""
    tokens = store.acquire_all(markets, "me", 1000.0)
    event = {"text": text} if text else {}
    for number in groups:
        appends = [Append(one, number, [{"n": number} | event], tokens[one]) for one in markets]
        assert store.append_all(appends) == [None] * len(markets)


def counts(path: Path) -> tuple[int, ...]:
    """Return how many events have settled, and how many are the newest."""
    with contextlib.closing(sqlite3.connect(path)) as raw:
        tables = ("settled_events", "newest_events")
        return tuple(raw.execute(f"SELECT count(*) FROM {t}").fetchone()[0] for t in tables)


def test_events_of_groups_of_many_markets_settle_later(tmp_path: Path) -> None:
    path = tmp_path / "live.db"
    with SqliteStore(path) as store:
        markets = sixty_markets(store)
        grouped(store, markets, range(1, 6))
        settled, newest = counts(path)
        assert (settled, newest) == (60, 240)  # the first group found nobody where it left them
        assert [number for number, _ in store.events("m7", 2)] == [3, 4, 5]
        store.check()
        grouped(store, markets, range(6, 40))
        settled, newest = counts(path)
        assert newest < 2048 < settled
        assert settled + newest == 60 * 39
        store.backup(tmp_path / "copy.db")
        store.save_snapshot("m7", 38, b"state", "")
        store.save_snapshot("m7", 39, b"state", "")
        store.compact("m7", 38)
        assert [number for number, _ in store.events("m7", 38)] == [39]
        store.check()
    with SqliteStore(tmp_path / "copy.db") as copy:
        copy.check()
        assert [event["n"] for _, event in copy.events("m59")] == [*range(1, 40)]


def test_events_that_others_have_left_settle_too(tmp_path: Path) -> None:
    path = tmp_path / "live.db"
    with SqliteStore(path) as store:
        markets = sixty_markets(store)
        grouped(store, markets, range(1, 31))
        assert counts(path) == (60, 1740)
    with SqliteStore(path) as store:
        grouped(store, markets, range(31, 38))
        assert counts(path) == (60 * 37, 0)
        store.check()


def test_long_events_settle_sooner(tmp_path: Path) -> None:
    with SqliteStore(tmp_path / "live.db") as store:
        markets = sixty_markets(store)
        grouped(store, markets, range(1, 4), "long" * 5000)
        assert counts(tmp_path / "live.db") == (60 * 3, 0)


def test_events_are_replaced_wherever_they_lie(tmp_path: Path) -> None:
    path = tmp_path / "live.db"
    with SqliteStore(path) as store:
        markets = sixty_markets(store)
        grouped(store, markets, range(1, 4))
        assert counts(path) == (60, 120)
        token = store.acquire("m7", "me", 1000.0)
        store.rewrite("m7", {n: {"n": n, "name": ""} for n in (1, 3)}, {}, token=token)
        assert [event for _, event in store.events("m7")] == [
            {"n": 1, "name": ""}, {"n": 2}, {"n": 3, "name": ""},
        ]  # fmt: skip
        assert [event for _, event in store.events("m8")] == [{"n": 1}, {"n": 2}, {"n": 3}]


def test_an_sqlite_that_is_too_old_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 32, 3))
    monkeypatch.setattr(sqlite3, "sqlite_version", "3.32.3")
    with pytest.raises(FieldError, match=r"SQLite = '3\.32\.3' is not 3\.33 or newer"):
        SqliteStore(tmp_path / "live.db")
    assert not (tmp_path / "live.db").exists()


def test_many_events_of_a_market_go_where_they_stay(tmp_path: Path) -> None:
    path = tmp_path / "live.db"
    with SqliteStore(path) as store:
        store.create_market("m", {})
        store.create_market("o", {})
        grouped(store, ["m", "o"], range(1, 3))
        tokens = store.acquire_all(["m", "o"], "me", 1000.0)
        appends = [Append(m, 3, [{"n": n} for n in range(9)], tokens[m]) for m in ("m", "o")]
        assert store.append_all(appends) == [None, None]
        assert counts(path) == (20, 2)
        assert [event["n"] for _, event in store.events("o")] == [1, 2, *range(9)]
        store.check()


@pytest.mark.parametrize("change", ["UPDATE events SET body = '{\"n\":9}'", "DELETE FROM events"])
def test_the_newest_events_are_checked_as_all_are(tmp_path: Path, change: str) -> None:
    path = tmp_path / "live.db"
    with SqliteStore(path) as store:
        for market in ("m", "o"):
            store.create_market(market, {})
        grouped(store, ["m", "o"], range(1, 4))
        assert counts(path) == (2, 4)
        with contextlib.closing(sqlite3.connect(path)) as other:
            other.execute(f"{change} WHERE market = 'o' AND number = 2")
            other.commit()
        with pytest.raises(Damaged, match="event 2"):
            store.check()


def test_a_market_that_is_deleted_leaves_no_new_events(tmp_path: Path) -> None:
    path = tmp_path / "live.db"
    with SqliteStore(path) as store:
        for market in ("m", "o"):
            store.create_market(market, {})
        grouped(store, ["m", "o"], range(1, 4))
        token = store.acquire_all(["m"], "me", 1000.0)["m"]
        store.release("m", "me", token)
        store.drop_market("m")
        assert counts(path) == (1, 2)
        store.check()
