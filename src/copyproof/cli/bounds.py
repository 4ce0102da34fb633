"""``copyproof bounds``: what the theorems promise for a market under a policy."""

from dataclasses import asdict
from typing import Annotated

from copyproof.cli import options
from copyproof.cli.markets import named_market
from copyproof.cli.output import emit, emit_json
from copyproof.policy import parse_policy, with_market_defaults
from copyproof.validation import FieldError


def bounds(
    market: options.MarketName,
    policy: Annotated[list[str], options.policies("; `copyproof policies` lists all.")],
    horizon: options.Horizon,
    as_json: options.AsJson = False,
) -> None:
    """Show what the theorems promise.

    Every theorem is held against the market, what its agents register, the policy and the horizon:
    its value, or the condition that fails.
    """
    if len(policy) != 1:
        said = f"is given {len(policy)} times: bounds takes one policy"
        raise FieldError("--policy", policy, "given once", said)
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
        emit_json(answer)
    else:
        from copyproof.cli.bounds_tables import bounds_tables

        emit(bounds_tables(game, str(resolved), horizon, found, drawn))
