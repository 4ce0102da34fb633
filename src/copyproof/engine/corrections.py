"""What a policy has counted for a play, corrected when the play turns out to be worth another sum.

A play keeps its own place among its agent's plays: in the windows, and under trial the sums at and
since the starts, that it belongs to.
"""

from typing import Any

from numba import int64

from copyproof.engine.cache import inlined, part
from copyproof.engine.live_records import BASE, OMITTED, ROUND, Live, Terms
from copyproof.engine.memory import correct_blocks
from copyproof.engine.plan import Plan, pool_of
from copyproof.engine.principal import Observation, count, observe
from copyproof.engine.rules import Kind
from copyproof.engine.state import FAILED, PAID, WAITS, State
from copyproof.engine.trial import correct_levels
from copyproof.engine.trial_search import falls_short


@part
def observe_arm(plan: Plan, state: State, item: int, new: Observation) -> None:
    """``observe`` for an arm, wherever it is."""
    owner = int(int64(state.items[item].owner))
    observe(plan, state, owner, item, int(int64(state.place[item])), new)


@part
def correct_play(
    plan: Plan,
    state: State,
    live: Live,
    terms: Terms,
    round_: int,
    item: int,
    owner: int,
    change: float,
    of_arm: float,
) -> None:
    """Let the policy know how much more a play of this epoch is worth now, also for its arm.

    Sums are kept within [0, answers], which rounding could leave. Where unanswered plays are
    omitted, an agent's plays have no numbers: the correction goes to the most recent one.
    """
    nothing = Observation(0, 0, 0.0)
    if change != 0.0:
        number = state.items[owner].answers - 1
        if terms.unanswered != OMITTED:
            number = live.numbers[round_ - 1 - live.counters[BASE]]
        if plan.agent.kind == Kind.TRIAL:
            correct_levels(state, owner, number, change, plan.agent.parameters, plan.agent.memory)
        correct_blocks(state, owner, number, change, plan.agent.memory)
        _add(state.items[owner], change)
        if not plan.is_flat:
            place = state.place[owner]
            count(plan.agent, state, 0, owner, place, nothing, plan.agent_search)
    if of_arm != 0.0:
        _add(state.items[item], of_arm)
        place = state.place[item]
        count(plan.arm, state, pool_of(plan, owner), item, place, nothing, plan.arm_search)


@inlined
def _add(item: Any, more: float) -> None:
    item.total = min(max(item.total + more, 0.0), float(item.answers))


@inlined
def judge_last(
    plan: Plan,
    state: State,
    live: Live,
    round_: int,
    item: int,
    owner: int,
    value: float,
    waits: bool,
) -> None:
    """Say anew what came of a pool's last play, if this is the one; it is counted already."""
    here = state.pools[pool_of(plan, owner)]
    number = live.numbers[round_ - 1 - live.counters[BASE]]
    last = live.counters[ROUND] if plan.is_flat else state.items[owner].plays - 1
    if here.last == item and last == (round_ if plan.is_flat else number):
        arm = state.items[item]
        failed = falls_short(arm.answers - 1, arm.total - value, value)
        here.failed = FAILED if failed else PAID
        if waits:
            here.failed = WAITS
