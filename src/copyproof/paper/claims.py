"""All claims of the study, and what becomes of them.

A new claim is one more function in ``judges``, or in ``beyond`` where it is not the paper's.
"""

from dataclasses import asdict, dataclass
from typing import Any

from copyproof.paper import beyond, judges
from copyproof.paper.claim import PaperClaim
from copyproof.paper.study import StudyResults

# The eleven claims of the paper's section on simulations, and ours, as they stand there.
CLAIMS = tuple(
    claim
    for module in (judges, beyond)
    for claim in vars(module).values()
    if isinstance(claim, PaperClaim)
)


@dataclass(frozen=True, slots=True)
class ClaimVerdict:
    """What became of a claim."""

    claim: str
    text: str
    holds: bool
    evidence: str
    figures: tuple[str, ...]
    beyond: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The verdict as an entry of ``claims.json``."""
        return asdict(self) | {"figures": list(self.figures)}


def judge(figures: StudyResults) -> tuple[ClaimVerdict, ...]:
    """Judge every claim for which all figures are there."""
    return tuple(
        ClaimVerdict(one.name, one.text, *one.judge(figures), one.figures, one.beyond)
        for one in CLAIMS
        if figures.keys() >= set(one.figures)
    )
