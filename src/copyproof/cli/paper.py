"""``copyproof paper``: the whole study, its figures, its claims and its report."""

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from copyproof.cli.output import emit, whole
from copyproof.cli.waiting import Waiting, prompt_interrupt

if TYPE_CHECKING:
    from copyproof.paper import Settings, StudyFolder, StudyResults

__all__ = ["paper"]


def paper(
    out: Annotated[
        Path, typer.Option(help="The folder to write to, and to go on in.", metavar="DIR")
    ] = Path("paper"),
    only: Annotated[
        list[str] | None,
        typer.Option(
            help="A figure: fig1a, fig1b, fig2a, fig2b, fig2c, markets, ablation, samples "
            "or growth; more may follow. All if none is given.",
            metavar="FIGURE",
            show_default=False,
        ),
    ] = None,
    more: Annotated[
        list[str] | None, typer.Argument(metavar="[FIGURE ...]", hidden=True, show_default=False)
    ] = None,
    horizon: Annotated[
        int | None,
        typer.Option(help="Rounds of a game, 100000 as in the paper.", metavar="T", parser=whole),
    ] = None,
    repetitions: Annotated[
        int | None,
        typer.Option(help="Games for each point, 100 as in the paper.", metavar="R", parser=whole),
    ] = None,
    seed: Annotated[
        int, typer.Option(help="One for the whole study.", metavar="S", parser=whole)
    ] = 1,
    quick: Annotated[
        bool, typer.Option("--quick", help="A small study: 10000 rounds, 20 repetitions.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
) -> None:
    """Play the paper's study, and say claim by claim what holds.

    Broken off, it goes on where it stopped when it is called again; finished, it draws again
    without playing.
    """
    names = [*(only or []), *(more or [])]
    if more and not only:
        raise ValueError(f"{more[0]!r} is not expected here; figures are given with --only")
    begin = time.perf_counter()
    with prompt_interrupt():  # the imports take their time
        from copyproof.paper import FIGURES, PAPER_SIZE, QUICK, Settings, judge, open_study
        from copyproof.paper.report import write_report

    for name in names:
        if name not in FIGURES:
            raise ValueError(f"figure = {name!r} is not one of {', '.join(FIGURES)}")
    base = QUICK if quick else PAPER_SIZE
    settings = Settings(
        horizon=base.horizon if horizon is None else horizon,
        repetitions=base.repetitions if repetitions is None else repetitions,
        seed=seed,
    )
    wanted = tuple(name for name in FIGURES if not names or name in names)
    with open_study(out) as folder:
        figures, played = _complete(folder, wanted, settings)
        verdicts = judge(figures)
        write_report(out, figures, verdicts, settings)
    seconds = time.perf_counter() - begin
    if as_json:
        found = {
            "out": str(out),
            "figures": list(figures),
            "claims": [verdict.to_dict() for verdict in verdicts],
            "played": played,
            "seconds": seconds,
        }
        emit(json.dumps(found, allow_nan=False) + "\n")
    else:
        from copyproof.cli.tables import claims_table

        emit(claims_table(verdicts) + f"\n{out / 'index.html'}\n")


def _complete(
    folder: "StudyFolder", wanted: tuple[str, ...], settings: "Settings"
) -> "tuple[StudyResults, int]":
    """Play what is missing of the wanted figures; return all complete ones, and how much it was."""
    from copyproof.engine.cache import is_cached
    from copyproof.paper import FIGURES, all_runs, by_figure, play, runs_of

    found = folder.found(all_runs(FIGURES, settings))
    missing = [run for run in all_runs(wanted, settings) if run not in found]
    with Waiting(sum(run.rounds for run in missing), compiles=not is_cached()) as waiting:
        for run in missing:
            progress = waiting.part(run.rounds)
            with prompt_interrupt():
                found[run] = play(run, progress)
            folder.keep(run, found[run])
    complete = tuple(
        name for name in FIGURES if all(run in found for run in runs_of(name, settings).values())
    )
    return by_figure(complete, settings, found), len(missing)
