"""The option ``--store``, and what goes wrong with it, for the commands of the live service."""

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

if TYPE_CHECKING:
    from copyproof.live.stores import Store

__all__ = ["DEFAULT_STORE", "StoreUrl", "opened"]

DEFAULT_STORE = "sqlite:copyproof.db"

StoreUrl: TypeAlias = Annotated[
    str,
    typer.Option(
        "--store",
        help="sqlite:FILE or postgresql://USER:PASSWORD@HOST/DATABASE.",
        metavar="URL",
        envvar="COPYPROOF_STORE",
        show_envvar=True,
    ),
]


@contextmanager
def opened(url: str, *, create: bool = False) -> "Iterator[Store]":
    """Open a store, and close it at the end; the service's libraries must be there.

    A file that is not there is made only if ``create`` says so: its name may be a wrong one.

    Raises
    ------
    ValueError
        One line if they are not, or if the store cannot be opened.
    """
    for name in ("fastapi", "uvicorn", "orjson"):
        if importlib.util.find_spec(name) is None:
            raise ValueError(f"{name} is not installed: pip install 'copyproof[service]'")
    from copyproof.live.stores import StoreError, open_store

    try:
        store = open_store(url, create=create)
    except StoreError as error:
        raise ValueError(f"--store cannot be opened: {error}") from None
    with store:
        yield store
