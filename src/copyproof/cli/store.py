"""``copyproof store``: look after a store, also while it is being served.

A backup is an SQLite file with everything in it as of one moment, whatever the store is. Compaction
drops journal that a snapshot stands for; it works on what is stored, so it needs no lease and keeps
no writer waiting. With ``--every`` either goes on until it is ended.
"""

import json
import os
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import typer

from copyproof.cli import options, tables
from copyproof.cli.opening import opened
from copyproof.cli.output import emit, emit_json, say
from copyproof.cli.schedule import repeat
from copyproof.validation import FieldError, shortened

if TYPE_CHECKING:
    from copyproof.live.stores import Store

store = options.group(
    "store", "Look after a store: backup, restore, compact, check, export, forget, actions, shadow."
)

_WIDEST = 80  # characters of a path or a body in the table of actions

Market = Annotated[str, typer.Argument(metavar="MARKET", show_default=False)]
_File = Annotated[Path, typer.Argument(metavar="FILE", show_default=False)]
_Every = Annotated[
    str | None, options.optional("Again and again, such as 6h; until it is ended.", "T", "--every")
]


@store.command()
def backup(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="A new file; with --every a folder.", show_default=False
        ),
    ],
    store: options.StoreUrl = options.DEFAULT_STORE,
    every: _Every = None,
    keep: Annotated[int | None, options.whole("With --every: how many of the newest stay.")] = None,
    replay: Annotated[
        bool, typer.Option("--replay", help="Make every decision of the copy again, too.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Write everything, as of one moment, into a new file; writers go on meanwhile.

    The copy is checked before it gets its name: what is damaged ends with status 1, and no file.
    With --every files named by their time come into a folder, and what fails is told, and tried
    again the next time. With --keep only files with such names are deleted, and each is told.
    """
    if keep is not None and every is None:
        raise FieldError("--keep", keep, "left out", f"{keep} goes with --every only")
    if keep is not None and keep < 1:
        raise options.refused("--keep", keep, "a whole number of at least 1")
    if every is None:
        _require_new(file)
        _back_up(store, file, replay, as_json)
        return
    if not file.is_dir():
        raise FieldError("FILE", file, "a folder", f"= {file} is not a folder, as --every needs it")

    def do() -> None:
        from copyproof.live.stores.backups import backup_name, backups_in

        made = file / backup_name(time.time())
        _back_up(store, made, replay, as_json)
        others = [one for one in backups_in(file) if one != made]
        surplus = 0 if keep is None else max(len(others) + 1 - keep, 0)
        for old in others[:surplus]:
            old.unlink()
            print_done({"deleted": str(old)}, as_json)

    repeat(options.duration("--every", every), do, (ValueError, OSError, *_store_errors()))


def _store_errors() -> tuple[type[Exception], ...]:
    from copyproof.live.stores import StoreError

    return (StoreError,)


def _back_up(url: str, file: Path, replay: bool, as_json: bool) -> None:
    """Make one backup, and check it."""
    with opened(url) as found:
        _refuse_empty(found)
        from copyproof.live.checks import check_states

        found.backup(file, partial(check_states, replay=replay))
        _record_reading(found, "store backup", said={"file": str(file)})
    print_done({"backup": str(file), "bytes": file.stat().st_size}, as_json)


@store.command()
def restore(
    file: _File, store: options.StoreUrl = options.DEFAULT_STORE, as_json: options.AsJson = False
) -> None:
    """Copy a backup into a store that is empty, all or nothing."""
    if not file.is_file():
        raise FieldError("FILE", file, "a file", f"= {file} is not a file")
    with opened(file_url(file), read_only=True, place="FILE") as source:
        source.check()  # before there is a new store
        with opened(store, create=True) as target:
            target.load(source.dump())
            record(target, "store restore", said={"file": str(file)})
            print_done({"restored": str(file), "markets": len(target.markets())}, as_json)


@store.command()
def compact(
    market: Annotated[
        str | None,
        typer.Argument(metavar="[MARKET]", help="Its name, or --all.", show_default=False),
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Every market of the store.")] = False,
    older_than: Annotated[
        str | None, options.optional("Only what is older, such as 90d.", "T", "--older-than")
    ] = None,
    store: options.StoreUrl = options.DEFAULT_STORE,
    every: _Every = None,
    as_json: options.AsJson = False,
) -> None:
    """Take a snapshot of a market, and drop the journal up to the snapshot before it.

    So there are always two ways back, and the first time nothing is dropped. With --older-than
    nothing younger is dropped, of all markets if none is given. Export the journal before, if it
    is to be kept.
    """
    if market is None and not all_ and older_than is None:
        said = "is missing: name a market, or say --all, or --older-than T"
        raise FieldError("MARKET", None, "a market, --all or --older-than T", said)
    if market is not None and all_:
        said = f"= {market!r} is one market, and --all means every one: give one of the two"
        raise FieldError("MARKET", market, "left out beside --all", said)
    age = None if older_than is None else options.duration("--older-than", older_than)

    def do() -> None:
        with opened(store) as found:
            if market is not None:
                require_market(found, market)
            for each in found.markets() if market is None else [market]:
                _compact(found, each, age, as_json)

    if every is None:
        do()
    else:
        repeat(options.duration("--every", every), do, (ValueError, OSError, *_store_errors()))


def _compact(found: "Store", market: str, age: float | None, as_json: bool) -> None:
    from copyproof.live import Principal
    from copyproof.live.retention import drop_older

    before = found.compacted(market)
    if age is None:
        Principal(store=found, market=market).compact()
    else:
        drop_older(found, market, time.time() - age)
    now, last = found.compacted(market), found.last(market)
    if now > before or age is None:
        record(found, "store compact", market=market, said={"upto": now})
    print_done({"market": market, "dropped": now - before, "kept": last - now}, as_json)


def record(
    found: "Store",
    what: str,
    *,
    market: str | None = None,
    agent: str | None = None,
    said: object = None,
) -> None:
    """Put something that was done from the command line on record."""
    from copyproof.service.actions import new_action

    found.put_action(new_action(time.time(), what, market=market, agent=agent, said=said))


def _record_reading(found: "Store", what: str, **about: Any) -> None:
    """Put on record what only read the store: it is done, also if the store cannot be written."""
    from copyproof.live.stores import StoreError

    try:
        record(found, what, **about)
    except StoreError as error:
        say(f"warning: {what} is not on record: {error}")


@store.command()
def export(
    market: Market,
    file: _File,
    agent: Annotated[
        str | None, typer.Option(metavar="AGENT", help="Only what this agent may see.")
    ] = None,
    store: options.StoreUrl = options.DEFAULT_STORE,
    as_json: options.AsJson = False,
) -> None:
    """Write a market's journal into a new file, for `copyproof verify`.

    It holds tokens in place of names. With --agent it shows the agent's own decisions, rewards and
    arms, and digests of all the rest; plays of others can be counted from it. A file that ends in
    .parquet gets a table instead: one row for each decision, with names, ids and rewards.
    """
    _require_new(file)
    if file.suffix == ".parquet":
        if agent is not None:
            said = "has no meaning for a .parquet file, which holds all agents"
            raise FieldError("--agent", agent, "left out", said)
        _write_table(store, market, file, as_json)
        return
    with opened(store) as found:
        from copyproof.live import Principal
        from copyproof.live.exports import agent_lines, audit_lines

        require_market(found, market)
        lines = audit_lines(found, market)
        if agent is not None:
            try:
                arms = Principal(store=found, market=market).arm_numbers(agent)
            except LookupError:
                raise FieldError("--agent", agent, "an agent of the market") from None
            lines = agent_lines(found, market, agent, arms)
        with open(file, "x", encoding="ascii", opener=_private) as out:
            for line in lines:
                out.write(json.dumps(line, separators=(",", ":")) + "\n")
        _record_reading(found, "store export", market=market, agent=agent, said={"file": str(file)})
    print_done({"market": market, "journal": str(file), "bytes": file.stat().st_size}, as_json)


def _require_new(file: Path) -> None:
    """Refuse a name at which no new file can be made."""
    if file.exists():
        raise FieldError("FILE", file, "new", said=f"= {file} exists already")
    if not file.absolute().parent.is_dir():
        raise FieldError("FILE", file, "in a folder", said=f"= {file}: its folder is not there")


def _write_table(url: str, market: str, file: Path, as_json: bool) -> None:
    """Write the decisions of a market as a Parquet file, beside, and then give it its name."""
    with opened(url) as found:
        from copyproof.live.plays import write_plays

        require_market(found, market)
        beside = file.with_name(f".{file.name}.tmp")
        beside.unlink(missing_ok=True)
        beside.touch(0o600)  # names are in it
        try:
            rows = write_plays(found, market, beside)
            beside.replace(file)
        finally:
            beside.unlink(missing_ok=True)
        _record_reading(found, "store export", market=market, said={"file": str(file)})
    done = {"market": market, "table": str(file), "rows": rows, "bytes": file.stat().st_size}
    print_done(done, as_json)


@store.command()
def check(
    store: options.StoreUrl = options.DEFAULT_STORE,
    replay: Annotated[
        bool, typer.Option("--replay", help="Make every decision again, too, and compare.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Read everything; if anything is missing or damaged, say so and end with status 1.

    Every page, every event against the hash chain of its journal, and every snapshot. An SQLite
    file stays as it is, to the byte, and its folder may be read-only.
    """
    with opened(store, read_only=True) as found:
        from copyproof.live.checks import check_store

        _refuse_empty(found)
        check_store(found, replay=replay)
        markets = found.markets()
        kept = {market: (found.compacted(market), found.last(market)) for market in markets}
        done: dict[str, object] = {
            "markets": len(markets),
            "events": sum(last - first for first, last in kept.values()),
            "keys": len(found.keys()),
        }
        print_done(done, as_json)


@store.command()
def actions(
    store: options.StoreUrl = options.DEFAULT_STORE,
    market: Annotated[str | None, options.optional("Only about this market.", "M")] = None,
    as_json: options.AsJson = False,
) -> None:
    """What operators did, over HTTP and from the command line, the oldest first."""
    every: list[dict[str, Any]] = []
    with opened(store) as found:
        while some := found.actions(every[-1]["id"] if every else ""):
            every += some
    every = [each for each in every if market is None or each["market"] == market]
    if as_json:
        emit_json({"actions": every})
        return
    headings = map(tables.word, ("time", "who", "what", "said", "answer"))
    table = tables.TextTable(headings, map(_row, every), ruled=False)
    emit(tables.printed([table], width=10_000))


def _row(action: dict[str, Any]) -> tuple[str, ...]:
    at = time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime(action["at"]))
    said = "-" if action["said"] is None else json.dumps(action["said"], separators=(",", ":"))
    status = "-" if action["status"] is None else str(action["status"])
    named = "" if action["market"] is None or "/" in action["what"] else f" {action['market']}"
    what = action["what"] + named
    return at, action["key"] or action["role"], _visible(what), _visible(said), status


def _visible(text: str) -> str:
    """Return a text as a table shows it: control characters escaped, and cut if it is long."""
    letters = (one if one.isprintable() else repr(one)[1:-1] for one in text)
    return shortened("".join(letters), _WIDEST)


def file_url(path: Path) -> str:
    """Return the URL of a file that is a store, whatever its name is."""
    return f"sqlite:{quote(str(path))}"


def _private(path: str, flags: int) -> int:
    """Open a file that only its owner may read, if it is new."""
    return os.open(path, flags, 0o600)


def require_market(found: "Store", market: str) -> None:
    """Refuse a market that is not in the store."""
    if market not in found.markets():
        raise FieldError("MARKET", market, "in the store")


def _refuse_empty(found: "Store") -> None:
    """An empty store is most likely not the one that was meant; PostgreSQL's is made if missing."""
    if not found.markets() and not found.keys():
        said = "is empty: it has neither markets nor keys"
        raise FieldError("--store", (), "a store with something in it", said)


def print_done(done: dict[str, object], as_json: bool) -> None:
    """Say what was done."""
    if as_json:
        emit_json(done)
    else:
        emit(", ".join(f"{name}: {value}" for name, value in done.items()) + "\n")
