# ruff: noqa: D205  The docstring of a claim is its text, whole sentences of any length.
"""The claims beyond the paper: they are about Grace, and ours."""

from copyproof.paper.claim import Judged, all_hold, claim
from copyproof.paper.judges import revenue_is_level
from copyproof.paper.measures import regret_difference, regret_ratio
from copyproof.paper.study import MARKETS, OURS, RIVALS, FigureResults, StudyResults


@claim("G1", "fig1a", "fig1b", beyond=True)
def grace_revenue_is_level(study: StudyResults) -> Judged:
    """Figures 1a and 1b, Grace: the copying agent's revenue stays level (within {level})."""
    return revenue_is_level(study, OURS)


@claim("G2", "fig2a", "fig2b", beyond=True)
def grace_halves_h_ucb(study: StudyResults) -> Judged:
    """Figures 2a and 2b: Grace's regret is at most half of H-UCB's."""
    return all_hold(_at_most(1 / 2, "h-ucb", place, study[place]) for place in ("fig2a", "fig2b"))


@claim("G3", "fig2c", beyond=True)
def grace_beats_rh_ucb_twelvefold(study: StudyResults) -> Judged:
    """Figure 2c: Grace's regret is at most a twelfth of RH-UCB's."""
    return _at_most(1 / 12, "rh-ucb", "fig2c", study["fig2c"])


@claim("G4", "markets", beyond=True)
def grace_gains_on_honest_agents(study: StudyResults) -> Judged:
    """Honest agents with three arms each: Grace's regret is at most 0.7 of H-UCB's."""
    place = "honest-3"
    here: FigureResults = {key[1:]: run for key, run in study["markets"].items() if key[0] == place}
    return _at_most(0.7, "h-ucb", place, here)


@claim("G5", "markets", beyond=True)
def grace_is_best_on_all_markets(study: StudyResults) -> Judged:
    """On each of five markets, two without copies and those of figures 2a, 2b and 2c, Grace has
    less regret than H-UCB, RH-UCB and PRH-UCB.
    """
    return all_hold(_is_best_on(market, study["markets"]) for market in MARKETS)


def _is_best_on(market: str, runs: FigureResults) -> Judged:
    """Whether Grace has less regret on a market than each of the paper's hierarchical policies."""
    ours = runs[market, OURS]
    best = min(RIVALS, key=lambda policy: runs[market, policy].regret.mean)
    ratio = regret_ratio(ours, runs[market, best])
    holds = all(regret_difference(runs[market, rival], ours).low > 0 for rival in RIVALS)
    return holds, f"{market}: {ratio} of the regret of the next best, {best}"


def _at_most(share: float, other: str, place: str, runs: FigureResults) -> Judged:
    """Whether Grace's regret is at most a share of another policy's."""
    ours, theirs = runs[OURS,], runs[other,]
    ratio = regret_ratio(ours, theirs)
    evidence = (
        f"{place}: regret {ours.regret.mean:,.0f} for {OURS}, {theirs.regret.mean:,.0f} for "
        f"{other}, {ratio} of it"
    )
    return ratio.high <= share, evidence
