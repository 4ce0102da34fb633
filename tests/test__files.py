"""A file is written whole or not at all."""

import os
from pathlib import Path

import pytest

from copyproof._files import write_atomically


def test_writes_and_replaces(tmp_path: Path) -> None:
    target = tmp_path / "a.bin"
    write_atomically(target, b"old")
    write_atomically(target, b"new\r\n\x00")
    assert target.read_bytes() == b"new\r\n\x00"
    assert os.listdir(tmp_path) == ["a.bin"]


def test_a_failure_keeps_the_old_file_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "a.bin"
    write_atomically(target, b"old")

    def interrupted(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(target, b"new")
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.bin"]


def test_a_folder_is_not_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(OSError, match="directory"):
        write_atomically(folder, b"data")
    assert os.listdir(tmp_path) == ["folder"]


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_atomically(tmp_path / "missing" / "a.bin", b"data")


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    target, link = tmp_path / "a.bin", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_a_device_is_written_to_and_stays_a_device() -> None:
    write_atomically(Path(os.devnull), b"data")
    assert not Path(os.devnull).is_file()


def test_permissions_follow_the_umask(tmp_path: Path) -> None:
    write_atomically(tmp_path / "a", b"")
    (tmp_path / "b").write_bytes(b"")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode
