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
from copyproof.theory.conditions import Case
from copyproof.theory.quantities import (
    Sample,
    agent_gap,
    arm_gaps,
    best_agents,
    smallest_share,
)
from copyproof.validation import FieldError, whole_in

Kind: TypeAlias = Literal["upper", "lower", "order", "probability"]

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
        If the policy cannot be read, or the horizon is not accepted.

    Examples
    --------
    >>> from copyproof import paper_market
    >>> first, *_ = bounds(paper_market("1a"), "h-ucb", horizon=100_000)
    >>> first.theorem, first.applies, round(first.value, 1)
    ('theorem 3', True, 1923.1)
    """
    asked = parse_policy(policy) if isinstance(policy, str) else policy
    case = Case(market, with_market_defaults(asked, market), _whole_horizon(horizon))
    checks: tuple[Callable[[Case], Bound], ...] = (
        _theorem_3,
        _theorem_5,
        _theorem_6,
        _theorem_7,
        _lemma_1,
        _lemma_1_exact,
        _lai_robbins,
    )
    return tuple(check(case) for check in checks)


def _whole_horizon(value: object) -> int:
    try:
        return whole_in("horizon", value, 1, LONGEST_HORIZON)
    except FieldError:  # a bound of 101 digits is not for reading
        accepted = "a whole number from 1 to 10^100"
        raise FieldError("horizon", value, accepted, f"= {value!r} is not {accepted}") from None


def _theorem_3(case: Case) -> Bound:
    fails = (
        case.other_policy("h-ucb")
        or case.other_rewards()
        or case.best_is_absent()
        or case.more_than_best_arms()
    )
    if fails:
        return _not("theorem 3", "upper", fails)
    value = formulas.theorem_3((agent_gap(case.market, one) for one in case.playing), case.T)
    return _upper(
        "theorem 3", value, "every agent that takes part registers its best arm only", case
    )


def _robust(case: Case) -> str | None:
    """What theorems 5 and 6 have in common."""
    return (
        case.other_policy("rh-ucb")
        or case.other_rewards()
        or case.best_is_absent()
        or case.small_sample()
        or case.floored_sample()
    )


def _theorem_5(case: Case) -> Bound:
    fails = _robust(case) or case.several_best()
    if fails:
        return _not("theorem 5", "upper", fails)
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
    return _upper("theorem 5", value, why, case)


def _theorem_6(case: Case) -> Bound:
    """K = L: whoever keeps a share c ≥ 1/L keeps 1/L, and the proof's samples have K ln T arms."""
    fails = _robust(case)
    if fails:
        return _not("theorem 6", "upper", fails)
    c, _ = smallest_share(case.market)
    value = formulas.theorem_6(len(case.playing), case.factor, case.T)
    why = f"L = {case.factor:g} is not below 1/c = {float(1 / c):g}, and K = L"
    return _upper("theorem 6", value, why, case)


def _theorem_7(case: Case) -> Bound:
    fails = (
        case.other_policy("prh-ucb")
        or case.other_rewards()
        or case.best_is_absent()
        or case.hidden_best()
    )
    if fails:
        return _not("theorem 7", "order", fails)
    c, _ = smallest_share(case.market)
    length, needed = case.T * math.log(case.T) ** 3, f"e^(2/c) = e^{float(2 / c):g}"
    if not formulas.theorem_7_holds(float(c), case.T):
        fails = f"it takes T ln³ T ≥ e^(2/c), and {length:.4g} is below {needed}"
        return _not("theorem 7", "order", fails)
    why = (
        "the regret is O(n c⁻² √(T ln³ T)) for given means and O(n c^(−1/2) T^(3/4) ln^(3/2) T) "
        f"whatever the means, with unknown constants: T ln³ T = {length:.4g} is not below {needed}"
    )
    return Bound("theorem 7", "order", None, applies=True, why=why)


def _lemma_1(case: Case) -> Bound:
    fails = case.no_samples() or case.other_samples() or case.small_sample()
    if fails:
        return _not("lemma 1", "probability", fails)
    worst = max(case.samples, key=lambda one: one.bound)
    value, most = worst.bound, 1 / case.T
    if value > most:
        fails = (
            f"it promises 1/T = {most:.4g}, which the bound (1 − c)^m = {value:.4g} for the "
            f"m = ⌊L ln T⌋ = {worst.size} arms of agent {worst.agent!r} is above"
        )
        return _not("lemma 1", "probability", fails)
    why = f"{_of_sample(worst)}: the bound on a sample without any best arm, at most 1/T = {most:g}"
    return Bound("lemma 1", "probability", value, applies=True, why=why)


def _lemma_1_exact(case: Case) -> Bound:
    fails = case.no_samples()
    if fails:
        return _not("lemma 1, exact", "probability", fails)
    worst = max(case.samples, key=lambda one: one.miss)
    most = 1 / case.T
    why = (
        f"{_of_sample(worst)}: the hypergeometric probability of a sample without any best arm, "
        f"{'not above' if worst.miss <= most else 'above'} 1/T = {most:g}"
    )
    return Bound("lemma 1, exact", "probability", worst.miss, applies=True, why=why)


def _of_sample(one: Sample) -> str:
    return (
        f"the largest over agents is that of {one.agent!r}, of whose {one.arms} registered arms "
        f"{one.best} are its best and {one.size} in play"
    )


def _lai_robbins(case: Case) -> Bound:
    fails = (
        case.not_consistent()
        or case.not_bernoulli()
        or case.best_is_absent()
        or case.best_is_hidden()
    )
    if fails:
        return _not("Lai-Robbins", "lower", fails)
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
    vacuous = value == 0 or value > case.most_regret
    return Bound("Lai-Robbins", "lower", value, applies=True, why=why, vacuous=vacuous)


def _not(theorem: str, kind: Kind, fails: str) -> Bound:
    return Bound(theorem, kind, None, applies=False, why=fails)


def _upper(theorem: str, value: float, why: str, case: Case) -> Bound:
    vacuous = value > case.most_regret
    if vacuous:
        why += f"; vacuous, as no regret is above T times the largest gap, {case.most_regret:g}"
    return Bound(theorem, "upper", value, applies=True, why=why, vacuous=vacuous)
