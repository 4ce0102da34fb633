"""``copyproof simulate``: play a market under policies, and show what came of it."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from copyproof.cli.markets import MARKET_HELP, named_market
from copyproof.cli.output import check_outputs, emit, whole
from copyproof.cli.waiting import Waiting, prompt_interrupt
from copyproof.game import Market
from copyproof.plots import check_format, plot_regret, save_figure
from copyproof.policy import PAPER_POLICIES, Policy, parse_policy

if TYPE_CHECKING:
    from copyproof.simulation import Result


def simulate(
    market: Annotated[str, typer.Argument(metavar="MARKET", help=MARKET_HELP, show_default=False)],
    policy: Annotated[
        list[str] | None,
        typer.Option(
            help="A policy such as h-ucb or 'rh-ucb(L=3)'; may be repeated. The six of the paper "
            "if none is given; `copyproof policies` lists all.",
            metavar="P",
            show_default=False,
        ),
    ] = None,
    horizon: Annotated[
        int, typer.Option(help="Rounds of a game.", metavar="T", parser=whole)
    ] = 10_000,
    repetitions: Annotated[
        int, typer.Option(help="Games for each policy.", metavar="R", parser=whole)
    ] = 100,
    seed: Annotated[
        int, typer.Option(help="Equal seeds share their luck.", metavar="S", parser=whole)
    ] = 0,
    workers: Annotated[
        int | None,
        typer.Option(
            help="Threads, as many as there are processors if not given; no effect on the result.",
            metavar="N",
            parser=whole,
            show_default=False,
        ),
    ] = None,
    checkpoints: Annotated[
        int, typer.Option(help="Rounds at which the regret is kept.", metavar="N", parser=whole)
    ] = 200,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            help="Draw the regret over time into a .png, .svg or .pdf file.",
            metavar="FILE",
            show_default=False,
        ),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(
            help="Keep every repetition of one policy in an .npz file, for Result.load.",
            metavar="FILE",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Play a market under policies.

    Shows the regret of every policy, and what every agent gets: plays and revenue.
    """
    policies = [parse_policy(text) for text in policy or PAPER_POLICIES]
    if save is not None and len(policies) != 1:
        raise ValueError(
            f"--save keeps one policy, and {len(policies)} are played: give one --policy"
        )
    if plot is not None:
        check_format(plot)
    check_outputs(market, plot=plot, save=save)
    results = _play(
        named_market(market),
        policies,
        horizon=horizon,
        repetitions=repetitions,
        seed=seed,
        workers=workers,
        checkpoints=checkpoints,
    )
    if plot is not None:
        figure = plot_regret(results).get_figure(root=True)
        assert figure is not None
        save_figure(figure, plot)
    if save is not None:
        results[0].save(save)
    if as_json:
        found = {"policies": [result.to_dict() for result in results]}
        emit(json.dumps(found, allow_nan=False) + "\n")
    else:
        from copyproof.cli.tables import simulation_tables

        emit(simulation_tables(results))


def _play(
    market: Market,
    policies: list[Policy],
    *,
    horizon: int,
    repetitions: int,
    seed: int,
    workers: int | None,
    checkpoints: int,
) -> "list[Result]":
    """Play the market under every policy; a result for each, in their order."""
    with prompt_interrupt():  # the import takes its time, too
        from copyproof.engine.cache import is_cached
        from copyproof.simulation import simulate as play

        results = {}
        # A policy that is picky about rewards goes first: a refusal comes before any work.
        order = sorted(range(len(policies)), key=lambda i: not policies[i].needs_unit_rewards)
        rounds = horizon * repetitions
        with Waiting(rounds * len(policies), compiles=not is_cached()) as waiting:
            for place in order:
                results[place] = play(
                    market,
                    policies[place],
                    horizon=horizon,
                    repetitions=repetitions,
                    seed=seed,
                    workers=workers,
                    checkpoints=checkpoints,
                    progress=waiting.part(rounds),
                )
    return [results[place] for place in range(len(policies))]
