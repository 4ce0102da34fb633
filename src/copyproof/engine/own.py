"""Rules that see an agent's own plays, T and n, and never the round t: ``grace`` is made of them.

**The agents' index.** Of N plays of an agent, with 2^k < N ≤ 2^(k+1), those after play 2^(k−1)
count: w of them, with mean reward r. The index is the largest q with w·kl(r, q) ≤ scale·ln T (or
r + √(scale·ln T / (2 w))). With M = min(√(T/n), ln² T), the first turns·M plays have an index above
all others that falls with N, so that agents have them in turn; up to doubt·M plays the index is at
least 1 − N/(3 doubt·M). For given N all of this is non-decreasing in every reward of the agent.

**Champion and challengers**, inside an agent with N plays and K tried arms. The champion is the
tried arm of largest posterior mean m = (S + 1)/(n + 2), the first of equals in registration order.

1. A fresh arm, drawn uniformly from those outside, is played if m ≤ threshold, or if the champion
   was played last and paid no more than the m of that time, as long as fewer than
   1 + fresh·ln² T·(1 − m) arms have been tried.
2. Otherwise the next tried arm, in registration order and round and round, has its turn. It is
   played if it is not the champion and n·kl(r, m) ≤ ln(N/(K n)) for its n plays and mean r ≤ m.
3. Otherwise the champion is played.

Where rewards come late, counts N, n and w are those of plays, and means those of the answers so
far; a champion whose last reward is not known yet has not failed.
"""

import math
from typing import Any

from copyproof.engine.cache import inlined, part
from copyproof.engine.rules import (
    HOEFFDING,
    OWN_INDEX,
    RECENT,
    Rule,
    bernoulli_kl,
    kl_index,
    line,
    nth_equal,
    scan_winners,
)
from copyproof.engine.state import State
from copyproof.engine.tournament import nth_winner

FRESH = -1
"""In place of a place: take a fresh arm."""


@inlined
def line_in(rule: Rule, state: State, number: int) -> tuple[float, float]:
    """Height and slope of any item's index."""
    if rule.kind == OWN_INDEX:
        return _own_index(rule, state, number), 0.0
    return line(rule, state.items[number])


@part
def _own_index(rule: Rule, state: State, agent: int) -> float:
    item = state.items[agent]
    if item.plays == 0:
        return math.inf
    epoch = state.epoch[0]
    turns = rule.second * epoch.unit
    if item.plays < turns:
        return 3.0 - float(item.plays / turns)  # above all others
    total = item.total
    answers = item.answers
    if rule.form & RECENT:
        window = state.windows[agent]
        total = window.recent + window.before
        answers = window.recents + window.befores
    counting = answers + (item.plays - item.answers)
    mean = total / answers if answers > 0 else 0.5
    level = rule.first * epoch.log / counting
    if rule.form & HOEFFDING:
        index = mean + math.sqrt(level / 2.0)
    else:
        index = kl_index(min(mean, 1.0), level)
    doubt = rule.third * epoch.unit
    if item.plays < doubt:
        index = max(index, 1.0 - item.plays / (3.0 * doubt))
    return index


@inlined
def remember(state: State, agent: int, reward: float) -> None:
    """Put a reward into the agent's window, before it is counted; ``state`` is modified."""
    answers = state.items[agent].answers
    window = state.windows[agent]
    if answers > 0 and answers & (answers - 1) == 0:
        window.before = window.recent
        window.befores = window.recents
        window.recent = 0.0
        window.recents = 0
    window.recent += reward
    window.recents += 1


@part
def champion(rule: Rule, state: State, pool: int, plays: int, scan: int) -> int:
    """Place of the arm to play, or FRESH; what the pool remembers is modified in place."""
    here = state.pools[pool]
    if here.size == 0:
        here.bar = 0.5
        here.seats = max(here.seats, 1)
        return FRESH
    if scan:
        best, _ = scan_winners(rule, state, pool, 1.0, 0, 0)
        top = nth_equal(state.values, best, 0)
    else:
        top = nth_winner(state.nodes, here.base, here.cap, 0.0, 0)
    leaves = here.base + here.cap
    m = state.nodes[leaves + top].height
    here.bar = m
    if here.outside > 0:
        disappoints = here.failed and here.last == state.nodes[leaves + top].link
        log = state.epoch[0].log
        most = 1.0 + rule.first * (log * log) * (1.0 - m)
        if (m <= rule.second or disappoints) and here.seats < most:
            here.seats += 1
            return FRESH
    place = 0
    if here.pointer >= 0 and state.place[here.pointer] >= 0:
        place = state.place[here.pointer] + 1
        if place == here.size:
            place = 0
    here.pointer = state.nodes[leaves + place].link
    if place != top and _may_challenge(state.items[here.pointer], m, plays, here.size):
        return int(place)
    return int(top)


@inlined
def _may_challenge(item: Any, m: float, plays: int, tried: int) -> bool:
    """Whether n·kl(r, m) ≤ ln(N/(K n))."""
    slack = plays / (tried * item.plays)
    if slack < 1.0:
        return False
    mean = item.total / item.answers if item.answers > 0 else 0.5
    return bool(mean >= m or item.plays * bernoulli_kl(mean, m) <= math.log(slack))


@inlined
def note(state: State, pool: int, arm: int, played: int, answered: int, reward: float) -> None:
    """Note which arm a pool played last, and whether it disappointed; ``state`` is modified."""
    here = state.pools[pool]
    if played:
        here.last = arm
        here.failed = 0
    if answered and arm == here.last and reward <= here.bar:
        here.failed = 1
