"""``copyproof keys``: API keys of the service, on the command line.

Whoever can write to the store can make keys: this is how the first one comes to be.
"""

import json
import time
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from copyproof.cli.options import AsJson
from copyproof.cli.output import emit
from copyproof.cli.stores import DEFAULT_STORE, StoreUrl, opened

if TYPE_CHECKING:
    from copyproof.service.keys import Key
    from copyproof_client.records import Role

keys = typer.Typer(
    name="keys",
    help="API keys of the service: add, list, rotate, revoke.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

_KeyId = Annotated[str, typer.Argument(metavar="ID", show_default=False)]


@keys.command()
def add(
    role: Annotated[
        str,
        typer.Argument(
            metavar="ROLE",
            help="operator, application, agent or auditor.",
            show_default=False,
        ),
    ],
    store: StoreUrl = DEFAULT_STORE,
    market: Annotated[
        list[str] | None,
        typer.Option(help="A market of an application or agent; may be repeated.", metavar="M"),
    ] = None,
    agent: Annotated[
        str | None, typer.Option(help="Whose arms an agent's key is for.", metavar="NAME")
    ] = None,
    note: Annotated[str, typer.Option(help="Free text.", metavar="TEXT")] = "",
    as_json: AsJson = False,
) -> None:
    """Make a key, and print it: it is not stored, and cannot be shown again."""
    with opened(store, create=True) as found:
        from copyproof.service.keys import Keyring

        key, text = Keyring(found, time.time).add(
            cast("Role", role), markets=tuple(market or ()), agent=agent, note=note
        )
        _print(key, text, as_json)


@keys.command(name="list")
def list_(store: StoreUrl = DEFAULT_STORE, as_json: AsJson = False) -> None:
    """List all keys, revoked ones too."""
    with opened(store) as found:
        from copyproof.service.keys import Keyring

        every = Keyring(found, time.time).all()
        if as_json:
            emit(json.dumps({"keys": [key.shown() for key in every]}) + "\n")
            return
        rows = [("id", "role", "markets", "agent", "state", "note")]
        rows += [
            (
                key.id,
                str(key.role),
                ", ".join(key.markets) or "all",
                key.agent or "-",
                "valid" if key.revoked is None else "revoked",
                key.note,
            )
            for key in every
        ]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            emit("  ".join(cells).rstrip() + "\n")


@keys.command()
def rotate(
    key_id: _KeyId,
    store: StoreUrl = DEFAULT_STORE,
    overlap: Annotated[
        float,
        typer.Option(help="Seconds for which the old secret still works.", metavar="SECONDS"),
    ] = 300.0,
    as_json: AsJson = False,
) -> None:
    """Give a key a new secret, and print it."""
    if not 0.0 <= overlap <= 86400.0:
        raise ValueError(f"--overlap {overlap} is not a number of seconds from 0 to 86400")
    with opened(store) as found:
        from copyproof.service.keys import Keyring

        ring = Keyring(found, time.time)
        try:
            text = ring.rotate(key_id, overlap=overlap)
        except KeyError:
            raise ValueError(f"ID = {key_id!r} is not that of a valid key") from None
        key = ring.get(key_id)
        assert key is not None
        _print(key, text, as_json)


@keys.command()
def revoke(key_id: _KeyId, store: StoreUrl = DEFAULT_STORE, as_json: AsJson = False) -> None:
    """Refuse a key from now on; a running service knows within seconds."""
    with opened(store) as found:
        from copyproof.service.keys import Keyring

        try:
            key = Keyring(found, time.time).revoke(key_id)
        except KeyError:
            raise ValueError(f"ID = {key_id!r} is not that of a key") from None
        _print(key, None, as_json)


def _print(key: "Key", text: str | None, as_json: bool) -> None:
    if as_json:
        shown: dict[str, Any] = key.shown()
        emit(json.dumps(shown if text is None else {**shown, "key": text}) + "\n")
    else:
        emit((text if text is not None else f"{key.id} is revoked") + "\n")
