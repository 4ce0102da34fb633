"""``copyproof attacks``: several identities, and arms that are submitted again as new."""

import json
from typing import TYPE_CHECKING, Annotated, cast

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

if TYPE_CHECKING:
    from copyproof.auditing.audit import Reference
    from copyproof.game.identities import How

__all__ = ["attacks"]


def attacks(
    market: MarketName,
    policy: Policies,
    horizon: Horizon,
    agent: Annotated[
        str, typer.Option(help="The agent that attacks.", metavar="NAME", show_default=False)
    ],
    seed: Seed = 0,
    identities: Annotated[
        list[int] | None,
        typer.Option(
            help="How many identities to try; may be repeated. 2, 5 and 10 if none is given.",
            metavar="M",
            parser=whole,
            show_default=False,
        ),
    ] = None,
    reference: Annotated[
        str,
        typer.Option(help="What is held against: best, honest or market.", metavar="R"),
    ] = "best",
    split_arms: Annotated[
        str,
        typer.Option(
            "--split",
            help="best: each identity registers the best arm; deal: the reference's arms are dealt "
            "out to the identities.",
            metavar="HOW",
        ),
    ] = "best",
    confidence: Confidence = 0.95,
    budget: Budget = None,
    workers: Workers = None,
    as_json: AsJson = False,
) -> None:
    """Find out what an agent gains by other means than copies.

    Several identities: one person takes part as several agents. Re-registration: arms are
    withdrawn during the game and submitted again as new. Both against the reference strategy.
    """
    game = named_market(market)
    from copyproof.auditing import attacks as find

    found = examined(
        policy,
        budget,
        lambda asked, progress: find(
            game,
            asked,
            agent=agent,
            horizon=horizon,
            seed=seed,
            identities=identities or (2, 5, 10),
            split_arms=cast("How", split_arms),
            reference=cast("Reference", reference),
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
        from copyproof.cli.attack_tables import attack_tables

        emit(attack_tables(found))
