"""``copyproof market``: look after one market of a store that is not being served.

A running service does the same over HTTP; it holds the market's lease, so that nobody else writes.
"""

import time
from typing import Annotated

import typer

from copyproof.cli import options
from copyproof.cli.output import emit, emit_json
from copyproof.cli.store import opened
from copyproof.validation import FieldError

market = options.group("market", "Look after a market that is not being served: its clock.")

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
        now = principal.set_clock(time.time() if at is None else at)
    if as_json:
        emit_json({"market": name, "before": before, "now": now})
    else:
        emit(f"{name}: from {before:.3f} to {now:.3f}\n")


def _require(name: str, markets: dict[str, dict[str, object]]) -> None:
    if name not in markets:
        raise FieldError("MARKET", name, "in the store")
