"""``copyproof policies``: the catalogue of named policies."""

from typing import Any

from copyproof.cli import options
from copyproof.cli.output import emit, emit_json
from copyproof.policy import CATALOGUE, NamedPolicy


def policies(as_json: options.AsJson = False) -> None:
    """List the named policies.

    Shows their parameters, what they do, and what is claimed of them. The status of a claim is
    theorem (a complete proof is known), partly (proven in the stated part only), unproven or false.
    """
    if as_json:
        emit_json({"policies": [_row_dict(row) for row in CATALOGUE]})
    else:
        from copyproof.cli.claim_tables import catalogue_table

        emit(catalogue_table(CATALOGUE))


def _row_dict(row: NamedPolicy) -> dict[str, Any]:
    return {
        "name": row.name,
        "parameters": list(row.parameters),
        "about": row.about,
        "citation": row.citation,
        "claims": [{"text": claim.text, "status": claim.status} for claim in row.claims],
    }
