"""The theorems of the paper and the bound of Lai and Robbins, held against a case.

All of them take rewards in [0, 1], and that an agent which takes part owns an arm of mean μ*:
regret is measured against μ*, hidden arms included.
"""

import math

from copyproof.theory import formulas
from copyproof.theory.bound import Found, Theorem
from copyproof.theory.conditions import Case, ConditionFails
from copyproof.theory.quantities import Sample, agent_gap, arm_gaps, best_agents, smallest_share

_UNPROVEN = "as printed, with constants that are unproven"


def _theorem_3(case: Case) -> Found:
    case.requires_policy("h-ucb")
    case.requires_unit_rewards()
    case.requires_best_agent()
    case.requires_best_arms_only()
    value = formulas.theorem_3((agent_gap(case.market, one) for one in case.playing), case.T)
    return Found(value, "every agent that takes part registers its best arm only")


def _robust(case: Case) -> None:
    """Require what theorems 5 and 6 have in common."""
    case.requires_policy("rh-ucb")
    case.requires_unit_rewards()
    case.requires_best_agent()
    case.requires_large_sample()
    case.requires_sure_sample()


def _theorem_5(case: Case) -> Found:
    _robust(case)
    case.requires_one_best_agent()
    (best,) = best_agents(case.market)
    others = [
        (agent_gap(case.market, one), arm_gaps(one)) for one in case.playing if one is not best
    ]
    value = formulas.theorem_5(others, arm_gaps(best), case.factor, case.T)
    c, _ = smallest_share(case.market)
    why = (
        f"agent {best.name!r} alone owns the best mean, and L = {case.factor:g} is not below "
        f"1/c = {float(1 / c):g}; {_UNPROVEN}"
    )
    return Found(value, why, {"L": case.factor, "c": float(c)})


def _theorem_6(case: Case) -> Found:
    """K = L: whoever keeps a share c ≥ 1/L keeps 1/L, and the proof's samples have K ln T arms."""
    _robust(case)
    c, _ = smallest_share(case.market)
    value = formulas.theorem_6(len(case.playing), case.factor, case.T)
    why = f"L = {case.factor:g} is not below 1/c = {float(1 / c):g}, and K = L; {_UNPROVEN}"
    return Found(value, why, {"K": case.factor, "c": float(c)})


def _theorem_7(case: Case) -> Found:
    case.requires_policy("prh-ucb")
    case.requires_unit_rewards()
    case.requires_best_agent()
    case.requires_shown_best_arms()
    c, _ = smallest_share(case.market)
    length, needed = case.T * math.log(case.T) ** 3, f"e^(2/c) = e^{float(2 / c):g}"
    if not formulas.theorem_7_holds(float(c), case.T):
        raise ConditionFails(f"it takes T ln³ T ≥ e^(2/c), and {length:.4g} is below {needed}")
    why = (
        "the regret is O(n c⁻² √(T ln³ T)) for given means and O(n c^(−1/2) T^(3/4) ln^(3/2) T) "
        f"whatever the means, with unknown constants: T ln³ T = {length:.4g} is not below "
        f"{needed}; the paper only sketches a proof, by the steps of theorem 5"
    )
    return Found(None, why, {"c": float(c)})


def _lemma_1(case: Case) -> Found:
    case.requires_samples()
    case.requires_log_samples()
    case.requires_large_sample()
    worst = max(case.samples, key=lambda one: one.bound)
    value, most = worst.bound, 1 / case.T
    if value > most:
        raise ConditionFails(
            f"it promises 1/T = {most:.4g}, which the bound (1 − c)^m = {value:.4g} for the "
            f"m = ⌊L ln T⌋ = {worst.size} arms of agent {worst.agent!r} is above"
        )
    why = f"{_of_sample(worst)}: the bound on a sample without any best arm, at most 1/T = {most:g}"
    return Found(value, why, {"L": case.factor, "c": worst.best / worst.arms, "m": worst.size})


def _lemma_1_exact(case: Case) -> Found:
    case.requires_samples()
    worst = max(case.samples, key=lambda one: one.miss)
    most = 1 / case.T
    why = (
        f"{_of_sample(worst)}: the hypergeometric probability of a sample without any best arm, "
        f"{'not above' if worst.miss <= most else 'above'} 1/T = {most:g}"
    )
    return Found(worst.miss, why, {"arms": worst.arms, "best": worst.best, "m": worst.size})


def _of_sample(one: Sample) -> str:
    return (
        f"the largest over agents is that of {one.agent!r}, of whose {one.arms} registered arms "
        f"{one.best} are its best and {one.size} in play"
    )


def _lai_robbins(case: Case) -> Found:
    case.requires_consistency()
    case.requires_bernoulli()
    case.requires_best_agent()
    case.requires_registered_best()
    value = formulas.lai_robbins(case.registered, case.T)
    count = case.market.registered
    why = (
        f"{case.policy} is consistent on {count} Bernoulli arm{'s' * (count > 1)}; asymptotic, so "
        "that at a given T the regret may be below it"
    )
    return Found(value, why)


PAPER_THEOREMS = (
    Theorem("theorem 3", "upper", _theorem_3),
    Theorem("theorem 5", "upper", _theorem_5, proven=False),
    Theorem("theorem 6", "upper", _theorem_6, proven=False),
    Theorem("theorem 7", "asymptotic", _theorem_7, proven=False),
    Theorem("lemma 1", "upper", _lemma_1, of="probability"),
    Theorem("lemma 1, exact", "upper", _lemma_1_exact, of="probability"),
    Theorem("Lai-Robbins", "asymptotic", _lai_robbins),
)
