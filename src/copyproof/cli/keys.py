"""``copyproof keys``: API keys of the service, on the command line.

Whoever can write to the store can make keys: this is how the first one comes to be.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from copyproof.cli import options, tables
from copyproof.cli.opening import opened
from copyproof.cli.output import emit, emit_json
from copyproof.cli.store import record
from copyproof.defaults import MOST_OVERLAP_SECONDS, OVERLAP_SECONDS
from copyproof.validation import FieldError

if TYPE_CHECKING:
    from copyproof.client.records import Role
    from copyproof.live.stores import Store
    from copyproof.service.access import Key
    from copyproof.service.keys import Keyring

keys = options.group("keys", "API keys of the service: add, list, rotate, revoke, delete.")

# Columns: a key has one line, however wide the terminal is.
_WIDE = 10_000
_KeyId = Annotated[str, typer.Argument(metavar="ID", show_default=False)]


_CREATE = "; --create makes a new store"


@contextmanager
def _keyring(store: str, *, create: bool = False) -> "Iterator[tuple[Store, Keyring]]":
    with opened(store, create=create, hint=_CREATE) as found:
        from copyproof.service.keys import Keyring

        yield found, Keyring(found, time.time)


def _record(found: "Store", what: str, key: "Key") -> None:
    """Put on record what was done with a key."""
    names = ("id", "role", "markets", "agent", "expires")
    shown = {name: value for name, value in key.shown().items() if name in names and value}
    record(found, f"keys {what}", said=shown)


@contextmanager
def _known(key_id: str, accepted: str) -> Iterator[None]:
    """Refuse an id that the keyring does not know."""
    try:
        yield
    except KeyError:
        raise FieldError("ID", key_id, accepted) from None


@keys.command()
def add(
    role: Annotated[
        str,
        typer.Argument(
            metavar="ROLE", help="operator, application, agent or auditor.", show_default=False
        ),
    ],
    store: options.StoreUrl = options.DEFAULT_STORE,
    market: Annotated[
        list[str] | None,
        typer.Option(help="A market that the key is for; may be repeated.", metavar="M"),
    ] = None,
    agent: Annotated[
        str | None, typer.Option(help="Whose arms an agent's key is for.", metavar="NAME")
    ] = None,
    create: options.Create = False,
    note: Annotated[str, typer.Option(help="Free text.", metavar="TEXT")] = "",
    rate: Annotated[
        float | None,
        typer.Option(help="Requests a second; its role's if not given.", metavar="X"),
    ] = None,
    burst: Annotated[
        int | None, options.whole("Requests at once; its role's if not given.")
    ] = None,
    expires: Annotated[
        str | None, options.optional("When it stops working, such as 90d from now.", "T")
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Make a key, and print it: it is not stored, and cannot be shown again.

    An application needs a market, an agent exactly one; operators and auditors have all if none is
    given.
    """
    for name, value, least in (("rate", rate, 0.001), ("burst", burst, 1)):
        if value is not None and not least <= value <= 1e6:
            raise options.refused(f"--{name}", value, f"a number from {least} to 1000000")
    until = None if expires is None else time.time() + options.duration("--expires", expires)
    with _keyring(store, create=create) as (found, ring):
        key, text = ring.add(
            cast("Role", role),
            markets=tuple(market or ()),
            agent=agent,
            note=note,
            rate=rate,
            burst=burst,
            expires=until,
        )
        _record(found, "add", key)
    _print(key, text, as_json)


@keys.command(name="list")
def list_(store: options.StoreUrl = options.DEFAULT_STORE, as_json: options.AsJson = False) -> None:
    """List all keys, revoked ones too."""
    with _keyring(store) as (_, ring):
        every = ring.all()
    if as_json:
        emit_json({"keys": [key.shown() for key in every]})
    else:
        headings = ("id", "role", "markets", "agent", "state", "expires", "note")
        table = tables.TextTable(map(tables.word, headings), map(_row, every), ruled=False)
        emit(tables.printed([table], width=_WIDE))


@keys.command()
def rotate(
    key_id: _KeyId,
    store: options.StoreUrl = options.DEFAULT_STORE,
    overlap: Annotated[
        str, typer.Option(help="For how long the old secret still works: 90s, 1h.", metavar="T")
    ] = f"{OVERLAP_SECONDS:g}s",
    as_json: options.AsJson = False,
) -> None:
    """Give a key a new secret, and print it."""
    seconds = _overlap(overlap)
    with _keyring(store) as (found, ring), _known(key_id, "that of a valid key"):
        key, text = ring.rotate(key_id, overlap=seconds)
        _record(found, "rotate", key)
    _print(key, text, as_json)


@keys.command()
def revoke(
    key_id: _KeyId, store: options.StoreUrl = options.DEFAULT_STORE, as_json: options.AsJson = False
) -> None:
    """Refuse a key from now on; a running service knows within about half a second."""
    with _keyring(store) as (found, ring), _known(key_id, "that of a key"):
        key = ring.revoke(key_id)
        _record(found, "revoke", key)
    _print(key, None, as_json)


@keys.command()
def delete(
    key_id: _KeyId, store: options.StoreUrl = options.DEFAULT_STORE, as_json: options.AsJson = False
) -> None:
    """Refuse a key from now on, and list it no more."""
    with _keyring(store) as (found, ring), _known(key_id, "that of a key"):
        key = ring.forget(key_id)
        _record(found, "delete", key)
    if as_json:
        emit_json(key.shown())
    else:
        emit(f"{key.id} is deleted\n")


def _overlap(text: str) -> float:
    """Read a duration, or plain seconds."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = options.duration("--overlap", text)
    if not 0.0 <= seconds <= MOST_OVERLAP_SECONDS:
        accepted = f"seconds, or a duration such as 90s, from 0 to {MOST_OVERLAP_SECONDS:g} seconds"
        raise FieldError("--overlap", text, accepted)
    return seconds


def _row(key: "Key") -> tuple[str, ...]:
    markets = ", ".join(key.markets)
    state = "revoked" if key.revoked is not None else "valid"
    if state == "valid" and not key.works(time.time()):
        state = "expired"
    ends = "-"
    if key.expires is not None:
        ends = time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime(key.expires))
    return key.id, str(key.role), markets or "all", key.agent or "-", state, ends, key.note


def _print(key: "Key", text: str | None, as_json: bool) -> None:
    if as_json:
        shown: dict[str, Any] = key.shown()
        emit_json(shown if text is None else {**shown, "key": text})
    else:
        emit((text if text is not None else f"{key.id} is revoked") + "\n")
