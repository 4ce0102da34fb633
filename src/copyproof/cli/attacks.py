"""``copyproof attacks``: several identities, and arms that are submitted again as new."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from copyproof.cli import options, tables
from copyproof.cli.examination import examine
from copyproof.cli.output import check_outputs, emit_results
from copyproof.defaults import CONFIDENCE, IDENTITIES, REFERENCE, SEED, SPLIT
from copyproof.game import as_market
from copyproof.plots import check_format, limits, save_figure

if TYPE_CHECKING:
    from copyproof.auditing import Attacks


def attacks(
    market: options.MarketName,
    policy: options.Policies,
    horizon: options.Horizon,
    agent: Annotated[str, options.optional("The agent that attacks.", "NAME")],
    seed: options.Seed = SEED,
    identities: Annotated[
        list[int] | None,
        options.whole(
            "How many identities to try; may be repeated. 2, 3, 5 and 10 if none is given.",
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
    plot: Annotated[
        Path | None,
        typer.Option(
            help="Draw the price of an identity, all policies in one figure: .png, .svg or .pdf.",
            metavar="FILE",
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Find out what an agent gains by other means than copies.

    Several identities: one person takes part as several agents. Re-registration: arms are
    withdrawn during the game and submitted again as new. Both against the reference strategy.
    """
    if plot is not None:
        check_format(plot)
        check_outputs(market, plot=plot)
    game = as_market(market)
    from copyproof.auditing import attacks as find

    found = examine(
        find,
        game,
        policy,
        agent=agent,
        horizon=horizon,
        seed=seed,
        identities=identities or IDENTITIES,
        split_arms=split_arms,
        reference=reference,
        confidence=confidence,
        budget=budget,
        workers=workers,
    )
    if plot is not None:
        from copyproof.auditing.report import plot_identity_price

        figure = plot_identity_price(found).get_figure(root=True)
        assert figure is not None
        save_figure(figure, plot)
    emit_results(as_json, found, _parts(found))


def _parts(found: "Sequence[Attacks]") -> Iterator[tables.Part]:
    first = found[0]
    yield (
        f"agent {first.agent} against the copies {','.join(map(str, first.reference))}; "
        f"{tables.quantity(first.horizon, 'round')}, seed {first.seed}; all limits of a policy "
        f"hold together, with {100 * first.confidence:g} %"
    )
    yield "\nthe price of an identity: a fee per identity above it stops all of these"
    yield tables.TextTable(
        (tables.text("policy"), tables.number("price [low, high]"), tables.number("identities")),
        ((one.policy, limits(one.identity_price), str(one.dearest.count)) for one in found),
    )
    for one in found:
        yield f"\n{one.policy}: one person as several agents"
        gains = ("gain [low, high]", "per further identity")
        yield tables.TextTable(
            (tables.number("identities"), tables.word("verdict"), *map(tables.number, gains)),
            (
                (str(more.count), more.gain.verdict, limits(more.gain.gain), limits(more.each))
                for more in one.identities
            ),
        )
        if one.renewals:
            yield f"\n{one.policy}: arms withdrawn and submitted again"
            yield tables.TextTable(
                (tables.text("strategy"), tables.word("verdict"), tables.number(gains[0])),
                ((gain.deviation.name, gain.verdict, limits(gain.gain)) for gain in one.renewals),
            )
    yield "\nper further identity: what verifying one must cost an attacker to stop the attack."
