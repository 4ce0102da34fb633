"""``copyproof lost``: how likely it is that policies give up the agent with the best arm."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from copyproof.cli import options, tables
from copyproof.cli.output import emit_results
from copyproof.cli.progress import in_turn, prompt_interrupt
from copyproof.defaults import LOST_BUDGET, LOST_PLAYS, LOST_PRECISION, SEED
from copyproof.game import Market, as_market
from copyproof.policy import Policy, as_policy

if TYPE_CHECKING:
    from copyproof.rare_events import LostProbability

# Units of the progress bar for each policy.
_UNITS = 1000


def lost(
    market: options.MarketName,
    policy: Annotated[
        list[str],
        options.policies(
            "; may be repeated. Its agent index must be made of the agent's own rewards."
        ),
    ],
    horizon: options.Horizon,
    agent: Annotated[
        str | None,
        options.optional("The agent; the one with the best registered arm if not given.", "NAME"),
    ] = None,
    rival: Annotated[
        float | None,
        options.optional(
            "The index it must not fall below; the best mean of the other agents if not given.", "V"
        ),
    ] = None,
    precision: Annotated[
        float,
        typer.Option(
            help="The standard error aimed at, as a share of the probability.", metavar="X"
        ),
    ] = LOST_PRECISION,
    runs: Annotated[
        int | None,
        options.whole(
            "Independent runs; as many as the precision takes if not given.", show_default=False
        ),
    ] = None,
    budget: Annotated[
        int, options.whole("About the most own plays for each policy.", "PLAYS")
    ] = LOST_BUDGET,
    most_plays: Annotated[
        int, options.whole("Own plays after which the agent is left as undecided.")
    ] = LOST_PLAYS,
    seed: options.Seed = SEED,
    workers: options.Workers = None,
    device: options.Device = "cpu",
    as_json: options.AsJson = False,
) -> None:
    """Estimate how likely the best agent is to be lost.

    The agent is lost when its index falls below the rival's although its best arm is better. Rare
    events and long horizons, up to 10^18, cost little: only the agent's own plays are simulated.
    """
    asked = [as_policy(text) for text in policy]
    how = {
        "horizon": horizon, "agent": agent, "rival": rival, "precision": precision, "runs": runs,
        "budget": budget, "most_plays": most_plays, "seed": seed, "workers": workers,
        "device": device,
    }  # fmt: skip
    results = _estimate(as_market(market), asked, how)
    emit_results(as_json, results, _parts(results))


def _estimate(market: Market, asked: list[Policy], how: dict[str, Any]) -> "list[LostProbability]":
    """Estimate under every policy, in their order."""
    with prompt_interrupt():  # the import takes its time, too
        from copyproof.rare_events import is_compiled, lost_probability

        def find(policy: Policy, progress: Callable[[int], None]) -> "LostProbability":
            def tell(done: int, total: int) -> None:
                progress(_UNITS * done // total)

            return lost_probability(market, policy, **how, progress=tell)

        return in_turn(asked, [_UNITS] * len(asked), find, compiles=not is_compiled())


def _parts(results: "Sequence[LostProbability]") -> Iterator[tables.Part]:
    first = results[0]
    agents = tables.quantity(first.agents, "agent")
    rounds = tables.quantity(first.horizon, "round")
    who = f"{first.agent} (best mean {first.best:g})"
    yield f"{who} against an index of {first.rival:g}; {agents}; {rounds}\n"
    numbers = ("P(lost)", "std. error", "95 % interval", "runs", "own plays")
    columns = (tables.text("policy"), *map(tables.number, numbers))
    yield tables.TextTable(columns, map(_row, results))
    for one in results:
        if one.undecided > 0:
            plays = tables.quantity(one.most_plays, "play")
            yield f"\n{one.policy}: {one.undecided:.2g} is undecided after {plays}"


def _row(one: "LostProbability") -> tuple[str, ...]:
    interval = f"{one.low:.3g} to {one.high:.3g}"
    error = f"{one.relative_error:.0%}" if one.probability > 0 else "-"
    return one.policy, f"{one.probability:.3g}", error, interval, f"{one.runs:,}", f"{one.plays:,}"
