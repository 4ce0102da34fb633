"""Rewards of a live market: what a play is worth until its reward comes, and when it has come.

A play is counted when it is asked for. Until its reward comes, by the market's ``Terms``:

- *Estimated*: the play counts as what plays that wait for their rewards have come to be worth so
  far, and is corrected in its own place among its agent's plays when its reward comes. Of rewards r
  that came, or expired, k rounds after their plays, Σ k·r/Σ k is the mean worth of a play that is
  met waiting: one that waits long is met more often. Where clicks are told at once and nothing else
  ever, that is 0, the default reward: the game is the one in which all is told at once, decision
  for decision. Where all rewards are late it is their mean. But a play is never estimated above the
  mean of its agent's known rewards, with DOUBT more of the default reward among them: a newcomer of
  whom nothing is known looks like one who fails. All of it is the agent's, and not the arm's, so
  that copies of an arm change nothing. For the choice within an agent a play that waits counts as
  its arm's m = (S + 1/2)/(n + 1), which it then leaves as it was, and at most as Σ k·r/Σ k; and
  while that is above 0, nobody can know whether the last play has failed. Whenever the market's
  known rewards have doubled in number, all plays that wait are estimated anew: those of a time when
  nothing was known would else keep down whoever stays, until they are answered, and not who goes
  meanwhile and comes back.
- *Omitted*: widths use asked plays, and means answered ones (1/2 before the first answer).
"""

import math
from typing import Any

import numpy as np
from numba import int64

from copyproof.engine.cache import inlined, part
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
    PENDING,
    PRINTS,
    REFUSE,
    REFUSED_LATE,
    ROUND,
    SUM,
    TOLD,
    Live,
    Terms,
)
from copyproof.engine.memory import correct_blocks
from copyproof.engine.own_index import correct_window
from copyproof.engine.plan import Plan, pool_of
from copyproof.engine.principal import Observation, observe
from copyproof.engine.rules import Kind
from copyproof.engine.state import FAILED, PAID, WAITS, State
from copyproof.engine.trial import correct_levels

# Rewards that an agent is taken to have had, each the default one, before the first it has.
DOUBT = 20.0
_FIRST_PRINT, _LAST_PRINT = PRINTS[0], PRINTS[-1]
_MULTIPLY = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


@inlined
def estimate(live: Live, terms: Terms, agent: int) -> float:
    """What a play of an agent's is worth until its reward comes.

    A multiple of 2^−20, so that sums are exact again when it has been corrected.
    """
    known = live.past[agent]
    waited = live.waited[0]
    worth = terms.default
    if waited.rounds > 0.0:
        own = (known.total + DOUBT * terms.default) / (known.answers + DOUBT)
        worth = min(waited.worth / waited.rounds, own)
    return math.floor(worth * 1048576.0) / 1048576.0


@inlined
def estimate_for_arm(is_flat: int, live: Live, total: float, answers: int, worth: float) -> float:
    """What a play is worth for its arm until its reward comes, if it is so much for its agent.

    ``total`` and ``answers`` are the arm's without it.
    """
    waited = live.waited[0]
    if is_flat or waited.rounds == 0.0:
        return worth
    m = (total + 0.5) / (answers + 1.0)
    return float(math.floor(min(waited.worth / waited.rounds, m) * 1048576.0) / 1048576.0)


@part
def observe_arm(plan: Plan, state: State, item: int, new: Observation) -> None:
    """``observe`` for an arm, wherever it is."""
    owner = int(int64(state.items[item].owner))
    observe(plan, state, owner, item, int(int64(state.place[item])), new)


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
        _answer(plan, state, live, terms, round_, row, reward)
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
        _correct(plan, state, live, terms, round_, row, value)
    row.told = TOLD
    return CORRECTED if late else COUNTED, value


@part
def _answer(
    plan: Plan, state: State, live: Live, terms: Terms, round_: int, row: Any, reward: float
) -> None:
    """Count the first reward of a play; one of an earlier epoch goes to the books only."""
    item = live.item_of[row.arm]
    owner = int(int64(state.items[item].owner))
    banked = round_ <= live.counters[BANKED]
    if banked or terms.estimates:
        for past in (live.past[owner], live.past_arms[row.arm]):
            past.total += reward
            past.answers += 1
    if terms.estimates:
        rounds = live.counters[ROUND] - round_
        live.waited[0].answers += 1
        live.waited[0].rounds += rounds
        live.waited[0].worth += rounds * reward
        if not banked:
            of_arm = reward - live.worths[round_ - 1 - live.counters[BASE]]
            if reward != row.value or of_arm != 0.0:
                change = reward - row.value
                _correct_play(plan, state, live, terms, round_, item, owner, change, of_arm)
            _judge_last(plan, state, live, round_, item, owner, reward, True)
    elif not banked:
        observe_arm(plan, state, item, Observation(0, 1, reward))
    row.value = reward
    if terms.estimates:
        known = live.waited[0].answers
        if known & (known - 1) == 0:
            _estimate_again(plan, state, live, terms, round_)
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
def _estimate_again(plan: Plan, state: State, live: Live, terms: Terms, answered: int) -> None:
    """Estimate anew the plays of this epoch that wait, all but the one that is just answered."""
    first = max(live.counters[EXPIRED], live.counters[BANKED]) + 1
    for round_ in range(first, live.counters[ROUND] + 1):
        row = live.log[round_ - 1 - live.counters[BASE]]
        if row.told == PENDING and round_ != answered:
            item = live.item_of[row.arm]
            owner = int(int64(state.items[item].owner))
            worth = estimate(live, terms, owner)
            place = round_ - 1 - live.counters[BASE]
            arm = state.items[item]
            total = arm.total - live.worths[place]
            for_arm = estimate_for_arm(plan.is_flat, live, total, arm.answers - 1, worth)
            change, of_arm = worth - row.value, for_arm - live.worths[place]
            if change != 0.0 or of_arm != 0.0:
                row.value = worth
                live.worths[place] = for_arm
                _correct_play(plan, state, live, terms, round_, item, owner, change, of_arm)
            _judge_last(plan, state, live, round_, item, owner, worth, False)


@part
def _correct(
    plan: Plan, state: State, live: Live, terms: Terms, round_: int, row: Any, value: float
) -> None:
    """Let a play that has a reward be worth something else, now that it is known better."""
    item = live.item_of[row.arm]
    owner = int(int64(state.items[item].owner))
    change = value - row.value
    row.value = value
    banked = round_ <= live.counters[BANKED]
    if banked or terms.estimates:
        for past in (live.past[owner], live.past_arms[row.arm]):
            past.total = min(max(past.total + change, 0.0), float(past.answers))
    if not banked:
        _correct_play(plan, state, live, terms, round_, item, owner, change, change)
        if terms.estimates:
            _judge_last(plan, state, live, round_, item, owner, value, True)


@part
def _correct_play(
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
    number = state.items[owner].answers - 1
    if terms.estimates:
        number = live.numbers[round_ - 1 - live.counters[BASE]]
    correct_window(state, owner, number, change)
    if plan.agent.kind == Kind.TRIAL:
        correct_levels(state, owner, number, change, plan.agent.parameters, plan.agent.memory)
    correct_blocks(state, owner, number, change, plan.agent.memory)
    for which, more in ((item, of_arm), (owner, change)):
        one = state.items[which]
        one.total = min(max(one.total + more, 0.0), float(one.answers))
    observe_arm(plan, state, item, Observation(0, 0, 0.0))


@inlined
def _judge_last(
    plan: Plan,
    state: State,
    live: Live,
    round_: int,
    item: int,
    owner: int,
    value: float,
    is_known: bool,
) -> None:
    """Say anew what came of a pool's last play, if this is the one."""
    here = state.pools[pool_of(plan, owner)]
    number = live.numbers[round_ - 1 - live.counters[BASE]]
    last = live.counters[ROUND] if plan.is_flat else state.items[owner].plays - 1
    if here.last == item and last == (round_ if plan.is_flat else number):
        here.failed = FAILED if value <= here.bar else PAID
        if not is_known and live.waited[0].worth > 0.0:
            here.failed = WAITS


@inlined
def _mix(history: Any, word: np.uint64) -> None:
    """Hash one more word into a history."""
    mixed = (history.hash ^ (word + np.uint64(1))) * _MULTIPLY
    history.hash = mixed ^ (mixed >> _SHIFT)


@part
def expire(plan: Plan, state: State, live: Live, terms: Terms, upto: int) -> int:
    """Give every decision that still waits, up to a round, the default reward; how many."""
    found = 0
    for round_ in range(live.counters[EXPIRED] + 1, upto + 1):
        row = live.log[round_ - 1 - live.counters[BASE]]
        if row.told == PENDING:
            _answer(plan, state, live, terms, round_, row, terms.default)
            row.told = DEFAULTED
            found += 1
    live.counters[EXPIRED] = max(upto, live.counters[EXPIRED])
    return found
