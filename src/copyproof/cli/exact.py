"""``copyproof exact``: what a market comes to under policies, with no sampling."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from copyproof.cli import options
from copyproof.cli.markets import named_market
from copyproof.cli.output import emit, emit_json, say
from copyproof.cli.progress import in_turn, prompt_interrupt
from copyproof.game import Market
from copyproof.policy import Policy, parse_policy

if TYPE_CHECKING:
    from copyproof.exact_values import Exact

# States: what takes a second or more.
_WORTH_SAYING = 1_000_000


def exact(
    market: options.MarketName,
    policy: Annotated[
        list[str],
        options.policies(
            "; may be repeated. `copyproof policies` lists all; Thompson sampling cannot be exact."
        ),
    ],
    horizon: options.Horizon,
    fractions: Annotated[
        bool, typer.Option("--fractions", help="Compute in rational numbers: 0.9 is 9/10.")
    ] = False,
    limit: Annotated[
        int | None,
        options.whole(
            "The most states to keep of one round; what a quarter of the memory holds if not "
            "given.",
            show_default=False,
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Compute a short game exactly.

    Expected regret, and for every agent the expected plays, revenue and utility and the whole
    distribution of revenue, with no sampling. For Bernoulli arms, few of them different.
    """
    asked = [parse_policy(text) for text in policy]
    results = _compute(named_market(market), asked, horizon, fractions, limit)
    if as_json:
        emit_json({"policies": [result.to_dict() for result in results]})
    else:
        from copyproof.cli.exact_tables import exact_tables

        emit(exact_tables(results))


def _compute(
    market: Market, asked: list[Policy], horizon: int, fractions: bool, limit: int | None
) -> "list[Exact]":
    """Compute the market under every policy, in their order; say before how many states it is."""
    with prompt_interrupt():  # the import takes its time, too
        from copyproof.exact_values import exact as compute
        from copyproof.exact_values import prepare
        from copyproof.exact_values.compiled import is_compiled

        how: dict[str, Any] = {"horizon": horizon, "fractions": fractions, "limit": limit}
        sizes = [prepare(market, policy, **how).size for policy in asked]
        for policy, size in zip(asked, sizes, strict=True):
            if size.total > _WORTH_SAYING:
                say(f"{policy}: up to {size.total:,} states, {size.layer:,} at a time")
        return in_turn(
            asked,
            [size.games * horizon for size in sizes],
            lambda policy, progress: compute(market, policy, **how, progress=progress),
            compiles=not is_compiled(fractions=fractions),
        )
