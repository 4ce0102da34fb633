"""``copyproof drill``: attacks on the live principal, before and after."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from copyproof.cli import options, tables
from copyproof.cli.output import emit_results
from copyproof.cli.progress import in_turn, prompt_interrupt
from copyproof.defaults import CONFIDENCE, DRILL_GAMES, SEED
from copyproof.plots import limits

if TYPE_CHECKING:
    from copyproof.drills import Drill, ScenarioGain


def drill(
    policy: Annotated[
        list[str] | None,
        options.policies("; may be repeated. What new markets run if none is given."),
    ] = None,
    scenario: Annotated[
        list[str] | None,
        options.optional("A scenario by its name; may be repeated. All if none is given.", "NAME"),
    ] = None,
    games: Annotated[int, options.whole("Pairs of games for each setting.")] = DRILL_GAMES,
    seed: options.Seed = SEED,
    confidence: Annotated[
        float, typer.Option(help="With which all limits of a policy hold together.", metavar="X")
    ] = CONFIDENCE,
    workers: options.Workers = None,
    as_json: options.AsJson = False,
) -> None:
    """Attack the live principal, in memory, and measure what it pays.

    Each scenario is a condition of service: slates, visitors who may not see everyone, filters,
    late rewards, arms that come and go, means that change. It is played with the attack and without
    it, with the same luck, under the old settings and those of today, of which some are known to
    pay. Every verdict is a success: status 0.
    """
    with prompt_interrupt():  # the import takes its time, too
        from copyproof.drills import drill as find
        from copyproof.drills.run import games_of
        from copyproof.live.compiled import is_compiled
        from copyproof.live.records import DEFAULT
        from copyproof.policy import parse_policy

        parsed = [parse_policy(text) for text in policy or [DEFAULT]]
        found = in_turn(
            parsed,
            [games * games_of(one, scenario) for one in parsed],
            lambda one, progress: find(
                one,
                scenarios=scenario,
                games=games,
                seed=seed,
                confidence=confidence,
                workers=workers,
                progress=progress,
            ),
            compiles=not is_compiled(),
        )
    emit_results(as_json, found, _parts(found))


def _parts(found: "Sequence[Drill]") -> Iterator[tables.Part]:
    from copyproof.drills import SCENARIOS

    first = found[0]
    yield (
        f"{tables.quantity(first.games, 'pair')} of games for each setting, seed {first.seed}; all "
        f"limits of a policy hold together, with {100 * first.confidence:g} %"
    )
    for one in found:
        for scenario in SCENARIOS:
            gains = [gain for gain in one.gains if gain.scenario == scenario.name]
            if not gains:
                continue
            yield f"\n{one.policy}, {scenario.name}: {scenario.text}"
            yield _table(gains)
    yield _LEGEND


_LEGEND = """
Without the attack → with it, or without a memory → with one. revenue, share: of
the agent that attacks, share of the decisions that are counted; regret: of all.
gain: of revenue, or of plays where only their share is shown; largest: of one
game. unchanged: no play of any game differs. (old): how it was before; (pays):
known to pay today."""


def _table(gains: "Sequence[ScenarioGain]") -> tables.TextTable:
    """The settings of one scenario."""
    measure = gains[0].measure
    shown = _COLUMNS[measure]
    return tables.TextTable(
        (
            tables.text("setting"),
            *map(tables.number, shown),
            tables.number("saved [low, high]" if measure == "regret" else "gain [low, high]"),
            tables.number("largest"),
            tables.word("verdict"),
        ),
        (
            (
                _setting(gain),
                *(_change(gain, column) for column in shown),
                limits(gain.gain),
                f"{gain.largest:,.0f}",
                gain.verdict,
            )
            for gain in gains
        ),
    )


def _setting(gain: "ScenarioGain") -> str:
    """Name a setting, and say what is known of it before."""
    if gain.is_old:
        return f"{gain.setting} (old)"
    return f"{gain.setting} (pays)" if gain.pays else gain.setting


# By what is measured, the columns that show it.
_COLUMNS = {"revenue": ("revenue", "share"), "plays": ("share",), "regret": ("regret",)}


def _change(gain: "ScenarioGain", column: str) -> str:
    """What a column shows: without the attack, and with it."""
    wide = ".1%" if gain.measure == "plays" else ".0%"
    shown = wide if column == "share" else ",.0f"
    one, other = (getattr(side, column) for side in (gain.without, gain.attacking))
    return f"{one:{shown}} → {other:{shown}}"
