"""Estimates of plays that wait, as markets have them that were made under rules 1.

A play counts as what plays that wait for their rewards have come to be worth so far. Of rewards r
that came, or expired, k rounds after their plays, Σ k·r/Σ k is the mean worth of a play that is met
waiting: one that waits long is met more often. A play is never estimated above the mean of its
agent's known rewards, with DOUBT more of the default reward among them. For the choice within an
agent it counts as its arm's m = (S + 1/2)/(n + 1), which it then leaves as it was, and at most as
Σ k·r/Σ k. Whenever the market's known rewards have doubled in number, all plays that wait are
estimated anew.

An agent whose zeros alone are never told makes its estimates of the others' rewards, and gains by
it: that is why new markets have ``due_rewards``.
"""

from numba import int64

from copyproof.engine.cache import inlined, part
from copyproof.engine.corrections import correct_play, judge_last
from copyproof.engine.live_records import (
    BANKED,
    BASE,
    DOUBT,
    EXPIRED,
    PENDING,
    ROUND,
    Live,
    Terms,
    on_grid,
)
from copyproof.engine.plan import Plan
from copyproof.engine.state import State


@inlined
def estimate(live: Live, terms: Terms, agent: int) -> float:
    """What a play of an agent's is worth until its reward comes."""
    known = live.past[agent]
    waited = live.waited[0]
    worth = terms.default
    if waited.rounds > 0.0:
        own = (known.total + DOUBT * terms.default) / (known.answers + DOUBT)
        worth = min(waited.worth / waited.rounds, own)
    return on_grid(worth)


@inlined
def estimate_for_arm(is_flat: int, live: Live, total: float, answers: int, worth: float) -> float:
    """What a play is worth for its arm until its reward comes, if it is so much for its agent.

    ``total`` and ``answers`` are the arm's without it.
    """
    waited = live.waited[0]
    if is_flat or waited.rounds == 0.0:
        return worth
    m = (total + 0.5) / (answers + 1.0)
    return on_grid(min(waited.worth / waited.rounds, m))


@inlined
def note_wait(live: Live, round_: int, reward: float) -> bool:
    """Note when a reward came; whether the known ones have doubled in number with it."""
    rounds = live.counters[ROUND] - round_
    waited = live.waited[0]
    waited.answers += 1
    waited.rounds += rounds
    waited.worth += rounds * reward
    return bool(waited.answers & (waited.answers - 1) == 0)


@part
def estimate_again(plan: Plan, state: State, live: Live, terms: Terms) -> None:
    """Estimate anew the plays of this epoch that wait."""
    first = max(live.counters[EXPIRED], live.counters[BANKED]) + 1
    for round_ in range(first, live.counters[ROUND] + 1):
        row = live.log[round_ - 1 - live.counters[BASE]]
        if row.told == PENDING:
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
                correct_play(plan, state, live, terms, round_, item, owner, change, of_arm)
            waits = live.waited[0].worth > 0.0
            judge_last(plan, state, live, round_, item, owner, worth, waits)
