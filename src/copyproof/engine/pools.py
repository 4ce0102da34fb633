"""Pools of items in play: drawing samples, laying trees, joining and leaving, and epochs.

A repetition or an epoch begins with samples drawn from the registered arms and a tree laid over
each pool; ``join`` and ``leave`` change who is in play.
"""

import math
from typing import Any

from copyproof.engine.cache import inlined, part
from copyproof.engine.numerics import log
from copyproof.engine.plan import ALL, FIXED, Plan, arm_pools, sample_bound, sample_size
from copyproof.engine.rules import Kind, LoweredRule
from copyproof.engine.state import ABSENT, OUTSIDE, PAID, RETIRED, State
from copyproof.engine.streams import PRIORITY, SAMPLE, nth_of, stream_key, uniform
from copyproof.engine.trees import build_tree, lay_leaf, update_tree


@part
def reset(plan: Plan, state: State, repetition: int) -> None:
    """Begin a repetition with the arms that are there at first; ``state`` is modified in place."""
    for number in range(state.items.shape[0]):
        state.place[number] = state.start[number]
    _begin_epoch(plan, state, 0, 0, repetition)


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
    epoch = state.epoch[0]
    _begin_epoch(plan, state, epoch.number + 1, epoch.before + epoch.horizon, repetition)


@part
def start_epoch(plan: Plan, state: State, number: int, before: int) -> None:
    """Set the clock and the constants of an epoch; ``state`` is modified in place.

    n counts the agents that have an arm now. Where agents have epochs of their own, those without
    an arm have no unit before ``count_in``.
    """
    horizon = plan.horizons[min(number, plan.horizons.shape[0] - 1)]
    agents = 0
    for agent in range(state.order.shape[0]):
        agents += int(has_arm(plan, state, agent))
    for row in range(state.epoch.shape[0]):
        epoch = state.epoch[row]
        epoch.number = number
        epoch.before = before
        epoch.horizon = horizon
        epoch.log = log(float(horizon))
        counts = row == 0 or has_arm(plan, state, row - 1)
        epoch.unit = _unit_of(plan, epoch, agents) if counts else 0.0


@part
def has_arm(plan: Plan, state: State, agent: int) -> bool:
    """Whether an agent counts in n: it is its own, and an arm of it is registered.

    A live market may have bound it to another. It counts while it is suspended, too: n does not
    depend on when that is. A flat policy has no use for n, and counts all.
    """
    is_own = bool(state.items[agent].owner == agent)
    if plan.is_flat or not is_own:
        return is_own
    here = state.pools[agent + 1]
    for number in range(here.first, here.first + here.items):
        if state.place[number] >= OUTSIDE:
            return True
    return False


@part
def count_in(plan: Plan, state: State, agent: int) -> None:
    """Give an agent its unit when its first arm of the epoch comes; modified in place.

    Its n counts the agents that have had an arm in the epoch, itself included. Theirs stays.
    """
    if agent + 1 >= state.epoch.shape[0] or state.epoch[agent + 1].unit > 0.0:
        return
    agents = 1
    for other in range(state.order.shape[0]):
        agents += int(state.epoch[other + 1].unit > 0.0 and state.items[other].owner == other)
    state.epoch[agent + 1].unit = _unit_of(plan, state.epoch[0], agents)


@part
def _unit_of(plan: Plan, epoch: Any, agents: int) -> float:
    """What the agent rule counts plays in, in a game of so many agents."""
    agents = max(1, agents)
    if plan.agent.kind == Kind.TRIAL:
        return float(epoch.horizon / agents)
    if plan.agent.kind == Kind.SAMPLED_KL_UCB:
        return float(
            math.floor(min(sample_bound(plan.factor, plan.power, float(epoch.horizon)), 2.0**53))
        )
    return 1.0


@part
def _begin_epoch(plan: Plan, state: State, epoch: int, before: int, repetition: int) -> None:
    """Forget all plays and rewards, and begin anew; ``state`` is modified in place."""
    for agent in range(state.order.shape[0]):
        state.trials[agent, :] = 0.0
        for start in range(state.starts.shape[1]):
            state.starts[agent, start].earned = 0.0
            state.starts[agent, start].claim = 0.0
        for window in range(state.blocks.shape[1]):
            state.blocks[agent, window].now = 0.0
            state.blocks[agent, window].last = 0.0
    for number in range(state.items.shape[0]):
        state.items[number].total = 0.0
        state.items[number].plays = 0
        state.items[number].answers = 0
    for pool in range(state.pools.shape[0]):
        state.pools[pool].last = -1
        state.pools[pool].failed = PAID
        state.pools[pool].pointer = -1
    start_epoch(plan, state, epoch, before)
    begin(plan, state, repetition)


@part
def begin(plan: Plan, state: State, repetition: int) -> None:
    """Draw samples and lay trees, with the statistics there are; ``state`` is modified in place."""
    draw_keys(plan, state)
    for pool in range(state.pools.shape[0]):
        state.pools[pool].x = 0.0
    for pool in arm_pools(plan, state.pools):
        _lay_arms(plan, state, pool, repetition)
    if not plan.is_flat:
        if plan.priority and not plan.order_given:
            draw_order(state, 0, repetition)
        lay_agents(plan, state)


@part
def draw_key(plan: Plan, state: State, owner: int) -> None:
    """The key of one stream, in the present epoch; ``state`` is modified in place."""
    key = stream_key(plan.seed, owner, state.epoch[0].number)
    state.keys[owner, 0], state.keys[owner, 1] = key


@part
def draw_keys(plan: Plan, state: State) -> None:
    """Keys of all streams; ``state`` is modified in place."""
    for owner in range(state.keys.shape[0]):
        draw_key(plan, state, owner)


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
def lay_tree(rule: LoweredRule, state: State, pool: int, size: int) -> None:
    """Lay a pool's tree over the first ``size`` of ``state.members``; modified in place."""
    here = state.pools[pool]
    members = state.members
    cap = 1
    while cap < size:
        cap *= 2
    here.cap = cap
    here.size = size
    for place in range(cap):
        lay_leaf(rule, state, pool, place, members[place] if place < size else -1)
    build_tree(rule, state, pool)


@part
def join(rule: LoweredRule, state: State, pool: int, number: int) -> int:
    """Bring an item into play, in its order; return its place. ``state`` is modified in place.

    One that comes last, as new ones do, takes the next leaf if there is one: then the cost is that
    of a play.
    """
    here = state.pools[pool]
    leaves = here.base + here.cap
    members = state.members
    place = int(here.size)
    if place < here.cap and (place == 0 or state.nodes[leaves + place - 1].link < number):
        lay_leaf(rule, state, pool, place, number)
        here.size += 1
        update_tree(rule, state, pool, place, number)
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
def leave(rule: LoweredRule, state: State, pool: int, place: int) -> None:
    """Take the item at a place out of play; ``state`` is modified in place."""
    here = state.pools[pool]
    leaves = here.base + here.cap
    for old in range(here.size):
        if old != place:
            state.members[old if old < place else old - 1] = state.nodes[leaves + old].link
    lay_tree(rule, state, pool, here.size - 1)
