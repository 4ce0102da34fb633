"""Folders: one process at a time, nobody else's, and of a format that is known."""

import multiprocessing
from pathlib import Path

import pytest

from copyproof.studies.folder import DATABASE, MARKER, is_in_use, known_folder, open_folder
from copyproof.studies.store import Store


def _tries(folder: Path) -> str:
    try:
        with open_folder(folder):
            return "opened"
    except ValueError as error:
        return str(error)


def test_another_process_is_kept_out_and_let_in_afterwards(tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        with open_folder(tmp_path):
            assert is_in_use(tmp_path)
            assert pool.apply(_tries, (tmp_path,)) == f"{tmp_path} is in use by another process"
        assert not is_in_use(tmp_path)
        assert pool.apply(_tries, (tmp_path,)) == "opened"


def test_a_folder_is_made_with_its_parents(tmp_path: Path) -> None:
    with open_folder(tmp_path / "a" / "b") as folder:
        assert (folder / MARKER).is_file()
    assert not is_in_use(tmp_path / "nowhere")


def test_what_is_no_folder_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(ValueError, match="file is not a folder"), open_folder(file):
        pass
    with (
        pytest.raises(ValueError, match=r"cannot be written: Not a directory"),
        open_folder(file / "below"),
    ):
        pass


def test_a_folder_without_a_store_has_nothing_in_it_yet(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"is not the folder of a study: it does not exist \(yet"):
        known_folder(tmp_path / "nowhere")
    with pytest.raises(ValueError, match=r"is not the folder of a study$"):
        known_folder(tmp_path)
    with open_folder(tmp_path):
        pass
    empty = "is the folder of a study with nothing in it yet"
    with pytest.raises(ValueError, match=empty):
        known_folder(tmp_path)
    (tmp_path / MARKER).unlink()  # killed before it was written
    with pytest.raises(ValueError, match=empty):
        known_folder(tmp_path)
    with open_folder(tmp_path):
        pass
    Store(tmp_path / DATABASE).close()
    assert known_folder(tmp_path) == tmp_path


@pytest.mark.parametrize(
    ("marker", "message"),
    [
        ('{"format": 2}', r"is of format 2: this version knows 1"),
        ("{", r"copyproof-study\.json is damaged"),
        ("[]", r"copyproof-study\.json is damaged"),
    ],
)
def test_other_formats_are_refused(tmp_path: Path, marker: str, message: str) -> None:
    with open_folder(tmp_path):
        pass
    (tmp_path / MARKER).write_text(marker)
    with pytest.raises(ValueError, match=message), open_folder(tmp_path):
        pass
