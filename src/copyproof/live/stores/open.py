"""From a URL to a store, and from a backup to a store."""

import re
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import parse_qsl, unquote

from copyproof.live.stores.contract import Store
from copyproof.live.stores.memory import MemoryStore
from copyproof.live.stores.sqlite import SqliteStore
from copyproof.validation import FieldError

_URLS = "memory:, sqlite:PATH or postgresql://..."
_WORDS = ("memory", "sqlite", "postgresql", "postgres")


def open_store(url: str, *, create: bool = True, read_only: bool = False) -> Store:
    """Open a store, making its tables if it is new.

    Parameters
    ----------
    url : str
        "memory:"; "sqlite:PATH" or just a path; "postgresql://USER:PASSWORD@HOST/DATABASE".
        "?synchronous=off" after it does not wait for the disk, to measure what waiting costs.
    create : bool
        Whether to make the file of an SQLite store if there is none.
    read_only : bool
        Whether an SQLite file stays as it is, to the byte.

    Raises
    ------
    FieldError
        If the URL is none of these.
    StoreError
        If the store cannot be opened.

    Examples
    --------
    >>> open_store("memory:").markets()
    {}
    """
    scheme, colon, rest = url.partition(":")
    if not url:
        raise FieldError("store", url, _URLS)
    if url == "memory:":
        return MemoryStore()
    if scheme in ("postgresql", "postgres") and colon:
        if find_spec("psycopg") is None:
            needed = "needs psycopg: pip install 'copyproof[postgres]'"
            raise FieldError("store", scheme, needed, said=f"= postgresql: {needed}")
        from copyproof.live.stores.postgres import PostgresStore

        return PostgresStore(url)
    if scheme != "sqlite":
        # A path may have a colon, but what is before it looks like no scheme: sqlite3:live.db does.
        if "://" in url or url in _WORDS or (colon and re.fullmatch("[a-z][a-z0-9+.-]+", scheme)):
            # There may be a password in the rest.
            raise FieldError("store", f"{scheme}:..." if colon else url, _URLS)
        return SqliteStore(Path(url), create=create, read_only=read_only)
    path, _, query = rest.partition("?")
    options = dict(parse_qsl(query))
    synchronous = options.pop("synchronous", "full")
    if not path or options:
        raise FieldError("store", url, "sqlite:PATH or sqlite:PATH?synchronous=off")
    if path.startswith("///"):
        path = path[2:]
    file = Path(unquote(path))
    return SqliteStore(file, synchronous=synchronous, create=create, read_only=read_only)


def restore(path: Path, url: str) -> None:
    """Copy a backup into the empty store of a URL, all or nothing.

    Raises
    ------
    FieldError
        If there is no such file, or the store holds something already.
    StoreError
        If the backup is damaged, or the store cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open_store(f"sqlite:{folder}/live.db") as store:
    ...         store.create_market("m", {})
    ...         store.append("m", 1, [{"kind": "agent"}])
    ...         store.backup(Path(folder) / "backup.db")
    ...     restore(Path(folder) / "backup.db", f"sqlite:{folder}/new.db")
    ...     open_store(f"sqlite:{folder}/new.db").last("m")
    1
    """
    if not path.is_file():
        raise FieldError("path", str(path), "a file", said=f"= {path} is not a file")
    with SqliteStore(path, read_only=True) as source:
        source.check()  # before there is a new store
        with open_store(url) as target:
            target.load(source.dump())
