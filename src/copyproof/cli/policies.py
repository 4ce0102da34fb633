"""``copyproof policies``: the catalogue of named policies."""

import json
from typing import Annotated, Any

import typer

from copyproof.cli.output import emit
from copyproof.policy import CATALOGUE, NamedPolicy


def policies(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
) -> None:
    """List the named policies.

    Shows their parameters, what they do, and what is claimed of them. The status of a claim is
    theorem (a complete proof is known), partly (proven in the stated part only), unproven or false.
    """
    if as_json:
        found = {"policies": [_row_dict(row) for row in CATALOGUE]}
        emit(json.dumps(found, allow_nan=False) + "\n")
    else:
        from copyproof.cli.tables import catalogue_table

        emit(catalogue_table(CATALOGUE))


def _row_dict(row: NamedPolicy) -> dict[str, Any]:
    return {
        "name": row.name,
        "parameters": list(row.parameters),
        "about": row.about,
        "citation": row.citation,
        "claims": [{"text": claim.text, "status": claim.status} for claim in row.claims],
    }
