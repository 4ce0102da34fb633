"""``copyproof exact``: what a market comes to under policies, with no sampling."""

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from copyproof.cli.markets import MARKET_HELP, named_market
from copyproof.cli.output import emit, say, whole
from copyproof.cli.waiting import Waiting, prompt_interrupt
from copyproof.game import Market
from copyproof.policy import Policy, parse_policy

if TYPE_CHECKING:
    from copyproof.exact_values import Exact

_WORTH_SAYING = 1_000_000
"""States: what takes a second or more."""


def exact(
    market: Annotated[str, typer.Argument(metavar="MARKET", help=MARKET_HELP, show_default=False)],
    policy: Annotated[
        list[str],
        typer.Option(
            help="A policy such as h-ucb or 'rh-ucb(L=3)'; may be repeated. `copyproof policies` "
            "lists all; Thompson sampling cannot be exact.",
            metavar="P",
            show_default=False,
        ),
    ],
    horizon: Annotated[
        int,
        typer.Option(help="Rounds of a game.", metavar="T", parser=whole, show_default=False),
    ],
    fractions: Annotated[
        bool, typer.Option("--fractions", help="Compute in rational numbers: 0.9 is 9/10.")
    ] = False,
    limit: Annotated[
        int | None,
        typer.Option(
            help="The most states to keep of one round; what a quarter of the memory holds if not "
            "given.",
            metavar="N",
            parser=whole,
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
) -> None:
    """Compute a short game exactly.

    Expected regret, and for every agent the expected plays, revenue and utility and the whole
    distribution of revenue, with no sampling. For Bernoulli arms, few of them different.
    """
    policies = [parse_policy(text) for text in policy]
    results = _compute(named_market(market), policies, horizon, fractions, limit)
    if as_json:
        found = {"policies": [result.to_dict() for result in results]}
        emit(json.dumps(found, allow_nan=False) + "\n")
    else:
        from copyproof.cli.exact_tables import exact_tables

        emit(exact_tables(results))


def _compute(
    market: Market, policies: list[Policy], horizon: int, fractions: bool, limit: int | None
) -> "list[Exact]":
    """Compute the market under every policy, in their order; say before how many states it is."""
    with prompt_interrupt():  # the import takes its time, too
        from copyproof.exact_values import exact as compute
        from copyproof.exact_values import prepare
        from copyproof.exact_values.compiled import is_compiled

        asked: dict[str, Any] = {"horizon": horizon, "fractions": fractions, "limit": limit}
        sizes = [prepare(market, policy, **asked).size for policy in policies]
        for policy, size in zip(policies, sizes, strict=True):
            if size.total > _WORTH_SAYING:
                say(f"{policy}: up to {size.total:,} states, {size.layer:,} at a time")
        rounds = [size.games * horizon for size in sizes]
        with Waiting(sum(rounds), compiles=not is_compiled(fractions=fractions)) as waiting:
            return [
                compute(market, policy, **asked, progress=waiting.part(count))
                for policy, count in zip(policies, rounds, strict=True)
            ]
