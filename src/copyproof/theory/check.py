"""Which theorems speak about a market under a policy, and what they say there.

Every theorem is held against the market, the profile, the policy and the horizon. One that does not
apply has no value and says which condition fails; one that applies may still be vacuous, when it
allows more than the most regret there can be, T times the largest gap of a registered arm.

All of them take rewards in [0, 1], and that an agent which takes part owns an arm of mean μ*:
regret is measured against μ*, hidden arms included.
"""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from copyproof.game import Market
from copyproof.policy import Policy, parse_policy, with_market_defaults
from copyproof.theory import formulas
from copyproof.theory.conditions import Case, ConditionFails
from copyproof.theory.quantities import Sample, agent_gap, arm_gaps, best_agents, smallest_share
from copyproof.validation import FieldError, whole_in

Kind: TypeAlias = Literal["upper", "lower", "order", "probability"]

# What a theorem that applies says: its value, if it has one, and why it applies.
_Found: TypeAlias = tuple[float | None, str]
_Check: TypeAlias = Callable[[Case], _Found]

LONGEST_HORIZON = 10**100


@dataclass(frozen=True, slots=True)
class Bound:
    """What one theorem says about a market under a policy.

    Attributes
    ----------
    theorem : str
        Its name, such as ``"theorem 3"``.
    kind : {"upper", "lower", "order", "probability"}
        A bound on the regret from above, from below (asymptotic), an order without constants, or a
        probability about samples.
    value : float or None
        None if the theorem does not apply, or knows an order only.
    applies : bool
        Whether all its conditions hold.
    why : str
        The condition that fails, with its numbers; or what makes it apply.
    vacuous : bool
        Whether it applies and yet says nothing.
    """

    theorem: str
    kind: Kind
    value: float | None
    applies: bool
    why: str
    vacuous: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON; a value too large for a float becomes None.

        Examples
        --------
        >>> Bound("theorem 3", "upper", 7.0, applies=True, why="it does").to_dict()["value"]
        7.0
        """
        finite = self.value is not None and math.isfinite(self.value)
        return asdict(self) | {"value": self.value if finite else None}


def bounds(market: Market, policy: Policy | str, horizon: int) -> tuple[Bound, ...]:
    """Hold every theorem against a market, its profile, a policy and a horizon.

    Parameters
    ----------
    market : Market
        Agents, their arms and how they register them.
    policy : Policy or str
        A record, or its text form such as ``"rh-ucb(L=3)"``.
    horizon : int
        T, from 1 to 10^100.

    Returns
    -------
    tuple of Bound
        Theorems 3, 5, 6 and 7 and lemma 1 of Shin, Lee, Ok (2022), the exact probability that
        lemma 1 bounds, and the lower bound of Lai, Robbins (1985): always in this order.

    Raises
    ------
    ValueError
        If the policy cannot be read, the horizon is not accepted, or the market has priors.

    Examples
    --------
    >>> from copyproof import paper_market
    >>> first, *_ = bounds(paper_market("1a"), "h-ucb", horizon=100_000)
    >>> first.theorem, first.applies, round(first.value, 1)
    ('theorem 3', True, 1923.1)
    """
    asked = parse_policy(policy) if isinstance(policy, str) else policy
    market.require_known_means("bounds")
    case = Case(market, with_market_defaults(asked, market), _whole_horizon(horizon))
    return tuple(_held(case, theorem, kind, check) for theorem, (kind, check) in _CHECKS.items())


def _held(case: Case, theorem: str, kind: Kind, check: _Check) -> Bound:
    try:
        value, why = check(case)
    except ConditionFails as fails:
        return Bound(theorem, kind, None, applies=False, why=str(fails))
    too_high = value is not None and kind in ("upper", "lower") and value > case.most_regret
    if too_high and kind == "upper":
        why += f"; vacuous, as no regret is above T times the largest gap, {case.most_regret:g}"
    vacuous = too_high or (kind == "lower" and value == 0)
    return Bound(theorem, kind, value, applies=True, why=why, vacuous=vacuous)


def _whole_horizon(value: object) -> int:
    try:
        return whole_in("horizon", value, 1, LONGEST_HORIZON)
    except FieldError:  # a bound of 101 digits is not for reading
        accepted = "a whole number from 1 to 10^100"
        raise FieldError("horizon", value, accepted, f"= {value!r} is not {accepted}") from None


def _theorem_3(case: Case) -> _Found:
    case.requires_policy("h-ucb")
    case.requires_unit_rewards()
    case.requires_best_agent()
    case.requires_best_arms_only()
    value = formulas.theorem_3((agent_gap(case.market, one) for one in case.playing), case.T)
    return value, "every agent that takes part registers its best arm only"


def _robust(case: Case) -> None:
    """Require what theorems 5 and 6 have in common."""
    case.requires_policy("rh-ucb")
    case.requires_unit_rewards()
    case.requires_best_agent()
    case.requires_large_sample()
    case.requires_sure_sample()


def _theorem_5(case: Case) -> _Found:
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
        f"1/c = {float(1 / c):g}"
    )
    return value, why


def _theorem_6(case: Case) -> _Found:
    """K = L: whoever keeps a share c ≥ 1/L keeps 1/L, and the proof's samples have K ln T arms."""
    _robust(case)
    c, _ = smallest_share(case.market)
    value = formulas.theorem_6(len(case.playing), case.factor, case.T)
    why = f"L = {case.factor:g} is not below 1/c = {float(1 / c):g}, and K = L"
    return value, why


def _theorem_7(case: Case) -> _Found:
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
        f"whatever the means, with unknown constants: T ln³ T = {length:.4g} is not below {needed}"
    )
    return None, why


def _lemma_1(case: Case) -> _Found:
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
    return value, why


def _lemma_1_exact(case: Case) -> _Found:
    case.requires_samples()
    worst = max(case.samples, key=lambda one: one.miss)
    most = 1 / case.T
    why = (
        f"{_of_sample(worst)}: the hypergeometric probability of a sample without any best arm, "
        f"{'not above' if worst.miss <= most else 'above'} 1/T = {most:g}"
    )
    return worst.miss, why


def _of_sample(one: Sample) -> str:
    return (
        f"the largest over agents is that of {one.agent!r}, of whose {one.arms} registered arms "
        f"{one.best} are its best and {one.size} in play"
    )


def _lai_robbins(case: Case) -> _Found:
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
    if value > case.most_regret:
        why += f", as here, where no regret is above T times the largest gap, {case.most_regret:g}"
    elif value == 0:
        why += "; 0 says nothing"
    return value, why


_CHECKS: dict[str, tuple[Kind, _Check]] = {
    "theorem 3": ("upper", _theorem_3),
    "theorem 5": ("upper", _theorem_5),
    "theorem 6": ("upper", _theorem_6),
    "theorem 7": ("order", _theorem_7),
    "lemma 1": ("probability", _lemma_1),
    "lemma 1, exact": ("probability", _lemma_1_exact),
    "Lai-Robbins": ("lower", _lai_robbins),
}
