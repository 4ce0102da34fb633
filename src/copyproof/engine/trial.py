"""Trial: an agent is forgiven what its search for a good arm has cost, up to a budget.

An agent with N plays that have paid S in all may claim

    x_N(S) = min(1, v^(1/1.2)),  v = (q + min(0.4 S, 0.3 q))/N,

the x with x^1.2·N = q + min(0.4 S, 0.3 q): a trial may cost about q rewards, somewhat more where
rewards are rare, and 0.4 of what the agent has earned in it, up to 0.3 q. Claims are rounded down
to the grid 2^(−g/64), by comparing v with a table of 2^(−1.2 g/64): neither v, made of a minimum, a
sum and a quotient, nor what such comparisons say ever falls where a reward grows.

At the *starts* d_j = ⌊min(q·2^(0.3 j), most)⌋, j = 0, 1, …, 23, most = ⌊share·T/n⌋ or 1, a claim is
kept; the first start that is as late as ``most``, or number 23, is the last one. q is at most
⌊T/(5 n)⌋ or 1, and at most ``most``. The index of an agent is 3 − N/d_0 for N < d_0, so that agents
have as many plays in turn, and then the largest of

- x_N(S_N), until the last start, and
- min(x_j, U_j) of all starts so far, x_j the claim at d_j, and U_j the largest u with
  w·kl(r, u) ≤ ℓ(w) for the w = N − d_j plays since, of mean reward r; U_j = 1 while w = 0. The
  level is ℓ(w) = ln(15 T/(n w)), or 0 where that is negative.

In most rounds a look at the first start says that who was played last still has the largest index.

For given N all of this is non-decreasing in every reward of the agent, and none of it sees the
round t. The sums since each start are kept in ``State.trials``: sums that begin there, and not
differences, because rounding would let a difference fall when an early reward rises.

With a memory of W plays each U_j is the least over windows of the agent's last plays (``memory``),
where the first d_j are forgiven, each at the level ℓ of its own number of plays; and a claim counts
no rewards, S = 0, so that a reputation does not live on in claims.

Where rewards come late, counts N and w are those of plays, and means those of the answers so far: a
start comes with the d_j-th answer, and its sum is of the answers since.

Inside an agent ``trial_search`` decides.
"""

import math
from decimal import Context
from typing import Any

import numpy as np

from copyproof.engine.bounds import kl_index, level_line, line_below, tilted_index
from copyproof.engine.cache import inlined, part
from copyproof.engine.memory import forgets, held, mean_of, windows_of
from copyproof.engine.numerics import log
from copyproof.engine.state import LEVELS, State, epoch_of

TURN_SHARE = 0.2  # of T/n: the most plays in turn
_CREDIT = 0.4  # of an agent's rewards: what they add to what its trial may cost
_MOST_CREDIT = 0.3  # of q: the most that they add
_WIDER = 15.0  # of T/n, in the level of the index
_STEPS = 64  # of the grid of claims, to an octave
_LAST = 6 * _STEPS  # its last step: claims at the starts are above 2^−6

_exact = Context(prec=28)  # whatever the caller's


def _powers_of_two(numerator: int, denominator: int, count: int) -> Any:
    """All 2^(k·numerator/denominator) for k from 0 on."""
    powers = [_exact.divide(k * numerator, denominator) for k in range(count)]
    return np.array([float(_exact.power(2, one)) for one in powers])


_PLAYS = _powers_of_two(3, 10, LEVELS)  # of starts, with q as the unit
_CLAIM = _powers_of_two(-1, _STEPS, _LAST + 1)
_POWER = _powers_of_two(-6, 5 * _STEPS, _LAST + 1)  # claims to the power 1.2
_STEPS_BY_LN = -5 * _STEPS / (6 * math.log(2))


@inlined
def limits_of(parameters: tuple[float, float, float], epoch: Any) -> tuple[float, float]:
    """Give q, and the last start.

    ⌊share·T/n⌋ is what whole numbers give: T/n is rounded, and where share·T/n is a whole number
    the product may be a little below it. Beyond 10⁸ agents it may be one too many.
    """
    first, share, _ = parameters
    most = max(1, math.floor(share * epoch.unit + 1e-9))
    first = min(first, most, max(1, math.floor(TURN_SHARE * epoch.unit + 1e-9)))
    return first, min(most, math.floor(first * _PLAYS[LEVELS - 1]))


@inlined
def start_of(limits: tuple[float, float], j: int) -> int:
    """d_j; the first that is as late as the second limit is the last."""
    first, most = limits
    return int(min(first * _PLAYS[j], most))


@inlined
def _claim(q: float, plays: int, earned: float) -> float:
    """x_N(S), on the grid: the largest x = 2^(−g/64) with x^1.2 ≤ v, or the least there is."""
    v = (q + min(_CREDIT * earned, _MOST_CREDIT * q)) / plays
    if v >= 1.0:
        return 1.0
    g = min(max(int(log(v) * _STEPS_BY_LN), 1), _LAST)  # about
    while g < _LAST and _POWER[g] > v:
        g += 1
    while g > 1 and _POWER[g - 1] <= v:
        g -= 1
    return _CLAIM[g]  # type: ignore[no-any-return]


@inlined
def allowance(unit: float, w: int) -> float:
    """ln(unit/w), or 0 where that is negative."""
    return log(unit / w) if w < unit else 0.0


@inlined
def trial_index(
    item: Any,
    sums: Any,
    starts: Any,
    blocks: Any,
    epoch: Any,
    parameters: tuple[float, float, float],
    memory: int,
) -> float:
    """The index of an agent, with its starts and the sums of its rewards since."""
    if item.plays == 0:
        return math.inf
    limits = limits_of(parameters, epoch)
    in_turn = start_of(limits, 0)
    if item.plays < in_turn:
        return 3.0 - float(item.plays / in_turn)  # above all others
    best, unit = 0.0, _WIDER * epoch.unit
    if item.answers < limits[1]:
        best = _claim(limits[0], item.plays, _earned(item, memory))
    # A start that is likely to give most comes first, then all from the last one upwards. Of those
    # few are more than the best so far, which a line can show: whose ℓ(w)/w + s·r is below c are
    # not. What is said of one start holds for all before it with the same r, whose ℓ(w)/w is
    # smaller. Starts that are to come have a claim of 0.
    likely = _likely(item, sums, starts, limits, best) if memory == 0 else -1
    most_level, s, c = math.inf, 0.0, 0.0
    for k in range(LEVELS + 1):
        j = LEVELS - k if k > 0 else likely
        if j < 0 or starts[j].claim <= best or (k > 0 and j == likely):
            continue
        claim = starts[j].claim
        start = start_of(limits, j)
        w = item.plays - start
        if w > 0 and not forgets(item, start, memory):
            mean = _mean_since(item, sums, start, j)
            if most_level + s * mean < c:
                continue
            level = allowance(unit, w) / w
            most_level = level if k > 0 else most_level
            if 0.0 < mean < best and level + s * mean >= c:
                s, c = line_below(mean, best)
            if level + s * mean < c:
                continue
            bound, s = tilted_index(mean, level)
            c = level_line(mean, level, s) if bound <= claim and memory == 0 else 0.0
            claim = min(claim, bound)
        if memory > 0 and w > 0 and claim > best:
            claim = min(claim, _least_of_windows(item, blocks, unit, start, memory))
        best = max(best, claim)
    return best


@inlined
def trial_is_above(
    state: State, agent: int, parameters: tuple[float, float, float], b: float
) -> bool:
    """Whether ``trial_index`` without a memory is above b for certain, as min(x_0, U_0) is.

    U_0 is if r > b or w·(b − r)² < 2 v·ℓ(w), v the lesser of r (1 − r) and b (1 − b): by Taylor
    kl(r, b) ≤ (b − r)²/(2 v). Where last bits matter, nothing is certain.
    """
    item, epoch = state.items[agent], epoch_of(state, agent)
    start = start_of(limits_of(parameters, epoch), 0)
    b += 1e-9
    if item.answers <= start or not 0.0 < b < state.starts[agent, 0].claim:
        return False
    w = item.plays - start
    r = _mean_since(item, state.trials[agent], start, 0)
    v = min(r * (1.0 - r), b * (1.0 - b))
    return bool(r > b or w * ((b - r) * (b - r)) < 2.0 * v * allowance(_WIDER * epoch.unit, w))


@inlined
def _likely(item: Any, sums: Any, starts: Any, limits: tuple[float, float], best: float) -> int:
    """The start of largest min(x_j, r), which the index is not below; −1 if none is above best."""
    found = -1
    for j in range(LEVELS):
        claim = starts[j].claim
        if claim > best:
            mean = _mean_since(item, sums, start_of(limits, j), j)
            if min(claim, mean) > best:
                best, found = min(claim, mean), j
    return found


@inlined
def _mean_since(item: Any, sums: Any, start: int, j: int) -> float:
    """The mean reward since a start."""
    answers = item.answers - start
    return min(sums[j] / answers, 1.0) if answers > 0 else 0.5


@inlined
def _earned(item: Any, memory: int) -> float:
    """S_N: what an agent has earned, with unanswered plays as the mean; 0 with a memory."""
    if memory > 0:
        return 0.0
    if item.answers == 0:
        return 0.5 * float(item.plays)
    if item.plays > item.answers:
        return float(item.total / item.answers * item.plays)
    return float(item.total)


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
    state: State,
    agent: int,
    reward: float,
    parameters: tuple[float, float, float],
    memory: int,
) -> None:
    """Add a reward to the sums of its agent's starts, or begin one, before the reward is counted.

    ``state`` is modified in place.
    """
    limits = limits_of(parameters, epoch_of(state, agent))
    item = state.items[agent]
    plays = item.answers + 1
    if plays > limits[1]:  # no start is to come
        for j in range(LEVELS):
            if state.starts[agent, j].claim == 0.0:
                break
            state.trials[agent, j] += reward
        return
    for j in range(LEVELS):
        start = start_of(limits, j)
        if start > plays:
            break
        if start == plays:
            earned = item.total + reward if memory == 0 else 0.0
            _set_start(state, agent, j, limits[0], start, earned)
        else:
            state.trials[agent, j] += reward
        if start >= limits[1]:
            break


@inlined
def _set_start(state: State, agent: int, j: int, q: float, start: int, earned: float) -> None:
    state.starts[agent, j].earned = earned
    state.starts[agent, j].claim = _claim(q, start, earned)


@part
def correct_levels(
    state: State,
    agent: int,
    number: int,
    change: float,
    parameters: tuple[float, float, float],
    memory: int,
) -> None:
    """Let the reward of an agent's play ``number`` be worth more or less, at all its starts.

    Sums are kept within what rewards in [0, 1] give. ``state`` is modified in place.
    """
    limits = limits_of(parameters, epoch_of(state, agent))
    plays = state.items[agent].answers
    for j in range(LEVELS):
        start = start_of(limits, j)
        if start > plays:
            break
        if start <= number:
            more = state.trials[agent, j] + change
            state.trials[agent, j] = min(max(more, 0.0), float(plays - start))
        elif memory == 0:
            earned = min(max(state.starts[agent, j].earned + change, 0.0), float(start))
            _set_start(state, agent, j, limits[0], start, earned)
        if start >= limits[1]:
            break


@part
def spread_over_levels(
    state: State, agent: int, parameters: tuple[float, float, float], memory: int
) -> None:
    """Fill the starts of an agent whose rewards were not kept in order, as if they came evenly.

    ``state`` is modified in place.
    """
    limits = limits_of(parameters, epoch_of(state, agent))
    item = state.items[agent]
    mean = item.total / item.answers if item.answers > 0 else 0.0
    is_over = False
    for j in range(LEVELS):
        start = start_of(limits, j)
        state.trials[agent, j] = 0.0
        state.starts[agent, j].earned = 0.0
        state.starts[agent, j].claim = 0.0
        if start <= item.answers and not is_over:
            state.trials[agent, j] = mean * (item.answers - start)
            earned = mean * start if memory == 0 else 0.0
            _set_start(state, agent, j, limits[0], start, earned)
        is_over = start >= limits[1]
