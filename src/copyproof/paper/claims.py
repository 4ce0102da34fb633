"""All claims of the study, and what becomes of them.

A new claim is one more function in ``judges``, or in ``beyond`` where it is not the paper's.
"""

from dataclasses import asdict, dataclass, replace
from typing import Any

from copyproof.pages import Badge
from copyproof.paper import beyond, judges
from copyproof.paper.claim import PaperClaim, Verdict
from copyproof.paper.study import PAPER_SIZE, Settings, StudyResults

# The eleven claims of the paper's section on simulations, and ours, as they stand there.
CLAIMS = tuple(
    claim
    for module in (judges, beyond)
    for claim in vars(module).values()
    if isinstance(claim, PaperClaim)
)


_BADGES = {
    True: Badge("✓ holds", "holds"),
    False: Badge("✗ fails", "fails"),
    None: Badge("? undecided", "open"),
}


@dataclass(frozen=True, slots=True)
class ClaimVerdict:
    """What became of a claim.

    ``holds`` is None if the study does not decide it.

    ``reduced`` says how large the study behind it was where that was smaller than the paper's; None
    where it was not, or where the claim rests on no games.
    """

    claim: str
    text: str
    holds: Verdict
    evidence: str
    figures: tuple[str, ...]
    beyond: bool = False
    reduced: str | None = None

    @property
    def badge(self) -> Badge:
        """The verdict in a word; that of a reduced study has a star.

        Examples
        --------
        >>> ClaimVerdict("1", "", None, "", ("fig1a",), reduced="T = 300").badge.text
        '? undecided*'
        """
        badge = _BADGES[self.holds]
        return replace(badge, text=badge.text + "*" * (self.reduced is not None))

    def to_dict(self) -> dict[str, Any]:
        """The verdict as an entry of ``claims.json``."""
        return asdict(self) | {"figures": list(self.figures)}


def judge(figures: StudyResults, settings: Settings = PAPER_SIZE) -> tuple[ClaimVerdict, ...]:
    """Judge every claim for which all figures are there.

    Parameters
    ----------
    figures : mapping of str to results by key
        All figures that are complete.
    settings : Settings
        The size of the study that they are of: verdicts of a smaller one than the paper's say so.
    """
    return tuple(
        ClaimVerdict(
            *(one.name, one.text, *one.judge(figures), one.figures, one.beyond),
            reduced=settings.reduced if one.figures else None,
        )
        for one in CLAIMS
        if figures.keys() >= set(one.figures)
    )
