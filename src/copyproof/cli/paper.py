"""``copyproof paper``: the whole study, its figures, its claims and its report."""

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from copyproof.cli import options, tables
from copyproof.cli.output import device_answer, emit, emit_json, tell_device
from copyproof.cli.progress import ProgressBar, prompt_interrupt
from copyproof.defaults import STUDY_HORIZON, STUDY_REPETITIONS, STUDY_SEED
from copyproof.validation import FieldError, known

if TYPE_CHECKING:
    from copyproof.paper import ClaimVerdict, Settings, StudyResults
    from copyproof.studies.run import Summary


def paper(
    out: Annotated[
        Path, typer.Option(help="The folder to write to, and to go on in.", metavar="DIR")
    ] = Path("paper"),
    only: Annotated[
        list[str] | None,
        options.optional(
            "A figure: fig1a, fig1b, fig2a, fig2b, fig2c, convexity, markets, frontier, ablation, "
            "samples or growth; more may follow. All if none is given.",
            "FIGURE",
        ),
    ] = None,
    more: Annotated[
        list[str] | None, typer.Argument(metavar="[FIGURE ...]", hidden=True, show_default=False)
    ] = None,
    horizon: Annotated[
        int | None, options.whole(f"Rounds of a game, {STUDY_HORIZON} as in the paper.", "T")
    ] = None,
    repetitions: Annotated[
        int | None,
        options.whole(f"Games for each point, {STUDY_REPETITIONS} as in the paper.", "R"),
    ] = None,
    seed: Annotated[int, options.whole("One for the whole study.", "S")] = STUDY_SEED,
    quick: Annotated[
        bool, typer.Option("--quick", help="A small study: 10000 rounds, 20 repetitions.")
    ] = False,
    device: options.Device = "cpu",
    as_json: options.AsJson = False,
) -> None:
    """Play the paper's study, and say claim by claim what holds.

    Broken off, it goes on where it stopped when it is called again; finished, it draws again
    without playing.
    """
    if more and not only:
        said = "is not expected here; figures are given with --only"
        raise FieldError(repr(more[0]), more, "expected here", said)
    begin = time.perf_counter()
    with prompt_interrupt():  # the imports take their time
        from copyproof.paper import FIGURES, PAPER_SIZE, QUICK, judge
        from copyproof.paper.page import write_report

    names = {known("figure", name, FIGURES) for name in [*(only or []), *(more or [])]}
    base = QUICK if quick else PAPER_SIZE
    asked = {"horizon": horizon, "repetitions": repetitions, "seed": seed}
    given = {name: value for name, value in asked.items() if value is not None}
    settings = replace(base, **given)
    wanted = tuple(name for name in FIGURES if not names or name in names)
    figures, done = _complete(out, wanted, settings, device)
    verdicts = judge(figures, settings)
    write_report(out, figures, verdicts, settings)
    if as_json:
        answer = {
            "out": str(out),
            "figures": list(figures),
            "claims": [verdict.to_dict() for verdict in verdicts],
            "reduced": settings.reduced,
            "played": done.played,
            **device_answer(done.device),
            "seconds": time.perf_counter() - begin,
        }
        emit_json(answer)
    else:
        tell_device(done.device)
        emit(_claims_table(verdicts, settings.reduced) + f"\n{out / 'index.html'}\n")


def _complete(
    out: Path, wanted: tuple[str, ...], settings: "Settings", device: str
) -> "tuple[StudyResults, Summary]":
    """Play what is missing of the wanted figures; return all complete ones, and what was done."""
    from copyproof.paper import FIGURES, all_runs, by_figure, complete, found, runs_of
    from copyproof.simulation import is_compiled

    runs = all_runs(FIGURES, settings)
    known = found(out, runs)
    with ProgressBar(compiles=not is_compiled()) as bar:
        figures = {name: list(runs_of(name, settings).values()) for name in wanted}
        done = complete(out, figures, known=known, device=device, progress=bar.show_run)
    known |= found(out, [run for run in runs if run not in known])
    whole = tuple(
        name for name in FIGURES if all(run in known for run in runs_of(name, settings).values())
    )
    return by_figure(whole, settings, known), done


def _claims_table(verdicts: "Sequence[ClaimVerdict]", reduced: str | None) -> str:
    """Return the verdicts on the paper's claims, and on ours, as text."""
    words = {True: "holds", False: "FAILS", None: "undecided"}
    rows = [(one.claim, words[one.holds] + "*" * bool(one.reduced), one.text) for one in verdicts]
    papers = [verdict.holds for verdict in verdicts if not verdict.beyond]
    ours = [verdict.holds for verdict in verdicts if verdict.beyond]
    told = f"The paper's statements: {_counts(papers)}."
    if ours:
        told += f"\nOurs, beyond the paper: {_counts(ours)}."
    if reduced:
        told += f"\n* Not the paper's size: {reduced}. At full size these verdicts may differ."
    return tables.printed([tables.TextTable(map(tables.plain, ("claim", "", "text")), rows), told])


def _counts(verdicts: "Sequence[bool | None]") -> str:
    hold, fail, undecided = (verdicts.count(one) for one in (True, False, None))
    return f"{hold} hold, {fail} fail, {undecided} undecided"
