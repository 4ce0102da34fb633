"""Trial: an agent is forgiven what its search for a good arm has cost, up to a budget.

With levels x_g = 2^(−g/4), g = 0, 1, …, an agent that claims the level x_g may forget its first
D_g = ⌊B/x_g^1.2⌋ plays, as a trial may cost about B rewards, and somewhat more where rewards are
rare. Neither B nor any D_g is more than ⌊share·T/n⌋, or 1: the first level that would forget more
forgets as much, and is the last one. Of each level the sum of the rewards after the first D_g is
kept, in ``State.trials``: a sum that begins there, and not the difference of two, because rounding
would let a difference fall when an early reward rises.

The index of an agent with N plays is 3 − N/D_0 for N < D_0, so that agents have them in turn, and
then the largest over g of min(x_g, U_g), where U_g is the largest q with w·kl(r, q) ≤ ℓ(w) for the
w = N − D_g plays since, of mean reward r; U_g = 1 while w ≤ 0. The level is that of KL-UCB++,
ℓ(w) = ln(z(1 + ln² z)) with z = T/(n w) if z > 1, else 0. For given N all of this is non-decreasing
in every reward of the agent, and none of it sees the round t.

With a memory of W plays each U_g is the least over windows of the agent's last plays (``memory``),
where the first D_g are forgiven. Each window has the level ℓ of its own number of plays.

Inside an agent ``verdict`` says when fresh arms are tried and when tried ones may challenge the
champion (``champion``).

Where rewards come late, counts N, w and n are those of plays, and means those of the answers so
far: level g sums up the answers after the first D_g of them. An arm that was played last and whose
rewards are not all known has neither failed nor succeeded: with a champion below 1/2 the search
goes on, above it does not.
"""

import math
from decimal import Context
from typing import Any

import numpy as np

from copyproof.engine.bounds import bernoulli_kl, kl_index, line_below
from copyproof.engine.cache import inlined, part
from copyproof.engine.memory import evidence_below, forgets, held, mean_of, windows_of
from copyproof.engine.numerics import log
from copyproof.engine.state import FAILED, LEVELS, PAID, State

# What is to be done with an agent's arms.
TRY_FRESH = 0
PLAY_CHAMPION = 1
LET_CHALLENGE = 2
PLAY_LAST = 3
TEST_TRIED = 4  # let them challenge, and more easily: plays are forgiven, and no fresh arm is left

_IN_A_ROW = 4  # fresh arms after a failure of the champion's
_HALF = math.sqrt(0.5)
_QUARTERS = (1.0, math.sqrt(_HALF), _HALF, _HALF * math.sqrt(_HALF))
# x_g, and x_g^−1.2 = 2^(0.3 g).
_LEVEL = np.array([_QUARTERS[g % 4] * 0.5 ** (g // 4) for g in range(LEVELS)])
_exact = Context(prec=28)  # whatever the caller's
_PLAYS = np.array([float(_exact.power(2, _exact.divide(3 * g, 10))) for g in range(LEVELS)])


@inlined
def _limits(parameters: tuple[float, float, float], epoch: Any) -> tuple[float, float]:
    """B, and the most plays that are forgotten."""
    tries, share, _ = parameters
    most = math.floor(max(1.0, share * epoch.unit))
    return min(tries, most), most


@inlined
def _forgotten(limits: tuple[float, float], g: int) -> int:
    """D_g; the first level with as many as the second limit is the last."""
    budget, most = limits
    return int(min(budget * _PLAYS[g], most))


@inlined
def allowance(unit: float, w: int) -> float:
    """ℓ(w), with T/n as the unit."""
    z = unit / w
    if z <= 1.0:
        return 0.0
    ln_z = log(z)
    return log(z * (1.0 + ln_z * ln_z))


@inlined
def trial_index(
    item: Any,
    sums: Any,
    blocks: Any,
    epoch: Any,
    parameters: tuple[float, float, float],
    memory: int,
) -> float:
    """The index of an agent, with the sums of its rewards by level."""
    if item.plays == 0:
        return math.inf
    limits = _limits(parameters, epoch)
    in_turn = _forgotten(limits, 0)
    if item.plays < in_turn:
        return 3.0 - float(item.plays / in_turn)  # above all others
    # U_0 tells how far down to look, as x_g is the most that level g can give. From there upwards:
    # of the others few are more than the last, which ``line_below`` can show, and what it says of
    # one level holds for all before it, whose ℓ(w)/w is smaller.
    best, most_level, s, c = 0.0, 0.0, 0.0, 0.0
    last, done = 0, 0
    while done <= last:
        g = last + 1 - done if done > 0 else 0
        forgotten = _forgotten(limits, g)
        w = item.plays - forgotten
        claim = float(_LEVEL[g])
        if w > 0 and not forgets(item, forgotten, memory):
            answers = item.answers - forgotten
            mean = min(sums[g] / answers, 1.0) if answers > 0 else 0.5
            level = most_level
            below = mean < best and level + s * mean < c
            if not below:
                level = allowance(epoch.unit, w) / w
                if 0.0 < mean < best:
                    most_level = level
                    s, c = line_below(mean, best)
                    below = level + s * mean < c
            claim = 0.0 if below else min(claim, kl_index(mean, level))
        if memory > 0 and w > 0 and claim > best:
            claim = min(claim, _least_of_windows(item, blocks, epoch.unit, forgotten, memory))
        best = max(best, claim)
        if done == 0:
            last = _last_level(limits, item.plays, best)
        done += 1
    return best


@inlined
def _last_level(limits: tuple[float, float], plays: int, best: float) -> int:
    """The last level that may give more than ``best``."""
    g = 0
    while g + 1 < LEVELS and _LEVEL[g + 1] > best:
        forgotten = _forgotten(limits, g)
        if forgotten >= plays or forgotten >= limits[1]:
            break
        g += 1
    return g


@part
def _least_of_windows(item: Any, blocks: Any, unit: float, forgotten: int, memory: int) -> float:
    """The least index of the windows that begin after the plays that are forgotten."""
    least = 1.0
    for j in range(windows_of(memory)):
        answers = held(item, forgotten, memory, j)
        if answers > 0:
            w = answers + (item.plays - item.answers)
            mean = mean_of(blocks, j, answers)
            least = min(least, kl_index(mean, allowance(unit, w) / w))
    return least


@inlined
def add_to_levels(
    state: State, agent: int, reward: float, parameters: tuple[float, float, float]
) -> None:
    """Add a reward to the sums of its agent's levels, before it is counted; modified in place."""
    limits = _limits(parameters, state.epoch[0])
    answers = state.items[agent].answers
    for g in range(LEVELS):
        forgotten = _forgotten(limits, g)
        if forgotten > answers:
            break
        state.trials[agent, g] += reward
        if forgotten >= limits[1]:
            break


@part
def correct_levels(
    state: State, agent: int, number: int, change: float, parameters: tuple[float, float, float]
) -> None:
    """Let the reward of an agent's play ``number`` be worth more or less, in all its levels.

    Sums are kept within what rewards in [0, 1] give. ``state`` is modified in place.
    """
    limits = _limits(parameters, state.epoch[0])
    for g in range(LEVELS):
        forgotten = _forgotten(limits, g)
        if forgotten > number:
            break
        answers = state.items[agent].answers - forgotten
        state.trials[agent, g] = min(max(state.trials[agent, g] + change, 0.0), float(answers))


@part
def spread_over_levels(state: State, agent: int, parameters: tuple[float, float, float]) -> None:
    """Fill the sums of an agent whose rewards were not kept in order, as if they had come evenly.

    ``state`` is modified in place.
    """
    limits = _limits(parameters, state.epoch[0])
    item = state.items[agent]
    for g in range(LEVELS):
        answers = item.answers - _forgotten(limits, g)
        state.trials[agent, g] = item.total / item.answers * answers if answers > 0 else 0.0


@inlined
def verdict(
    parameters: tuple[float, float, float],
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
    limits = _limits(parameters, state.epoch[0])
    g = 0
    while g + 1 < LEVELS and _LEVEL[g + 1] >= m and _forgotten(limits, g) < limits[1]:
        g += 1
    # One level up: an agent must not search in plays that its index counts, because m has fallen
    # just below a level.
    g = max(0, g - 1)
    if _is_gated(parameters[2], memory, state, agent, m, g, _forgotten(limits, g)):
        return PLAY_CHAMPION
    is_known = top >= 0 and here.last >= 0
    failed = is_known and here.failed == FAILED
    succeeded = is_known and here.failed == PAID and _is_answered(state, here.last)
    if succeeded and here.last != top and state.place[here.last] >= 0:
        return PLAY_LAST
    in_trial = state.items[agent].plays < _forgotten(limits, g)
    if here.outside == 0 and in_trial:
        return TEST_TRIED
    if here.outside == 0 or here.seats >= parameters[0]:
        return LET_CHALLENGE
    if not in_trial:
        return TRY_FRESH if m <= 0.5 or (failed and here.last == top) else LET_CHALLENGE
    if m <= 0.5:
        return PLAY_CHAMPION if succeeded and here.last == top else TRY_FRESH
    goes_on = here.last == top or here.seats % _IN_A_ROW != 0
    return TRY_FRESH if failed and goes_on else PLAY_CHAMPION


@inlined
def _is_gated(
    gate: float, memory: int, state: State, agent: int, m: float, g: int, forgotten: int
) -> bool:
    """Whether search since the trial has brought the agent's mean, or a window's, far below m."""
    item = state.items[agent]
    unit = state.epoch[0].unit
    w = item.plays - forgotten
    answers = item.answers - forgotten
    if w <= 0 or answers <= 0:
        return False
    for j in range(windows_of(memory)):
        v, evidence = evidence_below(item, state.blocks[agent], forgotten, memory, j, m)
        if evidence > 0.0 and evidence > gate * allowance(unit, v):
            return True
    if forgets(item, forgotten, memory):
        return False
    r = min(state.trials[agent, g] / answers, 1.0)
    return bool(r < m and w * bernoulli_kl(r, m) > gate * allowance(unit, w))


@inlined
def _is_answered(state: State, number: int) -> bool:
    return bool(state.items[number].plays == state.items[number].answers)
