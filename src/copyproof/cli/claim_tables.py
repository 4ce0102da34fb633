"""What is claimed: of the named policies, and by the paper."""

from collections.abc import Iterator, Sequence

from rich.table import Column

from copyproof.cli import tables
from copyproof.paper import ClaimVerdict
from copyproof.policy import NamedPolicy


def catalogue_table(rows: Sequence[NamedPolicy]) -> str:
    """Return the catalogue as text: what a policy does, then a line for each claim."""
    columns = (
        Column("policy"),
        tables.text("what it does, and what is claimed of it"),
        tables.word("status"),
    )
    return tables.printed([tables.new_table(columns, _catalogue_lines(rows))])


def _catalogue_lines(rows: Sequence[NamedPolicy]) -> Iterator[tuple[str, str, str]]:
    for row in rows:
        takes = "A" if row.name == "fair" else ", ".join(row.parameters)
        yield row.name, row.about, ""
        for place, claim in enumerate(row.claims):
            yield f"({takes})" if takes and place == 0 else "", claim.text, claim.status
        yield "", "", ""


def claims_table(verdicts: Sequence[ClaimVerdict]) -> str:
    """Return the verdicts on the paper's claims, and on ours, as text."""
    rows = [(one.claim, "holds" if one.holds else "FAILS", one.text) for one in verdicts]
    papers = [verdict.holds for verdict in verdicts if not verdict.beyond]
    ours = [verdict.holds for verdict in verdicts if verdict.beyond]
    told = f"{sum(papers)} of {len(papers)} hold"
    if ours:
        told += f"; beyond the paper (G), {sum(ours)} of {len(ours)}"
    return tables.printed([tables.new_table(map(Column, ("claim", "", "text")), rows), told])
