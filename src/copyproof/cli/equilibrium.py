"""``copyproof equilibrium``: where agents end up who answer each other."""

from typing import Annotated, Any

from copyproof.cli import options
from copyproof.cli.examination import examine
from copyproof.cli.markets import named_market
from copyproof.cli.output import emit, emit_json
from copyproof.defaults import CAP, CONFIDENCE, STARTS


def equilibrium(
    market: options.MarketName,
    policy: options.Policies,
    horizon: options.Horizon,
    seed: options.Seed = options.DEFAULT_SEED,
    cap: Annotated[int, options.whole("Most copies of one arm.")] = CAP,
    epsilon: Annotated[
        float | None,
        options.optional(
            "A gain that nobody moves for; 0.1 % of the agent's revenue, and at least 0.001, if "
            "not given.",
            "X",
        ),
    ] = None,
    start: Annotated[
        list[str] | None,
        options.optional(
            "truthful (best arms only), honest (every arm once), market (as its file says) or "
            "capped (every arm up to the cap); may be repeated. All but market if none is given.",
            "START",
        ),
    ] = None,
    confidence: options.Confidence = CONFIDENCE,
    budget: options.Budget = None,
    workers: options.Workers = None,
    as_json: options.AsJson = False,
) -> None:
    """Follow best responses over copy counts.

    Agents take turns, and each moves to the strategy of largest gain if that is certain. Shows
    whether registering the best arm only is an equilibrium, where the moves end, and what that
    costs the principal: the price of replication.
    """
    game = named_market(market)
    from copyproof.auditing import equilibrium as find

    asked: dict[str, Any] = {
        "horizon": horizon,
        "seed": seed,
        "cap": cap,
        "epsilon": epsilon,
        "starts": start or STARTS,
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
        from copyproof.cli.attack_tables import equilibrium_tables

        emit(equilibrium_tables(game, found))
