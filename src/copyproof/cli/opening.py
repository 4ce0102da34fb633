"""How commands open a store, and what must be installed for it."""

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from copyproof.validation import FieldError

if TYPE_CHECKING:
    from copyproof.live.stores import Store


def require_libraries(*names: str, extra: str = "service") -> None:
    """Refuse to go on without libraries of an extra: ValueError, one line."""
    for name in names:
        if not _is_installed(name):
            raise ValueError(f"{name} is not installed: pip install 'copyproof[{extra}]'")


def _is_installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # not even the package that it would be in
        return False


@contextmanager
def opened(
    url: str,
    *,
    create: bool = False,
    read_only: bool = False,
    place: str = "--store",
    hint: str = "",
) -> "Iterator[Store]":
    """Open a store, and close it at the end; the service's libraries must be there.

    A file that is not there is made only if ``create`` says so: its name may be a wrong one.
    With ``read_only`` an SQLite file stays as it is, to the byte. ``place`` is where the URL comes
    from, for the error, and ``hint`` what may help.

    Raises
    ------
    ValueError
        One line if they are not, or if the store cannot be opened.
    """
    require_libraries("fastapi", "uvicorn", "orjson", "cryptography", "prometheus_client")
    from copyproof.live.stores import StoreError, open_store

    try:
        found = open_store(url, create=create, read_only=read_only)
    except StoreError as error:
        said = f"cannot be opened: {error}" + (hint if not create else "")
        raise FieldError(place, url, "a store that can be opened", said) from None
    with found:
        yield found
