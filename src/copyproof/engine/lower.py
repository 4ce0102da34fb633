"""From records to arrays: with ``lower_rewards``, the modules that know both sides.

``lower`` turns a market and a policy into the numbers that the kernels read: a ``Plan``, a ``Game``
and the layout of a ``State``. Parameters that the paper leaves to the market (l, L) are filled in.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, assert_never

import numpy as np

from copyproof._kept import kept_by_identity
from copyproof.engine import rules
from copyproof.engine.lower_rewards import lower_rewards
from copyproof.engine.plan import (
    ALL,
    BY_RULE,
    FEW,
    FIXED,
    GROWING,
    GROWING_BY_OWN_ROUND,
    LEAVES,
    Plan,
)
from copyproof.engine.play import Game
from copyproof.engine.registration import Changes
from copyproof.engine.rules import Kind, LoweredRule
from copyproof.engine.state import State, allocate
from copyproof.game import Market, Registrations, Schedule, discount, registrations
from copyproof.policy import (
    RULES,
    Policy,
    Rule,
    baselines,
    own_rules,
    records,
    with_market_defaults,
)
from copyproof.policy.records import clock_of
from copyproof.policy.sampling import AllArms, FixedSample, GrowingSample, Sampling
from copyproof.validation import require

_LARGEST_REWARD = 1e12
_CLOCKS = {"round": rules.ROUND, "plays": rules.PLAYS, "horizon": rules.HORIZON}


@dataclass(frozen=True, slots=True)
class Lowered:
    """A market and a policy, ready to be played."""

    plan: Plan
    horizon: int
    game: Game
    counts: Any
    originals: Any
    late: Any
    rooms: list[int]
    order: Any

    def new_state(self) -> State:
        """Memory for one game at a time; every worker needs its own."""
        rules = (self.plan.agent, self.plan.arm)
        state = allocate(
            *(self.counts, self.originals, self.late, self.rooms),
            is_flat=bool(self.plan.is_flat),
            window=max(rule.memory * (rule.kind == Kind.SLIDING_WINDOW) for rule in rules),
            coming=len(self.game.changes.round) > 0,
        )
        state.order[:] = self.order
        return state


def lower(
    market: Market,
    policy: Policy,
    *,
    horizon: int,
    seed: int,
    tape: Sequence[Sequence[float]] | None = None,
    priority: Sequence[int] | None = None,
    schedule: Schedule | None = None,
    scan: bool = False,
) -> Lowered:
    """Turn a market and a policy into numbers.

    ``tape[i][k]`` replaces the reward of the k-th play (from 0) of agent i; ``priority`` is the
    order of the agents' positions that priority ties go by; ``schedule`` says which arms come and
    go; ``scan`` turns the tournaments off.
    """
    rows, lengths = lower_tape(market, tape)
    schedule = schedule or Schedule()
    lowered = _lower_market(market, schedule, horizon)
    booked = lowered.booked
    _check_rewards(market, policy, tape, booked)
    if policy.not_live and (booked.changes or schedule.renewals):
        raise ValueError(f"policy = '{policy}' cannot be played while arms come and go")
    market.discount.check_horizon(horizon)
    policy = with_market_defaults(policy, market)
    horizons = epoch_horizons(policy, horizon)
    plan = lower_policy(
        policy, horizon=horizon, seed=seed, order_given=priority is not None, scan=scan
    )
    if plan.agent.kind == Kind.TRIAL and len(market.agents) <= FEW and not scan:
        plan = plan._replace(agent_search=LEAVES)  # most of its indices need not be computed
    most = _most_in_play(policy, horizons[-1])
    pools = [booked.most_of_all] if policy.is_flat else list(booked.most)
    factor, weights = lower_discount(market.discount)
    return Lowered(
        plan=plan,
        horizon=horizon,
        game=Game(
            rewards=lowered.rewards,
            discount_factor=factor,
            discount_weights=weights,
            tape=rows,
            tape_lengths=lengths,
            changes=lowered.changes,
        ),
        counts=lowered.counts,
        originals=lowered.originals,
        late=lowered.late,
        rooms=[count if most is None else min(count, most) for count in pools],
        order=_lower_order(market, policy, priority),
    )


@dataclass(frozen=True, slots=True)
class _LoweredMarket:
    """What does not depend on the policy; nobody writes to the arrays."""

    booked: Registrations
    counts: Any
    originals: Any
    late: Any
    rewards: Any
    changes: Changes


@kept_by_identity
def _lower_market(market: Market, schedule: Schedule, horizon: int) -> _LoweredMarket:
    booked = registrations(market, schedule, horizon)
    counts, originals, late = _lower_arms(market, booked)
    changes = _lower_changes(market, schedule, booked, counts)
    return _LoweredMarket(booked, counts, originals, late, lower_rewards(market), changes)


def lower_policy(
    policy: Policy, *, horizon: int, seed: int, order_given: bool = False, scan: bool = False
) -> Plan:
    """Turn a policy into numbers; l or L must be given."""
    kind, factor, power = _lower_sampling(policy)
    agent, arm = _lower_rule(policy.agent or records.Uniform()), _lower_rule(policy.arm)
    if isinstance(policy.arm, own_rules.TrialArms):
        arm = arm._replace(parameters=agent.parameters, tries=agent.tries, memory=agent.memory)
    return Plan(
        is_flat=int(policy.is_flat),
        agent=agent,
        arm=arm,
        sampling=kind,
        factor=factor,
        power=power,
        priority=int(policy.ties == "priority"),
        order_given=int(order_given),
        agent_search=int(scan),
        arm_search=int(scan),
        horizons=np.array(epoch_horizons(policy, horizon), np.int64),
        seed=np.uint64(seed),
    )


def epoch_horizons(policy: Policy, horizon: int) -> tuple[int, ...]:
    """T, or the horizons of the epochs that T rounds reach into."""
    return (horizon,) if policy.restart is None else policy.restart.horizons(horizon)


def _lower_arms(market: Market, booked: Registrations) -> tuple[Any, Any, Any]:
    """Arms of each agent, and for each arm its original and whether it comes later."""
    if not any(booked.later):
        copies = [count for agent in market.agents for count in agent.copies]
        arms = np.repeat(np.arange(len(copies)), copies)
        registered = np.array([agent.registered for agent in market.agents], np.int64)
        return registered, arms, np.zeros(len(arms), bool)
    counts, originals, late = [], [], []
    first = 0
    for agent, later in zip(market.agents, booked.later, strict=True):
        counts.append(agent.registered + len(later))
        numbers = np.arange(first, first + len(agent.arms))
        originals += [np.repeat(numbers, agent.copies), first + np.array(later, np.int64)]
        late += [np.zeros(agent.registered, bool), np.ones(len(later), bool)]
        first += len(agent.arms)
    return np.array(counts, np.int64), np.concatenate(originals), np.concatenate(late)


def _lower_changes(
    market: Market, schedule: Schedule, booked: Registrations, counts: Any
) -> Changes:
    first = len(counts) + np.cumsum(counts) - counts
    after, below = np.zeros(0, np.int64), np.zeros(0)
    if schedule.renewals:
        after, below = np.zeros(len(counts), np.int64), np.full(len(counts), -np.inf)
        for one in schedule.renewals:
            place = market.names.index(one.agent)
            after[place] = one.after or 0
            below[place] = -np.inf if one.below is None else one.below
    return Changes(
        round=np.array([one.round for one in booked.changes], np.int64),
        item=np.array([first[one.agent] + one.arm for one in booked.changes], np.int64),
        joins=np.array([one.joins for one in booked.changes], np.int8),
        renew_after=after,
        renew_below=below,
    )


def _check_rewards(
    market: Market, policy: Policy, tape: Sequence[Sequence[float]] | None, booked: Registrations
) -> None:
    """Refuse rewards outside [0, 1] if a rule is not defined for them."""
    if not policy.needs_unit_rewards:
        return
    outside: list[str] = []
    if tape is not None:
        for place, row in enumerate(tape):
            outside += [f"tape[{place}][{k}] = {r!r}" for k, r in enumerate(row) if not 0 <= r <= 1]
    else:
        for place, agent in enumerate(market.agents):
            for number, arm in enumerate(agent.arms):
                played = agent.copies[number] > 0 or number in booked.later[place]
                if played and (arm.support[0] < 0 or arm.support[1] > 1):
                    kind = type(arm).__name__.lower()
                    outside.append(f"agents[{place}].arms[{number}] is {kind}")
    if outside:
        raise ValueError(f"policy = '{policy}' takes rewards in [0, 1] only; {outside[0]}")


def _lower_rule(rule: Rule) -> LoweredRule:
    """All numbers of a rule, with one type each: the kernels are compiled for it."""
    kind, parameters, tries = _lower_parameters(rule)
    first, second, third = (float(one) for one in (*parameters, 0.0, 0.0, 0.0)[:3])
    clock = clock_of(rule) or ("horizon" if rule.traits.needs_horizon else "round")
    return LoweredRule(
        kind=int(kind),
        clock=_CLOCKS[clock],
        parameters=(first, second, third),
        tries=tries,
        memory=getattr(rule, "memory", None) or _window_of(rule),
        is_line=int(rule.traits.index == "line"),
        coin=float(rule.coin.chance),
        coin_falls=int(rule.coin.falls),
    )


def _window_of(rule: Rule) -> int:
    """The last plays of its pool that a rule sees; 0 for all."""
    return rule.window if isinstance(rule, baselines.SlidingWindowUCB) else 0


def _lower_parameters(rule: Rule) -> tuple[Kind, tuple[float, ...], int]:
    """Kind, up to three parameters, and for a trial the arms that are tried."""
    match rule:
        case records.UCB(a, b, c):
            return Kind.UCB, (a, b, c), 0
        case records.KLUCB(scale):
            return Kind.KL_UCB, (scale,), 0
        case records.EpsilonGreedy() | records.EpsilonDecreasing():
            return Kind.GREEDY, (), 0
        case records.Thompson():
            return Kind.THOMPSON, (), 0
        case records.Uniform():
            return Kind.UNIFORM, (), 0
        case own_rules.Trial():
            return Kind.TRIAL, (rule.in_turn, own_rules.SHARE, own_rules.GATE), rule.tries
        case own_rules.TrialArms():  # with the parameters of the agent rule
            return Kind.TRIAL_ARMS, (), 0
        case own_rules.SampledKLUCB():
            return Kind.SAMPLED_KL_UCB, (), 0
        case records.ExploreThenCommit(plays):
            return Kind.EXPLORE_THEN_COMMIT, (plays,), 0
        case baselines.MOSS(arms):
            return Kind.MOSS, (arms or 1,), 0
        case baselines.MOSSAnytime(arms, alpha):
            return Kind.MOSS_ANYTIME, (arms or 1, alpha), 0
        case baselines.IMED():
            return Kind.IMED, (), 0
        case baselines.SlidingWindowUCB(xi=xi):
            return Kind.SLIDING_WINDOW, (xi,), 0
        case baselines.DiscountedUCB(gamma, xi):
            return Kind.DISCOUNTED, (gamma, xi), 0
        case baselines.Exp3(gamma):
            return Kind.EXP3, (gamma or 0.0,), 0
        case _:
            assert_never(rule)


def _lower_sampling(policy: Policy) -> tuple[int, float, float]:
    if policy.brings_fresh_arms:
        return BY_RULE, 0.0, 0.0
    sampling: Sampling = policy.sampling
    match sampling:
        case AllArms():
            return ALL, 0.0, 0.0
        case FixedSample(factor=factor, power=power):
            return FIXED, float(factor or 0.0), float(power)
        case GrowingSample(factor=factor, power=power, clock=clock):
            kind = GROWING if clock == "game" else GROWING_BY_OWN_ROUND
            return kind, float(factor or 0.0), float(power)
        case _:
            assert_never(sampling)


def _most_in_play(policy: Policy, horizon: int) -> int | None:
    """An upper bound on the arms of one pool that are ever in play; None if all are."""
    sampling = policy.sampling
    if isinstance(policy.agent, own_rules.Trial) and policy.brings_fresh_arms:
        return policy.agent.tries + 1
    if isinstance(sampling, AllArms):
        return None
    assert sampling.factor is not None
    with np.errstate(over="ignore"):  # a huge power: all arms
        bound = sampling.factor * np.float64(math.log(horizon)) ** sampling.power
    return int(min(bound, 1e18)) + 2


def lower_discount(given: discount.Discount) -> tuple[float, Any]:
    """A factor, and the weights γ_1, γ_2, … if they are written out (empty if not)."""
    match given:
        case discount.Constant():
            return 1.0, np.zeros(0)
        case discount.Geometric(factor=factor):
            return float(factor), np.zeros(0)
        case discount.Explicit(weights=weights):
            return 1.0, np.array(weights, float)
        case _:
            assert_never(given)


def lower_tape(market: Market, tape: Sequence[Sequence[float]] | None) -> tuple[Any, Any]:
    """A row of rewards per agent, and how many of them are given; no columns without a tape."""
    agents = len(market.agents)
    if tape is None:
        return np.zeros((agents, 0)), np.zeros(agents, np.int64)
    given: Any = tape  # whatever a caller may give
    fits = isinstance(given, Sequence) and len(given) == agents
    require(fits, "tape", tape, f"a sequence of {agents} rows, one per agent")
    for agent, row in enumerate(given):
        require(isinstance(row, Collection), f"tape[{agent}]", row, "a sequence of rewards")
        for play, reward in enumerate(row):
            fits = isinstance(reward, int | float) and abs(reward) <= _LARGEST_REWARD
            require(fits, f"tape[{agent}][{play}]", reward, "a number in [-1e12, 1e12]")
    lengths = np.array([len(row) for row in tape], np.int64)
    rows = np.zeros((agents, max(1, int(lengths.max()))))
    for agent, row in enumerate(tape):
        rows[agent, : len(row)] = row
    return rows, lengths


def _lower_order(market: Market, policy: Policy, priority: Sequence[int] | None) -> Any:
    agents = len(market.agents)
    if priority is None:
        return np.arange(agents)
    if policy.ties != "priority":
        raise ValueError(f"priority is given, but '{policy}' does not break ties by priority")
    given: Any = priority  # whatever a caller may give
    whole = isinstance(given, Sequence) and all(
        isinstance(agent, int | np.integer) and not isinstance(agent, bool) for agent in given
    )
    fits = whole and sorted(given) == list(range(agents))
    require(fits, "priority", priority, f"an order of 0 ... {agents - 1}")
    return np.array(priority, np.int64)


def _check_rules() -> None:
    """Fail where a rule is not known to all parts, instead of playing something else."""
    lowered = [_lower_rule(rule()) for rule in RULES.values()]
    if {rule.kind for rule in lowered} != set(Kind):
        raise ImportError("a kind of engine.rules belongs to no rule of policy.records")
    for name, rule in zip(RULES, lowered, strict=True):
        if rule.is_line != (rule.kind in rules.LINES):
            raise ImportError(
                f"{name}: its trait says line, or its branch in engine.rules, not both"
            )


_check_rules()
