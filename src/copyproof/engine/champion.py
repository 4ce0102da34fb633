"""Champion and challengers: a rule for an agent's arms that brings in fresh ones by itself.

Of an agent with N plays and K tried arms, the champion is the tried arm of largest estimate
m = (S + 1/2)/(n + 1), the first of equals in registration order. ``trial_search`` says when a fresh
arm, drawn uniformly from those outside, is tried, when the last one is played again, and when the
champion is played.

1. In a trial without fresh arms the tried arm of largest upper bound of Wilson's interval (1927)
   with z² = 4 is played, the first of equals in registration order. With n plays and mean r that is
   (n r + 2 + 2 √(n r (1 − r) + 1))/(n + 4).
2. When arms may challenge, the next tried arm, in registration order and round and round, has its
   turn. It is played if it is not the champion and n·kl(r, m) ≤ max(ln(N/(K n)), ln T/K) for its n
   plays and mean r ≤ m.
3. Otherwise the champion is played.

Where only some arms may be chosen, m is the largest among those, the last play is not asked for, as
it may not have been one of them, and without a fresh arm the largest m is played.

Where rewards come late, counts N and n are those of plays, and means those of the answers so far;
a champion whose last reward is not known yet has not failed.
"""

import math
from typing import Any

from copyproof.engine.bounds import bernoulli_kl
from copyproof.engine.cache import inlined, part
from copyproof.engine.numerics import log
from copyproof.engine.rules import LoweredRule, Turn
from copyproof.engine.selection import Mask, gather, scan_winners, select
from copyproof.engine.state import FAILED, PAID, State
from copyproof.engine.trial_search import (
    PLAY_CHAMPION,
    PLAY_LAST,
    TEST_TRIED,
    TRY_FRESH,
    falls_short,
    verdict,
)

FRESH = -1  # in place of a place: it is time for a fresh arm
BY_INDEX = -2  # in place of a place: the largest index is to be played


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
        what = verdict(rule.parameters, rule.tries, rule.memory, state, pool, m, -1)
        return FRESH if what == TRY_FRESH else BY_INDEX
    if here.size == 0:
        return FRESH if here.seats == 0 else BY_INDEX
    top = select(rule, state, pool, turn, 1, search, None)
    leaves = here.base + here.cap
    m = state.nodes[leaves + top].height
    number = state.nodes[leaves + top].link
    what = verdict(rule.parameters, rule.tries, rule.memory, state, pool, m, number)
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
    least = state.epoch[0].log / here.size
    if place != top and _may_challenge(state.items[here.pointer], m, turn.plays, here.size, least):
        return int(place)
    return int(top)


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
def note(state: State, pool: int, arm: int, played: int, answered: int, reward: float) -> None:
    """Note which arm a pool played last, and whether that failed, before the reward is counted.

    ``state`` is modified in place.
    """
    here = state.pools[pool]
    if played:
        here.last = arm
        here.failed = PAID
    if answered and arm == here.last:
        item = state.items[arm]
        if falls_short(item.answers, item.total, reward):
            here.failed = FAILED
