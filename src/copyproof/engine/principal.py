"""The principal: ``choose`` an arm, ``observe`` what came of it.

A round of a hierarchical policy is two choices with the same code: pool 0 gives the agent
(phase 1), the agent's own pool gives the arm (phase 2). A flat policy makes one choice in one pool.
Simulation and live service call these same functions.

Phase 2 has two parts. If it is time for a fresh arm, one is drawn from those outside the sample,
joins it and is played; else the arm rule selects among those in play. With a mask both are among
the arms that may be chosen: nothing of the others changes. If none of the sample may be chosen,
one of the others is drawn and played without joining it, so that there is a decision whenever an
arm may be chosen at all. The theorems speak of choices among all arms and do not cover this.
"""

from typing import Any, NamedTuple

from numba import int64

from copyproof.engine.cache import inlined, part
from copyproof.engine.champion import BY_INDEX, FRESH, champion, note
from copyproof.engine.leaf_statistics import count_in_leaf, keeps_leaves
from copyproof.engine.memory import add_to_blocks
from copyproof.engine.plan import BY_RULE, Plan, pool_of, sample_grows
from copyproof.engine.pools import join
from copyproof.engine.rules import Kind, LoweredRule, Turn
from copyproof.engine.selection import (
    NOBODY,
    Mask,
    draw_outside,
    is_restricted,
    select,
    select_rest,
)
from copyproof.engine.state import OUTSIDE, State
from copyproof.engine.trees import count_in_tree
from copyproof.engine.trial import add_to_levels

# The seat in its pool's sample that an arm takes when it is played: it has one, or is played
# without; a new one; one that another arm has left.
STAYS, NEW, FREE = 0, 1, 2


class Choice(NamedTuple):
    """An arm, its agent, and the arm's place in its pool; agent NOBODY if none may be chosen."""

    agent: int
    arm: int
    place: int


class Observation(NamedTuple):
    """What is new of an arm: so many plays, answers, and the sum of their rewards.

    A simulation sees the play and its reward at once. A live principal sees the play when it is
    asked, and the reward when it comes.
    """

    plays: int
    answers: int
    reward: float


@inlined
def choose(plan: Plan, state: State, t: int, repetition: int, mask: Mask | None) -> Choice:
    """The principal's choice in round t; trees and samples in ``state`` are modified in place."""
    agent, turn = _choose_agent(plan, state, t, repetition, mask)
    if mask is not None and not plan.is_flat and agent == NOBODY:
        return Choice(NOBODY, 0, 0)
    pool = pool_of(plan, agent)
    if mask is None:
        arm, place = _choose_arm(plan, state, pool, turn, None)
    else:
        arm, place = _choose_arm_among(plan, state, pool, turn, mask)
        if arm < 0:
            return Choice(NOBODY, 0, 0)
    if plan.is_flat:
        agent = int64(state.items[arm].owner)
    return Choice(agent, arm, place)


@inlined
def _choose_agent(
    plan: Plan, state: State, t: int, repetition: int, mask: Mask | None
) -> tuple[int, Turn]:
    """Phase 1: the agent, NOBODY if none may be chosen or the policy is flat; and the arm's turn.

    The agents' tree is modified in place.
    """
    t -= state.epoch[0].before
    turn = Turn(t, t - 1, t, int64(state.epoch[0].horizon), repetition)
    if plan.is_flat:
        return int(int64(NOBODY)), turn
    if mask is None:
        place = select(plan.agent, state, 0, turn, plan.priority, plan.agent_search, None)
    elif mask.whole:
        place = select_rest(plan.agent, state, 0, turn, plan.priority)
    else:
        place = select(plan.agent, state, 0, turn, plan.priority, plan.agent_search, mask)
    if mask is not None and place < 0:
        return int(int64(NOBODY)), turn
    top = state.pools[0]
    agent = int64(state.nodes[top.base + top.cap + place].link)
    return agent, _own_turn(state, agent, t, repetition)


@inlined
def _own_turn(state: State, agent: int, t: int, repetition: int) -> Turn:
    """The turn of an agent's arms in round t of the epoch: by the agent's own plays."""
    plays = int64(state.items[agent].plays)
    return Turn(t, plays, plays, int64(state.epoch[0].horizon), repetition)


@part
def shadow(plan: Plan, state: State, t: int, arm: int, mask: Mask | None) -> tuple[int, Choice]:
    """What would be chosen in round t, where another policy chose ``arm``; and that as a choice.

    If both are the same, this is a decision like any other. Otherwise the play that was shown is
    taken as one of this policy's own: its agent's challengers have their turns, and the arm joins
    the sample, if the rule brings in arms by itself or a seat is free. What would have been chosen
    leaves no trace: it was not played. ``state`` is modified in place.
    """
    own = int(int64(NOBODY))
    agent, turn = _choose_agent(plan, state, t, 0, mask)
    if plan.is_flat or agent != NOBODY:
        here = state.pools[pool_of(plan, agent)]
        pointer = here.pointer
        own = int(int64(_consider_among(plan, state, pool_of(plan, agent), turn, mask)[0]))
        here.pointer = pointer
    if own == arm:
        return own, choose(plan, state, t, 0, mask)
    return own, _adopt(plan, state, t, arm, mask)


@part
def _adopt(plan: Plan, state: State, t: int, arm: int, mask: Mask | None) -> Choice:
    """An arm that another policy chose, as a choice; ``state`` is modified in place."""
    agent = int64(state.items[arm].owner)
    t -= state.epoch[0].before
    turn = Turn(t, t - 1, t, int64(state.epoch[0].horizon), 0)
    if not plan.is_flat:
        turn = _own_turn(state, agent, t, 0)
    pool = pool_of(plan, agent)
    here = state.pools[pool]
    by_rule = plan.sampling == BY_RULE
    if by_rule:
        _consider_among(plan, state, pool, turn, mask)
    place = int64(state.place[arm])
    if place == OUTSIDE and here.outside > 0:
        grows = by_rule or sample_grows(plan, here.seats, turn)
        if grows or here.size == 0:
            here.seats += int(grows)
            here.outside -= 1
            place = int64(join(plan.arm, state, pool, arm))
    return Choice(agent, arm, place)


@part
def _consider_among(
    plan: Plan, state: State, pool: int, turn: Turn, mask: Mask | None
) -> tuple[int, int, int]:
    """``_consider``, with the mask only if it restricts the pool."""
    if mask is None:
        return _consider(plan, state, pool, turn, None)
    if not is_restricted(plan.is_flat, state, mask, pool):
        return _consider(plan, state, pool, turn, None)
    return _consider(plan, state, pool, turn, mask)


@part
def _choose_arm_among(
    plan: Plan, state: State, pool: int, turn: Turn, mask: Mask
) -> tuple[int, int]:
    """The same under a mask; one that allows all arms of an agent does not restrict it."""
    if not is_restricted(plan.is_flat, state, mask, pool):
        return _choose_arm(plan, state, pool, turn, None)
    return _choose_arm(plan, state, pool, turn, mask)


@inlined
def _choose_arm(
    plan: Plan, state: State, pool: int, turn: Turn, mask: Mask | None
) -> tuple[int, int]:
    """The arm of a pool and its place, NOBODY if none may be chosen; the sample may grow by it."""
    arm, place, seat = _consider(plan, state, pool, turn, mask)
    if seat != STAYS:
        here = state.pools[pool]
        here.seats += int(seat == NEW)
        here.outside -= 1
        place = join(plan.arm, state, pool, arm)
    return arm, place


@inlined
def _consider(
    plan: Plan, state: State, pool: int, turn: Turn, mask: Mask | None
) -> tuple[int, int, int]:
    """The arm of a pool to play, its place, and the seat that it takes when it is played.

    What the pool remembers of its champion is modified in place, the sample is not.
    """
    here = state.pools[pool]
    place = BY_INDEX
    if plan.sampling == BY_RULE:
        place = champion(plan.arm, state, pool, turn, plan.arm_search, mask)
    if here.outside > 0:
        grows = place == FRESH or sample_grows(plan, here.seats, turn)
        if grows or here.size == 0:  # none of the sample is left: one that waits takes over a seat
            arm = draw_outside(state, pool, turn, mask)
            if arm >= 0:
                return arm, NOBODY, NEW if grows else FREE
    if place < 0:
        place = select(plan.arm, state, pool, turn, 0, plan.arm_search, mask)
    if mask is not None and place < 0:
        return draw_outside(state, pool, turn, mask), NOBODY, STAYS
    return int64(state.nodes[here.base + here.cap + place].link), place, STAYS


@inlined
def observe(plan: Plan, state: State, agent: int, arm: int, place: int, new: Observation) -> None:
    """Count what is new of an arm, at its place, and its agent; ``state`` is modified."""
    if plan.sampling == BY_RULE:
        pool = pool_of(plan, agent)
        note(state, pool, arm, new.plays, new.answers, new.reward)
    if plan.is_flat:
        _add(state.items[agent], new)
        count(plan.arm, state, 0, arm, place, new, plan.arm_search)
    else:
        if new.answers and plan.agent.kind == Kind.TRIAL:
            _remember(plan.agent, state, agent, new.reward)
        count(plan.agent, state, 0, agent, state.place[agent], new, plan.agent_search)
        count(plan.arm, state, agent + 1, arm, place, new, plan.arm_search)


@inlined
def _remember(rule: LoweredRule, state: State, agent: int, reward: float) -> None:
    """Keep what the agent's index needs of when its rewards came, before one is counted."""
    add_to_levels(state, agent, reward, rule.parameters, rule.memory)
    if rule.memory > 0:
        add_to_blocks(state, agent, reward, rule.memory)


@inlined
def _add(item: Any, new: Observation) -> None:
    item.plays += new.plays
    item.answers += new.answers
    item.total += new.reward


@inlined
def count(
    rule: LoweredRule,
    state: State,
    pool: int,
    number: int,
    place: int,
    new: Observation,
    search: int,
) -> None:
    """Count for one item and put its new line into its pool's tree, if it is in play."""
    _add(state.items[number], new)
    if place >= 0:
        count_in_tree(rule, state, pool, place, number, search)
        if not rule.is_line and keeps_leaves(rule):
            count_in_leaf(rule, state, pool, place, new.reward)
