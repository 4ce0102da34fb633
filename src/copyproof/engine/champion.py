"""Champion and challengers: a rule for an agent's arms that brings in fresh ones by itself.

Of an agent with N plays and K tried arms, the champion is the tried arm of largest posterior mean
m = (S + 1)/(n + 2), the first of equals in registration order.

1. A fresh arm, drawn uniformly from those outside, is played if m ≤ threshold, or if the champion
   was played last and paid no more than the m of that time, as long as fewer than
   1 + fresh·ln² T·(1 − m) arms have been tried.
2. Otherwise the next tried arm, in registration order and round and round, has its turn. It is
   played if it is not the champion and n·kl(r, m) ≤ ln(N/(K n)) for its n plays and mean r ≤ m.
3. Otherwise the champion is played.

Under the rule ``trial-arms`` the estimate is m = (S + 1/2)/(n + 1). Other rules say when a play
fails, when a fresh arm is tried and when the last one is played again (``trial_search``), and a
challenger is played if n·kl(r, m) ≤ max(ln(N/(K n)), ln T/K). In a trial without fresh arms the
tried arm is played that has the largest upper bound of Wilson's interval (1927) with z² = 4, the
first of equals in registration order: with n plays and mean r, (n r + 2 + 2 √(n r (1 − r) + 1))/
(n + 4).

Of an agent whose index sees its last plays only (``memory``), the champion is played whenever a
window of w plays and mean r < m has w·kl(r, m) > 0.4 ln T, so that search does not bring its index
below its champion's mean; ``trial`` has a gate like it.

Where only some arms may be chosen, m is the largest among those, a disappointment is not asked
for, as it may not have been one of them, and without a fresh arm the largest m is played.

Where rewards come late, counts N and n are those of plays, and means those of the answers so far;
a champion whose last reward is not known yet has not failed.
"""

import math
from typing import Any

from copyproof.engine.bounds import bernoulli_kl
from copyproof.engine.cache import inlined, part
from copyproof.engine.memory import evidence_below, windows_of
from copyproof.engine.numerics import log
from copyproof.engine.rules import Kind, LoweredRule, Turn
from copyproof.engine.selection import Mask, gather, scan_winners, select
from copyproof.engine.state import FAILED, PAID, State, epoch_of
from copyproof.engine.trial_search import (
    LET_CHALLENGE,
    PLAY_CHAMPION,
    PLAY_LAST,
    TEST_TRIED,
    TRY_FRESH,
    falls_short,
    verdict,
)

FRESH = -1  # in place of a place: it is time for a fresh arm
BY_INDEX = -2  # in place of a place: the largest index is to be played
_GATE = 0.4  # of ln T, for agents with a memory: as in a trial


@inlined
def champion(
    rule: LoweredRule, state: State, pool: int, turn: Turn, search: int, mask: Mask | None
) -> int:
    """Place of the arm to play, FRESH or BY_INDEX; what the pool remembers is modified in place."""
    here = state.pools[pool]
    if mask is not None:
        if here.outside == 0:
            return BY_INDEX
        m = 0.0
        size = gather(state, pool, mask)
        if size > 0:
            m, _ = scan_winners(rule, state, pool, size, turn, 0.0)
        here.bar = m
        return FRESH if _verdict(rule, state, pool, m, -1) == TRY_FRESH else BY_INDEX
    if here.size == 0:
        here.bar = 0.5
        return FRESH if here.seats == 0 else BY_INDEX
    top = select(rule, state, pool, turn, 1, search, None)
    leaves = here.base + here.cap
    m = state.nodes[leaves + top].height
    here.bar = m
    what = _verdict(rule, state, pool, m, state.nodes[leaves + top].link)
    if what == TRY_FRESH:
        return FRESH
    if what == PLAY_CHAMPION:
        return int(top)
    if what == PLAY_LAST:
        return int(state.place[here.last])
    if what == TEST_TRIED:
        return _most_promising(state, pool)
    place = 0
    if here.pointer >= 0 and state.place[here.pointer] >= 0:
        place = state.place[here.pointer] + 1
        if place == here.size:
            place = 0
    here.pointer = state.nodes[leaves + place].link
    least = state.epoch[0].log / here.size if rule.kind == Kind.TRIAL_ARMS else 0.0
    if place != top and _may_challenge(state.items[here.pointer], m, turn.plays, here.size, least):
        return int(place)
    return int(top)


@inlined
def _verdict(rule: LoweredRule, state: State, pool: int, m: float, top: int) -> int:
    """What is to be done, with the best item so far, of posterior mean m; −1 if it is not known."""
    if rule.kind == Kind.TRIAL_ARMS:
        return verdict(rule.parameters, rule.form, rule.memory, state, pool, m, top)
    here = state.pools[pool]
    fresh, threshold, doubt = rule.parameters
    ln_t = state.epoch[0].log
    unit = epoch_of(state, pool - 1).unit
    if rule.memory > 0 and _is_gated(state, pool - 1, doubt * unit, rule.memory, m):
        return PLAY_CHAMPION
    most = 1.0 + fresh * (ln_t * ln_t) * (1.0 - m)
    disappoints = here.failed == FAILED and here.last == top
    tries = here.outside > 0 and (m <= threshold or disappoints) and here.seats < most
    return TRY_FRESH if tries else LET_CHALLENGE


@part
def _is_gated(state: State, agent: int, forgiven: float, memory: int, m: float) -> bool:
    """Whether search has brought the mean of one of its agent's windows too far below m."""
    blocks = state.blocks[agent]
    for j in range(windows_of(memory)):
        _, evidence = evidence_below(state.items[agent], blocks, forgiven, memory, j, m)
        if evidence > _GATE * state.epoch[0].log:
            return True
    return False


@part
def _most_promising(state: State, pool: int) -> int:
    """Place of the item of largest upper bound by Wilson's interval, the first of equals."""
    here = state.pools[pool]
    leaves = here.base + here.cap
    best, found = -1.0, 0
    for place in range(here.size):
        item = state.items[state.nodes[leaves + place].link]
        r = min(item.total / item.answers, 1.0) if item.answers > 0 else 0.5
        total = item.plays * r
        bound = (total + 2.0 + 2.0 * math.sqrt(total * (1.0 - r) + 1.0)) / (item.plays + 4.0)
        if bound > best:
            best, found = bound, place
    return found


@inlined
def _may_challenge(item: Any, m: float, plays: int, tried: int, least: float) -> bool:
    """Whether n·kl(r, m) ≤ max(ln(N/(K n)), least), and either is above 0."""
    slack = plays / (tried * item.plays)
    if slack < 1.0 and least == 0.0:
        return False
    mean = item.total / item.answers if item.answers > 0 else 0.5
    level = max(log(slack), least)
    return bool(mean >= m or item.plays * bernoulli_kl(mean, m) <= level)


@inlined
def note(
    rule: LoweredRule,
    state: State,
    pool: int,
    arm: int,
    played: int,
    answered: int,
    reward: float,
) -> None:
    """Note which arm a pool played last, and whether that failed, before the reward is counted.

    ``state`` is modified in place.
    """
    here = state.pools[pool]
    if played:
        here.last = arm
        here.failed = PAID
    if answered and arm == here.last:
        item = state.items[arm]
        if has_failed(rule, here, item.answers, item.total, reward):
            here.failed = FAILED


@inlined
def has_failed(rule: LoweredRule, here: Any, answers: int, total: float, reward: float) -> bool:
    """Whether a play failed, of an arm of a pool that has paid ``total`` in ``answers`` before."""
    if rule.kind == Kind.TRIAL_ARMS:
        return falls_short(answers, total, reward)
    return bool(reward <= here.bar)
