"""Writing a file so that nobody ever sees half of it.

The bytes go to a new file beside the target, are flushed to the disk, and then take the
target's place in one step. Whoever reads the target finds the old content or the new one,
and a failure or an interrupt leaves the old one as it was.
"""

import os
import secrets
from pathlib import Path


def write_atomically(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path``, all of it or nothing.

    A link is followed and stays a link. A device or a pipe cannot be replaced by a file, so
    the bytes are simply written to it.

    Parameters
    ----------
    path : Path
        The file to write; its folder must exist.
    data : bytes
        The whole new content.

    Raises
    ------
    OSError
        If the folder is missing or not writable, or ``path`` is a folder.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     target = Path(folder) / "answer.txt"
    ...     write_atomically(target, b"42")
    ...     int(target.read_bytes())
    42
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        path.write_bytes(data)
        return
    target = Path(os.path.realpath(path))
    beside = target.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        with beside.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)


def write_or_refuse(path: Path, data: bytes) -> None:
    """Write as ``write_atomically`` does; what cannot be written is the caller's bad input.

    Raises
    ------
    ValueError
        One line that names the file and what is in the way.

    Examples
    --------
    >>> write_or_refuse(Path("no such folder/file"), b"42")
    Traceback (most recent call last):
    ValueError: no such folder/file cannot be written: No such file or directory
    """
    try:
        write_atomically(path, data)
    except OSError as error:
        raise ValueError(f"{path} cannot be written: {error.strerror}") from None
