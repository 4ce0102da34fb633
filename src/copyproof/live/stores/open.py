"""From a URL to a store, and from a backup to a store."""

from importlib.util import find_spec
from pathlib import Path
from urllib.parse import parse_qsl, unquote

from copyproof.live.stores.contract import Store
from copyproof.live.stores.memory import MemoryStore
from copyproof.live.stores.sqlite import SqliteStore

__all__ = ["open_store", "restore"]


def open_store(url: str, *, create: bool = True) -> Store:
    """Open a store, making its tables if it is new.

    Parameters
    ----------
    url : str
        "memory:"; "sqlite:PATH" or just a path; "postgresql://USER:PASSWORD@HOST/DATABASE".
        "?synchronous=off" after it does not wait for the disk, to measure what waiting costs.
    create : bool
        Whether to make the file of an SQLite store if there is none.

    Raises
    ------
    ValueError
        If the URL is none of these.
    StoreError
        If the store cannot be opened.

    Examples
    --------
    >>> len(open_store("memory:").markets())
    0
    """
    scheme, colon, rest = url.partition(":")
    if not url:
        raise ValueError("store = '' is not memory:, sqlite:PATH or postgresql://...")
    if url == "memory:":
        return MemoryStore()
    if scheme in ("postgresql", "postgres") and colon:
        if find_spec("psycopg") is None:
            raise ValueError("store = postgresql: needs psycopg: pip install 'copyproof[postgres]'")
        from copyproof.live.stores.postgres import PostgresStore

        return PostgresStore(url)
    if scheme != "sqlite":
        if "://" in url or url == "memory":
            shown = f"{scheme}:..." if colon else url  # there may be a password in the rest
            raise ValueError(f"store = {shown!r} is not memory:, sqlite:PATH or postgresql://...")
        return SqliteStore(Path(url), create=create)
    path, _, query = rest.partition("?")
    options = dict(parse_qsl(query))
    synchronous = options.pop("synchronous", "full")
    if not path or options:
        raise ValueError(f"store = {url!r} is not sqlite:PATH or sqlite:PATH?synchronous=off")
    if path.startswith("///"):
        path = path[2:]
    return SqliteStore(Path(unquote(path)), synchronous=synchronous, create=create)


def restore(path: Path, url: str) -> None:
    """Copy a backup into the empty store of a URL, all or nothing.

    Raises
    ------
    ValueError
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
        raise ValueError(f"path = {path} is not a file")
    with SqliteStore(path) as source, open_store(url) as target:
        source.check()
        target.load(source.dump())
