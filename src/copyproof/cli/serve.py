"""``copyproof serve``: the live principal behind HTTP."""

import logging
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from copyproof.cli import options
from copyproof.cli.output import emit, emit_json, say
from copyproof.cli.progress import prompt_interrupt
from copyproof.cli.store import opened
from copyproof.defaults import (
    AGENT_BURST,
    AGENT_RATE,
    CLOCK_JUMP_SECONDS,
    LEASE_SECONDS,
    REQUEST_BURST,
    REQUEST_BYTES,
    REQUEST_RATE,
)

if TYPE_CHECKING:
    from copyproof.live.heads import SigningKey
    from copyproof.live.stores import Store

# There is no place beside a database for a key, and within it would be within reach of who writes.
_UNSIGNED = "heads of journals are not signed: give all processes the same --signing-key FILE\n"
_EXAMPLE_STORE = "sqlite:copyproof-example.db"


def serve(
    store: options.StoreUrl = options.DEFAULT_STORE,
    host: Annotated[
        str, typer.Option(help="The address to bind; only this machine unless told otherwise.")
    ] = "127.0.0.1",
    port: Annotated[int, options.whole("The port; 0 takes a free one.")] = 8000,
    rate: Annotated[
        float, typer.Option(help="Requests a second of one key, in the long run.", metavar="X")
    ] = REQUEST_RATE,
    burst: Annotated[int, options.whole("Requests of one key at once.")] = REQUEST_BURST,
    agent_rate: Annotated[
        float, typer.Option(help="Requests a second of an agent's key.", metavar="X")
    ] = AGENT_RATE,
    agent_burst: Annotated[int, options.whole("Requests of an agent's at once.")] = AGENT_BURST,
    body: Annotated[int, options.whole("Most bytes of a request.", "BYTES")] = REQUEST_BYTES,
    lease: Annotated[
        float, typer.Option(help="Seconds until another process takes over.", metavar="SECONDS")
    ] = LEASE_SECONDS,
    signing_key: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The key that signs heads, made if it is not there; an SQLite store has its own.",
        ),
    ] = None,
    jump: Annotated[
        float,
        typer.Option(help="Markets do not follow a clock that leaps further.", metavar="SECONDS"),
    ] = CLOCK_JUMP_SECONDS,
    example: Annotated[
        bool, typer.Option("--example", help="Set up a small market and print a key for it.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object when it is up.")
    ] = False,
) -> None:
    """Serve the markets of a store over HTTP, until a signal ends it.

    Interrupt it (Ctrl-C) or send it SIGTERM: it finishes the requests it has. The first key comes
    from the command `copyproof keys add operator`.
    """
    _check({"rate": rate, "agent-rate": agent_rate}, 0.001)
    _check({"burst": burst, "agent-burst": agent_burst}, 1)
    _check({"body": body}, 100)
    _check({"lease": lease}, 1, 3600, "a number of seconds")
    _check({"jump": jump}, 1, 1e10, "a number of seconds")
    if example and store == options.DEFAULT_STORE:
        store = _EXAMPLE_STORE
    with opened(store, create=True) as found:
        from copyproof.live.market import is_compiled
        from copyproof.service import Limits, bind, run
        from copyproof.service.example import EXAMPLE, make_example
        from copyproof.service.keys import Keyring
        from copyproof.service.warmup import warm_up

        logging.basicConfig(format="%(asctime)s %(message)s", level=logging.WARNING)
        with bind(host, port) as bound:
            keyring = Keyring(found, time.time)
            if not is_compiled():
                say("compiling the engine, once for this version (about 20 s) ...")
            if example:
                with prompt_interrupt():
                    warm_up()
            key = make_example(found, keyring) if example else None

            signer = _signing_key(signing_key, found)

            def up(url: str) -> None:
                market = EXAMPLE if example else None
                if as_json:
                    emit_json({"url": url, "market": market, "key": key})
                else:
                    said = _welcome(url, key, EXAMPLE, store, len(keyring) == 0)
                    emit(said if signer is not None else said + _UNSIGNED)

            limits = Limits(
                body=body, rate=rate, burst=burst, agent_rate=agent_rate, agent_burst=agent_burst
            )
            run(found, bound, limits=limits, lease=lease, jump=jump, signing_key=signer, up=up)
    if not as_json:
        say("stopped")


def _signing_key(path: Path | None, store: "Store") -> "SigningKey | None":
    """Return the key to sign heads with: the one given, or the one beside an SQLite store."""
    from copyproof.live.heads import SigningKey
    from copyproof.live.stores.sqlite import SqliteStore

    if path is None and isinstance(store, SqliteStore):
        path = store.path.with_name(f"{store.path.name}.signing.pem")
    return None if path is None else SigningKey.from_file(path)


def _check(
    values: dict[str, float], least: float, most: float = 1e12, kind: str = "a number"
) -> None:
    for name, value in values.items():
        if not least <= value <= most:
            raise options.refused(f"--{name}", value, f"{kind} from {least:g} to {most:g}")


def _welcome(url: str, key: str | None, market: str, store: str, no_keys: bool) -> str:
    lines = [f"serving {_without_password(store)} on {url} (API: {url}/docs)"]
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


def _without_password(store: str) -> str:
    """Return a store's URL as it may be shown: passwords may be before the @, or after the ?."""
    scheme, separator, rest = store.partition("://")
    if not separator:
        return store
    before, at, after = rest.rpartition("@")
    shown = "" if "?" in before else after.partition("?")[0]
    return f"{scheme}://{'...@' if at else ''}{shown}"
