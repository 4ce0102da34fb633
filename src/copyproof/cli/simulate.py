"""``copyproof simulate``: play a market under policies, and show what came of it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from copyproof.cli import options
from copyproof.cli.markets import named_market
from copyproof.cli.output import check_outputs, emit_results
from copyproof.cli.progress import in_turn, prompt_interrupt
from copyproof.defaults import CHECKPOINTS
from copyproof.game import Market
from copyproof.plots import check_format, plot_regret, save_figure
from copyproof.policy import PAPER_POLICIES, Policy, parse_policy
from copyproof.validation import FieldError

if TYPE_CHECKING:
    from copyproof.simulation import Result


def simulate(
    market: options.MarketName,
    policy: Annotated[
        list[str] | None,
        options.policies(
            "; may be repeated. The six of the paper if none is given; `copyproof policies` lists "
            "all."
        ),
    ] = None,
    horizon: Annotated[int, options.whole("Rounds of a game.", "T")] = 10_000,
    repetitions: Annotated[int, options.whole("Games for each policy.", "R")] = 100,
    seed: options.Seed = options.DEFAULT_SEED,
    workers: Annotated[
        int | None,
        options.whole(
            "Threads, as many as there are processors if not given; no effect on the result.",
            show_default=False,
        ),
    ] = None,
    checkpoints: Annotated[int, options.whole("Rounds at which the regret is kept.")] = CHECKPOINTS,
    as_json: options.AsJson = False,
    plot: Annotated[
        Path | None,
        options.optional("Draw the regret over time into a .png, .svg or .pdf file.", "FILE"),
    ] = None,
    save: Annotated[
        Path | None,
        options.optional(
            "Keep every repetition of one policy in an .npz file, for Result.load.", "FILE"
        ),
    ] = None,
) -> None:
    """Play a market under policies.

    Shows the regret of every policy, the games that it lost, and what every agent gets: plays and
    revenue.
    """
    asked = [parse_policy(text) for text in policy or PAPER_POLICIES]
    if save is not None and len(asked) != 1:
        said = f"keeps one policy, and {len(asked)} are played: give one --policy"
        raise FieldError("--save", save, "for several policies", said)
    if plot is not None:
        check_format(plot)
    check_outputs(market, plot=plot, save=save)
    game: dict[str, Any] = {"horizon": horizon, "repetitions": repetitions, "seed": seed}
    results = _play(named_market(market), asked, game, workers=workers, checkpoints=checkpoints)
    if plot is not None:
        figure = plot_regret(results, market=market).get_figure(root=True)
        assert figure is not None
        save_figure(figure, plot)
    if save is not None:
        results[0].save(save)
    from copyproof.cli.simulation_tables import simulation_tables

    emit_results(as_json, results, simulation_tables(results))


def _play(market: Market, asked: list[Policy], game: dict[str, Any], **how: Any) -> "list[Result]":
    """Play the market under every policy; a result for each, in their order."""
    with prompt_interrupt():  # the import takes its time, too
        from copyproof.simulation import is_compiled
        from copyproof.simulation import simulate as play

        return in_turn(
            asked,
            [game["horizon"] * game["repetitions"]] * len(asked),
            lambda policy, progress: play(market, policy, **game, **how, progress=progress),
            compiles=not is_compiled(),
        )
