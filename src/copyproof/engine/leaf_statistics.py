"""SW-UCB, D-UCB and Exp3: rules with statistics of their own, kept in the leaves of their pool.

A leaf holds, in place of a line's height and slope,

- under SW-UCB (Garivier, Moulines 2011) the sum and number of the item's rewards among the last W
  plays of the pool; ``State.ring`` holds these plays, a row for each pool, so that each can leave;
- under D-UCB (the same) both discounted: all leaves shrink by γ with every play of the pool;
- under Exp3 (Auer, Cesa-Bianchi, Freund, Schapire 2002) Ŝ, the sum of r/p over the item's plays,
  p the chance that it had. With K items in play, γ = min(1, √(K ln K/((e − 1) T))) if none is
  given, and p = (1 − γ)·e^(γ(Ŝ − max Ŝ)/K)/Σ + γ/K. ``bar`` of the pool is the p of its last play.

Items stay where they are as long as such a rule plays: no arms come and go (``lower`` refuses it).
"""

import math

import numpy as np

from copyproof.engine.cache import inlined, part
from copyproof.engine.numerics import exp, log
from copyproof.engine.rules import Kind, LoweredRule, Turn
from copyproof.engine.state import State
from copyproof.engine.streams import PICK, uniform

_E_LESS_1 = 1.718281828459045


@inlined
def keeps_leaves(rule: LoweredRule) -> bool:
    """Whether a rule has its statistics in the leaves."""
    return bool(
        rule.kind == Kind.SLIDING_WINDOW or rule.kind == Kind.DISCOUNTED or rule.kind == Kind.EXP3
    )


@part
def count_in_leaf(rule: LoweredRule, state: State, pool: int, place: int, reward: float) -> None:
    """Count a play and its reward; ``state`` is modified in place."""
    here = state.pools[pool]
    leaves = here.base + here.cap
    leaf = state.nodes[leaves + place]
    if rule.kind == Kind.EXP3:
        leaf.height += reward / here.bar
        return
    if rule.kind == Kind.DISCOUNTED:
        gamma = rule.parameters[0]
        for other in range(here.size):
            state.nodes[leaves + other].height *= gamma
            state.nodes[leaves + other].slope *= gamma
    else:
        here.pointer += 1
        row = pool * (state.ring.shape[0] // state.pools.shape[0])
        one = state.ring[row + here.pointer % rule.memory]
        if here.pointer >= rule.memory:
            oldest = state.nodes[leaves + one.place]
            oldest.slope -= 1.0
            oldest.height = oldest.height - one.reward if oldest.slope > 0.0 else 0.0
        one.place = place
        one.reward = reward
    leaf.height += reward
    leaf.slope += 1.0


@part
def draw_by_chances(rule: LoweredRule, state: State, pool: int, turn: Turn) -> int:
    """Exp3: the place of the next item; the pool's ``bar`` becomes its chance."""
    here = state.pools[pool]
    leaves = here.base + here.cap
    k = float(here.size)
    gamma = rule.parameters[0]
    if gamma == 0.0:
        gamma = min(1.0, math.sqrt(k * log(k) / (_E_LESS_1 * turn.horizon)))
    most = -np.inf
    for place in range(here.size):
        most = max(most, state.nodes[leaves + place].height)
    total = 0.0
    for place in range(here.size):
        state.values[place] = exp(gamma * (state.nodes[leaves + place].height - most) / k)
        total += state.values[place]
    u = uniform(state.keys[pool, 0], state.keys[pool, 1], turn.k, PICK, 0, turn.repetition)
    place = -1
    while u >= 0.0 and place < here.size - 1:
        place += 1
        here.bar = (1.0 - gamma) * (state.values[place] / total) + gamma / k
        u -= here.bar
    return place
