"""Rewards of a live market: what becomes of one that is told, and of plays whose window is over.

A play is counted when it is asked for. What it counts for until its reward comes is said by the
market's ``Terms``:

- *Until due*, *patient*: what is expected of it until it is due, told or not (``due_rewards``).
- *Omitted*: widths use asked plays, and means answered ones (1/2 before the first answer).
"""

from typing import Any

import numpy as np
from numba import int64

from copyproof.engine.cache import inlined, part
from copyproof.engine.corrections import correct_play, observe_arm
from copyproof.engine.due_rewards import count_due, hear, is_due
from copyproof.engine.live_records import (
    BANKED,
    BASE,
    CORRECTED,
    COUNTED,
    DEFAULTED,
    EXPIRED,
    FIRST,
    FORGOTTEN,
    IGNORED,
    MAXIMUM,
    OMITTED,
    PENDING,
    PRINTS,
    REFUSE,
    REFUSED_LATE,
    SUM,
    TOLD,
    Live,
    Terms,
)
from copyproof.engine.plan import Plan
from copyproof.engine.principal import Observation
from copyproof.engine.state import State

_FIRST_PRINT, _LAST_PRINT = PRINTS[0], PRINTS[-1]
_MULTIPLY = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


@part
def tell(
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
        row.told = TOLD
        _answer(plan, state, live, terms, round_, row, reward)
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
        _correct(plan, state, live, terms, round_, row, value)
    row.told = TOLD
    return CORRECTED if late else COUNTED, value


@part
def _answer(
    plan: Plan, state: State, live: Live, terms: Terms, round_: int, row: Any, reward: float
) -> None:
    """Count the first reward of a play; one of an earlier epoch goes to the books only.

    It is not PENDING any more.
    """
    item = live.item_of[row.arm]
    owner = int(int64(state.items[item].owner))
    banked = round_ <= live.counters[BANKED]
    if banked or terms.unanswered != OMITTED:
        for past in (live.past[owner], live.past_arms[row.arm]):
            past.total += reward
            past.answers += 1
    before = row.value
    row.value = reward
    if terms.unanswered != OMITTED:
        hear(plan, state, live, terms, round_, before, reward)
    elif not banked:
        observe_arm(plan, state, item, Observation(0, 1, reward))
    _remember(live, row.arm, reward)


@inlined
def _remember(live: Live, arm: int, reward: float) -> None:
    """Hash a reward into its arm's history."""
    history = live.history[arm]
    if history.rewards > 0 and reward == history.last:
        history.repeats += 1
    history.last = reward
    word = np.uint64(np.int64(reward * 4503599627370496.0))
    mixed = (history.hash ^ (word + np.uint64(1))) * _MULTIPLY
    history.hash = mixed ^ (mixed >> _SHIFT)
    history.rewards += 1
    if _FIRST_PRINT <= history.rewards <= _LAST_PRINT:
        for place in range(len(PRINTS)):
            if history.rewards == PRINTS[place]:
                live.prints[arm, place] = history.hash


@part
def _correct(
    plan: Plan, state: State, live: Live, terms: Terms, round_: int, row: Any, value: float
) -> None:
    """Let a play that has a reward be worth something else, now that it is known better."""
    item = live.item_of[row.arm]
    owner = int(int64(state.items[item].owner))
    before = row.value
    change = value - before
    row.value = value
    banked = round_ <= live.counters[BANKED]
    if banked or terms.unanswered != OMITTED:
        for past in (live.past[owner], live.past_arms[row.arm]):
            past.total = min(max(past.total + change, 0.0), float(past.answers))
    if terms.unanswered != OMITTED:
        hear(plan, state, live, terms, round_, before, value)
    elif not banked:
        correct_play(plan, state, live, terms, round_, item, owner, change, change)


@part
def expire(plan: Plan, state: State, live: Live, terms: Terms, upto: int) -> int:
    """Give every decision that still waits, up to a round, the default reward; how many."""
    found = 0
    for round_ in range(live.counters[EXPIRED] + 1, upto + 1):
        row = live.log[round_ - 1 - live.counters[BASE]]
        if row.told == PENDING:
            row.told = DEFAULTED
            _answer(plan, state, live, terms, round_, row, terms.default)
            found += 1
        if terms.unanswered != OMITTED and not is_due(live, round_):
            live.counters[EXPIRED] = round_  # from now on it is due
            count_due(plan, state, live, terms, round_)
    live.counters[EXPIRED] = max(upto, live.counters[EXPIRED])
    return found
