"""``copyproof policies``: the catalogue of named policies."""

from collections.abc import Iterator, Sequence
from typing import Any

from copyproof.cli import options, tables
from copyproof.cli.output import emit_answer
from copyproof.policy import CATALOGUE, NamedPolicy


def policies(as_json: options.AsJson = False) -> None:
    """List the named policies.

    Shows their parameters, what they do, and what is claimed of them. The status of a claim is
    theorem (a complete proof is known), partly (proven in the stated part only), unproven or false.
    """
    what = tables.text("what it does, and what is claimed of it")
    columns = (tables.plain("policy"), what, tables.word("status"))
    table = tables.TextTable(columns, _lines(CATALOGUE))
    emit_answer(as_json, lambda: {"policies": [_row_dict(row) for row in CATALOGUE]}, [table])


def _row_dict(row: NamedPolicy) -> dict[str, Any]:
    return {
        "name": row.name,
        "parameters": list(row.parameters),
        "about": row.about,
        "citation": row.citation,
        "claims": [{"text": claim.text, "status": claim.status} for claim in row.claims],
    }


def _lines(rows: Sequence[NamedPolicy]) -> Iterator[tuple[str, str, str]]:
    """Give what a policy does, then a line for each claim."""
    for row in rows:
        takes = "A" if row.name == "fair" else ", ".join(row.parameters)
        yield row.name, row.about, ""
        for place, claim in enumerate(row.claims):
            yield f"({takes})" if takes and place == 0 else "", claim.text, claim.status
        yield "", "", ""
