"""The principal's mind: ``choose`` an arm, ``observe`` what came of it.

A round of a hierarchical policy is two choices with the same code: pool 0 gives the agent
(phase 1), the agent's own pool gives the arm (phase 2). A flat policy makes one choice in one pool.
Simulation and live service call these same functions.

Which arms are in play is the sampling rule's business: all of them; a uniform sample B of fixed
size ⌊factor·(ln T)^power⌋ drawn once; or a sample that grows by one fresh arm, which is played at
once, whenever |B| < min(|S|, factor·(ln τ)^power), where τ is the round t of the game (PRH-UCB) or
the pool's own round. Neither bound is ever below 1. Where arms come and go (``registration``), |B|
is the number of the sample's seats, and S the arms that are registered.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from copyproof.engine.cache import inlined, kernel, part
from copyproof.engine.own import champion, line_in, note, remember
from copyproof.engine.rules import OWN_INDEX, Rule, has_lines, select
from copyproof.engine.state import ABSENT, OUTSIDE, RETIRED, State
from copyproof.engine.streams import PICK, PRIORITY, SAMPLE, nth_of, stream_key, uniform
from copyproof.engine.tournament import build, replay_path, set_leaf

# Sampling rules.
ALL = 0
FIXED = 1
GROWING = 2
GROWING_BY_OWN_ROUND = 3
BY_RULE = 4
"""The arm rule says when a fresh arm is tried."""


class Plan(NamedTuple):
    """A policy and what it is told, as numbers. Truth values are 0 or 1."""

    hierarchical: int
    agent: Rule
    arm: Rule
    sampling: int
    factor: float
    power: float
    priority: int
    """Ties between agents go by one order, drawn at the start or given."""
    order_given: int
    scan: int
    """Compute every index in every round, instead of keeping tournaments."""
    horizons: Any
    """T, or the horizons of the epochs, one after the other."""
    seed: np.uint64


class Choice(NamedTuple):
    """An arm, its agent, and the arm's place in its pool."""

    agent: int
    arm: int
    place: int


@part
def sample_bound(factor: float, power: float, tau: float) -> float:
    """factor·(ln τ)^power, never below 1."""
    log = math.log(tau)
    if power == 1.0:
        return max(1.0, factor * log)
    if power == 2.0:
        return max(1.0, factor * (log * log))
    return max(1.0, factor * math.pow(log, power))


@kernel
def sample_size(plan: Plan, horizon: int, arms: int) -> int:
    """How many of ``arms`` arms of one pool a sample of fixed size holds."""
    return int(min(float(arms), sample_bound(plan.factor, plan.power, float(horizon))))


@part
def reset(plan: Plan, state: State, repetition: int) -> None:
    """Begin a repetition with the arms that are there at first; ``state`` is modified in place."""
    for number in range(state.items.shape[0]):
        state.place[number] = state.start[number]
    _forget(state)
    start_epoch(plan, state, 0, 0)
    begin(plan, state, repetition)


@inlined
def epoch_is_over(plan: Plan, state: State, t: int) -> bool:
    """Whether round t belongs to the next epoch."""
    return bool(plan.horizons.shape[0] > 1 and t > state.epoch[0].before + state.epoch[0].horizon)


@part
def next_epoch(plan: Plan, state: State, repetition: int) -> None:
    """Forget everything but who is registered; ``state`` is modified in place."""
    for number in range(state.items.shape[0]):
        if state.place[number] >= 0:
            state.place[number] = OUTSIDE
        elif state.place[number] == RETIRED:
            state.place[number] = ABSENT
    _forget(state)
    epoch = state.epoch[0]
    start_epoch(plan, state, epoch.number + 1, epoch.before + epoch.horizon)
    begin(plan, state, repetition)


@part
def start_epoch(plan: Plan, state: State, number: int, before: int) -> None:
    """Set the clock and the constants of an epoch; ``state`` is modified in place."""
    epoch = state.epoch[0]
    epoch.number = number
    epoch.before = before
    epoch.horizon = plan.horizons[min(number, plan.horizons.shape[0] - 1)]
    epoch.log = math.log(epoch.horizon)
    agents = max(1, state.windows.shape[0])
    epoch.unit = min(math.sqrt(epoch.horizon / agents), epoch.log * epoch.log)


@part
def _forget(state: State) -> None:
    """Forget all plays and rewards; ``state`` is modified in place."""
    for agent in range(state.windows.shape[0]):
        state.windows[agent].recent = 0.0
        state.windows[agent].recents = 0
        state.windows[agent].before = 0.0
        state.windows[agent].befores = 0
    for number in range(state.items.shape[0]):
        state.items[number].total = 0.0
        state.items[number].plays = 0
        state.items[number].answers = 0
    for pool in range(state.pools.shape[0]):
        state.pools[pool].last = -1
        state.pools[pool].failed = 0
        state.pools[pool].pointer = -1


@part
def begin(plan: Plan, state: State, repetition: int) -> None:
    """Draw samples and lay trees, with the statistics there are; ``state`` is modified in place."""
    draw_keys(plan, state)
    for pool in range(plan.hierarchical, state.pools.shape[0]):
        _lay_arms(plan, state, pool, repetition)
    if plan.hierarchical:
        if plan.priority and not plan.order_given:
            draw_order(state, 0, repetition)
        lay_agents(plan, state)


@part
def draw_keys(plan: Plan, state: State) -> None:
    """Keys of all streams, and trees' clocks at 0; ``state`` is modified in place."""
    for owner in range(state.keys.shape[0]):
        state.keys[owner, 0], state.keys[owner, 1] = stream_key(
            plan.seed, owner, state.epoch[0].number
        )
    for pool in range(state.pools.shape[0]):
        state.pools[pool].x = 0.0


@part
def lay_agents(plan: Plan, state: State) -> None:
    """Put the agents with a registered arm into pool 0, in the order that ties go by.

    An agent whose ``start`` is ABSENT is suspended: it stays outside.
    """
    members = state.members
    size = 0
    for rank in range(state.pools[0].items):
        agent = state.order[rank] if plan.priority else rank
        arms = state.pools[agent + 1].size + state.pools[agent + 1].outside
        if arms > 0 and state.start[agent] != ABSENT:
            members[size] = agent
            size += 1
    lay_tree(plan.agent, state, 0, size)


@part
def draw_order(state: State, first: int, repetition: int) -> None:
    """Shuffle agents ``first``, ``first`` + 1, … into the order; ``state`` is modified in place.

    Each order is as likely as any other, and the same whether agents come together or one by one.
    """
    order = state.order
    for agent in range(first, order.shape[0]):
        u = uniform(state.keys[0, 0], state.keys[0, 1], 0, PRIORITY, agent, repetition)
        other = nth_of(u, agent + 1)
        order[agent] = order[other]
        order[other] = agent


@part
def _lay_arms(plan: Plan, state: State, pool: int, repetition: int) -> None:
    """Put the arms in play into a pool: all that are registered, a sample, or none yet."""
    here = state.pools[pool]
    left = 0
    for number in range(here.first, here.first + here.items):
        if state.place[number] == OUTSIDE:
            left += 1
    wanted = left
    if plan.sampling == FIXED:
        wanted = sample_size(plan, state.epoch[0].horizon, left)
    elif plan.sampling != ALL:
        wanted = 0
    here.seats = wanted
    here.outside = left - wanted
    size = 0
    for number in range(here.items):
        if size == wanted:
            break
        if state.place[here.first + number] != OUTSIDE:
            continue
        # Selection sampling: arm by arm, each with the chance that makes all samples alike.
        missing = wanted - size
        taken = missing == left
        if not taken:
            key0 = state.keys[pool, 0]
            key1 = state.keys[pool, 1]
            taken = uniform(key0, key1, 0, SAMPLE, number, repetition) * left < missing
        left -= 1
        if taken:
            state.members[size] = here.first + number
            size += 1
    lay_tree(plan.arm, state, pool, size)


@part
def lay_tree(rule: Rule, state: State, pool: int, size: int) -> None:
    """Lay a pool's tree over the first ``size`` of ``state.members``; modified in place."""
    here = state.pools[pool]
    members = state.members
    cap = 1
    while cap < size:
        cap *= 2
    here.cap = cap
    here.size = size
    for place in range(cap):
        leaf = here.base + cap + place
        if place < size:
            height, slope = line_in(rule, state, members[place])
            set_leaf(state.nodes, leaf, height, slope, 1, members[place])
            state.place[members[place]] = place
        else:
            set_leaf(state.nodes, leaf, -np.inf, 0.0, 0, -1)
    build(state.nodes, here.base, cap, here.x)


@part
def join(rule: Rule, state: State, pool: int, number: int) -> int:
    """Bring an item into play, in its order; return its place. ``state`` is modified in place.

    One that comes last, as new ones do, takes the next leaf if there is one: then the cost is that
    of a play.
    """
    here = state.pools[pool]
    leaves = here.base + here.cap
    members = state.members
    place = int(here.size)
    if place < here.cap and (place == 0 or state.nodes[leaves + place - 1].link < number):
        height, slope = line_in(rule, state, number)
        set_leaf(state.nodes, leaves + place, height, slope, 1, number)
        state.place[number] = place
        here.size += 1
        replay_path(state.nodes, here.base, here.cap, place, here.x)
        return place
    place = 0
    for old in range(here.size):
        member = state.nodes[leaves + old].link
        if member < number:
            place = old + 1
        members[old if member < number else old + 1] = member
    members[place] = number
    lay_tree(rule, state, pool, here.size + 1)
    return place


@part
def leave(rule: Rule, state: State, pool: int, place: int) -> None:
    """Take the item at a place out of play; ``state`` is modified in place."""
    here = state.pools[pool]
    leaves = here.base + here.cap
    for old in range(here.size):
        if old != place:
            state.members[old if old < place else old - 1] = state.nodes[leaves + old].link
    lay_tree(rule, state, pool, here.size - 1)


@part
def _nth_outside(state: State, pool: int, nth: int) -> int:
    """The nth, in order, of the arms that wait outside a pool's sample."""
    here = state.pools[pool]
    number = here.first + nth
    if here.size + here.outside == here.items:  # none is absent: step over those in play
        leaves = here.base + here.cap
        for place in range(here.size):
            if state.nodes[leaves + place].link > number:
                break
            number += 1
        return int(number)
    number = here.first
    while state.place[number] != OUTSIDE or nth > 0:
        if state.place[number] == OUTSIDE:
            nth -= 1
        number += 1
    return int(number)


@part
def grow(rule: Rule, state: State, pool: int, u: float) -> int:
    """Bring the ⌊u·m⌋-th of the m arms outside into play; ``state`` is modified in place."""
    here = state.pools[pool]
    number = _nth_outside(state, pool, nth_of(u, here.outside))
    here.outside -= 1
    return join(rule, state, pool, number)


@inlined
def choose(plan: Plan, state: State, t: int, repetition: int) -> Choice:
    """The principal's choice in round t; trees and samples in ``state`` are modified in place."""
    agent = -1
    pool = 0
    horizon = state.epoch[0].horizon
    t -= state.epoch[0].before
    k = t
    plays = t - 1
    if plan.hierarchical:
        place = select(
            plan.agent, state, 0, t - 1, t, horizon, repetition, plan.priority, plan.scan
        )
        top = state.pools[0]
        agent = int(state.nodes[top.base + top.cap + place].link)
        pool = agent + 1
        plays = state.items[agent].plays
        k = plays
    here = state.pools[pool]
    place = -1
    fresh = False
    if plan.sampling == BY_RULE:
        place = champion(plan.arm, state, pool, plays, plan.scan)
        fresh = place < 0
    elif here.outside > 0:
        fresh = here.size == 0  # none of the sample is left: one that waits takes over a seat
        if plan.sampling >= GROWING:
            tau = t if plan.sampling == GROWING else plays + 1
            if here.seats < sample_bound(plan.factor, plan.power, float(tau)):
                here.seats += 1
                fresh = True
    if fresh:
        u = uniform(state.keys[pool, 0], state.keys[pool, 1], k, PICK, 0, repetition)
        place = grow(plan.arm, state, pool, u)
    elif place < 0:
        place = select(plan.arm, state, pool, plays, k, horizon, repetition, False, plan.scan)
    arm = int(state.nodes[here.base + here.cap + place].link)
    if not plan.hierarchical:
        agent = int(state.items[arm].owner)
    return Choice(agent, arm, place)


@inlined
def observe(
    plan: Plan,
    state: State,
    agent: int,
    arm: int,
    place: int,
    played: int,
    answered: int,
    reward: float,
) -> None:
    """Count plays and rewards of an arm, at its place, and its agent; ``state`` is modified.

    A simulation tells the play and its reward at once. A live principal tells the play
    (``answered`` = 0) when it is asked, and the reward (``played`` = 0) when it comes.
    """
    if plan.sampling == BY_RULE:
        note(state, agent + 1 if plan.hierarchical else 0, arm, played, answered, reward)
    if plan.hierarchical:
        seat = state.place[agent]
        if answered and plan.agent.kind == OWN_INDEX:
            remember(state, agent, reward)
        count(plan.agent, state, 0, agent, seat, played, answered, reward, plan.scan)
        count(plan.arm, state, agent + 1, arm, place, played, answered, reward, plan.scan)
    else:
        state.items[agent].plays += played
        state.items[agent].answers += answered
        state.items[agent].total += reward
        count(plan.arm, state, 0, arm, place, played, answered, reward, plan.scan)


@inlined
def count(
    rule: Rule,
    state: State,
    pool: int,
    number: int,
    place: int,
    played: int,
    answered: int,
    reward: float,
    scan: int,
) -> None:
    """Count for one item and put its new line into its pool's tree, if it is in play."""
    item = state.items[number]
    item.plays += played
    item.answers += answered
    item.total += reward
    if place < 0:
        return
    here = state.pools[pool]
    leaf = state.nodes[here.base + here.cap + place]
    leaf.height, leaf.slope = line_in(rule, state, number)
    if not scan and has_lines(rule):
        replay_path(state.nodes, here.base, here.cap, place, here.x)
