"""``copyproof store``: look after a store, also while it is being served.

A backup is an SQLite file with everything in it as of one moment, whatever the store is. Compaction
drops journal that a snapshot stands for; it works on what is stored, so it needs no lease and keeps
no writer waiting.
"""

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from copyproof.cli import options
from copyproof.cli.output import emit, emit_json
from copyproof.validation import FieldError

if TYPE_CHECKING:
    from copyproof.live.stores import Store

store = options.group("store", "Look after a store: backup, restore, compact, check.")

_File = Annotated[Path, typer.Argument(metavar="FILE", show_default=False)]


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
        found = open_store(url, create=create)
    except StoreError as error:
        said = f"cannot be opened: {error}"
        raise FieldError("--store", url, "a store that can be opened", said) from None
    with found:
        yield found


@store.command()
def backup(
    file: _File, store: options.StoreUrl = options.DEFAULT_STORE, as_json: options.AsJson = False
) -> None:
    """Write everything, as of one moment, into a new file; writers go on meanwhile.

    The copy is checked before it gets its name: what is damaged ends with status 1, and no file.
    """
    with opened(store) as found:
        _refuse_empty(found)
        found.backup(file)
    _print({"backup": str(file), "bytes": file.stat().st_size}, as_json)


@store.command()
def restore(
    file: _File, store: options.StoreUrl = options.DEFAULT_STORE, as_json: options.AsJson = False
) -> None:
    """Copy a backup into a store that is empty, all or nothing."""
    from copyproof.live import stores

    with opened(store, create=True) as target:  # says what is wrong with it, if anything is
        stores.restore(file, store)
        _print({"restored": str(file), "markets": len(target.markets())}, as_json)


@store.command()
def compact(
    market: Annotated[str, typer.Argument(metavar="MARKET", show_default=False)],
    store: options.StoreUrl = options.DEFAULT_STORE,
    as_json: options.AsJson = False,
) -> None:
    """Take a snapshot of a market, and drop the journal up to the snapshot before it.

    So there are always two ways back, and the first time nothing is dropped. Export the journal
    before, if it is to be kept.
    """
    with opened(store) as found:
        if market not in found.markets():
            raise FieldError("MARKET", market, "in the store")
        from copyproof.live import Principal

        before = found.compacted(market)
        Principal(store=found, market=market).compact()
        now, last = found.compacted(market), found.last(market)
        _print({"market": market, "dropped": now - before, "kept": last - now}, as_json)


@store.command()
def check(
    store: options.StoreUrl = options.DEFAULT_STORE,
    replay: Annotated[
        bool, typer.Option("--replay", help="Make every decision again, too, and compare.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Read everything; if anything is missing or damaged, say so and end with status 1.

    Every page, every event against the hash chain of its journal, and every snapshot. Events that
    are older than their chain, from a version without one, are counted as unchained.
    """
    with opened(store) as found:
        from copyproof.live.checks import check_store

        _refuse_empty(found)
        check_store(found, replay=replay)
        markets = found.markets()
        kept = {market: (found.compacted(market), found.last(market)) for market in markets}
        begun = {market: found.chain(market).begins for market in markets}
        done = {
            "markets": len(markets),
            "events": sum(last - first for first, last in kept.values()),
            "unchained": sum(max(begun[one] - first, 0) for one, (first, _) in kept.items()),
            "keys": len(found.keys()),
        }
        _print(done, as_json)


def _refuse_empty(found: "Store") -> None:
    """An empty store is most likely not the one that was meant; PostgreSQL's is made if missing."""
    if not found.markets() and not found.keys():
        said = "is empty: it has neither markets nor keys"
        raise FieldError("--store", (), "a store with something in it", said)


def _print(done: dict[str, object], as_json: bool) -> None:
    if as_json:
        emit_json(done)
    else:
        emit(", ".join(f"{name}: {value}" for name, value in done.items()) + "\n")
