"""Rewards that count when they are due: what a play counts for until then, and when that is.

A play is *due* d rounds after it was asked for, or when its window is over. From then on it counts
for its agent as the reward that was told, or as the default one if none was. Until then it counts,
told or not, as the agent's plays that are due have come to be worth on average, with DOUBT more of
the default reward among them, and at most as those of all agents: a newcomer of whom nothing is
known looks like one who fails. That is the agent's, and not the arm's, so that copies of an arm
change nothing.

The choice *within* an agent is its own affair, and a reward other than the default one counts there
as soon as it is told. Until one is told, or the play is due, it counts as its arm's m =
(S + 1/2)/(n + 1), which it then leaves as it was, and at most as the mean of all plays of the
market that are due; and nobody can know whether it has failed.

So whether and when a reward is told that is the default one changes no decision at all.

*When is that.* A reward that differs from the default one by w, and is told k rounds after its
play, is w at ⌈log2(k + 1)⌉ in its agent's histogram; what is older than its last rewards counts
half, a quarter, and so on. Its delay is the least power of two, or 0, before which three quarters
of it were told, and d of the plays that are asked for next is that, but never more than the largest
delay of the other agents that may be shown: who alone is late is not waited for. Before the first
of its rewards is told nothing is due; that one says when the plays so far are. Whenever the number
of an agent's plays that are due is a power of two, what is expected of the others is found anew.

Where all that is told is told before the next decision, d = 0, and the game is the one in which all
rewards are known at once, decision for decision.

*Who alone is late* has d = 0: where all other agents are told at once, a play of its own counts as
the default reward until another is told. If that is 0, the agent counts for no more at any time
than if it had told its rewards at once, so that lateness gains it nothing, on any path. That costs
agents whose visitors take their time where others' do not. A market may be *patient* instead: d is
the agent's own delay, whatever the others' are.
"""

from numba import int64

from copyproof.engine.cache import inlined, part
from copyproof.engine.corrections import correct_play, judge_last
from copyproof.engine.live_records import (
    BANKED,
    BASE,
    DELAYS,
    DOUBT,
    EXPIRED,
    PATIENT,
    ROUND,
    UNKNOWN,
    Live,
    Terms,
    on_grid,
)
from copyproof.engine.plan import Plan
from copyproof.engine.state import ABSENT, State

_NO_ROUND = 1  # the place of a delay of no round in a histogram
_SOON = 0.75  # of an agent's rewards, by the delay that its next plays get
_MANY = 64.0  # rewards in a histogram, after which they count half


@inlined
def expected(live: Live, terms: Terms, agent: int) -> float:
    """What a play of an agent's counts for until it is due."""
    known, due = live.known[agent], live.due[0]
    worth = (known.total + DOUBT * terms.default) / (known.plays + DOUBT)
    if due.plays > 0:
        worth = min(worth, due.total / due.plays)
    return on_grid(worth)


@inlined
def expected_of_arm(is_flat: int, live: Live, total: float, answers: int, worth: float) -> float:
    """What it counts for its arm, whose ``total`` and ``answers`` are given without it.

    ``worth`` is what it counts for its agent.
    """
    due = live.due[0]
    if is_flat or due.plays == 0:
        return worth
    return on_grid(min(due.total / due.plays, (total + 0.5) / (answers + 1.0)))


@inlined
def delay_of(waits: int) -> int:
    """After how many rounds a play is due."""
    return int(int64(1) << (waits - 1)) if waits > 1 else 0


@inlined
def is_due(live: Live, round_: int) -> bool:
    """Whether a play counts for what was told."""
    waits = int64(live.waits[round_ - 1 - live.counters[BASE]])
    if round_ <= live.counters[EXPIRED]:
        return True
    return bool(waits != UNKNOWN and live.counters[ROUND] - round_ >= delay_of(waits))


@inlined
def date(live: Live, terms: Terms, agent: int, place: int) -> bool:
    """Say when an agent's next play is due; whether it waits for that. ``place`` is its row."""
    known = live.known[agent]
    live.waits[place] = waits = _next_waits(live, terms, agent)
    live.previous[place] = known.last
    known.last = live.counters[ROUND] + 1
    return bool(waits > _NO_ROUND)


@inlined
def may_be_shown(plan: Plan, state: State, agent: int) -> bool:
    """Whether an agent is not suspended and, under a hierarchical policy, has an arm."""
    return bool(state.start[agent] != ABSENT if plan.is_flat else state.place[agent] >= 0)


@inlined
def come_or_go(live: Live, agent: int, there: int) -> None:
    """An agent may be shown from now on, or not: others are waited for as long as it, or not."""
    waits = int(live.known[agent].waits)
    if waits != UNKNOWN:
        live.spread[0, waits] += there


@inlined
def _next_waits(live: Live, terms: Terms, agent: int) -> int:
    """After how many rounds an agent's next plays are due: its delay, and at most another's."""
    waits = int(live.known[agent].waits)
    if waits > _NO_ROUND and terms.unanswered != PATIENT:
        own = waits
        waits = _NO_ROUND
        for place in range(DELAYS, _NO_ROUND, -1):
            if live.spread[0, place] > int(place == own):
                waits = min(own, place)
                break
        live.due[0].waits |= int64(1) << waits
    return waits


@inlined
def let_be_due(plan: Plan, state: State, live: Live, terms: Terms) -> None:
    """Let plays count for what was told of them that are due with the round that was just made."""
    for waits in range(1, DELAYS + 1):
        if live.due[0].waits >> waits == 0:
            break
        round_ = live.counters[ROUND] - delay_of(waits)
        if round_ <= live.counters[EXPIRED]:
            break
        is_used = live.due[0].waits >> waits & 1
        if is_used and live.waits[round_ - 1 - live.counters[BASE]] == waits:
            count_due(plan, state, live, terms, round_)


@part
def count_due(plan: Plan, state: State, live: Live, terms: Terms, round_: int) -> None:
    """Let a play count for what was told of it, or as the default reward."""
    row = live.log[round_ - 1 - live.counters[BASE]]
    item = live.item_of[row.arm]
    owner = int(int64(state.items[item].owner))
    _know(live, owner, row.value, 1)
    _count_as(plan, state, live, terms, round_, row.value, row.value)
    if round_ > live.counters[BANKED]:
        judge_last(plan, state, live, round_, item, owner, row.value, False)
    plays = live.known[owner].plays
    if plays & (plays - 1) == 0:
        _expect_again(plan, state, live, terms, owner)


@part
def _expect_again(plan: Plan, state: State, live: Live, terms: Terms, agent: int) -> None:
    """Count the plays of an agent that are not due as is expected now."""
    round_ = live.known[agent].last
    worth = expected(live, terms, agent)
    while round_ > live.counters[EXPIRED]:
        place = round_ - 1 - live.counters[BASE]
        if live.counters[ROUND] - round_ >= delay_of(live.known[agent].longest):
            break
        if not is_due(live, round_):
            live.renewed[agent] = 1
            _count_as(plan, state, live, terms, round_, worth, live.worths[place])
        round_ = live.previous[place]


@inlined
def _know(live: Live, agent: int, more: float, plays: int) -> None:
    """Add to what is known of an agent, and of the market."""
    known, due = live.known[agent], live.due[0]
    known.plays += plays
    due.plays += plays
    known.total = min(max(known.total + more, 0.0), float(known.plays))
    due.total = min(max(due.total + more, 0.0), float(due.plays))


@part
def _count_as(
    plan: Plan, state: State, live: Live, terms: Terms, round_: int, worth: float, for_arm: float
) -> None:
    """Let a play count for its agent, and its arm, so much from now on."""
    place = round_ - 1 - live.counters[BASE]
    change, of_arm = worth - live.counted[place], for_arm - live.worths[place]
    live.counted[place] = worth
    live.worths[place] = for_arm
    if round_ > live.counters[BANKED] and (change != 0.0 or of_arm != 0.0):
        item = live.item_of[live.log[place].arm]
        owner = int(int64(state.items[item].owner))
        correct_play(plan, state, live, terms, round_, item, owner, change, of_arm)


@part
def hear(
    plan: Plan, state: State, live: Live, terms: Terms, round_: int, before: float, value: float
) -> None:
    """A play is now told to be worth ``value``, and was ``before``.

    That counts for its arm, and if it is due for its agent. The default reward says nothing.
    """
    if value == before:
        return
    place = round_ - 1 - live.counters[BASE]
    item = live.item_of[live.log[place].arm]
    owner = int(int64(state.items[item].owner))
    worth = live.counted[place]
    if is_due(live, round_):
        _know(live, owner, value - before, 0)
        worth = value
    _count_as(plan, state, live, terms, round_, worth, value)
    if round_ > live.counters[BANKED]:
        judge_last(plan, state, live, round_, item, owner, value, False)
    rounds = live.counters[ROUND] - round_
    bucket = 0
    while bucket < DELAYS - 1 and rounds >> bucket > 0:
        bucket += 1
    live.delays[owner, bucket] += abs(value - before)
    is_first = live.known[owner].waits == UNKNOWN
    _find_delay(plan, state, live, owner)
    if is_first:
        _date_first(plan, state, live, terms, owner)


@inlined
def _find_delay(plan: Plan, state: State, live: Live, agent: int) -> None:
    """Find after how many rounds the next plays of an agent are due."""
    told = 0.0
    for place in range(DELAYS):
        told += live.delays[agent, place]
    soon = 0.0
    for place in range(DELAYS):
        soon += live.delays[agent, place]
        if soon >= _SOON * told:
            known = live.known[agent]
            is_there = int(may_be_shown(plan, state, agent))
            come_or_go(live, agent, -is_there)
            known.waits = place + 1
            come_or_go(live, agent, is_there)
            known.longest = max(known.longest, known.waits)
            live.due[0].waits |= int64(1) << known.waits
            break
    if told > _MANY:
        for place in range(DELAYS):
            live.delays[agent, place] *= 0.5


@part
def _date_first(plan: Plan, state: State, live: Live, terms: Terms, agent: int) -> None:
    """Say when plays are due that were asked for before anything was told of their agent."""
    round_ = live.known[agent].last
    waits = _next_waits(live, terms, agent)
    live.renewed[agent] = 1
    while round_ > live.counters[EXPIRED]:
        place = round_ - 1 - live.counters[BASE]
        if live.waits[place] == UNKNOWN:
            live.waits[place] = waits
            if is_due(live, round_):
                count_due(plan, state, live, terms, round_)
        round_ = live.previous[place]
