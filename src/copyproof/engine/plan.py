"""A policy and what it is told, as numbers.

Which arms are in play is the sampling rule's business: all of them; a uniform sample B of fixed
size ⌊factor·(ln T)^power⌋ drawn once; or a sample that grows by one fresh arm, which is played at
once, whenever |B| < min(|S|, factor·(ln τ)^power), where τ is the round t of the game (PRH-UCB) or
the pool's own round. Neither bound is ever below 1. Where arms come and go (``registration``), |B|
is the number of the sample's seats, and S the arms that are registered.
"""

from typing import Any, NamedTuple

import numpy as np

from copyproof.engine import numerics
from copyproof.engine.cache import inlined, kernel
from copyproof.engine.numerics import log
from copyproof.engine.rules import LoweredRule, Turn

# Sampling rules.
ALL = 0
FIXED = 1
GROWING = 2
GROWING_BY_OWN_ROUND = 3
BY_RULE = 4  # the arm rule says when a fresh arm is tried

# Ways to find the largest index of a pool; all find the same.
TOURNAMENT = 0
ANEW = 1  # every index is computed in every round
LEAVES = 2  # the lines in the leaves are compared one by one: for pools of few items
FEW = 32


class Plan(NamedTuple):
    """A policy and what it is told, as numbers. Truth values are 0 or 1."""

    is_flat: int
    agent: LoweredRule
    arm: LoweredRule
    sampling: int
    factor: float
    power: float
    priority: int  # ties between agents go by one order, drawn at the start or given
    order_given: int
    agent_search: int  # how the largest index is found, among agents and among arms
    arm_search: int
    horizons: Any  # T, or the horizons of the epochs, one after the other
    seed: np.uint64


@inlined
def pool_of(plan: Plan, agent: int) -> int:
    """The pool that an agent's arms stand in."""
    return 0 if plan.is_flat else agent + 1


@inlined
def arm_pools(plan: Plan, pools: Any) -> range:
    """All pools of arms."""
    return range(1 - plan.is_flat, pools.shape[0])


@inlined
def sample_bound(factor: float, power: float, tau: float) -> float:
    """factor·(ln τ)^power, never below 1."""
    clock = log(tau)
    if power == 1.0:
        return max(1.0, factor * clock)
    if power == 2.0:
        return max(1.0, factor * (clock * clock))
    return max(1.0, factor * numerics.power(clock, power))


@kernel
def sample_size(plan: Plan, horizon: int, arms: int) -> int:
    """How many of ``arms`` arms of one pool a sample of fixed size holds."""
    return int(min(float(arms), sample_bound(plan.factor, plan.power, float(horizon))))


@inlined
def sample_grows(plan: Plan, seats: int, turn: Turn) -> bool:
    """Whether the sampling rule wants a fresh arm, beside as many as there are seats."""
    if plan.sampling == GROWING:
        return seats < sample_bound(plan.factor, plan.power, float(turn.t))
    if plan.sampling == GROWING_BY_OWN_ROUND:
        return seats < sample_bound(plan.factor, plan.power, float(turn.plays + 1))
    return False
