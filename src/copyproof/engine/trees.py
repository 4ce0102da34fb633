"""A pool's tree, whatever its rule keeps in it.

- Indices that are lines: the kinetic tournament (``tournament``).
- KL-UCB: the tournament of curves (``curves``).
- Thompson sampling: sums of weights (``posteriors``).
- SW-UCB, D-UCB and Exp3: their statistics, in the leaves (``leaf_statistics``).
- Uniform choice and IMED: nothing but who is in play.
"""

import numpy as np

from copyproof.engine.cache import inlined, part
from copyproof.engine.curves import build_curves, curve, replay_curves
from copyproof.engine.leaf_statistics import keeps_leaves
from copyproof.engine.plan import LEAVES, TOURNAMENT
from copyproof.engine.posteriors import count_posterior, weigh_all
from copyproof.engine.rules import NOT_COMPUTED, Kind, LoweredRule, line
from copyproof.engine.state import State
from copyproof.engine.tournament import build, replay_path, set_leaf


@part
def lay_leaf(rule: LoweredRule, state: State, pool: int, place: int, number: int) -> None:
    """Let an item stand at a place of its pool's tree, or nobody if < 0; modified in place."""
    here = state.pools[pool]
    leaf = here.base + here.cap + place
    if number < 0:
        set_leaf(state.nodes, leaf, -np.inf, 0.0, 0, -1)
        return
    if rule.kind == Kind.KL_UCB:
        height, slope = curve(state.items[number])
    elif keeps_leaves(rule):
        height, slope = 0.0, 0.0
    else:
        height, slope = line(rule, state, number)
    set_leaf(state.nodes, leaf, height, slope, 1, number)
    state.place[number] = place


@part
def build_tree(rule: LoweredRule, state: State, pool: int) -> None:
    """Bring a whole tree up to date with its leaves; ``state`` and its scratch are modified."""
    here = state.pools[pool]
    if rule.kind == Kind.KL_UCB:
        build_curves(state.nodes, here.base, here.cap, here.x)
    elif rule.kind == Kind.THOMPSON:
        weigh_all(state, pool)
    elif not keeps_leaves(rule):
        build(state.nodes, here.base, here.cap, here.x)


@part
def update_tree(rule: LoweredRule, state: State, pool: int, place: int, number: int) -> None:
    """Bring a tree up to date with an item that has changed; ``state`` is modified in place."""
    here = state.pools[pool]
    leaf = state.nodes[here.base + here.cap + place]
    if rule.is_line:
        leaf.height, leaf.slope = line(rule, state, number)
        replay_path(state.nodes, here.base, here.cap, place, here.x)
    elif rule.kind == Kind.KL_UCB:
        leaf.height, leaf.slope = curve(state.items[number])
        replay_curves(state.nodes, here.base, here.cap, place, here.x)
    elif rule.kind == Kind.THOMPSON:
        count_posterior(state, pool, place, number)


@part
def leave_out(rule: LoweredRule, state: State, pool: int, place: int) -> None:
    """Let an item lose every match, until ``put_back``; for tournaments. Modified in place."""
    here = state.pools[pool]
    leaf = state.nodes[here.base + here.cap + place]
    if leaf.count == 0 and leaf.height == -np.inf:
        return
    leaf.height, leaf.slope, leaf.count = -np.inf, 0.0, 0
    if rule.is_line:
        replay_path(state.nodes, here.base, here.cap, place, here.x)
    else:
        replay_curves(state.nodes, here.base, here.cap, place, here.x)


@part
def put_back(rule: LoweredRule, state: State, pool: int, place: int, number: int) -> None:
    """Undo ``leave_out``, if it was done; ``state`` is modified in place."""
    here = state.pools[pool]
    leaf = state.nodes[here.base + here.cap + place]
    if leaf.count == 0:
        leaf.count = 1
        update_tree(rule, state, pool, place, number)


@inlined
def count_in_tree(
    rule: LoweredRule, state: State, pool: int, place: int, number: int, search: int
) -> None:
    """The same in every round, short for lines; no more than the way of searching needs."""
    if rule.is_line:
        here = state.pools[pool]
        leaf = state.nodes[here.base + here.cap + place]
        if search == LEAVES and rule.kind == Kind.TRIAL:
            leaf.height, leaf.slope = -np.inf, NOT_COMPUTED
        else:
            leaf.height, leaf.slope = line(rule, state, number)
        if search == TOURNAMENT:
            replay_path(state.nodes, here.base, here.cap, place, here.x)
    elif search == TOURNAMENT:
        update_tree(rule, state, pool, place, number)
