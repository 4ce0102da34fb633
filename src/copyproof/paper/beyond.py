"""How the claims beyond the paper are judged: they are about Grace, and ours.

As in ``judges``: small functions from results to (holds, evidence), 95 % intervals, and comparisons
that are paired, as all runs share their luck.
"""

from collections.abc import Callable

from copyproof.paper.judges import Judged
from copyproof.paper.measures import regret_difference, regret_ratio
from copyproof.paper.study import MARKETS, OURS, RIVALS, StudyResults
from copyproof.simulation import Result


def at_most(share: float, other: str, places: tuple[str, ...]) -> Callable[[StudyResults], Judged]:
    """Grace's regret is at most a share of another policy's, in some figures or markets."""

    def judged(figures: StudyResults) -> Judged:
        verdict, parts = True, []
        for place in places:
            ours, theirs = _run(figures, place, OURS), _run(figures, place, other)
            ratio = regret_ratio(ours, theirs)
            verdict &= ratio.high <= share
            parts.append(
                f"{place}: regret {ours.regret.mean:,.0f} for {OURS}, {theirs.regret.mean:,.0f} "
                f"for {other}, {ratio} of it"
            )
        return verdict, "; ".join(parts)

    return judged


def _run(figures: StudyResults, place: str, policy: str) -> Result:
    """The run of a policy in a figure, or on one of the markets."""
    return figures[place][policy,] if place in figures else figures["markets"][place, policy]


def best_on_all_markets(figures: StudyResults) -> Judged:
    """On every market each of the paper's hierarchical policies has more regret than Grace."""
    runs = figures["markets"]
    verdict, parts = True, []
    for market in MARKETS:
        best = min(RIVALS, key=lambda policy: runs[market, policy].regret.mean)
        gaps = [regret_difference(runs[market, p], runs[market, OURS]) for p in RIVALS]
        verdict &= all(gap.low > 0 for gap in gaps)
        ratio = regret_ratio(runs[market, OURS], runs[market, best])
        parts.append(f"{market}: {ratio} of the regret of the next best, {best}")
    return verdict, "; ".join(parts)
