"""A check only reads: a file, its log and its folder stay as they are."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from copyproof.cli import main
from copyproof.live.stores import StoreError, open_store
from tests.live.stores.test_known import bytes_of, killed

# As somebody else, if this process may do everything: in a folder that nobody may write to.
NOBODY = """
import os, sys
from copyproof.live.checks import check_store
from copyproof.live.stores import open_store
if os.geteuid() == 0:
    os.setuid(65534)
with open_store(f"sqlite:{sys.argv[1]}/{sys.argv[2]}", read_only=True) as store:
    check_store(store)
    print(store.last("m"))
"""


def checked(path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sys, "argv", ["copyproof", "store", "check", "--store", f"sqlite:{path}"])
    return main()


def test_a_check_leaves_a_backup_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    live, folder = tmp_path / "live.db", tmp_path / "backups"
    folder.mkdir()
    with open_store(f"sqlite:{live}") as store:
        store.create_market("m", {})
        store.append("m", 1, [{}])
        store.backup(folder / "monday.db")
    shutil.copy(live, folder / "copy.db")  # in WAL mode, as the store itself
    before = bytes_of(folder)
    assert checked(folder / "monday.db", monkeypatch) == 0
    assert checked(folder / "copy.db", monkeypatch) == 0
    assert bytes_of(folder) == before


def test_a_check_of_a_store_that_was_killed_reads_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed(tmp_path / "live.db", 30)
    before = bytes_of(tmp_path)
    assert checked(tmp_path / "live.db", monkeypatch) == 0
    after = bytes_of(tmp_path)
    assert after.pop("live.db-shm")  # where readers of a log put their locks
    before.pop("live.db-shm")
    assert after == before
    with open_store(f"sqlite:{tmp_path}/live.db", read_only=True) as store:
        assert store.last("m") == 30
        with pytest.raises(StoreError, match="read-only"):
            store.append("m", 31, [{}])
    assert (tmp_path / "live.db-wal").stat().st_size > 0


def test_a_check_of_a_store_that_is_in_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_store(f"sqlite:{tmp_path}/live.db") as store:
        store.create_market("m", {})
        store.append("m", 1, [{}])
        assert checked(tmp_path / "live.db", monkeypatch) == 0
        store.append("m", 2, [{}])
        assert store.last("m") == 2


def test_a_check_in_a_folder_that_is_read_only() -> None:
    folder = Path(tempfile.mkdtemp())
    try:
        with open_store(f"sqlite:{folder}/live.db") as store:
            store.create_market("m", {})
            store.append("m", 1, [{}])
            store.backup(folder / "monday.db")
        shutil.copy(folder / "live.db", folder / "copy.db")
        for each in folder.iterdir():
            each.chmod(0o444)
        folder.chmod(0o555)
        for name in ("monday.db", "copy.db"):
            done = subprocess.run(
                [sys.executable, "-c", NOBODY, folder, name],
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.stdout == "1\n", done.stderr
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)
