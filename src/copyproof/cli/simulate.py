"""``copyproof simulate``: play a market under policies, and show what came of it."""

import re
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from copyproof.cli import options
from copyproof.cli.output import check_outputs, emit_answer, emit_results
from copyproof.cli.progress import in_turn, prompt_interrupt
from copyproof.defaults import CHECKPOINTS, HORIZON, REPETITIONS, SEED
from copyproof.game import Market, Renew, Schedule, as_market
from copyproof.plots import check_format, plot_regret, save_figure
from copyproof.policy import PAPER_POLICIES, Policy, parse_policy
from copyproof.policy.syntax import place_of
from copyproof.validation import FieldError, require

if TYPE_CHECKING:
    from copyproof.simulation import Result


def simulate(
    market: options.MarketName,
    policy: Annotated[
        list[str] | None,
        options.policies(
            ", or another's such as 'river:UCB(delta=1)' or mine.py:Rule; may be repeated. The six "
            "of the paper if none is given; `copyproof policies` lists all of ours."
        ),
    ] = None,
    horizon: Annotated[int, options.whole("Rounds of a game.", "T")] = HORIZON,
    repetitions: Annotated[int, options.whole("Games for each policy.", "R")] = REPETITIONS,
    seed: options.Seed = SEED,
    workers: options.Workers = None,
    device: options.Device = "cpu",
    checkpoints: Annotated[int, options.whole("Rounds at which the regret is kept.")] = CHECKPOINTS,
    stop: Annotated[
        int | None,
        options.whole(
            "The last round that is played, T if not given; policies that know the horizon know "
            "T all the same.",
            "ROUND",
            show_default=False,
        ),
    ] = None,
    renew: Annotated[
        list[str] | None,
        options.optional(
            "An agent that submits an arm again as new, after so many plays of it or when its mean "
            "reward is below a value: 'ann after=1' or 'ann below=0.5'; may be repeated.",
            "RULE",
        ),
    ] = None,
    compare: Annotated[
        bool,
        typer.Option(
            "--compare", help="Say which policy has less regret, by how much, and where it is open."
        ),
    ] = False,
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
    # Others' are read with the engine, which takes a moment to load.
    asked = [text if place_of(text) else parse_policy(text) for text in policy or PAPER_POLICIES]
    if save is not None and len(asked) != 1:
        said = f"keeps one policy, and {len(asked)} are played: give one --policy"
        raise FieldError("--save", save, "for several policies", said)
    if compare:
        _check_comparable(asked)
        require(stop is None, "--stop", stop, "for whole games: leave it or --compare out")
    if plot is not None:
        check_format(plot)
    check_outputs(market, plot=plot, save=save)
    game: dict[str, Any] = {"horizon": horizon, "repetitions": repetitions, "seed": seed}
    given = as_market(market)
    schedule = Schedule(renewals=[_renewal(given, one) for one in renew or []])
    how: dict[str, Any] = {"workers": workers, "checkpoints": checkpoints, "device": device}
    how |= {"stop": stop}
    results = _play(given, asked, game, schedule=schedule or None, **how)
    if plot is not None:
        figure = plot_regret(results).get_figure(root=True)
        assert figure is not None
        save_figure(figure, plot)
    if save is not None:
        results[0].save(save)
    from copyproof.cli.simulation_tables import comparison_tables, simulation_tables

    if not compare:
        return emit_results(as_json, results, simulation_tables(results))
    from copyproof.comparison import compare as held_together

    found = held_together(results)
    answer = {"policies": [one.to_dict() for one in results], "comparison": found.to_dict()}
    parts = chain(simulation_tables(results), comparison_tables(found))
    return emit_answer(as_json, lambda: answer, parts)


def _renewal(market: Market, text: str) -> Renew:
    """Read a rule such as 'ann after=1'."""
    name, _, rule = text.strip().rpartition(" ")
    found = re.fullmatch(r"(after|below)=([0-9.eE+-]+)", rule)
    if not name or found is None:
        said = f"= {text!r} is not 'AGENT after=PLAYS' or 'AGENT below=MEAN'"
        raise FieldError("--renew", text, "a rule", said)
    agent = market.agent(name.strip()).name
    try:
        if found[1] == "after":
            return Renew(agent, after=int(found[2]))
        return Renew(agent, below=float(found[2]))
    except FieldError:
        raise
    except ValueError:
        said = f"= {text!r}: {found[2]} is not {'whole' if found[1] == 'after' else 'a number'}"
        raise FieldError("--renew", text, "a number", said) from None


def _check_comparable(asked: list[Policy | str]) -> None:
    """Refuse, before any game, policies that cannot be compared."""
    texts = [str(policy) for policy in asked]
    if len(texts) < 2:
        said = "takes two policies or more: give another --policy"
        raise FieldError("--compare", texts, "for one policy", said)
    for text in texts:
        if texts.count(text) > 1:
            raise FieldError("--policy", text, "given once", f"= {text} is given twice")


def _play(
    market: Market, asked: list[Policy | str], game: dict[str, Any], **how: Any
) -> "list[Result]":
    """Play the market under every policy; a result for each, in their order."""
    with prompt_interrupt():  # the import takes its time, too
        from copyproof.simulation import is_compiled
        from copyproof.simulation import simulate as play

        return in_turn(
            asked,
            [(how["stop"] or game["horizon"]) * game["repetitions"]] * len(asked),
            lambda policy, progress: play(market, policy, **game, **how, progress=progress),
            compiles=not is_compiled(),
        )
