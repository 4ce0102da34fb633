"""``copyproof store shadow``: how another policy would have decided."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from copyproof.cli import options
from copyproof.cli.opening import opened
from copyproof.cli.store import Market, print_done, require_market


def shadow(
    market: Market,
    policy: Annotated[str, typer.Argument(metavar="POLICY", show_default=False)],
    store: options.StoreUrl = options.DEFAULT_STORE,
    as_json: options.AsJson = False,
) -> None:
    """Say how a policy would have decided on a market's journal, and what that is worth.

    The market is not touched, and may be served meanwhile. Estimates have 95 % limits; where the
    two policies differ nobody has seen what the other one earns.
    """
    with opened(store) as found:
        from copyproof.live.retrospect import shadow_of

        require_market(found, market)
        compared: dict[str, Any] = {"market": market, **asdict(shadow_of(found, market, policy))}
    if not as_json:
        for name in ("value", "value_of_first", "difference"):
            compared[name] = _in_words(**compared[name])
    print_done(compared, as_json)


def _in_words(mean: float | None, lower: float, upper: float) -> str:
    """Return an estimate as text."""
    known = "cannot be known, within" if mean is None else f"{mean:.3g}"
    return f"{known} [{lower:.3g}, {upper:.3g}]"
