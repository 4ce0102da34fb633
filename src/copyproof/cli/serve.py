"""``copyproof serve``: the live principal behind HTTP.

Its flags are made from the table of ``settings``.
"""

import dataclasses
import inspect
import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from copyproof.cli import options
from copyproof.cli.opening import opened, require_libraries
from copyproof.cli.output import emit, emit_answer, emit_json, say
from copyproof.cli.progress import prompt_interrupt
from copyproof.cli.setting_sources import FILE_FLAG, FILE_VARIABLE, Resolved, resolve
from copyproof.cli.settings import Settings, Switch, flag, shown, table, variable, without_password
from copyproof.cli.tables import TextTable, text, word
from copyproof.validation import FieldError

if TYPE_CHECKING:
    from copyproof.live.heads import SigningKey
    from copyproof.live.stores import Store
    from copyproof.service.tracing import Tracing

# There is no place beside a database for a key, and within it would be within reach of who writes.
_UNSIGNED = "heads of journals are not signed: give all processes the same --signing-key FILE\n"
_EXAMPLE_STORE = "sqlite:copyproof-example.db"


def _with_flags(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command that takes keywords the flags of all settings, before those that it has."""
    made = []
    for name, row in table().items():
        default = shown(name, getattr(Settings(), name)).strip('"')
        option = typer.Option(
            *((f"{flag(name)}/--no-{flag(name)[2:]}",) if row.kind == Switch() else (flag(name),)),
            help=f"{row.about} [{variable(name)}; default: {default}]",
            metavar=row.kind.metavar or None,
            show_default=False,
        )
        kind = bool | None if row.kind == Switch() else str | None
        made.append((name, Annotated[kind, option]))
    keyword = inspect.Parameter.KEYWORD_ONLY
    own = list(inspect.signature(command).parameters.values())[:-1]
    flags = [inspect.Parameter(name, keyword, default=None, annotation=kind) for name, kind in made]
    given: Any = command
    given.__signature__ = inspect.Signature([*flags, *own])
    return command


@_with_flags
def serve(
    *,
    settings: Annotated[
        str | None,
        options.optional(f"A TOML file with settings. [{FILE_VARIABLE}]", "FILE", FILE_FLAG),
    ] = None,
    show_settings: Annotated[
        bool, typer.Option("--show-settings", help="Print all settings and their origins, no more.")
    ] = False,
    example: Annotated[
        bool, typer.Option("--example", help="Set up a small market and print a key for it.")
    ] = False,
    create: options.Create = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object when it is up.")
    ] = False,
    **flags: Any,
) -> None:
    """Serve the markets of a store over HTTP, until a signal ends it.

    Interrupt it (Ctrl-C) or send it SIGTERM: it finishes the requests it has. The first key comes
    from the command `copyproof keys add operator`. A flag counts before its variable, that before
    the settings file.
    """
    resolved = resolve(flags, settings)
    if example and resolved.places["store"] == "default":
        resolved = resolve({**flags, "store": _EXAMPLE_STORE}, settings)
    if show_settings:
        emit_answer(as_json, lambda: _origins(resolved), [_table(resolved)])
    else:
        _serve(resolved, example, as_json, create=create or example)
        if not as_json:
            say("stopped")


def _serve(resolved: Resolved, example: bool, as_json: bool, *, create: bool) -> None:
    found = resolved.settings
    if found.store == "memory:" and not example:
        said = "= memory: can have no key, as it ends with this process: take sqlite:PATH"
        raise FieldError(resolved.places["store"], found.store, "a store that lasts", said)
    backups_to = None if found.backups is None else _folder(found.backups)
    place, hint = resolved.places["store"], "; --create makes a new store"
    with opened(found.store, create=create, place=place, hint=hint) as store:
        from copyproof.live.compiled import is_compiled
        from copyproof.service import Limits, bind, run
        from copyproof.service.example import EXAMPLE, make_example
        from copyproof.service.keys import Keyring
        from copyproof.service.logs import set_up
        from copyproof.service.warmup import warm_up

        is_text = set_up(found.log_format, found.log_level)
        with bind(found.host, found.port) as bound:
            keyring = Keyring(store, time.time)
            if not is_compiled():
                tell = say if is_text else logging.getLogger("copyproof").warning
                tell("compiling the engine, once for this version (about 20 s) ...")
            if example:
                with prompt_interrupt():
                    warm_up()
            signer = _signing_key(found.signing_key, store)
            key = make_example(store, keyring) if example else None

            def up(url: str) -> None:
                market = EXAMPLE if example else None
                if as_json:
                    if signer is None:
                        logging.getLogger("copyproof").warning(_UNSIGNED.rstrip())
                    emit_json({"url": url, "market": market, "key": key})
                else:
                    said = _welcome(url, key, EXAMPLE, found.store, len(keyring) == 0)
                    emit(said if signer is not None else said + _UNSIGNED)

            limits = Limits(
                **{each.name: getattr(found, each.name) for each in dataclasses.fields(Limits)}
            )
            run(
                store,
                bound,
                limits=limits,
                lease=found.lease,
                jump=found.jump,
                signing_key=signer,
                address=(found.advertise or "").rstrip("/"),
                log_requests=found.log_requests,
                tracing=_tracing() if found.traces else None,
                backups_to=backups_to,
                up=up,
            )


def _table(resolved: Resolved) -> TextTable:
    return TextTable([word("setting"), text("value"), text("from")], resolved.rows())


def _origins(resolved: Resolved) -> dict[str, object]:
    rows = resolved.rows()
    return {
        "settings": [{"name": name, "value": value, "from": place} for name, value, place in rows]
    }


def _folder(backups: str) -> Path:
    """Return the folder for backups, if it is one."""
    path = Path(backups)
    if not path.is_dir():
        raise FieldError("--backups", backups, "a folder", f"= {backups} is not a folder")
    return path


def _tracing() -> "Tracing":
    require_libraries("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http", extra="otel")
    from copyproof.service.tracing import by_otlp

    return by_otlp()


def _signing_key(file: str | None, store: "Store") -> "SigningKey | None":
    """Return the key to sign heads with: the one given, or the one beside an SQLite store."""
    from copyproof.live.heads import SigningKey
    from copyproof.live.stores.sqlite import SqliteStore

    path = None if file is None else Path(file)
    if path is None and isinstance(store, SqliteStore):
        path = store.path.with_name(f"{store.path.name}.signing.pem")
    if path is not None and not path.parent.is_dir():
        said = f"= {path}: its folder is not there"
        raise FieldError("--signing-key", str(path), "a file in a folder that is there", said)
    if path is not None and not path.exists() and store.markets():
        logging.getLogger("copyproof").warning(
            "a new key signs the heads of journals from now on, %s: if the store was restored, "
            "put the file of its old key there",
            path,
        )
    return None if path is None else SigningKey.from_file(path)


def _welcome(url: str, key: str | None, market: str, store: str, no_keys: bool) -> str:
    lines = [f"serving {without_password(store)} on {url} (API: {url}/docs)"]
    if no_keys and key is None:
        lines += ["there is no key yet: copyproof keys add operator --store URL"]
    if key is not None:
        post = f"curl -X POST {url}/v1/markets/{market}"
        bearer = f"-H 'Authorization: Bearer {key}'"
        lines += [
            f"key: {key}",
            "make a decision, and tell what it was worth:",
            f"  {post}/decisions {bearer}",
            f"  {post}/rewards {bearer} -H 'Content-Type: application/json' \\",
            '    -d \'{"decision": "ID", "reward": 1}\'',
        ]
    return "\n".join(lines) + "\n"
