"""``copyproof study``: run a study, see how far it is, and report what it found."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from copyproof.cli import options, tables
from copyproof.cli.output import device_answer, emit, emit_answer, emit_json, say, tell_device
from copyproof.cli.progress import ProgressBar, prompt_interrupt

study = options.group(
    "study", "Studies: policies × markets × strategies, played once, kept, and compared."
)

_Folder = Annotated[
    Path, typer.Argument(metavar="DIR", help="The folder of a study.", show_default=False)
]
# Failures that are listed for people; --json has all.
_MOST_FAILURES = 20


@study.command()
def run(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A study file (.toml).", show_default=False)
    ],
    out: Annotated[
        Path,
        typer.Option(
            help="The folder to write to, and to go on in.", metavar="DIR", show_default=False
        ),
    ],
    workers: options.Workers = None,
    cluster: Annotated[
        str | None,
        options.optional(
            "A Dask cluster: tcp://HOST:PORT of its scheduler, or local; threads of this process "
            "if not given.",
            "ADDRESS",
        ),
    ] = None,
    device: Annotated[
        str | None,
        options.optional(
            "What the games are played on: cpu, cuda (a GPU) or auto; as FILE says if not given, "
            "else cpu. On a cluster every worker takes a GPU of its own. No effect on the results.",
            "DEVICE",
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Play a study, or what is missing of it.

    Broken off, by Ctrl-C or otherwise, it goes on where it stopped when it is called again; a
    changed study plays only what is new. DIR/results.parquet has one row for each cell. A cell that
    fails is listed, and tried again by the next run; the exit status is then 1.
    """
    begin = time.perf_counter()
    with prompt_interrupt():  # the imports take their time
        from copyproof.simulation import is_compiled
        from copyproof.studies.study import Study
    asked = Study.read(file)
    with ProgressBar(compiles=cluster is None and not is_compiled()) as bar:
        how: dict[str, Any] = {"workers": workers, "cluster": cluster, "device": device}
        asked.run(out, **how, progress=bar.show_run)
    found = asked.summary
    if as_json:
        answer = {
            "out": str(out),
            **found.status.to_dict(),
            "played": found.played,
            "others": found.others,
            "failures": _failures(found.failures),
            **device_answer(found.device),
            "seconds": time.perf_counter() - begin,
        }
        emit_json(answer)
    else:
        _tell_failures(asked.failures)
        tell_device(found.device)
        if found.others:
            kept = f"{tables.quantity(found.others, 'cell')} kept in the folder"
            say(f"{kept} {'is' if found.others == 1 else 'are'} not in this study")
        emit(f"{_told(found.status.to_dict())}; {found.played:,} played\n{out}/results.parquet\n")
    if found.status.failed:
        raise typer.Exit(1)


@study.command()
def status(folder: _Folder, as_json: options.AsJson = False) -> None:
    """Say how far a study is, also while it is run."""
    from copyproof.studies.folder import is_in_use
    from copyproof.studies.status import status_of, told

    found, failures = status_of(folder)
    if as_json:
        answer = found.to_dict() | {"running": is_in_use(folder), "failures": _failures(failures)}
        emit_json(answer)
        return
    _tell_failures([f"{told(identity)}: {reason}" for identity, reason in failures])
    running = "; a process is working on it" if is_in_use(folder) else ""
    emit(f"{_told(found.to_dict())}{running}\n")


@study.command()
def report(folder: _Folder, as_json: options.AsJson = False) -> None:
    """Compare the policies of a study, in tables and on a page, DIR/report.html."""
    with prompt_interrupt():
        from copyproof.studies.report import LEGEND, comparisons, write_report
        from copyproof.studies.status import status_of, told
        from copyproof.studies.study import folder_frame
    found, failures = status_of(folder)
    frame = folder_frame(folder)
    frame = frame.dropna(axis="columns", how="all").assign(failure=frame["failure"])
    frame["part"] = frame.get("part", "")
    groups = comparisons(frame)
    lines = [f"{told(identity)}: {reason}" for identity, reason in failures]
    page = write_report(folder, frame, found, lines)
    parts: list[tables.Part] = []
    for one in groups:
        columns = [tables.plain(one.head[0]), *map(tables.number, one.head[1:])]
        parts += [one.title, tables.TextTable(columns, one.rows), ""]
    if any("ratio" in one.head for one in groups):
        parts += [*LEGEND, ""]
    parts += [_told(found.to_dict()), str(page)]

    def answer() -> dict[str, Any]:
        return found.to_dict() | {
            "report": str(page),
            "tables": [
                {
                    "title": one.title,
                    "rows": [dict(zip(one.head, r, strict=True)) for r in one.rows],
                }
                for one in groups
            ],
        }

    emit_answer(as_json, answer, parts)


def _told(status: dict[str, Any]) -> str:
    cells = tables.quantity(status["cells"], "cell")
    return f"{cells}: {status['done']:,} done, {status['failed']:,} failed, {status['open']:,} open"


def _failures(failures: Sequence[tuple[dict[str, Any], str]]) -> list[dict[str, Any]]:
    names = ("part", "policy", "market", "strategy", "horizon", "seed", "cell")
    return [
        {name: identity[name] for name in names} | {"reason": reason}
        for identity, reason in failures
    ]


def _tell_failures(lines: Sequence[str]) -> None:
    for line in lines[:_MOST_FAILURES]:
        say(f"failed: {line}")
    if len(lines) > _MOST_FAILURES:
        say(f"and {len(lines) - _MOST_FAILURES} more; --json has all of them")
