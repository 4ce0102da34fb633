"""The choice among some of the arms: those a visitor may see, or those not yet on a slate.

The indices are the very ones that ``choose`` compares (the same ``line`` at the same x, the same
draws under the same keys), computed one by one for those that may be chosen; nothing of the others
changes. An agent takes part if one of its registered arms does.

Where a policy plays a sample B of an agent's arms: if it is time for B to grow, a fresh arm is
drawn among those that may be chosen; else the choice is among those of B. If B holds none of them,
one of the others is drawn and played without joining B. So there is a decision whenever an arm may
be chosen at all. The theorems speak of choices among all arms and do not cover this.

Marks, per item: an agent is WHOLE or LISTED, an arm is ALLOWED or TAKEN, 0 is neither. ``left``
counts the arms of an agent that may still be chosen.
"""

import math
from typing import Any

import numpy as np
from numba import int64

from copyproof.engine.cache import part
from copyproof.engine.own import champion, line_in
from copyproof.engine.principal import BY_RULE, GROWING, Choice, Plan, grow, join, sample_bound
from copyproof.engine.rules import (
    EPSILON_DECREASING,
    EPSILON_GREEDY,
    KL_UCB,
    THOMPSON,
    UNIFORM,
    Rule,
    beta_draw,
    epsilon,
    kl_index,
    position,
    reading,
)
from copyproof.engine.state import ABSENT, OUTSIDE, State
from copyproof.engine.streams import COIN, PICK, nth_of, uniform

NOBODY = -1
WHOLE, LISTED = 1, 2
ALLOWED, TAKEN = 1, 2


@part
def _is_registered(state: State, number: int) -> bool:
    """Whether an arm may be played at all."""
    if state.start[number] == ABSENT:
        return False
    return bool(state.start[state.items[number].owner] != ABSENT)


@part
def mark(
    plan: Plan, state: State, marks: Any, left: Any, lists: Any, start: int, stop: int
) -> None:
    """Mark what ``lists[start:stop]`` names, agents and items, or everything if start < 0.

    ``marks`` and ``left`` are modified in place.
    """
    agents = left.shape[0]
    if start < 0:
        for agent in range(agents):
            _mark_whole(plan, state, marks, left, agent)
        return
    for n in range(start, stop):
        number = lists[n]
        if number < agents:
            _mark_whole(plan, state, marks, left, number)
        elif marks[number] == 0 and _is_registered(state, number):
            owner = state.items[number].owner
            marks[number] = ALLOWED
            marks[owner] = LISTED
            left[owner] += 1


@part
def _mark_whole(plan: Plan, state: State, marks: Any, left: Any, agent: int) -> None:
    """Mark an agent with all its arms."""
    marks[agent] = WHOLE
    if plan.hierarchical:
        left[agent] = state.pools[agent + 1].size + state.pools[agent + 1].outside
    else:
        left[agent] = state.items.shape[0]  # only asked whether it is above 0


@part
def clear(state: State, marks: Any, left: Any, lists: Any, start: int, stop: int) -> None:
    """Undo ``mark``; arms that are TAKEN are the caller's. Modified in place."""
    if start < 0:
        for agent in range(left.shape[0]):
            marks[agent] = 0
            left[agent] = 0
        return
    for n in range(start, stop):
        number = lists[n]
        marks[number] = 0
        if number >= left.shape[0]:
            number = state.items[number].owner
            marks[number] = 0
        left[number] = 0


@part
def _may_be(state: State, marks: Any, number: int) -> bool:
    """Whether an arm may be chosen, if it is registered."""
    if marks[number] == TAKEN:
        return False
    return bool(marks[state.items[number].owner] == WHOLE or marks[number] == ALLOWED)


@part
def choose_among(plan: Plan, state: State, marks: Any, left: Any, t: int, slate: bool) -> Choice:
    """``choose`` among what is marked; on a slate the arm is then TAKEN. Agent NOBODY: none left.

    Samples in ``state``, and marks, are modified in place.
    """
    agent = NOBODY
    pool = 0
    horizon = state.epoch[0].horizon
    t -= state.epoch[0].before
    k = t
    plays = t - 1
    if plan.hierarchical:
        top = state.pools[0]
        size = 0
        for place in range(top.size):
            number = state.nodes[top.base + top.cap + place].link
            if left[number] > 0:
                state.members[size] = number
                size += 1
        if size == 0:
            return Choice(NOBODY, 0, 0)
        place = _select_among(plan.agent, state, 0, size, t - 1, t, horizon, plan.priority)
        agent = int(state.members[place])
        pool = agent + 1
        plays = state.items[agent].plays
        k = plays
    if (
        plan.sampling == BY_RULE
        and plan.hierarchical
        and left[agent] == (state.pools[pool].size + state.pools[pool].outside)
    ):
        number = _arm_of_all(plan, state, pool, plays, k)
    else:
        number = _arm_among(plan, state, marks, pool, plays, k, t)
    if number < 0:
        return Choice(NOBODY, 0, 0)
    if not plan.hierarchical:
        agent = int64(state.items[number].owner)
    if slate:
        marks[number] = TAKEN
        left[agent] -= 1
    return Choice(agent, number, int64(state.place[number]))


@part
def _arm_among(plan: Plan, state: State, marks: Any, pool: int, plays: int, k: int, t: int) -> int:
    """The arm of a pool, −1 if none may be chosen; the sample may grow by it."""
    here = state.pools[pool]
    u = uniform(state.keys[pool, 0], state.keys[pool, 1], k, PICK, 0, 0)
    empty = here.size == 0
    growing = False
    if here.outside > 0 and plan.sampling == BY_RULE:
        growing = _wants_fresh(plan.arm, state, marks, pool)
    elif here.outside > 0 and plan.sampling >= GROWING:
        tau = t if plan.sampling == GROWING else plays + 1
        growing = here.seats < sample_bound(plan.factor, plan.power, float(tau))
    if here.outside > 0 and (empty or growing):
        number = _outside_among(state, marks, pool, u)
        if number >= 0:
            if growing:
                here.seats += 1
            here.outside -= 1
            join(plan.arm, state, pool, number)
            return number
    size = 0
    for place in range(here.size):
        number = state.nodes[here.base + here.cap + place].link
        if _may_be(state, marks, number):
            state.members[size] = number
            size += 1
    if size > 0:
        place = _select_among(plan.arm, state, pool, size, plays, k, state.epoch[0].horizon, 0)
        return int(state.members[place])
    if here.outside > 0:
        return _outside_among(state, marks, pool, u)
    return NOBODY


@part
def _arm_of_all(plan: Plan, state: State, pool: int, plays: int, k: int) -> int:
    """The champion rule's arm where all arms of the agent may be chosen, as ``choose`` has it."""
    place = champion(plan.arm, state, pool, plays, 0)
    here = state.pools[pool]
    if place < 0:
        u = uniform(state.keys[pool, 0], state.keys[pool, 1], k, PICK, 0, 0)
        place = grow(plan.arm, state, pool, u)
    return int(state.nodes[here.base + here.cap + place].link)


@part
def _wants_fresh(rule: Rule, state: State, marks: Any, pool: int) -> bool:
    """Whether the champion rule tries a fresh arm: the best that may be chosen is not good enough.

    Whether a champion disappointed is not asked here, as it may not be among those.
    """
    here = state.pools[pool]
    m = 0.0
    for place in range(here.size):
        leaf = state.nodes[here.base + here.cap + place]
        if _may_be(state, marks, leaf.link):
            m = max(m, leaf.height)
    here.bar = m
    log = state.epoch[0].log
    return bool(m <= rule.second and here.seats < 1.0 + rule.first * (log * log) * (1.0 - m))


@part
def _outside_among(state: State, marks: Any, pool: int, u: float) -> int:
    """The ⌊u·m⌋-th of the m arms outside a pool's sample that may be chosen; −1 if m = 0."""
    here = state.pools[pool]
    found = 0
    for number in range(here.first, here.first + here.items):
        if state.place[number] == OUTSIDE and _may_be(state, marks, number):
            found += 1
    if found == 0:
        return NOBODY
    nth = nth_of(u, found)
    number = here.first
    while True:
        if state.place[number] == OUTSIDE and _may_be(state, marks, number):
            if nth == 0:
                return int(number)
            nth -= 1
        number += 1


@part
def _select_among(
    rule: Rule,
    state: State,
    pool: int,
    size: int,
    plays: int,
    k: int,
    horizon: int,
    priority: int,
) -> int:
    """``select`` among the first ``size`` of ``state.members``, by a scan; scratch is modified."""
    here = state.pools[pool]
    key0 = state.keys[pool, 0]
    key1 = state.keys[pool, 1]
    if rule.kind == UNIFORM:
        return nth_of(uniform(key0, key1, k, PICK, 0, 0), size)
    tau = reading(rule, plays, horizon)
    x = position(rule, tau)
    best = -np.inf
    equals = 0
    for place in range(size):
        number = state.members[place]
        item = state.items[number]
        if rule.kind == THOMPSON:
            alpha = 1.0 + item.total
            beta = 1.0 + item.answers - item.total
            value = beta_draw(alpha, beta, key0, key1, k, number - here.first, 0)
        elif rule.kind == KL_UCB and item.plays > 0:
            mean = item.total / item.answers if item.answers > 0 else 0.5
            value = kl_index(mean, rule.first * math.log(tau) / item.plays)
        else:
            height, slope = line_in(rule, state, number)
            value = height + slope * x
        state.values[place] = value
        if value > best:
            best = value
            equals = 1
        elif value == best:
            equals += 1
    if rule.kind == EPSILON_GREEDY or rule.kind == EPSILON_DECREASING:
        coin = epsilon(rule, tau)
        if best < np.inf and uniform(key0, key1, k, COIN, 0, 0) < coin:
            return nth_of(uniform(key0, key1, k, PICK, 0, 0), size)
    nth = 0
    if equals > 1 and not priority:
        nth = nth_of(uniform(key0, key1, k, PICK, 0, 0), equals)
    place = 0
    while state.values[place] != best or nth > 0:
        if state.values[place] == best:
            nth -= 1
        place += 1
    return place
