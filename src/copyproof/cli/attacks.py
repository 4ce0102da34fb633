"""``copyproof attacks``: several identities, and arms that are submitted again as new."""

from typing import Annotated, Any

import typer

from copyproof.cli import options
from copyproof.cli.examination import examine
from copyproof.cli.markets import named_market
from copyproof.cli.output import emit, emit_json
from copyproof.defaults import CONFIDENCE, IDENTITIES, REFERENCE, SPLIT


def attacks(
    market: options.MarketName,
    policy: options.Policies,
    horizon: options.Horizon,
    agent: Annotated[str, options.optional("The agent that attacks.", "NAME")],
    seed: options.Seed = options.DEFAULT_SEED,
    identities: Annotated[
        list[int] | None,
        options.whole(
            "How many identities to try; may be repeated. 2, 5 and 10 if none is given.",
            "M",
            show_default=False,
        ),
    ] = None,
    reference: Annotated[
        str, typer.Option(help="What is held against: best, honest or market.", metavar="R")
    ] = REFERENCE,
    split_arms: Annotated[
        str,
        typer.Option(
            "--split",
            help="best: each identity registers the best arm; deal: the reference's arms are dealt "
            "out to the identities.",
            metavar="HOW",
        ),
    ] = SPLIT,
    confidence: options.Confidence = CONFIDENCE,
    budget: options.Budget = None,
    workers: options.Workers = None,
    as_json: options.AsJson = False,
) -> None:
    """Find out what an agent gains by other means than copies.

    Several identities: one person takes part as several agents. Re-registration: arms are
    withdrawn during the game and submitted again as new. Both against the reference strategy.
    """
    game = named_market(market)
    from copyproof.auditing import attacks as find

    asked: dict[str, Any] = {
        "agent": agent,
        "horizon": horizon,
        "seed": seed,
        "identities": identities or IDENTITIES,
        "split_arms": split_arms,
        "reference": reference,
        "confidence": confidence,
        "budget": budget,
        "workers": workers,
    }
    found = examine(
        policy, budget, lambda one, progress: find(game, one, **asked, progress=progress)
    )
    if as_json:
        emit_json({"policies": [one.to_dict() for one in found]})
    else:
        from copyproof.cli.attack_tables import attack_tables

        emit(attack_tables(found))
