"""Inside an agent under trial: when fresh arms are tried, and when tried ones may challenge.

The *champion* (``champion``) is the tried arm of largest estimate m. The *trial* of an agent lasts
until the first start whose claim is at most 1.3 m, and no longer than to the last one (``trial``).

A play of an arm *fails* if it takes the arm's shortfall n − S, rounded, over a whole number
(``falls_short``): a play that pays 0 always does, one that pays 1 never, and an arm that always
pays 0.51 fails about every second time. So search never waits for a failure that cannot come.

An arm that was played last and whose rewards are not all known has neither failed nor succeeded:
with a champion below 1/2 the search goes on, above it does not.
"""

import math

from copyproof.engine.bounds import bernoulli_kl
from copyproof.engine.cache import inlined, part
from copyproof.engine.memory import evidence_below, forgets, windows_of
from copyproof.engine.state import FAILED, LEVELS, PAID, State, epoch_of
from copyproof.engine.trial import allowance, limits_of, start_of

# What is to be done with an agent's arms.
TRY_FRESH = 0
PLAY_CHAMPION = 1
LET_CHALLENGE = 2
PLAY_LAST = 3
TEST_TRIED = 4  # play the one that may be the best: plays are forgiven, and no fresh arm is left

_NEAR = 1.3  # a claim of no more than so many times m ends the trial of a champion of mean m
_IN_A_ROW = 8  # fresh arms after a failure of a champion's that seldom fails
_SELDOM = 3.0  # a champion fails seldom if so many times less than the tried arms on average


@inlined
def verdict(
    parameters: tuple[float, float, float],
    tries: int,
    memory: int,
    state: State,
    pool: int,
    m: float,
    top: int,
) -> int:
    """What is to be done with a pool whose champion is item ``top``, of estimated mean m.

    Under a mask there is no champion, and ``top`` is −1: nothing is known of the last play.
    """
    here = state.pools[pool]
    agent = pool - 1
    limits = limits_of(parameters, epoch_of(state, agent))
    j = _judging(state, agent, limits, m)
    in_trial = j < 0
    if not in_trial and _is_gated(parameters[2], memory, state, agent, m, j, start_of(limits, j)):
        return PLAY_CHAMPION
    is_known = top >= 0 and here.last >= 0
    failed = is_known and here.failed == FAILED
    succeeded = is_known and here.failed == PAID and _is_answered(state, here.last)
    if succeeded and here.last != top and state.place[here.last] >= 0:
        return PLAY_LAST
    if here.outside == 0 or here.seats >= tries:
        return TEST_TRIED if in_trial else LET_CHALLENGE
    if not in_trial:
        return TRY_FRESH if m <= 0.5 or (failed and here.last == top) else LET_CHALLENGE
    if failed:
        returns = here.last != top and here.seats % _IN_A_ROW == 0
        return PLAY_CHAMPION if returns and _fails_seldom(state, pool, top) else TRY_FRESH
    return PLAY_CHAMPION if succeeded or m > 0.5 else TRY_FRESH


@inlined
def falls_short(answers: int, total: float, reward: float) -> bool:
    """Whether a play fails, of an arm that has paid ``total`` in ``answers`` plays before it."""
    before = math.floor(float(answers) - total + 0.5)
    return bool(math.floor(float(answers + 1) - (total + reward) + 0.5) > before)


@part
def _fails_seldom(state: State, pool: int, number: int) -> bool:
    """Whether an arm falls short of 1 at most a third as much as the tried ones do on average."""
    here = state.pools[pool]
    leaves = here.base + here.cap
    estimates = 0.0
    for place in range(here.size):
        estimates += state.nodes[leaves + place].height
    item = state.items[number]
    short = float(item.answers) - item.total
    return bool(_SELDOM * short <= (1.0 - estimates / here.size) * float(item.answers))


@inlined
def _judging(state: State, agent: int, limits: tuple[float, float], m: float) -> int:
    """The first start whose claim is no more than 1.3 m, else the last; −1 if it is to come."""
    bar = min(1.0, _NEAR * m)
    for j in range(LEVELS):
        claim = state.starts[agent, j].claim
        if claim == 0.0:
            return -1
        if claim <= bar or start_of(limits, j) >= limits[1]:
            return j
    return -1


@inlined
def _is_gated(
    gate: float, memory: int, state: State, agent: int, m: float, j: int, start: int
) -> bool:
    """Whether search since the trial has brought the agent's mean, or a window's, far below m."""
    item = state.items[agent]
    unit = epoch_of(state, agent).unit
    w = item.plays - start
    answers = item.answers - start
    if w <= 0 or answers <= 0:
        return False
    for k in range(windows_of(memory)):
        v, evidence = evidence_below(item, state.blocks[agent], start, memory, k, m)
        if evidence > 0.0 and evidence > gate * allowance(unit, v):
            return True
    if forgets(item, start, memory):
        return False
    r = min(state.trials[agent, j] / answers, 1.0)
    return bool(r < m and w * bernoulli_kl(r, m) > gate * allowance(unit, w))


@inlined
def _is_answered(state: State, number: int) -> bool:
    return bool(state.items[number].plays == state.items[number].answers)
