"""The eleven claims of the paper's section on simulations, and ours, each with its own verdict.

A claim is a text and a function that judges it (``judges``). Words that the paper leaves open
("almost linear", "far smaller") are given a number in the claim's own text. A claim that holds
only in part, or whose words can be read in two ways, is split, and every part is judged. Nothing
is tuned to pass.

Claims beyond the paper are about Grace, the policy that it does not know. They are ours, are marked
as such, and are judged by the same intervals.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from copyproof.paper.beyond import at_most, best_on_all_markets
from copyproof.paper.judges import (
    ALMOST_LINEAR,
    LEVEL,
    STRAIGHT,
    Judged,
    beats,
    condition_is_broken,
    fair_is_linear,
    flat_policies_suffer,
    good_agents_gain_less,
    h_ucb_grows_linearly_in_2c,
    h_ucb_looks_linear_in_2c,
    large_samples_find,
    larger_without,
    not_sublinear_without,
    revenue_stays_level,
    rh_ucb_is_best_in_2c,
    s_ucb_is_convex,
    s_ucb_rises,
    small_samples_miss,
    sublinear,
    ucb1_rises_in_a_line,
)
from copyproof.paper.study import StudyResults


@dataclass(frozen=True, slots=True)
class PaperClaim:
    """A statement of the paper or of ours, and the figures that are needed to judge it."""

    name: str
    text: str
    figures: tuple[str, ...]
    judge: Callable[[StudyResults], Judged]
    beyond: bool = False
    """Whether it is beyond the paper: ours."""


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
        return {
            "claim": self.claim,
            "text": self.text,
            "holds": self.holds,
            "evidence": self.evidence,
            "figures": list(self.figures),
            "beyond": self.beyond,
        }


def judge(figures: StudyResults) -> tuple[ClaimVerdict, ...]:
    """Judge every claim for which all figures are there."""
    verdicts = []
    for claim in CLAIMS:
        if all(figure in figures for figure in claim.figures):
            holds, evidence = claim.judge(figures)
            told = (claim.name, claim.text, holds, evidence, claim.figures, claim.beyond)
            verdicts.append(ClaimVerdict(*told))
    return tuple(verdicts)


_2ABC = ("fig2a", "fig2b", "fig2c")

CLAIMS: tuple[PaperClaim, ...] = (
    PaperClaim(
        "1",
        "Figure 1a, UCB1: the copying agent's revenue grows almost linearly (it strays from a "
        f"straight line by less than {100 * STRAIGHT:.0f} % of its rise).",
        ("fig1a",),
        ucb1_rises_in_a_line,
    ),
    PaperClaim(
        "2a",
        "Figure 1a, S-UCB: the copying agent's revenue grows (no step is down).",
        ("fig1a",),
        s_ucb_rises,
    ),
    PaperClaim(
        "2b",
        'Figure 1a, S-UCB: it grows "in a somewhat convex manner" (it lies below its chord).',
        ("fig1a",),
        s_ucb_is_convex,
    ),
    PaperClaim(
        "3",
        "Figures 1a and 1b, H-UCB and RH-UCB: the copying agent's revenue stays level (within "
        f"{100 * LEVEL:.1f} %).",
        ("fig1a", "fig1b"),
        revenue_stays_level("h-ucb", "rh-ucb"),
    ),
    PaperClaim(
        "4",
        "Figure 1b: what the 0.9-agent gains by copying is far smaller than what the 0.5-agent "
        "gains (less than a quarter), under UCB1 and S-UCB.",
        ("fig1a", "fig1b"),
        good_agents_gain_less,
    ),
    PaperClaim(
        "5a",
        "Figure 2a: UCB1 and S-UCB suffer from one replicator (over twice the regret without it).",
        ("fig1a", "fig2a"),
        flat_policies_suffer,
    ),
    PaperClaim(
        "5b",
        "Figure 2a: RH-UCB is worse than H-UCB.",
        ("fig2a",),
        beats("fig2a", "h-ucb", "rh-ucb"),
    ),
    PaperClaim(
        "6",
        "Figure 2b: H-UCB still beats RH-UCB.",
        ("fig2b",),
        beats("fig2b", "h-ucb", "rh-ucb"),
    ),
    PaperClaim("7a", "Figure 2c: RH-UCB is best of all six.", ("fig2c",), rh_ucb_is_best_in_2c),
    PaperClaim(
        "7b",
        "Figure 2c: H-UCB's curve looks almost like a straight line (it strays from one by less "
        f"than {100 * STRAIGHT:.0f} % of its rise).",
        ("fig2c",),
        h_ucb_looks_linear_in_2c,
    ),
    PaperClaim(
        "7b, as a rate",
        f"Figure 2c: H-UCB grows almost linearly (at last like T^b with b > {ALMOST_LINEAR}).",
        ("fig2c",),
        h_ucb_grows_linearly_in_2c,
    ),
    PaperClaim(
        "7c",
        "Figure 2c: H-UCB is worse than S-UCB.",
        ("fig2c",),
        beats("fig2c", "s-ucb", "h-ucb"),
    ),
    PaperClaim(
        "8a",
        "Fair's regret is linear in figures 2a and 2b (like T^b with b within 0.05 of 1).",
        ("fig2a", "fig2b"),
        fair_is_linear("fig2a", "fig2b"),
    ),
    PaperClaim(
        "8b",
        "Fair's regret is linear in figure 2c, too, within these rounds.",
        ("fig2c",),
        fair_is_linear("fig2c"),
    ),
    PaperClaim(
        "9a",
        "RH-UCB is sublinear (over the last half like T^b with b < 1) in figures 2a, 2b and 2c.",
        _2ABC,
        sublinear("rh-ucb"),
    ),
    PaperClaim("9b", "PRH-UCB is sublinear there, too.", _2ABC, sublinear("prh-ucb")),
    PaperClaim(
        "10a",
        "The hierarchy is needed: without it (S-UCB) regret is larger on some market.",
        ("ablation",),
        larger_without("the hierarchy", "s-ucb"),
    ),
    PaperClaim(
        "10b",
        "The hierarchy is needed for sublinear regret: without it regret grows like T^b with "
        f"b > {ALMOST_LINEAR} on some market.",
        ("ablation",),
        not_sublinear_without("the hierarchy", "s-ucb"),
    ),
    PaperClaim(
        "10c",
        "The sampling is needed: without it (RH-UCB on all arms) regret is larger on some market.",
        ("ablation",),
        larger_without("the sampling", "rh-ucb-all"),
    ),
    PaperClaim(
        "10d",
        "The sampling is needed for sublinear regret: without it regret grows like T^b with "
        f"b > {ALMOST_LINEAR} on some market.",
        ("ablation",),
        not_sublinear_without("the sampling", "rh-ucb-all"),
    ),
    PaperClaim(
        "11a",
        "Figure 2c breaks theorem 5's own condition L ≥ 1/c with its L = 3.",
        (),
        condition_is_broken,
    ),
    PaperClaim(
        "11b",
        "With L = 3 the best agent's sample misses every best arm now and then (over 1 %).",
        ("samples",),
        small_samples_miss,
    ),
    PaperClaim(
        "11c",
        "With L = 22, which meets the condition, it hardly ever does (under 1 %).",
        ("samples",),
        large_samples_find,
    ),
    # --- beyond the paper --------------------------------------------------------------------
    PaperClaim(
        "G1",
        "Figures 1a and 1b, Grace: the copying agent's revenue stays level (within "
        f"{100 * LEVEL:.1f} %).",
        ("fig1a", "fig1b"),
        revenue_stays_level("grace"),
        beyond=True,
    ),
    PaperClaim(
        "G2",
        "Figures 2a and 2b: Grace's regret is at most half of H-UCB's.",
        ("fig2a", "fig2b"),
        at_most(1 / 2, "h-ucb", ("fig2a", "fig2b")),
        beyond=True,
    ),
    PaperClaim(
        "G3",
        "Figure 2c: Grace's regret is at most a twelfth of RH-UCB's.",
        ("fig2c",),
        at_most(1 / 12, "rh-ucb", ("fig2c",)),
        beyond=True,
    ),
    PaperClaim(
        "G4",
        "Honest agents with three arms each: Grace's regret is at most 0.7 of H-UCB's.",
        ("markets",),
        at_most(0.7, "h-ucb", ("honest-3",)),
        beyond=True,
    ),
    PaperClaim(
        "G5",
        "On each of five markets, two without copies and those of figures 2a, 2b and 2c, Grace has "
        "less regret than H-UCB, RH-UCB and PRH-UCB.",
        ("markets",),
        best_on_all_markets,
        beyond=True,
    ),
)
