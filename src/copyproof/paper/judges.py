# ruff: noqa: D205  The docstring of a claim is its text, whole sentences of any length.
"""The paper's claims about its simulations: small functions from results to (verdict, evidence).

Intervals are 95 % ones (mean ± 1.96 standard errors over repetitions), and comparisons of policies
or strategies are paired, as all runs share their luck. ``claim`` says how a claim is written.
"""

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copyproof.game import paper_market
from copyproof.paper.claim import (
    ALMOST_LINEAR,
    LEVEL,
    STRAIGHT,
    Judged,
    Verdict,
    above,
    all_hold,
    below,
    claim,
    every,
    some,
)
from copyproof.paper.figures.convexity import chord_intervals
from copyproof.paper.measures import BestSample, exponent, final_regret, regret_difference
from copyproof.paper.study import (
    ABLATION_MARKETS,
    CONVEXITY_COPIES,
    COPIES,
    FigureResults,
    StudyResults,
)
from copyproof.policy import PAPER_POLICIES
from copyproof.simulation import Interval, Result
from copyproof.theory import best_share

_FAR_SMALLER = 0.25
# A policy suffers from a replicator if its regret is more than this many times the one without.
_SUFFERS = 2.0


def _copier_revenue(study: StudyResults, figure: str, policy: str) -> NDArray[np.float64]:
    """Revenue of the copying agent: a row per repetition, a column per number of copies."""
    agent = {"fig1a": 0, "fig1b": 4}[figure]
    return np.stack([study[figure][c, policy].revenue[:, agent] for c in COPIES], axis=1)


def _rise(revenue: NDArray[np.float64]) -> Interval:
    """What the most copies add to the revenue without any."""
    return Interval.of(revenue[:, -1] - revenue[:, 0])


def _stray(x: NDArray[Any], y: NDArray[np.float64]) -> float:
    """How far a curve strays from the chord between its ends, as a share of its rise."""
    chord = np.interp(x, [x[0], x[-1]], [y[0], y[-1]])
    return float(np.max(np.abs(y - chord)) / (y[-1] - y[0]))


# --- figures 1a and 1b -----------------------------------------------------------------------


@claim("1", "fig1a")
def ucb1_rises_in_a_line(study: StudyResults) -> Judged:
    """Figure 1a, UCB1: the copying agent's revenue grows almost linearly (it strays from a straight
    line by less than {straight} of its rise).
    """
    revenue = _copier_revenue(study, "fig1a", "ucb1")
    rise = _rise(revenue)
    stray = _stray(np.array(COPIES), revenue.mean(axis=0))
    evidence = (
        f"revenue rises by {rise} from {COPIES[0]} to {COPIES[-1]} copies, and strays from a "
        f"straight line by at most {100 * stray:.1f} % of the rise"
    )
    return every([above(rise, 0), stray < STRAIGHT]), evidence


@claim("2a", "fig1a")
def s_ucb_rises(study: StudyResults) -> Judged:
    """Figure 1a, S-UCB: the copying agent's revenue grows (no step is down)."""
    revenue = _copier_revenue(study, "fig1a", "s-ucb")
    steps = [Interval.of(step) for step in np.diff(revenue).T]
    rise = _rise(revenue)
    up, down = sum(step.low > 0 for step in steps), sum(step.high < 0 for step in steps)
    evidence = (
        f"revenue rises by {rise} in all; of {len(steps)} steps {up} are up, {down} down and "
        f"{len(steps) - up - down} within the noise"
    )
    return every([above(rise, 0), down == 0]), evidence


@claim("2b", "convexity")
def s_ucb_is_convex(study: StudyResults) -> Judged:
    """Figure 1a, S-UCB: it grows "in a somewhat convex manner" (it lies below its chord). The
    paper's text does not give the range of copies: the claim is undecided if ranges disagree.
    """
    chords = chord_intervals(study["convexity"])
    verdicts = {above(one, 0) for one in chords.values()}
    listed = "; ".join(
        f"from {CONVEXITY_COPIES[0]} to {most} copies chord − curve is {one} on average"
        for most, one in chords.items()
    )
    if verdicts == {True, False}:
        listed += ": the curve is first convex and then concave"
    return verdicts.pop() if len(verdicts) == 1 else None, listed


@claim("3", "fig1a", "fig1b")
def hierarchical_revenue_is_level(study: StudyResults) -> Judged:
    """Figures 1a and 1b, H-UCB and RH-UCB: the copying agent's revenue stays level (within
    {level}).
    """
    return revenue_is_level(study, "h-ucb", "rh-ucb")


def revenue_is_level(study: StudyResults, *policies: str) -> Judged:
    """Whether copies do not move the revenue under some policies, in figures 1a and 1b."""
    worst, where, levels = 0.0, "", set[Verdict]()
    for figure, policy in itertools.product(("fig1a", "fig1b"), policies):
        revenue = _copier_revenue(study, figure, policy)
        level = LEVEL * float(revenue[:, 0].mean())
        for column, copies in enumerate(COPIES):
            change = Interval.of(revenue[:, column] - revenue[:, 0])
            levels |= {above(change, -level), below(change, level)}
            moved = max(abs(change.low), abs(change.high)) / float(revenue[:, 0].mean())
            if moved > worst:
                worst, where = moved, f"{policy}, {figure}, {copies} copies"
    if worst == 0:
        return True, "copies change nothing: every repetition pays the same with 1 and with 500"
    return every(levels), f"it moves by up to {100 * worst:.2f} % of itself ({where})"


@claim("4", "fig1a", "fig1b")
def good_agents_gain_less(study: StudyResults) -> Judged:
    """Figure 1b: what the 0.9-agent gains by copying is far smaller than what the 0.5-agent gains
    (less than a quarter), under UCB1 and S-UCB.
    """
    return all_hold(_gains_less(study, policy) for policy in ("ucb1", "s-ucb"))


def _gains_less(study: StudyResults, policy: str) -> Judged:
    large, small = (_rise(_copier_revenue(study, f, policy)) for f in ("fig1a", "fig1b"))
    evidence = f"{policy}: {small} for the 0.9-agent, {large} for the 0.5-agent"
    return _times_smaller(small, 1 / _FAR_SMALLER, large), evidence


def _times_smaller(small: Interval, times: float, large: Interval) -> Verdict:
    """Whether one quantity times a number is still below another."""
    if times * small.high < large.low:
        return True
    return False if times * small.low >= large.high else None


# --- figures 2a, 2b and 2c -------------------------------------------------------------------


@claim("5a", "fig1a", "fig2a")
def flat_policies_suffer(study: StudyResults) -> Judged:
    """Figure 2a: UCB1 and S-UCB suffer from one replicator (over twice the regret without it)."""
    return all_hold(_suffers(study, policy) for policy in ("ucb1", "s-ucb"))


def _suffers(study: StudyResults, policy: str) -> Judged:
    with_one = Interval.of(final_regret(study["fig2a"][policy,]))
    without = Interval.of(final_regret(study["fig1a"][1, policy]))
    evidence = f"{policy}: regret {with_one} with the replicator, {without} without"
    return _times_smaller(without, _SUFFERS, with_one), evidence


@claim("5b", "fig2a")
def h_ucb_beats_rh_ucb_in_2a(study: StudyResults) -> Judged:
    """Figure 2a: RH-UCB is worse than H-UCB."""
    return _beats(study["fig2a"], "h-ucb", "rh-ucb")


@claim("6", "fig2b")
def h_ucb_beats_rh_ucb_in_2b(study: StudyResults) -> Judged:
    """Figure 2b: H-UCB still beats RH-UCB."""
    return _beats(study["fig2b"], "h-ucb", "rh-ucb")


def _beats(figure: FigureResults, better: str, worse: str) -> Judged:
    """Whether one policy has less regret than another in a figure."""
    one, other = figure[(better,)], figure[(worse,)]
    gap = regret_difference(other, one)
    evidence = (
        f"regret {one.regret.mean:,.0f} for {better}, {other.regret.mean:,.0f} for {worse}; "
        f"{worse} − {better} = {gap}"
    )
    return above(gap, 0), evidence


@claim("7a", "fig2c")
def rh_ucb_is_best_in_2c(study: StudyResults) -> Judged:
    """Figure 2c: RH-UCB is best of all six."""
    figure = study["fig2c"]
    best = figure[("rh-ucb",)]
    others = [policy for policy in PAPER_POLICIES if policy != "rh-ucb"]
    gaps = {policy: regret_difference(figure[(policy,)], best) for policy in others}
    better = [f"{policy} by {-gap.mean:,.0f}" for policy, gap in gaps.items() if gap.high < 0]
    listed = "; ".join(f"{policy} − rh-ucb = {gap}" for policy, gap in gaps.items())
    evidence = f"regret of rh-ucb {best.regret.mean:,.0f}; {listed}"
    if better:
        evidence += f"; better than rh-ucb: {', '.join(better)}"
    return every(above(gap, 0) for gap in gaps.values()), evidence


@claim("7b", "fig2c")
def h_ucb_looks_linear_in_2c(study: StudyResults) -> Judged:
    """Figure 2c: H-UCB's curve looks almost like a straight line (it strays from one by less than
    {straight} of its rise).
    """
    curve = study["fig2c"][("h-ucb",)].curve
    stray = _stray(curve.round, curve.mean)
    return stray < STRAIGHT, f"it strays from a straight line by at most {100 * stray:.1f} %"


@claim("7c", "fig2c")
def s_ucb_beats_h_ucb_in_2c(study: StudyResults) -> Judged:
    """Figure 2c: H-UCB is worse than S-UCB."""
    return _beats(study["fig2c"], "s-ucb", "h-ucb")


@claim("8a", "fig2a", "fig2b")
def fair_is_linear_in_2a_and_2b(study: StudyResults) -> Judged:
    """Fair's regret is linear in figures 2a and 2b (like T^b with b within 0.05 of 1)."""
    return all_hold(fair_grows_linearly(study, figure) for figure in ("fig2a", "fig2b"))


@claim("8b", "fig2c")
def fair_is_linear_in_2c(study: StudyResults) -> Judged:
    """Fair's regret is linear in figure 2c, too: an agent chosen uniformly costs at least its best
    arm's gap on average, in every round and for ever.
    """
    result = study["fig2c"]["fair(ucb1)",]
    floor = _floor_of_fair(result)
    a_round = Interval.of(final_regret(result) / result.horizon)
    evidence = (
        f"an agent chosen uniformly costs at least {floor:.3f} on average, whichever arm it plays, "
        f"so that the expected regret is at least {floor:.3f} T for certain; measured {a_round} a "
        "round"
    )
    below_floor = below(a_round, floor)
    return every([floor > 0, None if below_floor is None else not below_floor]), evidence


def _floor_of_fair(result: Result) -> float:
    """What Fair loses a round for ever: (1/n) Σ_i Δ_i, the mean gap of the agents' best arms."""
    market = result.market
    return sum(market.best_mean - one.best_mean for one in market.agents) / len(market.agents)


def fair_grows_linearly(study: StudyResults, figure: str) -> Judged:
    """Whether the exponent of Fair's growth is 1, within 0.05."""
    result = study[figure]["fair(ucb1)",]
    a_round, floor = result.regret.mean / result.horizon, _floor_of_fair(result)
    b = exponent(result)
    evidence = f"{figure}: b = {b}; regret {a_round:.3f} a round, of which {floor:.3f} for ever"
    if b.high < 1:
        evidence += ", and the rest, the search inside the agents, fades"
    return every([above(b, 0.95), below(b, 1.05)]), evidence


@claim("9a", "fig2a", "fig2b", "fig2c")
def rh_ucb_is_sublinear(study: StudyResults) -> Judged:
    """RH-UCB is sublinear (over the last half like T^b with b < 1) in figures 2a, 2b and 2c."""
    return _sublinear(study, "rh-ucb")


@claim("9b", "fig2a", "fig2b", "fig2c")
def prh_ucb_is_sublinear(study: StudyResults) -> Judged:
    """PRH-UCB is sublinear there, too."""
    return _sublinear(study, "prh-ucb")


def _sublinear(study: StudyResults, policy: str) -> Judged:
    """Whether the exponent of a policy's growth is below 1 in figures 2a, 2b and 2c."""
    found = {f: exponent(study[f][(policy,)]) for f in ("fig2a", "fig2b", "fig2c")}
    evidence = "; ".join(f"{figure}: b = {b}" for figure, b in found.items())
    return every(below(b, 1) for b in found.values()), evidence


# --- ablation and samples --------------------------------------------------------------------


@claim("10a", "ablation")
def regret_is_larger_without_hierarchy(study: StudyResults) -> Judged:
    """The hierarchy is needed: without it (S-UCB) regret is larger on some market."""
    return _larger_without(study, "the hierarchy", "s-ucb")


@claim("10b", "ablation")
def hierarchy_makes_regret_sublinear(study: StudyResults) -> Judged:
    """The hierarchy is needed to ensure sublinear regret: without it regret grows like T^b with
    b > {almost_linear} on some market.
    """
    return _almost_linear_without(study, "the hierarchy", "s-ucb")


@claim("10c", "ablation")
def regret_is_larger_without_sampling(study: StudyResults) -> Judged:
    """The sampling is needed: without it (RH-UCB on all arms) regret is larger on some market."""
    return _larger_without(study, "the sampling", "rh-ucb-all")


@claim("10d", "ablation")
def sampling_makes_regret_sublinear(study: StudyResults) -> Judged:
    """The sampling is needed to ensure sublinear regret: without it regret grows like T^b with
    b > {almost_linear} on some market.
    """
    return _almost_linear_without(study, "the sampling", "rh-ucb-all")


def _larger_without(study: StudyResults, part: str, without: str) -> Judged:
    """Whether regret is larger on some market when a part of RH-UCB is left out."""
    runs = study["ablation"]
    gaps = {m: regret_difference(runs[m, without], runs[m, "rh-ucb"]) for m in ABLATION_MARKETS}
    listed = "; ".join(f"{market}: {without} − rh-ucb = {gap}" for market, gap in gaps.items())
    return some(above(gap, 0) for gap in gaps.values()), f"without {part}, {listed}"


def _almost_linear_without(study: StudyResults, part: str, without: str) -> Judged:
    """Whether regret grows almost linearly on some market when a part is left out."""
    rates = {m: exponent(study["ablation"][(m, without)]) for m in ABLATION_MARKETS}
    listed = "; ".join(f"{market}: b = {b}" for market, b in rates.items())
    evidence = f"without {part} ({without}) regret grows like T^b over the last half, {listed}"
    return some(above(b, ALMOST_LINEAR) for b in rates.values()), evidence


@claim("11a")
def condition_is_broken(_: StudyResults) -> Judged:
    """Figure 2c breaks theorem 5's own condition L ≥ 1/c with its L = 3."""
    c = best_share(paper_market("2c"))
    asked = f"c = {c:.4f} there, so that L ≥ 1/c = {1 / c:.1f} is asked for"
    return 1 / c > 3, f"{asked}, and L = 3 is used"


@claim("11b", "samples")
def small_samples_miss(study: StudyResults) -> Judged:
    """With L = 3 the best agent's sample misses every best arm now and then (over 1 %)."""
    return _sample_misses(study, 3, lambda chance: chance > 0.01)


@claim("11c", "samples")
def large_samples_find(study: StudyResults) -> Judged:
    """With L = 22, which meets the condition, it hardly ever does (under 1 %)."""
    return _sample_misses(study, 22, lambda chance: chance < 0.01)


def _sample_misses(study: StudyResults, L: int, claimed: Callable[[float], bool]) -> Judged:
    """Judge by the exact probability, which the runs must agree with (within 4 deviations)."""
    regret, sample = final_regret(study["samples"][L,]), BestSample.of(L, study["samples"][L,])
    n, k, chance = len(regret), int(sample.missed.sum()), sample.chance
    agree = abs(k - n * chance) <= 4 * math.sqrt(n * chance * (1 - chance)) + 0.5
    evidence = (
        f"L = {L}: the sample of the best agent, {sample.size} of {sample.registered} arms, holds "
        f"no best arm with probability {chance:.4f}, and in {k} of {n} repetitions, "
        f"{Interval.of_share(k, n)}; regret {Interval.of(regret)}"
    )
    if 0 < k < n:
        without, with_it = (regret[sample.missed == kind].mean() for kind in (True, False))
        evidence += f", {with_it:,.0f} where it holds one and {without:,.0f} where not"
    return claimed(chance) and agree, evidence
