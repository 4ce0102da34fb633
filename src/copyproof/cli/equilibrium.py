"""``copyproof equilibrium``: where agents end up who answer each other."""

import json
from typing import Annotated

import typer

from copyproof.cli.examine import examined
from copyproof.cli.markets import named_market
from copyproof.cli.options import (
    AsJson,
    Budget,
    Confidence,
    Horizon,
    MarketName,
    Policies,
    Seed,
    Workers,
)
from copyproof.cli.output import emit, whole

__all__ = ["equilibrium"]

_STARTS = ("truthful", "honest", "capped")


def equilibrium(
    market: MarketName,
    policy: Policies,
    horizon: Horizon,
    seed: Seed = 0,
    cap: Annotated[
        int, typer.Option(help="Most copies of one arm.", metavar="N", parser=whole)
    ] = 10,
    epsilon: Annotated[
        float | None,
        typer.Option(
            help="A gain that nobody moves for; 0.1 % of the agent's revenue, and at least 0.001, "
            "if not given.",
            metavar="X",
            show_default=False,
        ),
    ] = None,
    start: Annotated[
        list[str] | None,
        typer.Option(
            help="truthful (best arms only), honest (every arm once), market (as its file says) "
            "or capped (every arm up to the cap); may be repeated. All but market if none is "
            "given.",
            metavar="START",
            show_default=False,
        ),
    ] = None,
    confidence: Confidence = 0.95,
    budget: Budget = None,
    workers: Workers = None,
    as_json: AsJson = False,
) -> None:
    """Follow best responses over copy counts.

    Agents take turns, and each moves to the strategy of largest gain if that is certain. Shows
    whether registering the best arm only is an equilibrium, where the moves end, and what that
    costs the principal: the price of replication.
    """
    game = named_market(market)
    from copyproof.auditing import equilibrium as find

    found = examined(
        policy,
        budget,
        lambda asked, progress: find(
            game,
            asked,
            horizon=horizon,
            seed=seed,
            cap=cap,
            epsilon=epsilon,
            starts=start or _STARTS,
            confidence=confidence,
            budget=budget,
            workers=workers,
            progress=progress,
        ),
    )
    if as_json:
        answer = {"policies": [one.to_dict() for one in found]}
        emit(json.dumps(answer, allow_nan=False) + "\n")
    else:
        from copyproof.cli.attack_tables import equilibrium_tables

        emit(equilibrium_tables(game, found))
