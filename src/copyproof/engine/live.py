"""A live market: the same ``choose`` and ``observe``, on requests as they come.

A live market is one game, repetition 0, whose round t is the t-th decision. A play is counted when
it is asked for, so that a burst of requests does not herd onto one arm. What counts as its reward
until that comes, ``live_rewards`` says.

Requests are *operations*, rows of an array, which one call carries out one after another: a batch
of decisions, or a whole journal, costs one call of the kernel. Arms are addressed by their number
in order of registration, and ``Live.item_of`` says where in memory they are; an item's ``original``
is that number.

Before the first decision arms are only written down; then samples are drawn and trees are laid,
just as before round 1 of a simulation. ``State.start`` says who is there: OUTSIDE for an arm that
is registered or an agent that is not suspended, ABSENT for others.

A choice among some of the arms, and a slate, put a mask on ``choose``.

Where another policy decides, of which this one is the shadow, the log has the decisions before the
call. The shadow learns from them as from its own, and what it would have decided is written behind
the outcomes, one row a decision (the arm as its status).
"""

from typing import Any

import numpy as np

from copyproof.engine.cache import inlined, kernel, part
from copyproof.engine.corrections import observe_arm
from copyproof.engine.due_rewards import (
    come_or_go,
    date,
    expected,
    expected_of_arm,
    let_be_due,
    may_be_shown,
)
from copyproof.engine.live_records import (
    BANKED,
    BASE,
    CHANGED,
    FORGOTTEN,
    LAID,
    OMITTED,
    PENDING,
    ROUND,
    Live,
    Terms,
)
from copyproof.engine.live_rewards import expire, tell
from copyproof.engine.memory import spread_over_blocks
from copyproof.engine.plan import Plan, arm_pools, pool_of
from copyproof.engine.pools import (
    begin,
    draw_key,
    draw_keys,
    draw_order,
    epoch_is_over,
    lay_agents,
    next_epoch,
    start_epoch,
)
from copyproof.engine.principal import Observation, choose, shadow
from copyproof.engine.registration import admit, lay_in_play, resume, retire, suspend
from copyproof.engine.rules import Kind
from copyproof.engine.selection import (
    EVERYONE,
    NOBODY,
    Mask,
    agent_ruled_out,
    clear,
    has_tournament,
    mark,
    mark_exceptions,
    mark_unmarked,
    take,
)
from copyproof.engine.state import ABSENT, OUTSIDE, WAITS, State
from copyproof.engine.trees import leave_out, put_back
from copyproof.engine.trial import spread_over_levels

# Operations, with what they take.
ASK = 0  # count, value = time
AMONG = 1  # the same, restricted to lists[start : stop]
SLATE = 2  # the same, and no arm twice; start < 0 for no restriction
TELL = 3  # round, value = reward
EXPIRE = 4  # last round that is, last round to be forgotten
ADMIT = 5  # item, arm, owner: an arm registers for the first time
RETURN = 6  # item: a retired arm comes back
RETIRE = 7  # item
AGENT = 8  # agent: it registers
SUSPEND = 9  # agent
RESUME = 10  # agent

OPERATION = np.dtype(
    [("code", "i8"), ("first", "i8"), ("start", "i8"), ("stop", "i8"), ("value", "f8")]
)
# What became of an operation: of a reward, its status; of decisions, how many.
OUTCOME = np.dtype([("status", "i8"), ("value", "f8")])


@kernel
def serve(
    plan: Plan, state: State, live: Live, terms: Terms, operations: Any, lists: Any, outcomes: Any
) -> None:
    """Carry out operations in order; all but ``operations`` and ``lists`` is modified in place.

    The caller has seen to it that there is room: in the log for the decisions, and for every arm.
    """
    behind = operations.shape[0] - live.counters[ROUND]
    for n in range(operations.shape[0]):
        operation = operations[n]
        code = operation.code
        if code == TELL:
            status, value = tell(plan, state, live, terms, operation.first, operation.value)
            outcomes[n].status = status
            outcomes[n].value = value
        elif code <= SLATE:
            if live.counters[LAID] == 0:
                _lay_first(plan, state, live)
            if code == ASK:
                outcomes[n].status = _ask(
                    plan, state, live, terms, operation, lists, None, outcomes, behind
                )
            else:
                outcomes[n].status = _ask_among(
                    plan, state, live, terms, operation, lists, outcomes, behind
                )
        elif code == EXPIRE:
            outcomes[n].status = expire(plan, state, live, terms, operation.first)
            live.counters[FORGOTTEN] = operation.start
        else:
            _register(plan, state, live, terms, operation)


@part
def _turn_epoch(plan: Plan, state: State, live: Live, terms: Terms) -> None:
    """Begin the next epoch: the policy forgets, the books do not."""
    for agent in range(live.left.shape[0]):
        _bank(live.past[agent], state.items[agent], terms)
    for arm in range(live.past_arms.shape[0]):
        _bank(live.past_arms[arm], state.items[live.item_of[arm]], terms)
    live.counters[BANKED] = live.counters[ROUND]
    next_epoch(plan, state, 0)


@inlined
def _bank(past: Any, item: Any, terms: Terms) -> None:
    past.plays += item.plays
    if terms.unanswered == OMITTED:
        past.total += item.total
        past.answers += item.answers


@inlined
def _ask(
    plan: Plan,
    state: State,
    live: Live,
    terms: Terms,
    operation: Any,
    lists: Any,
    mask: Mask | None,
    outcomes: Any,
    behind: int,
) -> int:
    """Make so many decisions, whose rewards are yet to come; how many, fewer if arms run out.

    What a shadow would have decided in round t is written to row ``behind`` + t − 1 of outcomes.
    """
    for made in range(operation.first):
        t = live.counters[ROUND] + 1
        if epoch_is_over(plan, state, t):
            _turn_epoch(plan, state, live, terms)  # who may be chosen, and how many, stays the same
        if mask is not None:
            _leave_out_exceptions(plan, state, live, mask, operation, lists, made)
        place = live.counters[ROUND] - live.counters[BASE]
        row = live.log[place]
        if terms.shadows:
            arm = live.item_of[row.arm]
            if state.place[arm] < OUTSIDE:
                return made  # it is not registered: the journal is damaged
            own, choice = shadow(plan, state, t, arm, mask)
            number = -1 if own == NOBODY else state.items[own].original
            outcomes[behind + t - 1].status = number
        else:
            choice = choose(plan, state, t, 0, mask)
        if mask is not None:
            if choice.agent == NOBODY:
                return made
            if operation.code == SLATE:
                if mask.whole:
                    mark_unmarked(state, mask, choice.agent)
                take(mask, choice.agent, choice.arm, terms.per_agent)
        row.at = operation.value
        row.value = 0.0
        row.arm = state.items[choice.arm].original
        row.told = PENDING
        if terms.unanswered == OMITTED:
            observe_arm(plan, state, choice.arm, Observation(1, 0, 0.0))
        else:
            _count_unanswered(plan, state, live, terms, place, choice.agent, choice.arm)
        live.counters[ROUND] += 1
        if terms.unanswered != OMITTED:
            let_be_due(plan, state, live, terms)
    return int(operation.first)


@part
def _count_unanswered(
    plan: Plan, state: State, live: Live, terms: Terms, place: int, agent: int, item: int
) -> None:
    """Count a play for what is expected of it; ``place`` is its row in the log."""
    live.numbers[place] = state.items[agent].plays
    arm = state.items[item]
    worth = for_arm = live.log[place].value = terms.default
    waits = date(live, terms, agent, place)
    if waits:
        worth = expected(live, terms, agent)
        for_arm = expected_of_arm(plan.is_flat, live, arm.total, arm.answers, worth)
    live.counted[place] = worth
    live.worths[place] = for_arm
    arm.total += for_arm - worth  # as both are given the agent's
    observe_arm(plan, state, item, Observation(1, 1, worth))
    if waits:
        state.pools[pool_of(plan, agent)].failed = WAITS


@part
def _ask_among(
    plan: Plan,
    state: State,
    live: Live,
    terms: Terms,
    operation: Any,
    lists: Any,
    outcomes: Any,
    behind: int,
) -> int:
    """Decide among some of the arms, or for a slate."""
    start, stop = operation.start, operation.stop
    is_all_but_few = start < 0 or (start < stop and lists[start] == EVERYONE)
    by_tree = not plan.is_flat and has_tournament(plan.agent, plan.agent_search)
    mask = Mask(live.marks, live.left, int(is_all_but_few and by_tree))
    if mask.whole:
        mark_exceptions(state, mask, lists, start, stop)
    else:
        mark(plan.is_flat, state, mask, lists, start, stop)
    made = _ask(plan, state, live, terms, operation, lists, mask, outcomes, behind)
    if mask.whole:
        _put_exceptions_back(plan, state, live, mask, operation, lists, made)
    clear(state, mask, lists, start, stop)
    if operation.code == SLATE:
        for round_ in range(live.counters[ROUND] - made, live.counters[ROUND]):
            live.marks[live.item_of[live.log[round_ - live.counters[BASE]].arm]] = 0
    return made


@part
def _leave_out_exceptions(
    plan: Plan, state: State, live: Live, mask: Mask, operation: Any, lists: Any, made: int
) -> None:
    """Leave those agents out of their tree whom a mask that is whole rules out.

    That is done before each decision: a reward that is due, or a new epoch, may have brought one
    back. ``state`` is modified in place.
    """
    if not mask.whole:
        return
    for n in range(max(operation.start, 0), operation.stop):
        if lists[n] != EVERYONE:
            _leave_out_agent(plan, state, mask, agent_ruled_out(state, mask, lists[n]))
    if operation.code == SLATE:
        for round_ in range(live.counters[ROUND] - made, live.counters[ROUND]):
            arm = live.item_of[live.log[round_ - live.counters[BASE]].arm]
            _leave_out_agent(plan, state, mask, state.items[arm].owner)


@inlined
def _leave_out_agent(plan: Plan, state: State, mask: Mask, agent: int) -> None:
    if mask.left[agent] <= 0 and state.place[agent] >= 0:
        leave_out(plan.agent, state, 0, state.place[agent])


@part
def _put_exceptions_back(
    plan: Plan, state: State, live: Live, mask: Mask, operation: Any, lists: Any, made: int
) -> None:
    """Undo ``_leave_out_exceptions`` and the marks of what was chosen; modified in place."""
    for n in range(max(operation.start, 0), operation.stop):
        if lists[n] != EVERYONE:
            agent = agent_ruled_out(state, mask, lists[n])
            if state.place[agent] >= 0:
                put_back(plan.agent, state, 0, state.place[agent], agent)
    if operation.code == SLATE:
        for round_ in range(live.counters[ROUND] - made, live.counters[ROUND]):
            agent = state.items[live.item_of[live.log[round_ - live.counters[BASE]].arm]].owner
            if state.place[agent] >= 0:
                put_back(plan.agent, state, 0, state.place[agent], agent)
            mask.marks[agent] = 0
            mask.left[agent] = 0


@part
def _register(plan: Plan, state: State, live: Live, terms: Terms, operation: Any) -> None:
    """Let agents and arms come and go."""
    owner = state.items[operation.first].owner
    if operation.code == ADMIT:
        owner = operation.stop
    before = int(may_be_shown(plan, state, owner))
    _let_come_or_go(plan, state, live, terms, operation)
    come_or_go(live, owner, int(may_be_shown(plan, state, owner)) - before)


@part
def _let_come_or_go(plan: Plan, state: State, live: Live, terms: Terms, operation: Any) -> None:
    code = operation.code
    number = operation.first
    if code == ADMIT:
        item = state.items[number]
        item.owner = operation.stop
        item.original = operation.start
        state.pools[pool_of(plan, operation.stop)].items += 1
    state.start[number] = ABSENT if code in (RETIRE, SUSPEND) else OUTSIDE
    if live.counters[LAID] == 0:
        return
    if code in (ADMIT, RETURN):
        if not plan.is_flat or state.start[state.items[number].owner] != ABSENT:
            admit(plan, state, number)
    elif code == RETIRE:
        retire(plan, state, number)
    elif code == SUSPEND:
        suspend(plan, state, number)
    elif code == RESUME:
        resume(plan, state, number)
    elif not plan.is_flat:  # a new agent
        state.epoch[number + 1] = state.epoch[0]
        state.epoch[number + 1].unit = 0.0  # before its first arm
        draw_key(plan, state, number + 1)
        if plan.priority:
            draw_order(state, number, 0)
            lay_agents(plan, state)


@part
def _lay_first(plan: Plan, state: State, live: Live) -> None:
    """Draw samples and lay trees, as before round 1."""
    for number in range(state.items.shape[0]):
        state.place[number] = ABSENT
    for agent in range(live.left.shape[0]):
        state.place[agent] = OUTSIDE
    for pool in arm_pools(plan, state.pools):
        here = state.pools[pool]
        for number in range(here.first, here.first + here.items):
            present = not plan.is_flat or state.start[state.items[number].owner] != ABSENT
            if present and state.start[number] == OUTSIDE:
                state.place[number] = OUTSIDE
    if state.epoch[0].horizon == 0:
        start_epoch(plan, state, 0, 0)
    begin(plan, state, 0)
    live.counters[LAID] = 1


@kernel
def lay_again(plan: Plan, state: State, live: Live, drawn: int, changed: int) -> None:
    """Lay all trees anew, over the items in play; or, if ``drawn``, over samples drawn anew.

    If the policy has CHANGED, a first epoch begins now, with the statistics there are: for a policy
    without epochs, whose clock is the round, it began before round 1. ``state`` is modified.
    """
    if changed == CHANGED:
        before = live.counters[ROUND] if plan.horizons.shape[0] > 1 else 0
        start_epoch(plan, state, 0, before)
        for agent in range(live.left.shape[0]):
            spread_over_blocks(state, agent, plan.agent.memory)
            if plan.agent.kind == Kind.TRIAL:
                spread_over_levels(state, agent, plan.agent.parameters, plan.agent.memory)
    if drawn:
        _lay_first(plan, state, live)
        return
    draw_keys(plan, state)
    for pool in arm_pools(plan, state.pools):
        here = state.pools[pool]
        here.outside = 0
        for number in range(here.first, here.first + here.items):
            if state.place[number] == OUTSIDE:
                here.outside += 1
        lay_in_play(plan, state, pool)
    if not plan.is_flat:
        if plan.priority:
            draw_order(state, 0, 0)
        lay_agents(plan, state)


@kernel
def spread_again(plan: Plan, state: State, agents: Any) -> None:
    """Let agents whose arms have changed hands go on, as if their rewards had come evenly.

    What a rule keeps of an agent beside its sums is filled, and pool 0 is laid anew. ``state`` is
    modified in place.
    """
    for n in range(agents.shape[0]):
        spread_over_blocks(state, agents[n], plan.agent.memory)
        if plan.agent.kind == Kind.TRIAL:
            spread_over_levels(state, agents[n], plan.agent.parameters, plan.agent.memory)
    if not plan.is_flat:
        lay_agents(plan, state)
