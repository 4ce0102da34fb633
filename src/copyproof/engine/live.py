"""A live market: the same ``choose`` and ``observe``, on requests as they come.

A live market is one game, repetition 0, whose round t is the t-th decision. A play is counted when
it is asked for, and its reward when it comes: widths use asked plays, so that a burst of requests
does not herd onto one arm, and means use answered ones (1/2 before the first answer).

Requests are *operations*, rows of an array, which one call carries out one after another: a batch
of decisions, or a whole journal, costs one call of the kernel. Arms are addressed by their number
in order of registration, and ``Live.item_of`` says where in memory they are; an item's ``original``
is that number.

Before the first decision arms are only written down; then samples are drawn and trees are laid,
just as before round 1 of a simulation. ``State.start`` says who is there: OUTSIDE for an arm that
is registered or an agent that is not suspended, ABSENT for others.

A choice among some of the arms, and a slate, put a mask on ``choose``.

Decisions of a journal that was written under another version of the numerics (``version``) are not
made again, but followed: the log has them before the call.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import int64

from copyproof.engine.cache import inlined, kernel, part
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
from copyproof.engine.principal import Observation, choose, follow, observe
from copyproof.engine.registration import admit, lay_in_play, resume, retire, suspend
from copyproof.engine.rules import Kind
from copyproof.engine.selection import NOBODY, Mask, clear, mark, take
from copyproof.engine.state import ABSENT, OUTSIDE, State
from copyproof.engine.trial import correct_levels, spread_over_levels

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

# Statuses of a reward, in the order of ``live.records.STATUSES``.
COUNTED = 0
IGNORED = 1
CORRECTED = 2
REFUSED_LATE = 3

# Which of several rewards counts, and what is done with late ones.
FIRST, LAST, SUM, MAXIMUM = 0, 1, 2, 3
REFUSE, CORRECT = 0, 1
NO_LIMIT = 2**62

LOG = np.dtype([("at", "f8"), ("value", "f8"), ("arm", "i4"), ("told", "i4")])
PENDING, TOLD, DEFAULTED = 0, 1, 2

# Counters of a market.
ROUND = 0  # decisions so far
EXPIRED = 1  # no decision up to this one waits any more
FORGOTTEN = 2  # decisions up to this one are no longer kept
BASE = 3  # decisions before the first row of the log
LAID = 4  # whether trees are laid: 1 from the first decision on
BANKED = 5  # plays up to this one are in the books of earlier epochs
COUNTERS = 6

# What epochs before the present one have seen, which the policy has forgotten.
PAST = np.dtype([("total", "f8"), ("plays", "i8"), ("answers", "i8")])
HISTORY = np.dtype([("hash", "u8"), ("last", "f8"), ("repeats", "i8"), ("rewards", "i8")])
# After so many rewards the hash of an arm's history is kept, to be compared with others'.
PRINTS = (16, 64, 256, 1024)

_FIRST_PRINT, _LAST_PRINT = PRINTS[0], PRINTS[-1]
_MULTIPLY = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


class Live(NamedTuple):
    """What a live market remembers beside the engine's state."""

    log: Any  # decisions, one row each, from round ``counters[BASE]`` + 1 on
    counters: Any
    item_of: Any
    # Per arm: a hash of its rewards, how often one equals the one before, how many there were.
    history: Any
    prints: Any
    past: Any  # per agent: what earlier epochs saw, and late rewards for their plays
    past_arms: Any  # the same per arm
    marks: Any  # scratch, per item; all 0 between operations
    left: Any  # scratch, per agent


class Terms(NamedTuple):
    """What a market agreed on."""

    rewards: int
    late: int
    default: float
    follows: int  # 1 if the rows of the log to come say what was decided
    per_agent: int  # places of one agent on a slate, at most; NO_LIMIT for any number


@kernel
def serve(
    plan: Plan, state: State, live: Live, terms: Terms, operations: Any, lists: Any, outcomes: Any
) -> None:
    """Carry out operations in order; all but ``operations`` and ``lists`` is modified in place.

    The caller has seen to it that there is room: in the log for the decisions, and for every arm.
    """
    for n in range(operations.shape[0]):
        operation = operations[n]
        code = operation.code
        if code == TELL:
            status, value = _tell(plan, state, live, terms, operation.first, operation.value)
            outcomes[n].status = status
            outcomes[n].value = value
        elif code <= SLATE:
            if live.counters[LAID] == 0:
                _lay_first(plan, state, live)
            if code == ASK:
                outcomes[n].status = _ask(plan, state, live, terms, operation, None)
            else:
                outcomes[n].status = _ask_among(plan, state, live, terms, operation, lists)
        elif code == EXPIRE:
            outcomes[n].status = _expire(plan, state, live, terms, operation.first)
            live.counters[FORGOTTEN] = operation.start
        else:
            _register(plan, state, live, operation)


@part
def _turn_epoch(plan: Plan, state: State, live: Live) -> None:
    """Begin the next epoch: the policy forgets, the books do not."""
    for agent in range(live.left.shape[0]):
        _bank(live.past[agent], state.items[agent])
    for arm in range(live.past_arms.shape[0]):
        _bank(live.past_arms[arm], state.items[live.item_of[arm]])
    live.counters[BANKED] = live.counters[ROUND]
    next_epoch(plan, state, 0)


@inlined
def _bank(past: Any, item: Any) -> None:
    past.total += item.total
    past.plays += item.plays
    past.answers += item.answers


@inlined
def _ask(
    plan: Plan, state: State, live: Live, terms: Terms, operation: Any, mask: Mask | None
) -> int:
    """Make so many decisions, whose rewards are yet to come; how many, fewer if arms run out."""
    for made in range(operation.first):
        t = live.counters[ROUND] + 1
        if epoch_is_over(plan, state, t):
            _turn_epoch(plan, state, live)  # who may be chosen, and how many, stays the same
        row = live.log[live.counters[ROUND] - live.counters[BASE]]
        if terms.follows:
            arm = live.item_of[row.arm]
            if state.place[arm] < OUTSIDE:
                return made  # it is not registered: the journal is damaged
            choice = follow(plan, state, t, arm, mask)
        else:
            choice = choose(plan, state, t, 0, mask)
        if mask is not None:
            if choice.agent == NOBODY:
                return made
            if operation.code == SLATE:
                take(mask, choice.agent, choice.arm, terms.per_agent)
        _observe(plan, state, choice.arm, Observation(1, 0, 0.0))
        row.at = operation.value
        row.value = 0.0
        row.arm = state.items[choice.arm].original
        row.told = PENDING
        live.counters[ROUND] += 1
    return int(operation.first)


@part
def _ask_among(
    plan: Plan, state: State, live: Live, terms: Terms, operation: Any, lists: Any
) -> int:
    """Decide among some of the arms, or for a slate."""
    mask = Mask(live.marks, live.left)
    mark(plan.is_flat, state, mask, lists, operation.start, operation.stop)
    made = _ask(plan, state, live, terms, operation, mask)
    clear(state, mask, lists, operation.start, operation.stop)
    if operation.code == SLATE:
        for round_ in range(live.counters[ROUND] - made, live.counters[ROUND]):
            live.marks[live.item_of[live.log[round_ - live.counters[BASE]].arm]] = 0
    return made


@part
def _observe(plan: Plan, state: State, item: int, new: Observation) -> None:
    """``observe`` for an arm, wherever it is."""
    owner = int(int64(state.items[item].owner))
    observe(plan, state, owner, item, int(int64(state.place[item])), new)


@part
def _tell(
    plan: Plan, state: State, live: Live, terms: Terms, round_: int, reward: float
) -> tuple[int, float]:
    """A reward for a decision; its status, and what the play is worth now."""
    if round_ <= live.counters[FORGOTTEN]:
        return REFUSED_LATE, np.nan
    row = live.log[round_ - 1 - live.counters[BASE]]
    late = round_ <= live.counters[EXPIRED]
    if late and terms.late == REFUSE:
        return REFUSED_LATE, row.value
    if row.told == PENDING:
        _answer(plan, state, live, round_, row, reward)
        row.told = TOLD
        return COUNTED, reward
    value = reward
    if row.told == TOLD:
        if terms.rewards == FIRST:
            return IGNORED, row.value
        if terms.rewards == SUM:
            value = min(1.0, row.value + reward)
        elif terms.rewards == MAXIMUM:
            value = max(row.value, reward)
    if value != row.value:
        _correct(plan, state, live, round_, row, value)
    row.told = TOLD
    return CORRECTED if late else COUNTED, value


@part
def _answer(plan: Plan, state: State, live: Live, round_: int, row: Any, reward: float) -> None:
    """Count the first reward of a play; one of an earlier epoch goes to the books only."""
    item = live.item_of[row.arm]
    owner = state.items[item].owner
    row.value = reward
    if round_ <= live.counters[BANKED]:
        for past in (live.past[owner], live.past_arms[row.arm]):
            past.total += reward
            past.answers += 1
    else:
        _observe(plan, state, item, Observation(0, 1, reward))
    history = live.history[row.arm]
    if history.rewards > 0 and reward == history.last:
        history.repeats += 1
    history.last = reward
    _mix(history, np.uint64(np.int64(reward * 4503599627370496.0)))
    history.rewards += 1
    if _FIRST_PRINT <= history.rewards <= _LAST_PRINT:
        for place in range(len(PRINTS)):
            if history.rewards == PRINTS[place]:
                live.prints[row.arm, place] = history.hash


@part
def _correct(plan: Plan, state: State, live: Live, round_: int, row: Any, value: float) -> None:
    """Let a play be worth something else, now that its reward is known better.

    Sums are kept within [0, answers], which rounding could leave. Which of an agent's plays count
    as recent is not looked up again: the correction goes to the most recent ones.
    """
    item = live.item_of[row.arm]
    owner = int(int64(state.items[item].owner))
    change = value - row.value
    row.value = value
    if round_ <= live.counters[BANKED]:
        for past in (live.past[owner], live.past_arms[row.arm]):
            past.total = min(max(past.total + change, 0.0), float(past.answers))
        return
    window = state.windows[owner]
    window.recent = min(max(window.recent + change, 0.0), float(window.recents))
    if plan.agent.kind == Kind.TRIAL:
        correct_levels(state, owner, change, plan.agent.parameters)
    for number in (item, owner):
        one = state.items[number]
        one.total = min(max(one.total + change, 0.0), float(one.answers))
    _observe(plan, state, item, Observation(0, 0, 0.0))


@inlined
def _mix(history: Any, word: np.uint64) -> None:
    """Hash one more word into a history."""
    mixed = (history.hash ^ (word + np.uint64(1))) * _MULTIPLY
    history.hash = mixed ^ (mixed >> _SHIFT)


@part
def _expire(plan: Plan, state: State, live: Live, terms: Terms, upto: int) -> int:
    """Give every decision that still waits, up to a round, the default reward; how many."""
    found = 0
    for round_ in range(live.counters[EXPIRED] + 1, upto + 1):
        row = live.log[round_ - 1 - live.counters[BASE]]
        if row.told == PENDING:
            _answer(plan, state, live, round_, row, terms.default)
            row.told = DEFAULTED
            found += 1
    live.counters[EXPIRED] = max(upto, live.counters[EXPIRED])
    return found


@part
def _register(plan: Plan, state: State, live: Live, operation: Any) -> None:
    """Let agents and arms come and go."""
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

    If the policy ``changed``, a first epoch begins now, with the statistics there are: for a policy
    without epochs, whose clock is the round, it began before round 1. ``state`` is modified in
    place.
    """
    if changed:
        before = live.counters[ROUND] if plan.horizons.shape[0] > 1 else 0
        start_epoch(plan, state, 0, before)
        if plan.agent.kind == Kind.TRIAL:
            for agent in range(live.left.shape[0]):
                spread_over_levels(state, agent, plan.agent.parameters)
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
