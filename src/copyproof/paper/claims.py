"""The eleven claims of the paper's section on simulations, each with its own verdict.

A claim is a small function from results to a verdict: whether it holds, and the evidence, numbers
with their uncertainty. Intervals are 95 % ones (mean ± 1.96 standard errors over repetitions), and
comparisons of policies or strategies are paired, as all runs share their luck.

Words that the paper leaves open ("almost linear", "far smaller") are given a number in the claim's
own text. A claim that holds only in part, or whose words can be read in two ways, is split, and
every part is judged. Nothing is tuned to pass.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from copyproof.game import paper_market
from copyproof.paper.measures import Interval, exponent, final_regret, misses, regret_difference
from copyproof.paper.study import COPIES, POLICIES, Key
from copyproof.simulation import Result
from copyproof.theory import best_share, sample_misses_best, sample_size

Figure: TypeAlias = Mapping[Key, Result]
Figures: TypeAlias = Mapping[str, Figure]

ALMOST_LINEAR = 0.9
"""A regret that grows like T^0.9 or faster over the last half of a game is called almost linear."""
LEVEL = 0.001
"""A revenue that moves by less than this share of itself is called level."""
STRAIGHT = 0.1
"""A rise that strays from its chord by less than this share of itself is almost a line."""
FAR_SMALLER = 0.25
SUFFERS = 2.0
"""A policy suffers from a replicator if its regret is more than this many times the one without."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement of the paper, and the figures that are needed to judge it."""

    name: str
    text: str
    figures: tuple[str, ...]
    judge: "Callable[[Figures], tuple[bool, str]]"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a claim."""

    claim: str
    text: str
    holds: bool
    evidence: str
    figures: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The verdict as an entry of ``claims.json``."""
        return {
            "claim": self.claim,
            "text": self.text,
            "holds": self.holds,
            "evidence": self.evidence,
            "figures": list(self.figures),
        }


def judge(figures: Figures) -> tuple[Verdict, ...]:
    """Judge every claim for which all figures are there."""
    verdicts = []
    for claim in CLAIMS:
        if all(figure in figures for figure in claim.figures):
            holds, evidence = claim.judge(figures)
            verdicts.append(Verdict(claim.name, claim.text, holds, evidence, claim.figures))
    return tuple(verdicts)


def _copier_revenue(figure: Figure, policy: str, agent: int) -> NDArray[np.float64]:
    """Revenue of the copying agent: a row per repetition, a column per number of copies."""
    return np.stack([figure[(c, policy)].revenue[:, agent] for c in COPIES], axis=1)


def _stray(x: NDArray[Any], y: NDArray[np.float64]) -> float:
    """How far a curve strays from the chord between its ends, as a share of its rise."""
    chord = np.interp(x, [x[0], x[-1]], [y[0], y[-1]])
    return float(np.max(np.abs(y - chord)) / (y[-1] - y[0]))


# --- figures 1a and 1b -----------------------------------------------------------------------


def _ucb1_rises_in_a_line(figures: Figures) -> tuple[bool, str]:
    revenue = _copier_revenue(figures["fig1a"], "ucb1", 0)
    rise = Interval.of(revenue[:, -1] - revenue[:, 0])
    stray = _stray(np.array(COPIES), revenue.mean(axis=0))
    evidence = (
        f"revenue rises by {rise} from {COPIES[0]} to {COPIES[-1]} copies, and strays from a "
        f"straight line by at most {100 * stray:.1f} % of the rise"
    )
    return rise.low > 0 and stray < STRAIGHT, evidence


def _s_ucb_rises(figures: Figures) -> tuple[bool, str]:
    revenue = _copier_revenue(figures["fig1a"], "s-ucb", 0)
    steps = [Interval.of(revenue[:, k + 1] - revenue[:, k]) for k in range(len(COPIES) - 1)]
    rise = Interval.of(revenue[:, -1] - revenue[:, 0])
    up, down = sum(step.low > 0 for step in steps), sum(step.high < 0 for step in steps)
    evidence = (
        f"revenue rises by {rise} in all; of {len(steps)} steps {up} are up, {down} down and "
        f"{len(steps) - up - down} within the noise"
    )
    return rise.low > 0 and down == 0, evidence


def _s_ucb_is_convex(figures: Figures) -> tuple[bool, str]:
    revenue = _copier_revenue(figures["fig1a"], "s-ucb", 0)
    share = (np.array(COPIES) - COPIES[0]) / (COPIES[-1] - COPIES[0])
    chord = revenue[:, :1] + share * (revenue[:, -1:] - revenue[:, :1])
    below = Interval.of((chord - revenue)[:, 1:-1].mean(axis=1))
    side = "below" if below.mean > 0 else "above"
    evidence = (
        f"between its ends the curve lies {side} its chord: chord − curve is {below} on average"
    )
    return below.low > 0, evidence


def _revenue_stays_level(figures: Figures) -> tuple[bool, str]:
    worst, where = 0.0, ""
    for figure, agent in (("fig1a", 0), ("fig1b", 4)):
        for policy in ("h-ucb", "rh-ucb"):
            revenue = _copier_revenue(figures[figure], policy, agent)
            for column, copies in enumerate(COPIES):
                change = Interval.of(revenue[:, column] - revenue[:, 0])
                moved = max(abs(change.low), abs(change.high)) / float(revenue[:, 0].mean())
                if moved > worst:
                    worst, where = moved, f"{policy}, {figure}, {copies} copies"
    if worst == 0:
        return True, "copies change nothing: every repetition pays the same with 1 and with 500"
    return worst < LEVEL, f"it moves by up to {100 * worst:.2f} % of itself ({where})"


def _good_agents_gain_less(figures: Figures) -> tuple[bool, str]:
    verdict, parts = True, []
    for policy in ("ucb1", "s-ucb"):
        low = _copier_revenue(figures["fig1a"], policy, 0)
        high = _copier_revenue(figures["fig1b"], policy, 4)
        small, large = Interval.of(high[:, -1] - high[:, 0]), Interval.of(low[:, -1] - low[:, 0])
        verdict &= small.high < FAR_SMALLER * large.low
        parts.append(f"{policy}: {small} for the 0.9-agent, {large} for the 0.5-agent")
    return verdict, "; ".join(parts)


# --- figures 2a, 2b and 2c -------------------------------------------------------------------


def _flat_policies_suffer(figures: Figures) -> tuple[bool, str]:
    verdict, parts = True, []
    for policy in ("ucb1", "s-ucb"):
        with_one = Interval.of(final_regret(figures["fig2a"][(policy,)]))
        without = Interval.of(final_regret(figures["fig1a"][(1, policy)]))
        verdict &= with_one.low > SUFFERS * without.high
        parts.append(f"{policy}: regret {with_one} with the replicator, {without} without")
    return verdict, "; ".join(parts)


def _beats(figure: str, better: str, worse: str) -> "Callable[[Figures], tuple[bool, str]]":
    def judged(figures: Figures) -> tuple[bool, str]:
        one, other = figures[figure][(better,)], figures[figure][(worse,)]
        gap = regret_difference(other, one)
        evidence = (
            f"regret {one.regret.mean:,.0f} for {better}, {other.regret.mean:,.0f} for {worse}; "
            f"{worse} − {better} = {gap}"
        )
        return gap.low > 0, evidence

    return judged


def _rh_ucb_is_best_in_2c(figures: Figures) -> tuple[bool, str]:
    figure = figures["fig2c"]
    best = figure[("rh-ucb",)]
    others = [policy for policy in POLICIES if policy != "rh-ucb"]
    gaps = {policy: regret_difference(figure[(policy,)], best) for policy in others}
    better = [f"{policy} by {-gap.mean:,.0f}" for policy, gap in gaps.items() if gap.high < 0]
    listed = "; ".join(f"{policy} − rh-ucb = {gap}" for policy, gap in gaps.items())
    evidence = f"regret of rh-ucb {best.regret.mean:,.0f}; {listed}"
    if better:
        evidence += f"; better than rh-ucb: {', '.join(better)}"
    return all(gap.low > 0 for gap in gaps.values()), evidence


def _h_ucb_looks_linear_in_2c(figures: Figures) -> tuple[bool, str]:
    curve = figures["fig2c"][("h-ucb",)].curve
    stray = _stray(curve.round, curve.mean)
    return stray < STRAIGHT, f"it strays from a straight line by at most {100 * stray:.1f} %"


def _h_ucb_grows_linearly_in_2c(figures: Figures) -> tuple[bool, str]:
    b = exponent(figures["fig2c"][("h-ucb",)])
    return b.low > ALMOST_LINEAR, f"over the last half regret grows like T^b, b = {b}"


def _fair_is_linear(*names: str) -> "Callable[[Figures], tuple[bool, str]]":
    def judged(figures: Figures) -> tuple[bool, str]:
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


def _sublinear(policy: str) -> "Callable[[Figures], tuple[bool, str]]":
    def judged(figures: Figures) -> tuple[bool, str]:
        found = {f: exponent(figures[f][(policy,)]) for f in ("fig2a", "fig2b", "fig2c")}
        evidence = "; ".join(f"{figure}: b = {b}" for figure, b in found.items())
        return all(b.high < 1 for b in found.values()), evidence

    return judged


# --- ablation and samples --------------------------------------------------------------------


def _larger_without(part: str, without: str) -> "Callable[[Figures], tuple[bool, str]]":
    def judged(figures: Figures) -> tuple[bool, str]:
        gaps = {
            market: regret_difference(
                figures["ablation"][(market, without)], figures["ablation"][(market, "rh-ucb")]
            )
            for market in ("2a", "2b", "2c")
        }
        listed = "; ".join(f"{market}: {without} − rh-ucb = {gap}" for market, gap in gaps.items())
        return any(gap.low > 0 for gap in gaps.values()), f"without {part}, {listed}"

    return judged


def _not_sublinear_without(part: str, without: str) -> "Callable[[Figures], tuple[bool, str]]":
    def judged(figures: Figures) -> tuple[bool, str]:
        rates = {m: exponent(figures["ablation"][(m, without)]) for m in ("2a", "2b", "2c")}
        listed = "; ".join(f"{market}: b = {b}" for market, b in rates.items())
        evidence = f"without {part} ({without}) regret grows like T^b over the last half, {listed}"
        return any(b.low > ALMOST_LINEAR for b in rates.values()), evidence

    return judged


def _condition_is_broken(_: Figures) -> tuple[bool, str]:
    share = best_share(paper_market("2c"))
    needed = 1 / share
    evidence = (
        f"c = {share:.4f} there, so that L ≥ 1/c = {needed:.1f} is asked for, and L = 3 is used"
    )
    return needed > 3, evidence


def _small_samples_miss(figures: Figures) -> tuple[bool, str]:
    return _sample_misses(figures, 3, lambda chance: chance > 0.01)


def _large_samples_find(figures: Figures) -> tuple[bool, str]:
    return _sample_misses(figures, 22, lambda chance: chance < 0.01)


def _sample_misses(
    figures: Figures, L: int, claimed: "Callable[[float], bool]"
) -> tuple[bool, str]:
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


_2ABC = ("fig2a", "fig2b", "fig2c")

CLAIMS: tuple[Claim, ...] = (
    Claim(
        "1",
        "Figure 1a, UCB1: the copying agent's revenue grows almost linearly (it strays from a "
        f"straight line by less than {100 * STRAIGHT:.0f} % of its rise).",
        ("fig1a",),
        _ucb1_rises_in_a_line,
    ),
    Claim(
        "2a",
        "Figure 1a, S-UCB: the copying agent's revenue grows (no step is down).",
        ("fig1a",),
        _s_ucb_rises,
    ),
    Claim(
        "2b",
        'Figure 1a, S-UCB: it grows "in a somewhat convex manner" (it lies below its chord).',
        ("fig1a",),
        _s_ucb_is_convex,
    ),
    Claim(
        "3",
        "Figures 1a and 1b, H-UCB and RH-UCB: the copying agent's revenue stays level (within "
        f"{100 * LEVEL:.1f} %).",
        ("fig1a", "fig1b"),
        _revenue_stays_level,
    ),
    Claim(
        "4",
        "Figure 1b: what the 0.9-agent gains by copying is far smaller than what the 0.5-agent "
        "gains (less than a quarter), under UCB1 and S-UCB.",
        ("fig1a", "fig1b"),
        _good_agents_gain_less,
    ),
    Claim(
        "5a",
        "Figure 2a: UCB1 and S-UCB suffer from one replicator (over twice the regret without it).",
        ("fig1a", "fig2a"),
        _flat_policies_suffer,
    ),
    Claim(
        "5b",
        "Figure 2a: RH-UCB is worse than H-UCB.",
        ("fig2a",),
        _beats("fig2a", "h-ucb", "rh-ucb"),
    ),
    Claim(
        "6",
        "Figure 2b: H-UCB still beats RH-UCB.",
        ("fig2b",),
        _beats("fig2b", "h-ucb", "rh-ucb"),
    ),
    Claim("7a", "Figure 2c: RH-UCB is best of all six.", ("fig2c",), _rh_ucb_is_best_in_2c),
    Claim(
        "7b",
        "Figure 2c: H-UCB's curve looks almost like a straight line (it strays from one by less "
        f"than {100 * STRAIGHT:.0f} % of its rise).",
        ("fig2c",),
        _h_ucb_looks_linear_in_2c,
    ),
    Claim(
        "7b, as a rate",
        f"Figure 2c: H-UCB grows almost linearly (at last like T^b with b > {ALMOST_LINEAR}).",
        ("fig2c",),
        _h_ucb_grows_linearly_in_2c,
    ),
    Claim(
        "7c",
        "Figure 2c: H-UCB is worse than S-UCB.",
        ("fig2c",),
        _beats("fig2c", "s-ucb", "h-ucb"),
    ),
    Claim(
        "8a",
        "Fair's regret is linear in figures 2a and 2b (like T^b with b within 0.05 of 1).",
        ("fig2a", "fig2b"),
        _fair_is_linear("fig2a", "fig2b"),
    ),
    Claim(
        "8b",
        "Fair's regret is linear in figure 2c, too, within these rounds.",
        ("fig2c",),
        _fair_is_linear("fig2c"),
    ),
    Claim(
        "9a",
        "RH-UCB is sublinear (over the last half like T^b with b < 1) in figures 2a, 2b and 2c.",
        _2ABC,
        _sublinear("rh-ucb"),
    ),
    Claim("9b", "PRH-UCB is sublinear there, too.", _2ABC, _sublinear("prh-ucb")),
    Claim(
        "10a",
        "The hierarchy is needed: without it (S-UCB) regret is larger on some market.",
        ("ablation",),
        _larger_without("the hierarchy", "s-ucb"),
    ),
    Claim(
        "10b",
        "The hierarchy is needed for sublinear regret: without it regret grows like T^b with "
        f"b > {ALMOST_LINEAR} on some market.",
        ("ablation",),
        _not_sublinear_without("the hierarchy", "s-ucb"),
    ),
    Claim(
        "10c",
        "The sampling is needed: without it (RH-UCB on all arms) regret is larger on some market.",
        ("ablation",),
        _larger_without("the sampling", "rh-ucb-all"),
    ),
    Claim(
        "10d",
        "The sampling is needed for sublinear regret: without it regret grows like T^b with "
        f"b > {ALMOST_LINEAR} on some market.",
        ("ablation",),
        _not_sublinear_without("the sampling", "rh-ucb-all"),
    ),
    Claim(
        "11a",
        "Figure 2c breaks theorem 5's own condition L ≥ 1/c with its L = 3.",
        (),
        _condition_is_broken,
    ),
    Claim(
        "11b",
        "With L = 3 the best agent's sample misses every best arm now and then (over 1 %).",
        ("samples",),
        _small_samples_miss,
    ),
    Claim(
        "11c",
        "With L = 22, which meets the condition, it hardly ever does (under 1 %).",
        ("samples",),
        _large_samples_find,
    ),
)
