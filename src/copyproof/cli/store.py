"""``copyproof store``: look after a store, also while it is being served.

A backup is an SQLite file with everything in it as of one moment, whatever the store is. Compaction
drops journal that a snapshot stands for; it works on what is stored, so it needs no lease and keeps
no writer waiting.
"""

import importlib.util
import json
import os
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

store = options.group(
    "store", "Look after a store: backup, restore, compact, check, export, forget."
)

_Market = Annotated[str, typer.Argument(metavar="MARKET", show_default=False)]
_File = Annotated[Path, typer.Argument(metavar="FILE", show_default=False)]


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
def opened(url: str, *, create: bool = False, place: str = "--store") -> "Iterator[Store]":
    """Open a store, and close it at the end; the service's libraries must be there.

    A file that is not there is made only if ``create`` says so: its name may be a wrong one.
    ``place`` is where the URL comes from, for the error.

    Raises
    ------
    ValueError
        One line if they are not, or if the store cannot be opened.
    """
    require_libraries("fastapi", "uvicorn", "orjson", "cryptography", "prometheus_client")
    from copyproof.live.stores import StoreError, open_store

    try:
        found = open_store(url, create=create)
    except StoreError as error:
        said = f"cannot be opened: {error}"
        raise FieldError(place, url, "a store that can be opened", said) from None
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
    market: _Market,
    store: options.StoreUrl = options.DEFAULT_STORE,
    as_json: options.AsJson = False,
) -> None:
    """Take a snapshot of a market, and drop the journal up to the snapshot before it.

    So there are always two ways back, and the first time nothing is dropped. Export the journal
    before, if it is to be kept.
    """
    with opened(store) as found:
        from copyproof.live import Principal

        _require_market(found, market)

        before = found.compacted(market)
        Principal(store=found, market=market).compact()
        now, last = found.compacted(market), found.last(market)
        _print({"market": market, "dropped": now - before, "kept": last - now}, as_json)


@store.command()
def export(
    market: _Market,
    file: _File,
    agent: Annotated[
        str | None, typer.Option(metavar="AGENT", help="Only what this agent may see.")
    ] = None,
    store: options.StoreUrl = options.DEFAULT_STORE,
    as_json: options.AsJson = False,
) -> None:
    """Write a market's journal into a new file, for `copyproof verify`.

    It holds tokens in place of names. With --agent it shows the agent's own decisions, rewards and
    arms, and of all the rest digests that tell nothing.
    """
    with opened(store) as found:
        from copyproof.live import Principal
        from copyproof.live.exports import agent_lines, audit_lines

        _require_market(found, market)
        lines = audit_lines(found, market)
        if agent is not None:
            try:
                arms = Principal(store=found, market=market).arm_numbers(agent)
            except LookupError:
                raise FieldError("--agent", agent, "an agent of the market") from None
            lines = agent_lines(found, market, agent, arms)
        try:
            with open(file, "x", encoding="ascii", opener=_private) as out:
                for line in lines:
                    out.write(json.dumps(line, separators=(",", ":")) + "\n")
        except FileExistsError:
            raise FieldError("FILE", file, "new", said=f"= {file} exists already") from None
    _print({"market": market, "journal": str(file), "bytes": file.stat().st_size}, as_json)


@store.command()
def forget(
    market: _Market,
    agent: Annotated[str, typer.Argument(metavar="AGENT", show_default=False)],
    store: options.StoreUrl = options.DEFAULT_STORE,
    as_json: options.AsJson = False,
) -> None:
    """Forget the name of an agent and of its arms; the market must not be served meanwhile.

    Tokens stand in their place from then on, in the journal and in the snapshots, and API keys of
    the agent are deleted. The chain and all decisions stay as they are, and the agent cannot come
    back under this name. Backups and exports made before are not changed.
    """
    with opened(store) as found:
        from copyproof.live.forgetting import forget as forget_agent

        _require_market(found, market)
        before = len(found.keys())
        try:
            token, events = forget_agent(found, market, agent)
        except LookupError:
            raise FieldError("AGENT", agent, "an agent of the market") from None
        deleted = before - len(found.keys())
    _print({"market": market, "token": token, "events": events, "keys": deleted}, as_json)


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
        done: dict[str, object] = {
            "markets": len(markets),
            "events": sum(last - first for first, last in kept.values()),
            "unchained": sum(max(begun[one] - first, 0) for one, (first, _) in kept.items()),
            "keys": len(found.keys()),
        }
        _print(done, as_json)


def _private(path: str, flags: int) -> int:
    """Open a file that only its owner may read, if it is new."""
    return os.open(path, flags, 0o600)


def _require_market(found: "Store", market: str) -> None:
    if market not in found.markets():
        raise FieldError("MARKET", market, "in the store")


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
