"""How each claim is judged: small functions from results to (holds, evidence).

Intervals are 95 % ones (mean ± 1.96 standard errors over repetitions), and comparisons of policies
or strategies are paired, as all runs share their luck. The numbers that stand for words of the
paper ("almost linear", "far smaller") are the constants below; the claims' texts repeat them.
"""

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from copyproof.game import paper_market
from copyproof.paper.measures import exponent, final_regret, misses, regret_difference
from copyproof.paper.study import COPIES, FigureResults, StudyResults
from copyproof.policy import PAPER_POLICIES
from copyproof.simulation import Interval
from copyproof.theory import best_share, sample_misses_best, sample_size

Judged: TypeAlias = tuple[bool, str]
"""Whether a claim holds, and the evidence."""

ALMOST_LINEAR = 0.9
"""A regret that grows like T^0.9 or faster over the last half of a game is called almost linear."""
LEVEL = 0.001
"""A revenue that moves by less than this share of itself is called level."""
STRAIGHT = 0.1
"""A rise that strays from its chord by less than this share of itself is almost a line."""
FAR_SMALLER = 0.25
SUFFERS = 2.0
"""A policy suffers from a replicator if its regret is more than this many times the one without."""


def _copier_revenue(figure: FigureResults, policy: str, agent: int) -> NDArray[np.float64]:
    """Revenue of the copying agent: a row per repetition, a column per number of copies."""
    return np.stack([figure[(c, policy)].revenue[:, agent] for c in COPIES], axis=1)


def _stray(x: NDArray[Any], y: NDArray[np.float64]) -> float:
    """How far a curve strays from the chord between its ends, as a share of its rise."""
    chord = np.interp(x, [x[0], x[-1]], [y[0], y[-1]])
    return float(np.max(np.abs(y - chord)) / (y[-1] - y[0]))


# --- figures 1a and 1b -----------------------------------------------------------------------


def ucb1_rises_in_a_line(figures: StudyResults) -> Judged:
    """Figure 1a: the revenue under UCB1 rises, and close to its chord."""
    revenue = _copier_revenue(figures["fig1a"], "ucb1", 0)
    rise = Interval.of(revenue[:, -1] - revenue[:, 0])
    stray = _stray(np.array(COPIES), revenue.mean(axis=0))
    evidence = (
        f"revenue rises by {rise} from {COPIES[0]} to {COPIES[-1]} copies, and strays from a "
        f"straight line by at most {100 * stray:.1f} % of the rise"
    )
    return rise.low > 0 and stray < STRAIGHT, evidence


def s_ucb_rises(figures: StudyResults) -> Judged:
    """Figure 1a: the revenue under S-UCB rises, and no step is clearly down."""
    revenue = _copier_revenue(figures["fig1a"], "s-ucb", 0)
    steps = [Interval.of(revenue[:, k + 1] - revenue[:, k]) for k in range(len(COPIES) - 1)]
    rise = Interval.of(revenue[:, -1] - revenue[:, 0])
    up, down = sum(step.low > 0 for step in steps), sum(step.high < 0 for step in steps)
    evidence = (
        f"revenue rises by {rise} in all; of {len(steps)} steps {up} are up, {down} down and "
        f"{len(steps) - up - down} within the noise"
    )
    return rise.low > 0 and down == 0, evidence


def s_ucb_is_convex(figures: StudyResults) -> Judged:
    """Figure 1a: the revenue under S-UCB lies below its chord."""
    revenue = _copier_revenue(figures["fig1a"], "s-ucb", 0)
    share = (np.array(COPIES) - COPIES[0]) / (COPIES[-1] - COPIES[0])
    chord = revenue[:, :1] + share * (revenue[:, -1:] - revenue[:, :1])
    below = Interval.of((chord - revenue)[:, 1:-1].mean(axis=1))
    side = "below" if below.mean > 0 else "above"
    evidence = (
        f"between its ends the curve lies {side} its chord: chord − curve is {below} on average"
    )
    return below.low > 0, evidence


def revenue_stays_level(*policies: str) -> Callable[[StudyResults], Judged]:
    """Figures 1a and 1b: copies do not move the revenue under some policies."""

    def judged(figures: StudyResults) -> Judged:
        worst, where = 0.0, ""
        for figure, agent in (("fig1a", 0), ("fig1b", 4)):
            for policy in policies:
                revenue = _copier_revenue(figures[figure], policy, agent)
                for column, copies in enumerate(COPIES):
                    change = Interval.of(revenue[:, column] - revenue[:, 0])
                    moved = max(abs(change.low), abs(change.high)) / float(revenue[:, 0].mean())
                    if moved > worst:
                        worst, where = moved, f"{policy}, {figure}, {copies} copies"
        if worst == 0:
            return True, "copies change nothing: every repetition pays the same with 1 and with 500"
        return worst < LEVEL, f"it moves by up to {100 * worst:.2f} % of itself ({where})"

    return judged


def good_agents_gain_less(figures: StudyResults) -> Judged:
    """Figures 1a and 1b: the best agent gains far less than the worst one."""
    verdict, parts = True, []
    for policy in ("ucb1", "s-ucb"):
        low = _copier_revenue(figures["fig1a"], policy, 0)
        high = _copier_revenue(figures["fig1b"], policy, 4)
        small, large = Interval.of(high[:, -1] - high[:, 0]), Interval.of(low[:, -1] - low[:, 0])
        verdict &= small.high < FAR_SMALLER * large.low
        parts.append(f"{policy}: {small} for the 0.9-agent, {large} for the 0.5-agent")
    return verdict, "; ".join(parts)


# --- figures 2a, 2b and 2c -------------------------------------------------------------------


def flat_policies_suffer(figures: StudyResults) -> Judged:
    """Figure 2a against the market without copies: UCB1 and S-UCB."""
    verdict, parts = True, []
    for policy in ("ucb1", "s-ucb"):
        with_one = Interval.of(final_regret(figures["fig2a"][(policy,)]))
        without = Interval.of(final_regret(figures["fig1a"][(1, policy)]))
        verdict &= with_one.low > SUFFERS * without.high
        parts.append(f"{policy}: regret {with_one} with the replicator, {without} without")
    return verdict, "; ".join(parts)


def beats(figure: str, better: str, worse: str) -> Callable[[StudyResults], Judged]:
    """One policy has less regret than another in a figure."""

    def judged(figures: StudyResults) -> Judged:
        one, other = figures[figure][(better,)], figures[figure][(worse,)]
        gap = regret_difference(other, one)
        evidence = (
            f"regret {one.regret.mean:,.0f} for {better}, {other.regret.mean:,.0f} for {worse}; "
            f"{worse} − {better} = {gap}"
        )
        return gap.low > 0, evidence

    return judged


def rh_ucb_is_best_in_2c(figures: StudyResults) -> Judged:
    """Figure 2c: no other policy of the six has as little regret."""
    figure = figures["fig2c"]
    best = figure[("rh-ucb",)]
    others = [policy for policy in PAPER_POLICIES if policy != "rh-ucb"]
    gaps = {policy: regret_difference(figure[(policy,)], best) for policy in others}
    better = [f"{policy} by {-gap.mean:,.0f}" for policy, gap in gaps.items() if gap.high < 0]
    listed = "; ".join(f"{policy} − rh-ucb = {gap}" for policy, gap in gaps.items())
    evidence = f"regret of rh-ucb {best.regret.mean:,.0f}; {listed}"
    if better:
        evidence += f"; better than rh-ucb: {', '.join(better)}"
    return all(gap.low > 0 for gap in gaps.values()), evidence


def h_ucb_looks_linear_in_2c(figures: StudyResults) -> Judged:
    """Figure 2c: H-UCB's curve stays close to its chord."""
    curve = figures["fig2c"][("h-ucb",)].curve
    stray = _stray(curve.round, curve.mean)
    return stray < STRAIGHT, f"it strays from a straight line by at most {100 * stray:.1f} %"


def h_ucb_grows_linearly_in_2c(figures: StudyResults) -> Judged:
    """Figure 2c: the exponent of H-UCB's growth is near 1."""
    b = exponent(figures["fig2c"][("h-ucb",)])
    return b.low > ALMOST_LINEAR, f"over the last half regret grows like T^b, b = {b}"


def fair_is_linear(*names: str) -> Callable[[StudyResults], Judged]:
    """The exponent of Fair's growth is 1, within 0.05."""

    def judged(figures: StudyResults) -> Judged:
        parts, verdict = [], True
        for name in names:
            result = figures[name][("fair(ucb1)",)]
            agents = result.market.agents
            floor = sum(result.market.best_mean - agent.best_mean for agent in agents) / len(agents)
            b = exponent(result)
            verdict &= b.low > 0.95 and b.high < 1.05
            parts.append(
                f"{name}: b = {b}; regret {result.regret.mean / result.horizon:.3f} a round, of "
                f"which {floor:.3f} for ever"
            )
        return verdict, "; ".join(parts)

    return judged


def sublinear(policy: str) -> Callable[[StudyResults], Judged]:
    """The exponent of a policy's growth is below 1 in figures 2a, 2b and 2c."""

    def judged(figures: StudyResults) -> Judged:
        found = {f: exponent(figures[f][(policy,)]) for f in ("fig2a", "fig2b", "fig2c")}
        evidence = "; ".join(f"{figure}: b = {b}" for figure, b in found.items())
        return all(b.high < 1 for b in found.values()), evidence

    return judged


# --- ablation and samples --------------------------------------------------------------------


def larger_without(part: str, without: str) -> Callable[[StudyResults], Judged]:
    """Regret is larger on some market when a part of RH-UCB is left out."""

    def judged(figures: StudyResults) -> Judged:
        gaps = {
            market: regret_difference(
                figures["ablation"][(market, without)], figures["ablation"][(market, "rh-ucb")]
            )
            for market in ("2a", "2b", "2c")
        }
        listed = "; ".join(f"{market}: {without} − rh-ucb = {gap}" for market, gap in gaps.items())
        return any(gap.low > 0 for gap in gaps.values()), f"without {part}, {listed}"

    return judged


def not_sublinear_without(part: str, without: str) -> Callable[[StudyResults], Judged]:
    """Regret grows almost linearly on some market when a part is left out."""

    def judged(figures: StudyResults) -> Judged:
        rates = {m: exponent(figures["ablation"][(m, without)]) for m in ("2a", "2b", "2c")}
        listed = "; ".join(f"{market}: b = {b}" for market, b in rates.items())
        evidence = f"without {part} ({without}) regret grows like T^b over the last half, {listed}"
        return any(b.low > ALMOST_LINEAR for b in rates.values()), evidence

    return judged


def condition_is_broken(_: StudyResults) -> Judged:
    """L = 3 is below 1/c on figure 2c's market."""
    share = best_share(paper_market("2c"))
    needed = 1 / share
    evidence = (
        f"c = {share:.4f} there, so that L ≥ 1/c = {needed:.1f} is asked for, and L = 3 is used"
    )
    return needed > 3, evidence


def small_samples_miss(figures: StudyResults) -> Judged:
    """With L = 3 the chance to miss every best arm is above 1 %."""
    return _sample_misses(figures, 3, lambda chance: chance > 0.01)


def large_samples_find(figures: StudyResults) -> Judged:
    """With L = 22 the chance to miss every best arm is below 1 %."""
    return _sample_misses(figures, 22, lambda chance: chance < 0.01)


def _sample_misses(figures: StudyResults, L: int, claimed: Callable[[float], bool]) -> Judged:
    """Judge by the exact probability, which the runs must agree with (within 4 deviations)."""
    result = figures["samples"][(L,)]
    missed = misses(result)
    n, k = len(missed), int(missed.sum())
    chance = sample_misses_best(result.market, len(result.market.agents) - 1, L, result.horizon)
    agree = abs(k - n * chance) <= 4 * math.sqrt(n * chance * (1 - chance)) + 0.5
    best = result.market.agents[-1]
    size = sample_size(L, result.horizon, best.registered)
    evidence = (
        f"L = {L}: the sample of the best agent, {size} of {best.registered} arms, holds no best "
        f"arm with probability {chance:.4f}, and in {k} of {n} repetitions, "
        f"{Interval.of_share(k, n)}; regret {Interval.of(final_regret(result))}"
    )
    if 0 < k < n:
        with_it, without = final_regret(result)[~missed], final_regret(result)[missed]
        evidence += (
            f", {with_it.mean():,.0f} where it holds one and {without.mean():,.0f} where not"
        )
    return claimed(chance) and agree, evidence
