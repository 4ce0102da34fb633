# ruff: noqa: D205  The docstring of a claim is its text, whole sentences of any length.
"""The claims beyond the paper, which are ours: stricter wordings, and the default."""

from copyproof.paper.claim import (
    ALMOST_LINEAR,
    Judged,
    Verdict,
    above,
    all_hold,
    claim,
    every,
)
from copyproof.paper.figures.frontier import frontier_points
from copyproof.paper.judges import fair_grows_linearly, revenue_is_level
from copyproof.paper.measures import exponent, regret_difference, regret_ratio
from copyproof.paper.study import MARKETS, OURS, RIVALS, FigureResults, StudyResults


@claim("7b, as a rate", "fig2c", beyond=True)
def h_ucb_grows_linearly_in_2c(study: StudyResults) -> Judged:
    """Figure 2c: H-UCB grows almost linearly (at last like T^b with b > {almost_linear})."""
    b = exponent(study["fig2c"][("h-ucb",)])
    return above(b, ALMOST_LINEAR), f"over the last half regret grows like T^b, b = {b}"


@claim("8b, as a rate", "fig2c", beyond=True)
def fair_grows_linearly_in_2c(study: StudyResults) -> Judged:
    """Fair's regret grows linearly in figure 2c within these rounds (like T^b with b within 0.05 of
    1).
    """
    return fair_grows_linearly(study, "fig2c")


@claim("D1", "fig1a", "fig1b", beyond=True)
def default_revenue_is_level(study: StudyResults) -> Judged:
    """Figures 1a and 1b, the default: the copying agent's revenue stays level (within {level})."""
    return revenue_is_level(study, OURS)


@claim("D2", "fig2a", "fig2b", beyond=True)
def default_halves_h_ucb(study: StudyResults) -> Judged:
    """Figures 2a and 2b: the default's regret is at most half of H-UCB's."""
    return all_hold(_at_most(1 / 2, "h-ucb", place, study[place]) for place in ("fig2a", "fig2b"))


@claim("D3", "fig2c", beyond=True)
def default_beats_rh_ucb_thirtyfold(study: StudyResults) -> Judged:
    """Figure 2c: the default's regret is at most a thirtieth of RH-UCB's."""
    return _at_most(1 / 30, "rh-ucb", "fig2c", study["fig2c"])


@claim("D4", "markets", beyond=True)
def default_gains_on_honest_agents(study: StudyResults) -> Judged:
    """Honest agents with three arms each: the default's regret is at most 0.7 of H-UCB's."""
    place = "honest-3"
    here: FigureResults = {key[1:]: run for key, run in study["markets"].items() if key[0] == place}
    return _at_most(0.7, "h-ucb", place, here)


@claim("D5", "markets", beyond=True)
def default_is_best_on_all_markets(study: StudyResults) -> Judged:
    """On each of five markets, two without copies and those of figures 2a, 2b and 2c, the default
    has less regret than H-UCB, RH-UCB and PRH-UCB.
    """
    return all_hold(_is_best_on(market, study["markets"]) for market in MARKETS)


@claim("D6", "frontier", beyond=True)
def no_policy_is_below_the_frontier(study: StudyResults) -> Judged:
    """The frontier: every hierarchical policy of the catalogue loses at least the share of games
    that theorem A′ names for its regret with truthful agents (no interval lies below it).
    """
    points = [point for point in frontier_points(study["frontier"]) if point.is_bound]
    below = [point.policy for point in points if point.lost.interval.high < point.least]
    nearest = min(points, key=lambda point: point.lost.share - point.least)
    evidence = (
        f"{len(points)} policies, {len(below)} below the curve; nearest to it is {nearest.policy}, "
        f"which loses {nearest.lost.interval} and must lose {nearest.least:.3f}"
    )
    return not below, evidence


def _is_best_on(market: str, runs: FigureResults) -> Judged:
    """Whether the default has less regret on a market than each of its rivals of the paper."""
    ours = runs[market, OURS]
    best = min(RIVALS, key=lambda policy: runs[market, policy].regret.mean)
    ratio = regret_ratio(ours, runs[market, best])
    best_of_all = every(above(regret_difference(runs[market, rival], ours), 0) for rival in RIVALS)
    return best_of_all, f"{market}: {ratio} of the regret of the next best, {best}"


def _at_most(share: float, other: str, place: str, runs: FigureResults) -> Judged:
    """Whether the default's regret is at most a share of another policy's."""
    ours, theirs = runs[OURS,], runs[other,]
    ratio = regret_ratio(ours, theirs)
    evidence = (
        f"{place}: regret {ours.regret.mean:,.0f} for {OURS}, {theirs.regret.mean:,.0f} for "
        f"{other}, {ratio} of it"
    )
    verdict: Verdict = True if ratio.high <= share else False if ratio.low > share else None
    return verdict, evidence
