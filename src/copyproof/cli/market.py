"""``copyproof market``: look after one market of a store that is not being served.

A running service does the same over HTTP; it holds the market's lease, so that nobody else writes.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated
from urllib.parse import quote

import typer

from copyproof.cli import options
from copyproof.cli.opening import opened
from copyproof.cli.output import emit, emit_json
from copyproof.cli.store import record
from copyproof.validation import FieldError

market = options.group(
    "market", "Look after a market that is not being served: its clock, its end."
)

_Name = Annotated[str, typer.Argument(metavar="MARKET", show_default=False)]


@market.command()
def clock(
    name: _Name,
    store: options.StoreUrl = options.DEFAULT_STORE,
    at: Annotated[
        float | None,
        typer.Option(help="Seconds since 1970; this machine's clock if not given.", metavar="X"),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Set a market's clock, forward or back, after a clock that went wrong.

    Decisions whose time lies after it count as made now. It is an event of the journal. While the
    market is served, use PUT /v1/markets/MARKET/clock.
    """
    with opened(store) as found:
        _require(name, found.markets())
        from copyproof.live import Principal

        principal = Principal(store=found, market=name)
        before = principal.now
        with _unserved(name, f"PUT /v1/markets/{quote(name)}/clock"):
            now = principal.set_clock(time.time() if at is None else at)
        record(found, "market clock", market=name, said={"before": before, "now": now})
    if as_json:
        emit_json({"market": name, "before": before, "now": now})
    else:
        emit(f"{name}: from {before:.3f} to {now:.3f}\n")


@market.command()
def delete(
    name: _Name,
    store: options.StoreUrl = options.DEFAULT_STORE,
    yes: Annotated[bool, typer.Option("--yes", help="Yes, for good.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Delete a market and its journal for good; keys that have no other market are revoked.

    Export the journal, or take a backup, before. While the market is served, use
    DELETE /v1/markets/MARKET.
    """
    with opened(store) as found:
        is_there = name in found.markets()  # if not, its deletion may have been broken off
        events = found.last(name) if is_there else 0
        if not yes:
            _require(name, found.markets())
            raise ValueError(f"{name} and its {events} events would be gone for good: say --yes")
        from copyproof.service.keys import Keyring

        with _unserved(name, f"DELETE /v1/markets/{quote(name)}"):
            found.drop_market(name)
        Keyring(found, time.time).revoke_market(name)
        record(found, "market delete", market=name, said={"events": events})
    if as_json:
        emit_json({"market": name, "events": events, "deleted": True})
    else:
        emit(f"{name} is deleted\n")


@contextmanager
def _unserved(name: str, request: str) -> Iterator[None]:
    """Say what to do instead if the market is being served."""
    from copyproof.live.stores import LeaseLost, UnknownMarket

    try:
        yield
    except UnknownMarket:
        _require(name, {})
    except LeaseLost:
        said = f"market {name!r} is being served: use {request}, or stop the service"
        raise LeaseLost(said) from None


def _require(name: str, markets: dict[str, dict[str, object]]) -> None:
    if name not in markets:
        raise FieldError("MARKET", name, "in the store")
