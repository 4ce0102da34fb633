"""The theorems of this package, A, A′, B and D, held against a case.

Their proofs are in ``docs/explanation/theorems.md``; that of theorem D, which bounds the lost games
of ``trial``, is in ``docs/explanation/trial-bound.md``. Theorems A and A′ are lower bounds for
every policy that does not pay an agent for copies of its only arm. Hierarchical policies do not:
agents are chosen by what they earned, so that such copies leave the law of play as it was. Theorem
A asks for consistency besides, which is known of ``rh-kl-ucb`` with agents of up to κ arms. Theorem
B is about that policy.

Theorem A′ has three entries. Where agents are truthful it is the price of a promise: ``lost``, the
share of games in which the good arms of an agent may be overlooked, with ``c`` (or ``K`` and ``g``)
to say how few they may be. Where one agent has few good arms among bad ones it is the cost of few
``plays``, those that the agent has where it registers its best bad arm alone; and again with rates,
which counts how many plays of a good arm it takes to tell that it is one.
"""

import math
from collections import Counter
from collections.abc import Sequence

from copyproof.game import Agent, Arm, Bernoulli
from copyproof.policy import why_not_covered
from copyproof.theory.bound import Found, Parameters, Theorem
from copyproof.theory.conditions import Case, ConditionFails
from copyproof.theory.formulas import miss_probability
from copyproof.theory.information import (
    information_rate,
    least_probability,
    plays_needed_to_tell,
)
from copyproof.theory.lost_games import theorem_d
from copyproof.theory.quantities import (
    agent_gap,
    best_agents,
    registered_best,
    share_of_best,
)
from copyproof.theory.replication_cost import (
    plays_needed,
    plays_needed_at_share,
    share_lost,
    theorem_a,
)
from copyproof.theory.rh_kl_ucb import theorem_b, theorem_b_with_gaps

_PROVEN = "rh-kl-ucb"


def _theorem_a(case: Case) -> Found:
    case.requires_policy(_PROVEN, any_power=True)
    case.requires_bernoulli()
    case.requires_registered_best()
    case.requires_best_arms_only()
    kappa = case.kappa
    K = kappa if case.assumed.K is None else case.assumed.K
    if kappa < K:
        raise ConditionFails(
            f"it takes a policy that is consistent with agents of up to K = {K} arms, which is "
            f"known of {_PROVEN} for κ ≥ K, and κ = {kappa}"
        )
    constant = theorem_a((agent.best_mean for agent in case.playing), K)
    why = (
        "copies of an agent's only arm do not pay (condition 1), and "
        f"{case.policy} is consistent with agents of up to K = {K} arms, "
        f"κ = {kappa}; asymptotic, so that at a given T the regret may be below it"
    )
    return Found(constant * math.log(case.T), why, {"K": K, "constant": constant})


def _proven(case: Case) -> list[Agent]:
    """Require what both parts of theorem B take; the agents that register arms of mean μ*."""
    case.requires_policy(_PROVEN, any_power=True)
    case.requires_unit_rewards()
    case.requires_registered_best()
    case.requires_rounds(2)
    return _owners(case)


def _theorem_b(case: Case) -> Found:
    surest = min(_proven(case), key=lambda agent: _missed(case, agent))
    value = theorem_b(len(case.playing), case.kappa, case.T, _missed(case, surest))
    return Found(value, _of_samples(case, [surest]), _parameters(case, [surest]))


def _theorem_b_with_gaps(case: Case) -> Found:
    owners, best = _proven(case), case.market.best_mean
    worse = [
        (max(means), min(means))
        for agent in case.playing
        if agent not in owners and (means := [arm.mean for arm in _registered(agent)])
    ]
    inside = [
        (arm.mean, copies * min(1.0, case.kappa / agent.registered))
        for agent in owners
        for arm, copies in zip(agent.arms, agent.copies, strict=True)
        if copies > 0 and arm.mean < best
    ]
    missed = [_missed(case, agent) for agent in owners]
    value = theorem_b_with_gaps(worse, inside, best, case.kappa, case.T, missed)
    return Found(value, _of_samples(case, owners), _parameters(case, owners))


def _owners(case: Case) -> list[Agent]:
    """The agents that register an arm of mean μ*."""
    best = case.market.best_mean
    return [agent for agent in case.playing if agent.best_mean == best and registered_best(agent)]


def _missed(case: Case, agent: Agent) -> float:
    """p₀: the probability that the sample of a best agent holds none of its best arms."""
    size = min(case.kappa, agent.registered)
    return miss_probability(agent.registered, registered_best(agent), size)


def _of_samples(case: Case, owners: Sequence[Agent]) -> str:
    missed = sum(_missed(case, agent) for agent in owners)
    whose = f"agent {owners[0].name!r}"
    if len(owners) > 1:
        whose += f" and {len(owners) - 1} more, which are equally good,"
    return (
        f"κ = {case.kappa}, and samples of {whose} hold no best arm with probability {missed:.4g}"
    )


def _parameters(case: Case, owners: Sequence[Agent]) -> Parameters:
    share = min(share_of_best(agent) for agent in owners)
    missed = sum(_missed(case, agent) for agent in owners)
    return {"kappa": case.kappa, "c": float(share), "p0": missed}


def _price_of_a_promise(case: Case) -> Found:
    """N Σ Δ_i: what truthful agents cost a policy that overlooks good arms at most so often."""
    case.requires_hierarchy()
    case.requires_registered_best()
    case.requires_best_arms_only()
    best = case.market.best_mean
    if best >= 1:
        raise ConditionFails(f"it takes μ* < 1, or no arm can be better, and μ* = {best:g}")
    plays, parameters, few = _promised(case)
    value = plays * sum(agent_gap(case.market, agent) for agent in case.playing)
    why = (
        f"for a policy that loses at most {case.assumed.lost:g} of the games where {few} of an "
        f"agent are good; it plays every truthful agent {plays:.4g} times or more"
    )
    return Found(value, why, parameters)


def _promised(case: Case) -> tuple[float, Parameters, str]:
    """The plays that a promise asks for, its parameters, and how few arms are good."""
    given = case.assumed
    if given.lost is not None and given.K is not None and given.g is not None:
        asked: Parameters = {"K": given.K, "g": given.g, "lost": given.lost}
        return plays_needed(given.lost, given.K, given.g), asked, f"{given.g} of {given.K} arms"
    if given.lost is not None and given.c is not None:
        asked = {"c": given.c, "lost": given.lost}
        few = f"a share c = {given.c:.4g} of the arms, however many,"
        return plays_needed_at_share(given.lost, given.c), asked, few
    raise ConditionFails(
        "it takes a promise: the share of games that may be lost, with c, or K and g, of the arms "
        "that are good"
    )


def _cost_of_few_plays(case: Case) -> Found:
    """(μ′ − μ*) T q(N): what it costs to overlook the few good arms of one agent."""
    agent, rival = _needles(case)
    good, second = case.market.best_mean, max(rival, max(arm.mean for arm in _worse(agent)))
    K, g = agent.registered, registered_best(agent)
    if case.assumed.plays is None:
        raise ConditionFails(
            f"it takes the plays of agent {agent.name!r} where it registers its best bad arm "
            f"alone; with fewer than {plays_needed(0.01, K, g):.4g}, more than 1 % of games is lost"
        )
    q = share_lost(case.assumed.plays, K, g)
    why = (
        f"{g} of the {K} arms of agent {agent.name!r} are good, and all of them are overlooked "
        f"with probability {q:.4g} or more, if it has {case.assumed.plays:g} plays in expectation "
        "where it registers its best bad arm alone"
    )
    return Found((good - second) * case.T * q, why, {"K": K, "g": g, "plays": case.assumed.plays})


def _cost_with_rates(case: Case) -> Found:
    """(μ′ − m) T z(1 − N/T, ρN), m the rivals' best mean: what it costs not to tell good arms."""
    agent, rival = _needles(case)
    if not all(isinstance(arm, Bernoulli) for arm in _registered(agent)):
        raise ConditionFails(f"it takes Bernoulli arms, and those of {agent.name!r} are not all")
    good, g, counts = case.market.best_mean, registered_best(agent), Counter[float]()
    if good >= 1:
        raise ConditionFails("it takes good arms that may fail, and here they have the mean 1")
    for arm, copies in zip(agent.arms, agent.copies, strict=True):
        counts[arm.mean] += copies
    bad = [(mean, count) for mean, count in counts.items() if mean < good and count > 0]
    rate, plays = information_rate(good, bad, g), case.assumed.plays
    if plays is None:
        enough = plays_needed_to_tell(0.01, rate)
        raise ConditionFails(
            f"it takes the plays of agent {agent.name!r} where it registers its best bad arm "
            f"alone; with fewer than about {enough:.4g}, more than 1 % of games is lost"
        )
    z = least_probability(max(0.0, 1 - plays / case.T), rate * plays)
    why = (
        f"{g} of the {agent.registered} arms of agent {agent.name!r} are good, and if it has "
        f"{plays:g} plays in expectation where it registers its best bad arm alone, other agents "
        f"have a share {z:.4g} of all rounds or more"
    )
    value = (good - rival) * case.T * z
    return Found(value, why, {"K": agent.registered, "g": g, "plays": plays, "rate": rate})


def _needles(case: Case) -> tuple[Agent, float]:
    """The one agent that registers arms of mean μ*, and worse ones; the best mean of the others.

    With all that both entries on it take of the market and the policy.
    """
    case.requires_hierarchy()
    case.requires_registered_best()
    owners = _owners(case)
    if len(owners) > 1:
        names = f"{owners[0].name!r} and {owners[1].name!r}"
        raise ConditionFails(f"it takes one best agent, and {names} are equally good")
    (agent,) = owners
    if not _worse(agent):
        raise ConditionFails(
            f"it takes a best agent with bad arms among its good ones, and agent {agent.name!r} "
            "registers its best only"
        )
    bad = _worse(agent)
    if any(arm != bad[0] for arm in bad):
        _requires_order(case, agent, bad)
    others = [arm.mean for one in case.playing if one is not agent for arm in _registered(one)]
    return agent, max(others, default=0.0)


def _requires_order(case: Case, agent: Agent, bad: Sequence[Arm]) -> None:
    """Bad arms may differ if better rewards never mean fewer plays, and the arms are in order."""
    if reason := why_not_covered(case.policy):
        raise ConditionFails(
            f"the bad arms of agent {agent.name!r} differ, and the pathwise theorem, which that "
            f"takes, does not cover {case.policy}: {reason}"
        )
    if not all(isinstance(arm, Bernoulli) for arm in bad):
        raise ConditionFails(
            f"the bad arms of agent {agent.name!r} differ, and are not all Bernoulli: it takes one "
            "that dominates the others"
        )


def _theorem_d(case: Case) -> Found:
    """Lost games of ``trial``, where the best agents register arms of high means only."""
    rule = case.requires_trial()
    from copyproof.simulation.lost import gap_to_rivals  # loads the compiler

    case.requires_unit_rewards()
    case.requires_best_agent()
    good = [agent.name for agent in best_agents(case.market)]
    gap = gap_to_rivals(case.market)
    if gap == math.inf:
        return Found(0.0, "all agents have an arm of the best mean, so that no game can be lost")
    best, lowest = case.market.best_mean, 1.0
    rivals = []
    for agent in case.playing:
        means = [arm.mean for arm in _registered(agent)]
        if agent.name in good:
            _requires_above(agent, min(means), best - gap / 2)
            lowest = min(lowest, *means)
        else:
            rivals.append((max(means), min(means)))
    value = theorem_d(best, lowest, rivals, case.T, rule.in_turn, len(good))
    why = (
        f"all arms of agent {good[0]!r}{' and its equals' if len(good) > 1 else ''} have means of "
        f"at least {lowest:g}, above the middle of μ* = {best:g} and {best - gap:g}"
    )
    return Found(value, why, {"gap": gap, "rho": lowest, "q": rule.in_turn})


def _requires_above(agent: Agent, lowest: float, middle: float) -> None:
    if lowest <= middle:
        raise ConditionFails(
            f"it takes a best agent that registers arms of means above {middle:g} only, the middle "
            f"of μ* and the best rival, and agent {agent.name!r} registers one of mean {lowest:g}"
        )


def _registered(agent: Agent) -> list[Arm]:
    return [arm for arm, copies in zip(agent.arms, agent.copies, strict=True) if copies > 0]


def _worse(agent: Agent) -> list[Arm]:
    return [arm for arm in _registered(agent) if arm.mean < agent.best_mean]


OWN_THEOREMS = (
    Theorem("theorem A", "asymptotic", _theorem_a),
    Theorem("theorem A′, truthful", "lower", _price_of_a_promise),
    Theorem("theorem A′, few good", "lower", _cost_of_few_plays),
    Theorem("theorem A′, with rates", "lower", _cost_with_rates),
    Theorem("theorem B", "upper", _theorem_b),
    Theorem("theorem B, with gaps", "upper", _theorem_b_with_gaps),
    Theorem("theorem D, lost games", "upper", _theorem_d, of="lost games"),
)
