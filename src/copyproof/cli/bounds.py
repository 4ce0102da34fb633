"""``copyproof bounds``: what the theorems promise for a market under a policy."""

import json
from dataclasses import asdict
from typing import Annotated

import typer

from copyproof.cli.markets import MARKET_HELP, named_market
from copyproof.cli.output import emit, whole
from copyproof.policy import parse_policy, with_market_defaults


def bounds(
    market: Annotated[str, typer.Argument(metavar="MARKET", help=MARKET_HELP, show_default=False)],
    policy: Annotated[
        list[str],
        typer.Option(
            help="A policy such as h-ucb or 'rh-ucb(L=3)'; `copyproof policies` lists all.",
            metavar="P",
            show_default=False,
        ),
    ],
    horizon: Annotated[
        int,
        typer.Option(help="Rounds of a game.", metavar="T", parser=whole, show_default=False),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
) -> None:
    """Show what the theorems promise.

    Every theorem is held against the market, what its agents register, the policy and the horizon:
    its value, or the condition that fails.
    """
    if len(policy) != 1:
        raise ValueError(f"--policy is given {len(policy)} times: bounds takes one policy")
    asked = parse_policy(policy[0])
    game = named_market(market)
    from copyproof.theory import bounds as find
    from copyproof.theory import samples

    found = find(game, asked, horizon)
    resolved = with_market_defaults(asked, game)
    drawn = samples(game, resolved, horizon)
    if as_json:
        answer = {
            "policy": str(asked),
            "resolved_policy": str(resolved),
            "horizon": horizon,
            "bounds": [bound.to_dict() for bound in found],
            "samples": [asdict(sample) for sample in drawn],
        }
        emit(json.dumps(answer, allow_nan=False) + "\n")
    else:
        from copyproof.cli.tables import bounds_tables

        emit(bounds_tables(game, str(resolved), horizon, found, drawn))
